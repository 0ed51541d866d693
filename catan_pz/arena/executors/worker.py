"""A worker process: started afresh, fed with tasks, and ended when an agent does not answer."""

import math
import os
import pickle
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from typing import Any, Final

import numpy as np

from catan_pz.agents.base import Agent
from catan_pz.agents.programs.agent import START_SECONDS, end_programs
from catan_pz.agents.programs.process import kill_all
from catan_pz.arena.entrants import Entrant
from catan_pz.arena.executors.base import Task, play_task
from catan_pz.arena.forfeits import ACT, CALLS, END, RESET, Forfeit
from catan_pz.arena.games import Monitor, replay, result_of, warm_up
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame

WARM_UP_SECONDS: Final = 60.0
"""More time for an agent's first decision, outside all games, to compile and to load."""

GRACE_SECONDS: Final = 1.0
"""An agent may be this late and keep its process; it forfeits its game all the same."""

_CONTEXT: Final = get_context("spawn")


MAX_ACTIONS: Final = 1 << 20
"""Actions of one game that are kept."""

NONE: Final = -1
"""No game, or no seat."""

_HEADER: Final = np.dtype(
    [
        ("game", "i8"),  # number of the game in progress, or NONE
        ("asked", "i8"),  # the seat whose agent is called, the entrant during warm-up, or NONE
        ("call", "i8"),  # which of CALLS it is
        ("since", "f8"),  # time.monotonic() when the call began
        ("count", "i8"),  # actions played so far
        ("seconds", "f8", (4,)),  # taken for decisions so far, by seat
    ]
)

LOG_BYTES: Final = _HEADER.itemsize + 2 * MAX_ACTIONS


class DecisionLog(Monitor):
    """The game in progress: its actions, the time of each seat, and whose agent is called.

    A worker writes it as a `Monitor` of its games; the parent reads it when an agent does not
    answer or ends its process.

    Args:
        memory: `LOG_BYTES` bytes, shared by both processes.
    """

    def __init__(self, memory: Any) -> None:
        self._header = np.frombuffer(memory, _HEADER, 1)
        self._actions = np.frombuffer(memory, np.int16, MAX_ACTIONS, _HEADER.itemsize)

    def start_game(self, number: int) -> None:
        """A game begins; `NONE` between games."""
        self._header["asked"] = NONE
        self._header["count"] = 0
        self._header["seconds"] = 0
        self._header["game"] = number

    def begin(self, seat: int, call: str) -> None:
        """A call of the agent in a seat begins; during warm-up of an entrant."""
        self._header["call"] = CALLS.index(call)
        self._header["since"] = time.monotonic()
        self._header["asked"] = seat

    def end(self, seat: int, action: int | None, seconds: float) -> None:
        """The call has ended."""
        self._header["asked"] = NONE
        self._header["seconds"][0, seat] += seconds
        count = int(self._header["count"][0])
        if action is not None and count < MAX_ACTIONS:
            self._actions[count] = action
            self._header["count"] = count + 1

    @property
    def game(self) -> int:
        """Number of the game in progress, or `NONE`."""
        return int(self._header["game"][0])

    @property
    def asked(self) -> int:
        """The seat whose agent is called (the entrant during warm-up), or `NONE`."""
        return int(self._header["asked"][0])

    @property
    def call(self) -> str:
        """Which of `CALLS` is the present one, or was the last."""
        return CALLS[int(self._header["call"][0])]

    @property
    def waited(self) -> float:
        """Seconds since the present call began."""
        return time.monotonic() - float(self._header["since"][0])

    @property
    def actions(self) -> list[int]:
        """Actions of the game so far."""
        actions: list[int] = self._actions[: int(self._header["count"][0])].tolist()
        return actions

    def seconds(self, num_players: int) -> list[float]:
        """(P,) seconds that each seat took for decisions that have ended."""
        seconds: list[float] = self._header["seconds"][0, :num_players].tolist()
        return seconds


@dataclass(frozen=True)
class WorkerArguments:
    """What a worker needs to know.

    Attributes:
        config: of the match.
        entrants: who plays, a pickled tuple of `Entrant`, which the worker alone unpickles: so it
            can tell what is wrong with one.
        has_programs: whether some have processes of their own, which take their time to start.
        no_warm_up: places of entrants that are not asked before the first game, as they did
            not answer before.
    """

    config: MatchConfig
    entrants: bytes
    has_programs: bool
    no_warm_up: frozenset[int] = frozenset()


def run_worker(connection: Connection, arguments: WorkerArguments, memory: Any) -> None:
    """Play the tasks that come in and send results out, until there is no more task.

    Sends a `GameResult` for each game, None whenever it is ready for a task, or the exception
    that ended it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process, by SIGTERM
    signal.signal(signal.SIGTERM, lambda *_: _leave())
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    log = DecisionLog(memory)
    agents: list[Agent] = []
    try:
        entrants = _unpickled(arguments.entrants)
        limit = arguments.config.seconds_per_decision
        agents += [entrant.make(limit) for entrant in entrants]
        _warm_up(arguments, agents, log)
        connection.send(None)
        while (task := connection.recv()) is not None:
            for result in play_task(arguments.config, task, agents, log):
                connection.send(result)
            log.start_game(NONE)
            connection.send(None)
    except (EOFError, BrokenPipeError):
        return
    except Exception as error:
        connection.send(error if _can_be_pickled(error) else RuntimeError(repr(error)))
    finally:
        end_programs(agents)


def _unpickled(pickled: bytes) -> tuple[Entrant, ...]:
    try:
        entrants: tuple[Entrant, ...] = pickle.loads(pickled)
    except Exception as error:
        raise ValueError(
            f"a worker process can't make the agents ({type(error).__name__}: {error}); give "
            'names, functions or classes of a module, or play with executor="inline"'
        ) from error
    return entrants


def _warm_up(arguments: WorkerArguments, agents: Sequence[Agent], log: DecisionLog) -> None:
    for k, agent in enumerate(agents):
        if k not in arguments.no_warm_up:
            log.begin(k, ACT)
            warm_up(arguments.config, agent)
    log.start_game(NONE)


def _leave() -> None:
    """End this process at once, and the programs that agents have started."""
    kill_all()
    os._exit(1)


def _exit_with_parent() -> None:
    """End this process when the one that started it ends, whatever it is doing."""
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    _leave()


def _can_be_pickled(value: Any) -> bool:
    try:
        pickle.loads(pickle.dumps(value))
    except Exception:
        return False
    return True


class Worker:
    """A worker process as its parent sees it.

    Attributes:
        task: the task that it plays, or None before the first.
        unfinished: games of the task without a result, by number.
        is_ready: whether it waits for a task.
        log: what it is doing.
    """

    def __init__(self, arguments: WorkerArguments) -> None:
        self.arguments = arguments
        self.task: Task | None = None
        self.unfinished: dict[int, ScheduledGame] = {}
        self.is_ready = False
        memory = _CONTEXT.RawArray("b", LOG_BYTES)
        self.log = DecisionLog(memory)
        self.log.start_game(NONE)
        self.connection, other_end = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(
            target=run_worker, args=(other_end, arguments, memory), daemon=True
        )
        self._process.start()
        other_end.close()

    @property
    def exit_code(self) -> int | None:
        """Of its process; None while it runs."""
        return self._process.exitcode

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
            is_there = self.exit_code is None  # before the look for what it has sent
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
                continue
            self.unfinished.pop(message.number, None)
            results.append(message)

    @property
    def is_warming_up(self) -> bool:
        """Whether an agent makes its first decision, outside all games."""
        return self.log.game == NONE and self.log.asked != NONE

    @property
    def is_dismissing(self) -> bool:
        """Whether an agent is told that its game has ended, whose result is known."""
        return self.log.asked != NONE and self.log.call == END

    @property
    def plays_many(self) -> bool:
        """Whether it plays several games at the same time, which its log doesn't follow."""
        return not self.is_ready and self.task is not None and self.task.way != "single"

    @property
    def is_overdue(self) -> bool:
        """Whether a call of an agent should have ended long ago."""
        allowed = self.seconds_allowed + GRACE_SECONDS
        return self.log.asked != NONE and self.log.waited > allowed

    @property
    def seconds_allowed(self) -> float:
        """For the present call of an agent; infinite in a match without a limit."""
        limit = self.arguments.config.seconds_per_decision or math.inf
        if not self.is_warming_up and self.log.call != RESET:
            return limit
        # Programs that don't start in time are ended by their agents first, which say so.
        return limit + WARM_UP_SECONDS + (2 * START_SECONDS if self.arguments.has_programs else 0.0)

    def forfeit(self, reason: str) -> GameResult | None:
        """The game in progress, lost by the seat whose agent was called; None if there is none.

        To be called when the process has ended.
        """
        log, config = self.log, self.arguments.config
        scheduled, seat = self.unfinished.get(log.game), log.asked
        if scheduled is None or seat == NONE:
            return None
        game, decisions = replay(config, scheduled, log.actions)
        seconds = log.seconds(config.rules.num_players)
        if log.call == ACT:
            decisions[seat] += 1
            seconds[seat] += max(0.0, log.waited)
        del self.unfinished[scheduled.number]
        return result_of(config, scheduled, game, decisions, seconds, Forfeit(seat, reason))

    def terminate(self) -> None:
        """Ask the process to end, and not wait for it."""
        self._process.terminate()

    def kill(self) -> None:
        """End the process; results that it has sent can still be received."""
        self.terminate()
        self._process.join(GRACE_SECONDS)
        self._process.kill()
        self._process.join()

    def join(self) -> None:
        """Wait until the process has ended."""
        self._process.join()

    def close(self) -> None:
        """End the process and the connection."""
        self.kill()
        self.connection.close()
