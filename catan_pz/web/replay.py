"""A game as one HTML file: board, log, hands, a chart of the points, and a slider over decisions.

The file loads nothing else. It shows the board and the seats as tables do. Each layer of the board
is stored once for all frames that show it; of the seats only changes are stored.
"""

import base64
import gzip
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, Final

from catan_pz.agents.advice import Advice
from catan_pz.checks import not_possible
from catan_pz.files import whole_file
from catan_pz.game.record import GameRecord
from catan_pz.names import shown
from catan_pz.play.frames import Frame, frames_of_record
from catan_pz.render.overlay import draw_overlay
from catan_pz.render.view import TableView, table_view
from catan_pz.review import Review
from catan_pz.review.report import annotated, tables
from catan_pz.web.advice import advice_json, drawn_advice
from catan_pz.web.drawn import BOX, areas, board_layers, symbols, view_json
from catan_pz.web.page_files import content, filled, joined

FORMAT: Final = "catan-pz-replay/1"

_LONGEST_TITLE: Final = 120

_MODULES: Final = ("dom", "files", "advice", "picture", "seats", "review", "replay")
_STYLES: Final = ("colors", "parts", "advice", "replay", "review")
"""The page's source files, in this order."""


@dataclass(frozen=True)
class Replay:
    """A replay as an HTML page, and its number of positions; notebooks show it inline."""

    html: str
    num_frames: int

    def save(self, path: Path | str) -> None:
        """Write the page to a file atomically."""
        with whole_file(Path(path)) as draft:
            draft.write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        """The page in an iframe, for notebooks."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="Replay" '
            'style="width: 100%; height: 760px; border: 0"></iframe>'
        )


def make_replay(
    frames: Iterable[Frame],
    *,
    viewer: int | None = None,
    names: Sequence[str] | None = None,
    title: str | None = None,
    record: GameRecord | None = None,
    review: Review | None = None,
) -> Replay:
    """Make a replay of a game.

    Args:
        frames: its positions, such as from `play.frames.frames_of_record`; at least one. Their
            lines are shown as given, so they must not reveal hidden information.
        viewer: the seat whose knowledge is shown; None for that of the frames, which show all
            hands if they have none.
        names: names of the seats; None for "Player 0" and so on.
        title: title of the page; None for the seats' names.
        record: the game, which the page can save or open in a study; omitted if the page shows
            only a viewer's knowledge.
        review: the game's review, which shows what only the seats knew; None for none.
    """
    stored = _Stored()
    for frame in frames if review is None else annotated(frames, review):
        if viewer is None and not stored.frames:
            viewer = frame.viewer
        view = table_view(frame.state, viewer, names)
        if frame.viewer != viewer:
            raise not_possible("viewer", viewer, f"{frame.viewer!r}, the viewer of the frames")
        stored.add(view, frame)
    if not stored.frames:
        raise ValueError("a replay has at least one frame")
    title = shown(title or ", ".join(view.name(seat.seat) for seat in view.seats), _LONGEST_TITLE)
    data = {
        "format": FORMAT,
        "box": BOX,
        "areas": areas(),
        "layers": list(stored.layers),
        "frames": stored.frames,
        "winner": view.winner,
        "viewer": viewer,
        "record": record.text() if record is not None and viewer is None else "",
        "review": None if review is None else [one._asdict() for one in tables(review)],
    }
    text = json.dumps(data, separators=(",", ":"))
    # No time stamp, so that the same game gives the same file.
    packed = base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()
    return Replay(_page(title, packed), len(stored.frames))


def replay_of_record(record: GameRecord, review: Review | None = None) -> Replay:
    """A recorded game as a page with full information, and optionally its review."""
    frames = frames_of_record(record)
    return make_replay(frames, names=record.names, record=record, review=review)


@dataclass
class _Stored:
    """Frames, with shared layers stored once."""

    layers: dict[str, int] = field(default_factory=dict)
    frames: list[dict[str, Any]] = field(default_factory=list)
    _asked: tuple[Advice, TableView] | None = None
    _view: dict[str, Any] = field(default_factory=dict)

    def add(self, view: TableView, frame: Frame) -> None:
        """Add a frame."""
        if self._asked is not None:  # the action is in the frame after the decision
            self.frames[-1]["advice"] = self._advice_json(*self._asked, frame.action)
        overlay, advice, wins = frame.notes
        self._asked = None if advice is None else (advice, view)
        above = "" if overlay is None else draw_overlay(overlay)
        before, self._view = self._view, view_json(view)
        added: dict[str, Any] = {
            "line": frame.line,
            "layers": [self._layer(layer) for layer in (*board_layers(view), above)],
            "view": {k: v for k, v in self._view.items() if before.get(k, ...) != v},
            "happened": dict(frame.happened),
        }
        if advice is not None:
            added["advice"] = self._advice_json(advice, view)
        if wins is not None:
            added["wins"] = [round(share, 3) for share in wins]
        self.frames.append(added)

    def _advice_json(
        self, advice: Advice, view: TableView, played: int | None = None
    ) -> dict[str, Any]:
        return advice_json(advice, view, played) | {"layer": self._layer(drawn_advice(advice))}

    def _layer(self, layer: str) -> int:
        return self.layers.setdefault(layer, len(self.layers))


def _page(title: str, packed: str) -> str:
    # A single page can't load other modules.
    program = re.sub(r"(?m)^import .*\n|^export ", "", joined(_MODULES, "js"))
    parts = {"title": escape(title), "style": joined(_STYLES, "css"), "symbols": symbols()}
    parts |= {"program": program, "game": packed}
    return filled(content("replay.html"), parts)
