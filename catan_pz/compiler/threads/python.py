"""A pool of Python threads; compiled calls run without the interpreter lock."""

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Final
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from catan_pz.compiler.arguments import Parameters, index_error
from catan_pz.compiler.rule import Entry, bound

_NEVER_GIVEN: Final = object()


class _Arguments:
    """Arguments of an entry point, checked where they change."""

    def __init__(self, entry: Entry) -> None:
        self._parameters = Parameters(entry.dispatcher.py_func)
        self._given: list[Any] = [_NEVER_GIVEN] * len(self._parameters)

    def check(self, arguments: tuple[Any, ...]) -> None:
        """Check all that weren't given last time."""
        self._parameters.check_count(len(arguments))
        for k, given in enumerate(arguments):
            if given is not self._given[k]:
                self._parameters.checked(k, given)
                self._given[k] = given


class PythonThreadPool:
    """A `ThreadPool` on a `ThreadPoolExecutor`; takes uncompiled functions, too."""

    def __init__(self, num_games: int, threads: int, chunk: int) -> None:
        self._bounds = [(k, min(k + chunk, num_games)) for k in range(0, num_games, chunk)]
        self._threads = min(threads, len(self._bounds))
        self._results: NDArray[np.int64] = np.zeros(len(self._bounds), np.int64)
        self._checks: dict[Entry, _Arguments] = {}
        self._process = os.getpid()
        self._executor = ThreadPoolExecutor(max(1, self._threads - 1), "catan-pz")
        self._open = True
        self._end = finalize(self, self._executor.shutdown, wait=False)

    def __len__(self) -> int:
        return self._threads

    def close(self) -> None:
        """See `ThreadPool.close`."""
        self._open = False
        self._end()

    def run(self, function: Callable[..., Any], *arguments: Any) -> NDArray[np.int64]:
        """See `ThreadPool.run`."""
        if isinstance(function, Entry):
            self._check(function, arguments)
        chunks = deque(range(len(self._bounds)))
        work = _Work(bound(function), arguments, chunks, self._bounds, self._results)
        # A forked process has none of its parent's threads.
        helpers = self._threads - 1 if self._open and os.getpid() == self._process else 0
        others = [self._executor.submit(work) for _ in range(helpers)]
        try:
            try:
                work()
            finally:
                chunks.clear()
                running = _wait_for(others)
            for other in running:
                other.result()
        except IndexError as error:
            raise index_error(function) from error
        return self._results

    def _check(self, entry: Entry, arguments: tuple[Any, ...]) -> None:
        known = self._checks.get(entry)
        if known is None:
            known = self._checks[entry] = _Arguments(entry)
        known.check(arguments)


class _Work:
    """Runs chunks until none is left; several threads call it at once."""

    def __init__(
        self,
        call: Callable[..., Any],
        arguments: tuple[Any, ...],
        chunks: deque[int],
        bounds: list[tuple[int, int]],
        results: NDArray[np.int64],
    ) -> None:
        self._call = call
        self._games, *self._rest = arguments
        self._chunks = chunks
        self._bounds = bounds
        self._results = results

    def __call__(self) -> None:
        """Run chunks."""
        while True:
            try:
                chunk = self._chunks.popleft()
            except IndexError:
                return
            first, last = self._bounds[chunk]
            self._results[chunk] = self._call(self._games, first, last, *self._rest) or 0


def _wait_for(others: list[Future[None]]) -> list[Future[None]]:
    """Wait until no thread is at work and return those that were; cancel the others."""
    running = [other for other in others if not other.cancel()]
    try:
        wait(running)
    except KeyboardInterrupt:  # no thread may still run when the caller goes on
        wait(running)
        raise
    return running
