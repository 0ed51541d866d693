"""The end of a game, as its agents are told."""

from dataclasses import dataclass
from typing import Any, Final

from catan_pz.rules import Rules

VICTORY: Final = "victory"
TRUNCATED: Final = "truncated"
ABORTED: Final = "aborted"


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How a game ended, told to one seat.

    Attributes:
        seat: the seat that is told.
        winner: the seat that won, None for nobody.
        points: points of each seat, hidden ones included.
        turns: turns of all players together.
        reason: "victory", "truncated" (by `max_turns`), or "aborted" where the host stopped
            the game.
    """

    seat: int
    winner: int | None
    points: tuple[int, ...]
    turns: int
    reason: str

    @property
    def won(self) -> bool:
        """Whether the seat that is told won."""
        return self.winner == self.seat


def result_for(record: Any, rules: Rules, seat: int) -> SeatResult:
    """The result of a game for one seat.

    Args:
        record: the game, a `STATE` scalar.
        rules: its rules.
        seat: the seat to tell.
    """
    winner, turns = int(record["winner"]), int(record["turn"])
    if winner >= 0:
        reason = VICTORY
    else:
        reason = TRUNCATED if turns >= (rules.max_turns or float("inf")) else ABORTED
    points = tuple(record["points"][: rules.num_players].tolist())
    return SeatResult(seat, winner if winner >= 0 else None, points, turns, reason)
