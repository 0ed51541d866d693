"""The plain backend: numba's documented decorators and Python's threads, for any numba."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import njit
from numba.extending import register_jitable
from numpy.typing import NDArray


def make_rule(function: Callable[..., Any]) -> Any:
    """A dispatcher that other compiled functions call."""
    return njit(error_model="numpy")(function)  # as on CUDA: no check for division by zero


def make_entry(function: Callable[..., Any]) -> Any:
    """A dispatcher that Python calls."""
    return njit(error_model="numpy", nogil=True)(function)


@register_jitable
def prefetch(games: Any, i: int) -> None:
    """Do nothing: the next game is loaded when it is used."""


class PlainThreadPool:
    """A `ThreadPool` on Python's threads; takes uncompiled functions, too."""

    def __init__(self, num_games: int, threads: int, chunk: int) -> None:
        self._bounds = [(k, min(k + chunk, num_games)) for k in range(0, num_games, chunk)]
        self._threads = min(threads, len(self._bounds))
        self._results: NDArray[np.int64] = np.zeros(len(self._bounds), np.int64)
        self._executor = ThreadPoolExecutor(self._threads - 1) if self._threads > 1 else None
        self._process = os.getpid()

    def __len__(self) -> int:
        return self._threads

    def close(self) -> None:
        """See `ThreadPool.close`."""
        if self._executor is not None and self._process == os.getpid():
            self._executor.shutdown()
        self._executor = None

    def run(self, function: Callable[..., Any], games: Any, *rest: Any) -> NDArray[np.int64]:
        """See `ThreadPool.run`."""
        call = function.compiled() if hasattr(function, "compiled") else function
        chunks = iter(range(len(self._bounds)))

        def work() -> None:
            for k in chunks:
                self._results[k] = call(games, *self._bounds[k], *rest) or 0

        shared = self._executor is not None and self._process == os.getpid()  # not in a fork
        helpers = [self._executor.submit(work) for _ in range(self._threads - 1) if shared]  # type: ignore[union-attr]
        try:
            work()
        finally:
            for helper in helpers:
                helper.result()
        return self._results
