"""Worker processes: started afresh, fed with games, and ended when an agent doesn't answer."""

import math
import os
import pickle
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import Any, Final

import numpy as np

from catan_pz.arena.batched import play_games
from catan_pz.arena.entrants import Entrant
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import Fixture
from catan_pz.arena.single import (
    Forfeit,
    Setting,
    play_game,
    replay,
    result_of,
    time_reason,
    warm_up_one,
)

WARM_UP_SECONDS: Final = 60.0
"""What a first decision, outside all games, may take more, for compiling and loading."""

_GRACE: Final = 1.0
"""An agent this much late may still answer, and forfeits its game without losing its process."""

_POLL: Final = 0.05
_CONTEXT: Final = get_context("spawn")
_LONGEST_LOG: Final = 1 << 20
_NONE: Final = -1

_NOTES: Final = np.dtype(
    [
        ("game", "i8"),  # number of the game that is on, or _NONE
        ("asked", "i8"),  # the seat that is asked, the entrant while warming up, or _NONE
        ("since", "f8"),  # time.monotonic() when it was asked
        ("count", "i8"),  # actions played so far
        ("seconds", "f8", (4,)),  # taken for decisions so far, by seat
    ]
)


@dataclass(frozen=True)
class Task:
    """Games for a worker.

    Attributes:
        fixtures: the games.
        batched: whether they are played together.
    """

    fixtures: tuple[Fixture, ...]
    batched: bool


@dataclass(frozen=True)
class Job:
    """What a worker needs to know.

    Attributes:
        setting: of the match.
        entrants: who plays.
        cold: entrants that aren't asked before the first game, as they didn't answer before.
    """

    setting: Setting
    entrants: tuple[Entrant, ...]
    cold: frozenset[int] = frozenset()


class _Notes:
    """What a worker is doing, in memory that it shares with its parent."""

    def __init__(self, memory: Any = None) -> None:
        size = _NOTES.itemsize + 2 * _LONGEST_LOG
        self.memory = _CONTEXT.RawArray("b", size) if memory is None else memory
        self.data = np.frombuffer(self.memory, _NOTES, 1)
        self.actions = np.frombuffer(self.memory, np.int16, _LONGEST_LOG, _NOTES.itemsize)
        if memory is None:
            self.start_game(_NONE)

    def start_game(self, number: int) -> None:
        self.data["asked"] = _NONE
        self.data["count"] = 0
        self.data["seconds"] = 0
        self.data["game"] = number

    def begin(self, seat: int) -> None:
        self.data["since"] = time.monotonic()
        self.data["asked"] = seat

    def end(self, seat: int, action: int | None, seconds: float) -> None:
        self.data["asked"] = _NONE
        self.data["seconds"][0, seat] += seconds
        count = int(self.data["count"][0])
        if action is not None and count < _LONGEST_LOG:
            self.actions[count] = action
            self.data["count"] = count + 1


def _end_with_parent() -> None:
    """End this process when the one that started it ends, whatever it is doing."""
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


def _work(connection: Connection, job: Job, memory: Any) -> None:
    """A worker's life: tasks in, results out."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    threading.Thread(target=_end_with_parent, daemon=True).start()
    notes = _Notes(memory)
    try:
        agents = [entrant.make() for entrant in job.entrants]
        for k, agent in enumerate(agents):
            if k not in job.cold:
                notes.begin(k)
                warm_up_one(job.setting, agent)
        notes.start_game(_NONE)
        connection.send(None)
        while (task := connection.recv()) is not None:
            if task.batched:
                for result in play_games(job.setting, task.fixtures, agents):  # type: ignore[arg-type]
                    connection.send(result)
            else:
                for fixture in task.fixtures:
                    notes.start_game(fixture.number)
                    connection.send(play_game(job.setting, fixture, agents, notes))
            notes.start_game(_NONE)
            connection.send(None)
    except (EOFError, BrokenPipeError):
        return
    except Exception as error:
        connection.send(error if _is_sendable(error) else RuntimeError(repr(error)))


def _is_sendable(thing: Any) -> bool:
    try:
        pickle.loads(pickle.dumps(thing))
    except Exception:
        return False
    return True


class _Worker:
    """The parent's side of one worker."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.task: Task | None = None
        self.left: dict[int, Fixture] = {}
        self.is_ready = False
        self.notes = _Notes()
        self.connection, other = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(
            target=_work, args=(other, job, self.notes.memory), daemon=True
        )
        self.process.start()
        other.close()

    def give(self, task: Task) -> None:
        self.task = task
        self.left = {fixture.number: fixture for fixture in task.fixtures}
        self.is_ready = False
        self.connection.send(task)

    def hear(self) -> tuple[list[GameResult], bool]:
        """Results that have come in, and whether the worker is still there."""
        results: list[GameResult] = []
        try:
            while self.connection.poll():
                message = self.connection.recv()
                if isinstance(message, Exception):
                    raise message
                if message is None:
                    self.is_ready = True
                    continue
                self.left.pop(message.number, None)
                results.append(message)
        except (EOFError, OSError):
            return results, False
        return results, True

    def is_overdue(self) -> bool:
        """Whether it waits for an agent that ought to have answered long ago."""
        limit = self.job.setting.seconds_per_decision
        data = self.notes.data[0]
        if limit is None or data["asked"] == _NONE:
            return False
        warming = WARM_UP_SECONDS if data["game"] == _NONE else 0.0
        return bool(time.monotonic() - data["since"] > limit + _GRACE + warming)

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()

    def forfeited(self, reason: str) -> GameResult | None:
        """The game that was on when the worker ended, lost by who was asked."""
        data = self.notes.data[0]
        fixture = self.left.get(int(data["game"]))
        if fixture is None or data["asked"] == _NONE:
            return None
        seat, setting = int(data["asked"]), self.job.setting
        actions = self.notes.actions[: int(data["count"])].tolist()
        game, decisions = replay(setting, fixture, actions)
        decisions[seat] += 1
        seconds = data["seconds"][: setting.rules.num_players].tolist()
        seconds[seat] += max(0.0, time.monotonic() - float(data["since"]))
        del self.left[fixture.number]
        return result_of(setting, fixture, game, decisions, seconds, Forfeit(seat, reason))


class Pool:
    """Worker processes that play games.

    Args:
        setting: of the match.
        entrants: who plays.
        workers: how many processes.

    Raises:
        ValueError: names an entrant that can't be sent to another process.
    """

    def __init__(self, setting: Setting, entrants: Sequence[Entrant], workers: int) -> None:
        for entrant in entrants:
            try:
                pickle.dumps(entrant)
            except Exception as error:
                raise ValueError(
                    f"agent {entrant.name!r} can't be sent to a worker process ({error}); give "
                    "a name or a function of a module that makes it, or workers=1 without "
                    "seconds_per_decision"
                ) from error
        self.job = Job(setting, tuple(entrants))
        self._count = workers
        self._workers: list[_Worker] = []

    def play(self, tasks: Sequence[Task]) -> Iterator[GameResult]:
        """Play all games, yielding results as they come in.

        Raises:
            RuntimeError: if a worker ends by itself, other than in an agent's decision.
        """
        waiting = deque(tasks)
        for _ in range(min(self._count, len(tasks))):
            self._workers.append(_Worker(self.job))
        while self._workers:
            limited = self.job.setting.seconds_per_decision is not None
            wait([w.connection for w in self._workers], _POLL if limited else None)
            for worker in list(self._workers):
                results, is_there = worker.hear()
                yield from results
                if not is_there:
                    yield from self._bury(worker, waiting, _died)
                elif worker.is_overdue():
                    worker.process.kill()
                    worker.process.join()
                    yield from worker.hear()[0]
                    yield from self._bury(worker, waiting, _was_late)
                elif worker.is_ready and waiting:
                    worker.give(waiting.popleft())
                elif worker.is_ready:
                    self._dismiss(worker)

    def _dismiss(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.end()

    def _bury(
        self, worker: _Worker, waiting: deque[Task], why: Callable[[_Worker], str]
    ) -> Iterator[GameResult]:
        """Go on after the end of a worker: its game is lost by who was asked."""
        worker.process.join()
        data = worker.notes.data[0]
        if data["game"] == _NONE and data["asked"] != _NONE:
            # It ended while agents warmed up: the next one doesn't ask this agent so early.
            cold = self.job.cold | {int(data["asked"])}
            self.job = Job(self.job.setting, self.job.entrants, cold)
        else:
            forfeited = worker.forfeited(why(worker))
            if forfeited is None:
                raise RuntimeError(
                    f"a worker process ended by itself (exit code {worker.process.exitcode}), in "
                    "no agent's decision; a script that plays with workers needs "
                    'if __name__ == "__main__":'
                )
            yield forfeited
        if worker.task is not None and worker.left:
            waiting.appendleft(Task(tuple(worker.left.values()), worker.task.batched))
        self._dismiss(worker)
        if waiting:
            self._workers.append(_Worker(self.job))

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()


def _died(worker: _Worker) -> str:
    return f"died: the process ended in a decision (exit code {worker.process.exitcode})"


def _was_late(worker: _Worker) -> str:
    return time_reason(worker.job.setting.seconds_per_decision or math.inf)
