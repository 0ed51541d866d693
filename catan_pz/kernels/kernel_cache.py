"""Numba's own cache for CUDA kernels, with stamps of all sources and without its errors."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba

from catan_pz.kernels.folders import user_folder
from catan_pz.kernels.notices import warn_once
from catan_pz.kernels.stamp import module_of, stamp_of


class GuardedCache:
    """A cache of numba's that misses, with one warning, where it would fail.

    Args:
        cache: that of a dispatcher.
    """

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Compiled code or None; for numba."""
        try:
            return self._cache.load_overload(signature, context)
        except Exception as error:  # a damaged file can fail in any way
            _warn(error)
            with suppress(Exception):
                self._cache.flush()
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write compiled code; for numba."""
        try:
            self._cache.save_overload(signature, result)
        except Exception as error:
            _warn(error)


def use_kernel_cache(dispatcher: Any, kernel: Callable[..., Any]) -> None:
    """Let numba cache a kernel, where it finds a folder.

    Args:
        dispatcher: of `numba.cuda.jit`.
        kernel: its Python function.
    """
    without = dispatcher._cache
    try:
        _check_folder(Path(kernel.__code__.co_filename))
        dispatcher.enable_caching()
        # Numba alone doesn't notice a change in the rules.
        dispatcher._cache._cache_file._source_stamp = stamp_of(module_of(kernel))
    except Exception as error:
        dispatcher._cache = without
        _warn(error)
    else:
        dispatcher._cache = GuardedCache(dispatcher._cache)


def _check_folder(source: Path) -> None:
    """Refuse what numba takes for a folder named `~`."""
    given = numba.config.CACHE_DIR
    if given.startswith("~"):
        raise OSError(f"NUMBA_CACHE_DIR={given} is not a path")
    if not given and user_folder() is None and not os.access(source.parent, os.W_OK):
        raise OSError("there is no folder for it")


def _warn(error: Exception) -> None:
    reason = str(error) or type(error).__name__
    warn_once("kernel cache", f"compiled kernels can't be kept ({reason}): compiled anew")
