"""A worker process: started afresh, fed with tasks, and ended when an agent does not answer."""

import ctypes
import os
import pickle
import signal
import threading
import time
from dataclasses import dataclass
from multiprocessing import active_children, current_process, parent_process
from multiprocessing.connection import Connection, wait
from typing import Final

from catan_pz.agents.base import Agent
from catan_pz.agents.programs.agent import end_programs
from catan_pz.agents.programs.process import kill_all
from catan_pz.arena.entrants import Entrant
from catan_pz.arena.executors.base import play_task
from catan_pz.arena.forfeits import ACT, CALLS
from catan_pz.arena.games import Monitor, warm_up
from catan_pz.arena.schedule import MatchConfig
from catan_pz.terms import MAX_PLAYERS

MAX_ACTIONS: Final = 1 << 20
"""Actions of one game that are kept."""

NONE: Final = -1
"""No game, or no seat."""


class DecisionLog(ctypes.Structure, Monitor):
    """The game in progress: its actions, the time of each seat, and whose agent is called.

    It lies in shared memory: a worker writes it as the `Monitor` of its games, the parent reads it
    when an agent does not answer or ends its process.
    """

    _fields_ = (
        ("game", ctypes.c_int64),  # number of the game in progress, or NONE
        ("asked", ctypes.c_int64),  # seat whose agent is called, entrant in warm-up, or NONE
        ("_call", ctypes.c_int64),
        ("since", ctypes.c_double),  # time.monotonic() when the call began
        ("count", ctypes.c_int64),  # of actions
        ("seconds", ctypes.c_double * MAX_PLAYERS),  # for decisions that have ended
        ("actions", ctypes.c_int16 * MAX_ACTIONS),
    )

    def start_game(self, number: int) -> None:
        """A game begins; `NONE` between games."""
        self.asked = NONE
        self.count = 0
        self.seconds[:] = [0.0] * MAX_PLAYERS
        self.game = number

    def begin(self, seat: int, call: str) -> None:
        """A call of the agent in a seat begins; in warm-up the number is the entrant's."""
        self._call = CALLS.index(call)
        self.since = time.monotonic()
        self.asked = seat

    def end(self, seat: int, action: int | None, seconds: float) -> None:
        """The call has ended."""
        self.asked = NONE
        self.seconds[seat] += seconds
        if action is not None and self.count < MAX_ACTIONS:
            self.actions[self.count] = action
            self.count += 1

    @property
    def call(self) -> str:
        """Which of `CALLS` is the present one, or was the last."""
        return CALLS[self._call]

    @property
    def waited(self) -> float:
        """Seconds since the present call began."""
        return time.monotonic() - self.since


@dataclass(frozen=True)
class WorkerArguments:
    """The arguments of a worker process."""

    config: MatchConfig
    entrants: bytes  # a pickled tuple of `Entrant`; the worker reports what is wrong with one
    has_programs: bool  # whether some have processes of their own, which take their time to start
    no_warm_up: frozenset[int] = frozenset()  # entrants that didn't answer outside a game


def run_worker(connection: Connection, arguments: WorkerArguments, log: DecisionLog) -> None:
    """Play the tasks that come in and send results out, until the parent ends this process.

    Sends a `GameResult` for each game, None when it is ready for a task, or the exception that
    ended it.
    """
    current_process().daemon = False  # daemons may start no processes, but agents may
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process, by SIGTERM
    signal.signal(signal.SIGTERM, lambda *_: _leave())
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    config = arguments.config
    agents: list[Agent] = []
    try:
        agents += _made(arguments.entrants, config.seconds_per_decision)
        for k, agent in enumerate(agents):
            if k not in arguments.no_warm_up:
                log.begin(k, ACT)
                warm_up(config, agent)
        while True:
            log.start_game(NONE)
            connection.send(None)
            for result in play_task(config, connection.recv(), agents, log):
                connection.send(result)
    except (EOFError, BrokenPipeError):
        return
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = RuntimeError(repr(error))
        connection.send(error)
    finally:
        end_programs(agents)


def _made(pickled: bytes, seconds: float | None) -> list[Agent]:
    try:
        entrants: tuple[Entrant, ...] = pickle.loads(pickled)
    except Exception as error:
        raise ValueError(
            f"a worker process can't make the agents ({type(error).__name__}: {error}); give "
            'names, functions or classes of a module, or play with executor="inline"'
        ) from error
    return [entrant.make(seconds) for entrant in entrants]


def _leave() -> None:
    """End this process at once, and what agents have started."""
    kill_all()
    for child in active_children():
        child.kill()
    os._exit(1)


def _exit_with_parent() -> None:
    """End this process when the one that started it ends, whatever it is doing."""
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    _leave()
