"""A pool of Python threads; compiled calls run without the interpreter lock.

An exception may reach the caller between any two bytecodes: from a signal's handler, or from
another thread. So the caller hands a task over whole, by one atomic operation, takes no part in
it, and waits; the threads bring it to its end. If several exceptions get through the wait, the
next call waits first.
"""

import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Final, TypeAlias
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from catan_pz.kernels.arguments import Parameters, index_error
from catan_pz.kernels.forks import tell_forks
from catan_pz.kernels.rule import Entry, bound

WAIT_SECONDS: Final = 0.05
"""How long the caller waits at a time; it is woken once the task is over."""

CANCELLED: Final = -1
"""In place of the number of the thread that begins a task that nobody has begun."""

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


class _Task:
    """A call on all chunks; several threads run it at once.

    Attributes:
        is_over: whether all chunks are done.
        error: what a chunk has raised.
    """

    def __init__(
        self,
        call: Callable[..., Any],
        arguments: tuple[Any, ...],
        bounds: list[tuple[int, int]],
        results: NDArray[np.int64],
    ) -> None:
        self._call = call
        self._games, *self._rest = arguments
        self._bounds = bounds
        self._results = results
        self._claims: dict[str, int] = {}
        self._chunks = deque(range(len(bounds)))
        self._left = len(bounds)
        self._counting = threading.Lock()
        self._end = threading.Lock()
        self._end.acquire()
        self.is_over = False
        self.error: BaseException | None = None

    def claim(self, who: int) -> bool:
        """Let one of several decide on it; return whether it is this one.

        Args:
            who: number of the thread that begins it, or CANCELLED.
        """
        return self._claims.setdefault("who", who) == who

    def run(self) -> None:
        """Run chunks until none is left."""
        while True:
            try:
                chunk = self._chunks.popleft()
            except IndexError:
                return
            first, last = self._bounds[chunk]
            try:
                result = self._call(self._games, first, last, *self._rest)
                self._results[chunk] = result or 0
            except BaseException as error:
                self.error = error
            self._count()

    def _count(self) -> None:
        with self._counting:
            self._left -= 1
            if self._left == 0:
                self.is_over = True
                self._end.release()

    def wait(self) -> None:
        """Wait until it is over."""
        while not self.is_over:  # an exception may have come after the lock was acquired
            self._end.acquire(timeout=WAIT_SECONDS)


_Queue: TypeAlias = "SimpleQueue[tuple[_Task, int] | None]"


def _run_thread(queue: _Queue) -> None:
    """Target of a thread: run tasks until there is None."""
    while (given := queue.get()) is not None:
        task, helpers = given
        if helpers == 0 or task.claim(threading.get_ident()):
            for _ in range(helpers):
                queue.put((task, 0))
            task.run()
        del task, given  # a thread that waits keeps no games


def _stop(queue: _Queue, threads: int) -> None:
    """Let the threads end."""
    for _ in range(threads):
        queue.put(None)


class PythonThreadPool:
    """A `ThreadPool` on Python's threads; takes uncompiled functions, too."""

    def __init__(self, num_games: int, threads: int, chunk: int) -> None:
        self._bounds = [(k, min(k + chunk, num_games)) for k in range(0, num_games, chunk)]
        self._threads = min(threads, len(self._bounds))
        self._results: NDArray[np.int64] = np.zeros(len(self._bounds), np.int64)
        self._result: NDArray[np.int64] = np.zeros(1, np.int64)
        self._checks: dict[Entry, _Arguments] = {}
        self._task: _Task | None = None
        self._queue: _Queue = SimpleQueue()
        started = self._threads if self._threads > 1 else 0
        self._open = started > 0
        self._end = finalize(self, _stop, self._queue, started)
        tell_forks(self)
        for _ in range(started):
            threading.Thread(target=_run_thread, args=(self._queue,), daemon=True).start()

    def __len__(self) -> int:
        return self._threads

    def close(self) -> None:
        """See `ThreadPool.close`."""
        self._settle()
        self._open = False
        self._end()

    def after_fork(self) -> None:
        """Let the caller do all in a forked process."""
        self._open, self._task = False, None

    def run(self, function: Callable[..., Any], *arguments: Any) -> NDArray[np.int64]:
        """See `ThreadPool.run`."""
        if isinstance(function, Entry):
            self._check(function, arguments)
        call = bound(function)
        self._settle()
        try:
            return self._share_out(call, arguments) if self._open else self._alone(call, arguments)
        except IndexError as error:
            raise index_error(function) from error

    def _alone(self, call: Callable[..., Any], arguments: tuple[Any, ...]) -> NDArray[np.int64]:
        """One call on all games, so that it is done whole or not at all."""
        games, *rest = arguments
        self._result[0] = call(games, 0, self._bounds[-1][1], *rest) or 0
        return self._result

    def _share_out(self, call: Callable[..., Any], arguments: tuple[Any, ...]) -> NDArray[np.int64]:
        task = self._task = _Task(call, arguments, self._bounds, self._results)
        try:
            self._queue.put((task, self._threads - 1))
            task.wait()
        finally:
            self._settle()
        if task.error is not None:
            raise task.error
        return self._results

    def _settle(self) -> None:
        """Wait until no thread is at work, whatever is raised meanwhile; raise it afterwards."""
        raised: BaseException | None = None
        while (task := self._task) is not None:
            try:
                if not task.claim(CANCELLED):
                    task.wait()
                self._task = None
            except BaseException as error:
                raised = error
        if raised is not None:
            raise raised

    def _check(self, entry: Entry, arguments: tuple[Any, ...]) -> None:
        known = self._checks.get(entry)
        if known is None:
            known = self._checks[entry] = _Arguments(entry)
        known.check(arguments)
