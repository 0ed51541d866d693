"""Games played in processes of this machine, replaced when an agent ends or blocks one."""

import math
import pickle
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.connection import wait
from typing import Any, Final

from catan_pz.agents.programs.agent import START_SECONDS
from catan_pz.arena.entrants import Entrant
from catan_pz.arena.executors.base import Task
from catan_pz.arena.executors.worker import NONE, DecisionLog, WorkerArguments, run_worker
from catan_pz.arena.forfeits import ACT, END, RESET, Forfeit, death_reason, time_reason
from catan_pz.arena.games import replay, result_of
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.checks import check_count

WARM_UP_SECONDS: Final = 60.0
"""More time for an agent's first decision, outside all games, to compile and to load."""

GRACE_SECONDS: Final = 1.0
"""An agent may be this late and keep its process; it forfeits its game all the same."""

_POLL_SECONDS: Final = 0.05
"""Between checks for workers that are late, or gone while another process holds their pipe."""

_CONTEXT: Final = get_context("spawn")


class Worker:
    """A worker process as its parent sees it.

    Attributes:
        task: the task that it plays, or None before the first.
        unfinished: games of the task without a result, by number.
        is_ready: whether it waits for a task.
        log: what it is doing.
    """

    def __init__(self, arguments: WorkerArguments) -> None:
        self._arguments = arguments
        self.task: Task | None = None
        self.unfinished: dict[int, ScheduledGame] = {}
        self.is_ready = False
        self.log: DecisionLog = _CONTEXT.RawValue(DecisionLog)
        self.log.start_game(NONE)
        self.connection, other_end = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(
            target=run_worker, args=(other_end, arguments, self.log), daemon=True
        )
        self.process.start()
        other_end.close()

    def give(self, task: Task) -> None:
        """Send it a task."""
        self.task = task
        self.unfinished = {game.number: game for game in task.games}
        self.is_ready = False
        self.connection.send(task)

    def receive(self) -> tuple[list[GameResult], bool]:
        """Results that have come in, and whether the worker is still there."""
        results: list[GameResult] = []
        while True:
            is_there = self.process.exitcode is None  # before the look for what it has sent
            try:
                if not self.connection.poll():
                    return results, is_there
                message = self.connection.recv()
            except (EOFError, OSError):
                return results, False
            if isinstance(message, Exception):
                raise message
            if message is None:
                self.is_ready = True
            else:
                self.unfinished.pop(message.number, None)
                results.append(message)

    @property
    def is_warming_up(self) -> bool:
        """Whether an agent makes its first decision, outside all games."""
        return self.log.game == NONE and self.log.asked != NONE

    @property
    def plays_many(self) -> bool:
        """Whether it plays several games at a time, which its log doesn't follow."""
        return not self.is_ready and self.task is not None and self.task.way != "single"

    @property
    def is_overdue(self) -> bool:
        """Whether a call of an agent should have ended long ago."""
        return self.log.asked != NONE and self.log.waited > self.seconds_allowed + GRACE_SECONDS

    @property
    def seconds_allowed(self) -> float:
        """For the present call of an agent; infinite in a match without a limit."""
        limit = self._arguments.config.seconds_per_decision or math.inf
        if not self.is_warming_up and self.log.call != RESET:
            return limit
        # Programs that don't start in time are ended by their agents first, which say so.
        starting = 2 * START_SECONDS if self._arguments.has_programs else 0.0
        return limit + WARM_UP_SECONDS + starting

    def forfeit(self, reason: str) -> GameResult | None:
        """The game in progress, forfeited by the seat whose agent was called; None without one.

        Call it once the process has ended.
        """
        log, config = self.log, self._arguments.config
        seat = log.asked
        if seat == NONE or log.game not in self.unfinished:
            return None
        scheduled = self.unfinished.pop(log.game)
        game, decisions = replay(config, scheduled, log.actions[: log.count])
        seconds = log.seconds[: config.rules.num_players]
        if log.call == ACT:
            decisions[seat] += 1
            seconds[seat] += max(0.0, log.waited)
        return result_of(config, scheduled, game, decisions, seconds, Forfeit(seat, reason))

    def kill(self) -> None:
        """End the process; results that it has sent can still be received."""
        self.process.terminate()
        self.process.join(GRACE_SECONDS)
        self.process.kill()
        self.process.join()

    def close(self) -> None:
        """End the process and the connection."""
        self.kill()
        self.connection.close()


class Pool:
    """Processes that play tasks, replaced when an agent ends or blocks one."""

    def __init__(self, arguments: WorkerArguments) -> None:
        self._arguments = arguments
        self._waiting: deque[Task] = deque()
        self._workers: list[Worker] = []

    def run(self, tasks: Sequence[Task], count: int) -> Iterator[list[GameResult]]:
        """Play tasks in `count` processes, which are kept; yield results that arrive together."""
        self._waiting.extend(tasks)
        for worker in self._workers:
            self._give_task(worker)
        while len(self._workers) < count:
            self._workers.append(Worker(self._arguments))
        while self._waiting or not all(worker.is_ready for worker in self._workers):
            wait([worker.connection for worker in self._workers], _POLL_SECONDS)
            for worker in list(self._workers):
                results = list(self._serve(worker))
                if results:
                    yield results

    def _serve(self, worker: Worker) -> Iterator[GameResult]:
        """Take the results of a worker, and give it a new task or replace it."""
        results, is_there = worker.receive()
        yield from results
        if not is_there:
            worker.process.join()
            reason = death_reason(worker.process.exitcode, worker.log.call)
            yield from self._replace(worker, reason, is_dead=True)
        elif worker.is_overdue:
            worker.kill()
            yield from worker.receive()[0]
            reason = time_reason(worker.seconds_allowed, worker.log.call)
            yield from self._replace(worker, reason, is_dead=False)
        else:
            self._give_task(worker)

    def _give_task(self, worker: Worker) -> None:
        if worker.is_ready and self._waiting:
            worker.give(self._waiting.popleft())

    def _replace(self, worker: Worker, reason: str, *, is_dead: bool) -> Iterator[GameResult]:
        """Replace a worker that has ended; the seat whose agent was called forfeits.

        If it played several games at a time, that seat isn't known: they are played again, one
        by one.
        """
        if worker.is_warming_up:
            # The next worker doesn't ask this agent outside a game again.
            skipped = self._arguments.no_warm_up | {worker.log.asked}
            self._arguments = replace(self._arguments, no_warm_up=skipped)
        elif worker.log.asked != NONE and worker.log.call == END:
            warnings.warn(f"{reason}, at the end of a game", stacklevel=2)
        else:
            forfeited = worker.forfeit(reason)
            if forfeited is not None:
                yield forfeited
            elif is_dead and not worker.plays_many:
                # One that was late may have returned while it was ended.
                raise RuntimeError(
                    f"a worker process ended by itself (exit code {worker.process.exitcode}), in "
                    "no agent's call: standard error has its error, if any; a script that plays "
                    'in processes needs if __name__ == "__main__":'
                )
        self._waiting.extendleft(Task((game,), "single") for game in worker.unfinished.values())
        self._workers.remove(worker)
        worker.close()
        if self._waiting:
            self._workers.append(Worker(self._arguments))

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.close()
        self._workers.clear()


class ProcessExecutor:
    """Plays tasks in `workers` processes, replaced when an agent ends or blocks one.

    Agents must be given as names, functions of a module, or objects that can be pickled, and
    a script that plays needs `if __name__ == "__main__":`.
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
    """The arguments of workers; a `ValueError` names an entrant that can't be sent there."""
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
