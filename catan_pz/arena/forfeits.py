"""Forfeits: why an agent loses a game that it cannot play on, and who wins it."""

from collections.abc import Sequence
from typing import Any, Final

from catan_pz.agents.programs.agent import ProgramError
from catan_pz.checks import as_action
from catan_pz.runtime.game import Game, IllegalActionError

MAX_REASON_LENGTH: Final = 300
"""Characters of an error's message that a reason keeps."""


RESET: Final = "reset"
ACT: Final = "act"
OBSERVE: Final = "observe"
END: Final = "end"
CALLS: Final = (RESET, ACT, OBSERVE, END)
"""Calls of agents that may fail or hang; `END` stands for `close` as well."""


class Forfeit(Exception):  # noqa: N818 (it ends a game, it is no fault of this package)
    """A seat cannot play on.

    Attributes:
        seat: the seat.
        reason: why.
    """

    def __init__(self, seat: int, reason: str) -> None:
        super().__init__(reason)
        self.seat = seat
        self.reason = reason


def error_reason(error: BaseException) -> str:
    """The reason of a forfeit by an exception, on one line."""
    if isinstance(error, ProgramError):
        return _one_line(error.reason)
    return f"error: {_one_line(f'{type(error).__name__}: {error}')}"


def illegal_reason(game: Game, answer: Any) -> str | None:
    """The reason of a forfeit by an answer that is not a legal action; None for a legal one."""
    try:
        game.check(as_action(answer))
    except (IllegalActionError, TypeError) as error:
        return f"illegal: {_one_line(str(error))}"
    return None


def time_reason(limit: float, call: str) -> str:
    """The reason of a forfeit by a call of an agent that took longer than `limit` seconds."""
    return f"time: {_named(call)} took more than {limit:g} s"


def death_reason(exit_code: int | None, call: str) -> str:
    """The reason of a forfeit by an agent that ended its process in a call."""
    return f"died: the process ended in {_named(call)} (exit code {exit_code})"


def _named(call: str) -> str:
    return "a decision" if call == ACT else f"{call}()"


def forfeit_winner(points: Sequence[int], offender: int) -> int:
    """The seat that wins a forfeited game: the one of the others with the most points.

    Among equals it is the first in turn order after the offender.
    """
    n = len(points)
    others = [(offender + k) % n for k in range(1, n)]
    return max(others, key=lambda p: points[p])


def _one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_REASON_LENGTH]
