"""The positions of a watched game, each with the decision that led to it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import msgspec

from catan_pz.agents.advice import Advice
from catan_pz.checks import shaped
from catan_pz.events import Events, as_seen_by
from catan_pz.files import named_errors, read_file, read_json, text_lines
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.names import shown
from catan_pz.play.session import PlayedGame
from catan_pz.play.story import happened
from catan_pz.render.log import log_line
from catan_pz.render.overlay import Overlay
from catan_pz.render.view import check_viewer


class Notes(NamedTuple):
    """Numbers and advice shown with a position.

    Attributes:
        overlay: numbers to draw on the board, None for none.
        advice: an agent's advice on the next decision; None if no agent was queried.
        win_probabilities: (P,) of each seat; None if unknown.
    """

    overlay: Overlay | None = None
    advice: Advice | None = None
    win_probabilities: tuple[float, ...] | None = None


class Frame(NamedTuple):
    """A position with the decision that led to it.

    Attributes:
        state: the position as JSON values, including information hidden from the viewer.
        line: the last decision as the viewer may know it, None at the start.
        notes: the other content.
        action: the last action; None at the start.
        viewer: the seat whose knowledge to show, or `ONLOOKER`; None for full information.
        happened: places, hexes and cards changed by the last decision, from `story`.
    """

    state: dict[str, Any]
    line: str | None
    notes: Notes = Notes()
    action: int | None = None
    viewer: int | None = None
    happened: Mapping[str, Any] = MappingProxyType({})


def _frame(
    game: Game, events: Events | None, line: str | None, notes: Notes, viewer: int | None
) -> Frame:
    state = game.snapshot()
    if events is None:
        return Frame(state, line, notes, viewer=viewer)
    seen = events if viewer is None else as_seen_by(events, viewer)
    tokens = [one["token"] for one in state["board"]["hexes"]]
    told = happened(seen, tokens, state["robber"])
    return Frame(state, line, notes, events[0].what, viewer, told)


Annotate = Callable[[Game], Notes]
"""Returns the notes on a position, such as `Annotations`."""


def frames_of_record(
    record: GameRecord,
    viewer: int | None = None,
    names: Sequence[str] | None = None,
    annotate: Annotate = lambda _game: Notes(),
    reasons: Mapping[int, str] = MappingProxyType({}),
) -> Iterator[Frame]:
    """The positions of a recorded game, as far as a viewer may know them.

    Args:
        record: the game.
        viewer: the seat whose knowledge lines and pictures are limited to, or `ONLOOKER`; None
            for full information.
        names: of the seats; by default those in the record.
        annotate: returns the notes on each position.
        reasons: of decisions by their numbers from 0, added to their lines.
    """
    names = record.names if names is None else names
    viewer = check_viewer(viewer, len(record.start["players"]))
    for number, (game, events) in enumerate(record.replay_with_events()):
        line = None if events is None else log_line(events, viewer, names)
        if line is not None and number - 1 in reasons:
            line += f" ({reasons[number - 1]})"
        yield _frame(game, events, line, annotate(game), viewer)


class _Told(msgspec.Struct):
    """The entries used from a line of a transcript."""

    decision: int = -1
    seat: int = -1
    action: int = -1
    reason: str = ""


def reasons_of(
    record: GameRecord, transcripts: Iterable[Path], viewer: int | None = None
) -> dict[int, str]:
    """Reasons given by chat models for decisions of a game, by decision number.

    They may reveal hidden cards: a seat only reads its own reasons, None reads all.
    """
    found = {}
    played = dict(enumerate(record.decisions))
    for path in transcripts:
        with named_errors(path):
            for k, line in enumerate(text_lines(read_file(path, is_long=True).decode())):
                told = shaped(read_json(line), _Told, f"line {k + 1}")
                made = played.get(told.decision)
                if told.decision >= 0 and (
                    made is None or (made.player, made.action) != (told.seat, told.action)
                ):
                    raise ValueError(f"line {k + 1} belongs to another game")
                if told.reason and viewer in (None, told.seat):
                    found[told.decision] = shown(told.reason, _LONGEST)
    return found


_LONGEST: Final = 300
"""Characters of a reason that are shown."""


def frames_of_match(
    session: PlayedGame, annotate: Annotate = lambda _game: Notes()
) -> Iterator[Frame]:
    """The positions of a match between agents, as it is played."""
    viewer, game = session.viewer, session.game
    yield _frame(game, None, None, annotate(game), viewer)
    while not session.is_finished:
        session.table.step()
        yield _frame(game, session.heard[-1], session.log[-1], annotate(game), viewer)
