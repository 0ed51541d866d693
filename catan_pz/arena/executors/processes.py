"""Games played in processes of this machine."""

import math
import pickle
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from multiprocessing.connection import wait
from typing import Final

from catan_pz.arena.config import MatchConfig
from catan_pz.arena.entrants import Entrant
from catan_pz.arena.executors.tasks import Task
from catan_pz.arena.executors.worker import Worker, WorkerArguments
from catan_pz.arena.forfeits import death_reason, time_reason
from catan_pz.arena.results import GameResult

_POLL_SECONDS: Final = 0.05


class ProcessExecutor:
    """Plays tasks in processes, which it replaces when an agent ends or blocks one.

    Agents must be given as names, functions of a module, or objects that can be pickled, and
    a script that plays needs `if __name__ == "__main__":`.

    Args:
        workers: processes.

    Attributes:
        workers: the same.
    """

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers

    def run(
        self, config: MatchConfig, entrants: Sequence[Entrant], tasks: Sequence[Task]
    ) -> Generator[GameResult, None, None]:
        """Play all tasks, as `Executor.run`.

        Raises:
            ValueError: names an entrant that can't be sent to another process.
            RuntimeError: if a worker ends by itself, other than in an agent's decision.
        """
        _check_picklable(entrants)
        pool = _Pool(WorkerArguments(config, tuple(entrants)), tasks)
        try:
            yield from pool.run(min(self.workers, len(tasks)))
        finally:
            pool.close()


def _check_picklable(entrants: Sequence[Entrant]) -> None:
    for entrant in entrants:
        try:
            pickle.dumps(entrant)
        except Exception as error:
            raise ValueError(
                f"agent {entrant.name!r} can't be sent to a worker process ({error}); give "
                "a name or a function of a module that makes it, or play with "
                'executor="inline"'
            ) from error


class _Pool:
    """The workers of one match, and the tasks that wait for them."""

    def __init__(self, arguments: WorkerArguments, tasks: Sequence[Task]) -> None:
        self._arguments = arguments
        self._waiting = deque(tasks)
        self._workers: list[Worker] = []

    def run(self, count: int) -> Iterator[GameResult]:
        """Play all tasks in some number of processes."""
        for _ in range(count):
            self._start_worker()
        timed = self._arguments.config.seconds_per_decision is not None
        while self._workers:
            connections = [worker.connection for worker in self._workers]
            wait(connections, _POLL_SECONDS if timed else None)
            for worker in list(self._workers):
                yield from self._serve(worker)

    def _serve(self, worker: Worker) -> Iterator[GameResult]:
        """Take the results of a worker, and give it a new task or replace it."""
        results, is_there = worker.receive()
        yield from results
        if not is_there:
            worker.join()
            yield from self._replace(worker, _death)
        elif worker.is_overdue:
            worker.kill()
            yield from worker.receive()[0]
            yield from self._replace(worker, _lateness)
        elif worker.is_ready and self._waiting:
            worker.give(self._waiting.popleft())
        elif worker.is_ready:
            self._dismiss(worker)

    def _start_worker(self) -> None:
        self._workers.append(Worker(self._arguments))

    def _dismiss(self, worker: Worker) -> None:
        self._workers.remove(worker)
        worker.close()

    def _replace(self, worker: Worker, why: Callable[[Worker], str]) -> Iterator[GameResult]:
        """Go on after the end of a worker: its game is lost by the seat that was called."""
        if worker.is_warming_up:
            # The next worker doesn't ask this agent outside a game again.
            skipped = self._arguments.no_warm_up | {worker.log.asked}
            self._arguments = replace(self._arguments, no_warm_up=skipped)
        elif worker.is_dismissing:
            warnings.warn(f"{why(worker)}, at the end of a game", stacklevel=2)
        else:
            forfeited = worker.forfeit(why(worker))
            if forfeited is None:
                raise RuntimeError(
                    f"a worker process ended by itself (exit code {worker.exit_code}), in no "
                    "agent's call; a script that plays in processes needs "
                    'if __name__ == "__main__":'
                )
            yield forfeited
        if worker.task is not None and worker.unfinished:
            unfinished = tuple(worker.unfinished.values())
            self._waiting.appendleft(Task(unfinished, worker.task.batched))
        self._dismiss(worker)
        if self._waiting:
            self._start_worker()

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.terminate()
        for worker in self._workers:
            worker.close()
        self._workers.clear()


def _death(worker: Worker) -> str:
    return death_reason(worker.exit_code, worker.log.call)


def _lateness(worker: Worker) -> str:
    limit = worker.arguments.config.seconds_per_decision or math.inf
    return time_reason(limit, worker.log.call)
