"""Prefetching for rules, where the backend can."""

from catan_pz.kernels.backend import BACKEND

if BACKEND == "fast":
    from catan_pz.kernels.fast.atomics import prefetch
else:
    from catan_pz.kernels.plain.memory import prefetch

__all__ = ["prefetch"]
