"""Thread pools that distribute calls over the games of a batch."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from catan_pz.kernels.backend import BACKEND
from catan_pz.kernels.rule import bound

if TYPE_CHECKING:
    from catan_pz.kernels.packed_threads import PackedThreadPool


class PlainThreadPool:
    """A pool of Python threads for calls on the games of a batch; use it from one thread at a time.

    The caller's thread is one of the `threads`; each takes a `chunk` of games at a time.
    """

    def __init__(self, num_games: int, threads: int, chunk: int) -> None:
        self._bounds = [(k, min(k + chunk, num_games)) for k in range(0, num_games, chunk)]
        self._threads = min(threads, len(self._bounds))
        self._results: NDArray[np.int64] = np.zeros(len(self._bounds), np.int64)
        self._executor = ThreadPoolExecutor(self._threads - 1) if self._threads > 1 else None
        self._process = os.getpid()

    def __len__(self) -> int:
        return self._threads

    def close(self) -> None:
        """End the threads; later calls run on the caller's thread only."""
        if self._executor is not None and self._process == os.getpid():
            self._executor.shutdown()
        self._executor = None

    def prepare(self, function: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
        """`run` as a repeatable call."""
        return partial(self.run, function, *arguments)

    def run(self, function: Callable[..., Any], games: Any, *rest: Any) -> NDArray[np.int64]:
        """Call an entry point or function of `games, first, last` and the rest on all games.

        Returns (K,) its result for each part of the games, zero if it returns none; the next
        call overwrites the array.
        """
        call, chunks = bound(function), iter(range(len(self._bounds)))

        def work() -> None:
            for k in chunks:
                self._results[k] = call(games, *self._bounds[k], *rest) or 0

        helpers = []
        if self._executor is not None and self._process == os.getpid():  # not in a fork
            helpers = [self._executor.submit(work) for _ in range(self._threads - 1)]
        try:
            work()
        finally:
            for helper in helpers:
                helper.result()
        return self._results


def make_thread_pool(
    num_games: int, threads: int, chunk: int
) -> "PlainThreadPool | PackedThreadPool":
    """A pool for batches of one size, of the backend's kind."""
    if BACKEND == "fast":
        from catan_pz.kernels.packed_threads import PackedThreadPool

        return PackedThreadPool(num_games, threads, chunk)
    return PlainThreadPool(num_games, threads, chunk)
