"""Forfeits: why an agent loses a game that it can't continue, and who wins it."""

from collections.abc import Sequence
from typing import Any, Final

from catan_pz.agents.hosting import AGENT_ERRORS
from catan_pz.agents.programs.agent import ProgramError
from catan_pz.checks import as_action
from catan_pz.game.game import Game, IllegalActionError

MAX_REASON_LENGTH: Final = 300
"""Most characters of an error's message in a reason."""

RESET: Final = "reset"
ACT: Final = "act"
OBSERVE: Final = "observe"
END: Final = "end"
CALLS: Final = (RESET, ACT, OBSERVE, END)
"""Calls of agents that may fail or hang; `END` stands for `close` as well."""


class ForfeitWarning(UserWarning):
    """Games of a match were forfeited, so its win rates don't only measure strength."""


class Forfeit(Exception):  # noqa: N818 (it ends a game, it is no fault of this package)
    """A seat can't continue, for the reason given."""

    def __init__(self, seat: int, reason: str) -> None:
        super().__init__(reason)
        self.seat = seat
        self.reason = reason


def error_reason(error: BaseException) -> str:
    """The reason of a forfeit from an exception, on one line."""
    if isinstance(error, ProgramError):
        return _one_line(error.reason)
    return f"error: {_one_line(f'{type(error).__name__}: {_text_of(error)}')}"


def checked_answer(game: Game, answer: Any) -> tuple[int, str | None]:
    """An agent's answer as an action, and the reason of a forfeit if it isn't legal."""
    try:
        # Only once: the answer is an agent's object, and may give another number each time.
        action = as_action(answer)
        game.check(action)
    except (IllegalActionError, TypeError) as error:
        return 0, f"illegal: {_one_line(_text_of(error))}"
    except AGENT_ERRORS as error:
        return 0, error_reason(error)
    return action, None


def time_reason(limit: float, call: str) -> str:
    """The reason of a forfeit for a call that took more than `limit` seconds."""
    return f"time: {_named(call)} took more than {limit:g} s"


def death_reason(exit_code: int | None, call: str) -> str:
    """The reason of a forfeit for an agent that ended its process in a call."""
    return f"died: the process ended in {_named(call)} (exit code {exit_code})"


def _named(call: str) -> str:
    return "a decision" if call == ACT else f"{call}()"


def forfeit_winner(points: Sequence[int], offender: int) -> int:
    """The seat that wins a forfeited game: the other seat with the most points.

    Ties go to the first in turn order after the offender.
    """
    n = len(points)
    others = [(offender + k) % n for k in range(1, n)]
    return max(others, key=lambda p: points[p])


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except AGENT_ERRORS as worse:
        return f"its text raised {type(worse).__name__}"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:MAX_REASON_LENGTH]
