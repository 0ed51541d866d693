"""Games played in processes of this machine, replaced when an agent ends or blocks one."""

import pickle
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from multiprocessing.connection import wait
from typing import Any, Final

from catan_pz.arena.entrants import Entrant
from catan_pz.arena.executors.base import Task
from catan_pz.arena.executors.worker import Worker, WorkerArguments
from catan_pz.arena.forfeits import death_reason, time_reason
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig
from catan_pz.checks import check_count

_POLL_SECONDS: Final = 0.05
"""Between looks for workers that are late, or gone while another process holds their pipe open."""


class Pool:
    """Processes that play tasks, replaced when an agent ends or blocks one."""

    def __init__(self, arguments: WorkerArguments) -> None:
        self._arguments = arguments
        self._waiting: deque[Task] = deque()
        self._workers: list[Worker] = []

    def run(self, tasks: Sequence[Task], count: int) -> Iterator[list[GameResult]]:
        """Play tasks in some number of processes, which stay for the next call.

        Yields:
            Results that came in together.
        """
        self._waiting.extend(tasks)
        for worker in self._workers:
            self._give_task(worker)
        while len(self._workers) < count:
            self._start_worker()
        while self._waiting or not all(worker.is_ready for worker in self._workers):
            connections = [worker.connection for worker in self._workers]
            wait(connections, _POLL_SECONDS)
            for worker in list(self._workers):
                results = list(self._serve(worker))
                if results:
                    yield results

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
        else:
            self._give_task(worker)

    def _give_task(self, worker: Worker) -> None:
        if worker.is_ready and self._waiting:
            worker.give(self._waiting.popleft())

    def _start_worker(self) -> None:
        self._workers.append(Worker(self._arguments))

    def _replace(self, worker: Worker, why: Callable[[Worker], str]) -> Iterator[GameResult]:
        """Go on after the end of a worker: its game is lost by the seat that was called.

        Where several games were on, nobody knows which seat that was: they are played again, one
        by one.
        """
        if worker.is_warming_up:
            # The next worker doesn't ask this agent outside a game again.
            skipped = self._arguments.no_warm_up | {worker.log.asked}
            self._arguments = replace(self._arguments, no_warm_up=skipped)
        elif worker.is_dismissing:
            warnings.warn(f"{why(worker)}, at the end of a game", stacklevel=2)
        else:
            forfeited = worker.forfeit(why(worker))
            if forfeited is not None:
                yield forfeited
            elif why is _death and not worker.plays_many:
                # One that was late may have returned while it was ended.
                raise RuntimeError(
                    f"a worker process ended by itself (exit code {worker.exit_code}), in no "
                    "agent's call: standard error has its error, if any; a script that plays in "
                    'processes needs if __name__ == "__main__":'
                )
        self._waiting.extendleft(Task((game,), "single") for game in worker.unfinished.values())
        self._workers.remove(worker)
        worker.close()
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
    return time_reason(worker.seconds_allowed, worker.log.call)


class ProcessExecutor:
    """Plays tasks in processes, which it replaces when an agent ends or blocks one.

    Agents must be given as names, functions of a module, or objects that can be pickled, and
    a script that plays needs `if __name__ == "__main__":`.

    Attributes:
        workers: the same.
    """

    def __init__(self, workers: int = 1) -> None:
        self.workers = check_count("workers", workers)

    def run(
        self, config: MatchConfig, entrants: Sequence[Entrant], tasks: Sequence[Task]
    ) -> Generator[GameResult, None, None]:
        """Play all tasks, as `Executor.run`."""
        with closing(Pool(worker_arguments(config, entrants))) as pool:
            for results in pool.run(tasks, min(self.workers, len(tasks))):
                yield from results


def worker_arguments(
    config: MatchConfig,
    entrants: Sequence[Entrant],
    dumps: Callable[[Any], bytes] = pickle.dumps,
    where: str = "a worker process",
) -> WorkerArguments:
    """What workers need to know; a `ValueError` names an entrant that can't be sent there."""
    for entrant in entrants:
        try:
            dumps(entrant)
        except Exception as error:
            raise ValueError(
                f"agent {entrant.name!r} can't be sent to {where} ({error}); give a name or a "
                'function of a module that makes it, or play with executor="inline"'
            ) from error
    has_programs = any(entrant.is_program or entrant.is_isolated for entrant in entrants)
    return WorkerArguments(config, dumps(tuple(entrants)), has_programs)
