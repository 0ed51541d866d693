"""What a worker process is doing, in memory that it shares with its parent."""

import time
from typing import Any, Final

import numpy as np

from catan_pz.arena.forfeits import CALLS

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


class DecisionLog:
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
