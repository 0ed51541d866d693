"""The positions of a game that is watched, one after the other, each with what led to it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from catan_pz.render.log import log_line
from catan_pz.render.overlay import Overlay
from catan_pz.runtime.game import Game
from catan_pz.runtime.record import GameRecord
from catan_pz.ui.session import Session


@dataclass(frozen=True)
class Frame:
    """A position with the decision that led to it.

    Attributes:
        state: the position as JSON values.
        line: the last decision, None at the start.
        overlay: numbers to draw on the board, such as a model's probabilities.
    """

    state: dict[str, Any]
    line: str | None
    overlay: Overlay | None = None


Annotate = Callable[[Game], Overlay | None]
"""Gives the numbers to draw on a position, None for none."""


def without_overlay(_game: Game) -> Overlay | None:
    """Draws no numbers."""
    return None


def frames_of_record(
    record: GameRecord,
    viewer: int | None = None,
    names: Sequence[str] | None = None,
    annotate: Annotate = without_overlay,
) -> Iterator[Frame]:
    """The positions of a recorded game, as a viewer may know them.

    Args:
        record: the game.
        viewer: the seat whose knowledge the lines are limited to; None for all.
        names: of the seats; those in the record where None.
        annotate: gives the numbers to draw on each position.

    Raises:
        ValueError: if the record isn't that of a game by the rules; names its line.
    """
    names = record.names if names is None else names
    for game, events in record.replay_with_events():
        line = None if events is None else log_line(events, viewer, names)
        yield Frame(game.snapshot(), line, annotate(game))


def frames_of_match(session: Session, annotate: Annotate = without_overlay) -> Iterator[Frame]:
    """The positions of a match between agents, as it is played."""
    yield Frame(session.snapshot(), None, annotate(session.game))
    while not session.is_finished:
        session.table.step()
        yield Frame(session.snapshot(), session.last_line, annotate(session.game))
