"""Pools of threads that share calls on the games of a batch."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from catan_pz.kernels.backend import BACKEND


class ThreadPool(Protocol):
    """Threads that run calls on the games of a batch; one thread at a time may call it."""

    def __len__(self) -> int:
        """Number of threads."""

    def close(self) -> None:
        """End the threads; later calls run on the caller's thread alone."""

    def run(self, function: Callable[..., Any], *arguments: Any) -> NDArray[np.int64]:
        """Call an entry point on all games.

        Args:
            function: an entry point whose first parameters are `games, first, last`.
            arguments: its arguments without `first` and `last`.

        Returns:
            (K,) its result for each part of the games, zero where it returns none; the next
            call writes to the same array.
        """


def make_thread_pool(num_games: int, threads: int, chunk: int) -> ThreadPool:
    """A pool for batches of one size.

    Args:
        num_games: of the batch.
        threads: that run a call, the caller's own included.
        chunk: games that a thread takes at a time.
    """
    if BACKEND == "fast":
        from catan_pz.kernels.packed_threads import PackedThreadPool

        return PackedThreadPool(num_games, threads, chunk)
    from catan_pz.kernels.plain import PlainThreadPool

    return PlainThreadPool(num_games, threads, chunk)
