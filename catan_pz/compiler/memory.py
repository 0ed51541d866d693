"""Prefetching for rules, where the backend can."""

from catan_pz.compiler.backend import BACKEND

if BACKEND == "fast":
    from catan_pz.compiler.fast.atomics import prefetch
else:
    from catan_pz.compiler.plain.memory import prefetch

__all__ = ["prefetch"]
