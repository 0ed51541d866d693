"""A game as one HTML file: board, log, hands, a chart of the points, and a slider over decisions.

The file loads nothing else. Each frame is a list of the layers that `render.svg.table` draws,
and each layer a list of SVG elements; both are stored once, however many frames show them, so
that a game of 600 decisions takes some 60 kB.
"""

import base64
import gzip
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from catan_pz.agents.advice import Advice
from catan_pz.checks import not_possible
from catan_pz.files import whole_file
from catan_pz.names import shown
from catan_pz.play.frames import Frame
from catan_pz.render.layout import HEIGHT, MARGIN, SEA_WIDTH, WIDTH
from catan_pz.render.palette import SEATS
from catan_pz.render.svg import room_for, table
from catan_pz.render.view import TableView, table_view
from catan_pz.web.advice import advice_json, drawn_advice

FORMAT: Final = "catan-pz-replay/1"

_LONGEST_TITLE: Final = 120


@dataclass(frozen=True)
class Replay:
    """A replay as a page of HTML, and how many positions it has; a notebook shows it in place."""

    html: str
    num_frames: int

    def save(self, path: Path | str) -> None:
        """Write the page to a file, whole or not at all."""
        with whole_file(Path(path)) as draft:
            draft.write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        """The page in a frame of its own, for notebooks."""
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
) -> Replay:
    """Make a replay of a game.

    Args:
        frames: its positions, such as `play.frames.frames_of_record` gives them; at least one.
            Their lines are shown as given, so they must not say what the viewer may not know.
        viewer: the seat whose knowledge is shown; that of the frames where None, which shows all
            hands if they have none.
        names: what the seats are called; "Player 0" and so on where None.
        title: of the page; the seats' names where None.
    """
    stored = _Stored()
    for frame in frames:
        if viewer is None and not stored.frames:
            viewer = frame.viewer
        view = table_view(frame.state, viewer, names)
        if frame.viewer != viewer:
            raise not_possible("viewer", viewer, f"{frame.viewer!r}, the viewer of the frames")
        stored.add(view, frame)
    if not stored.frames:
        raise ValueError("a replay has at least one frame")
    seats = [view.name(seat.seat) for seat in view.seats]
    title = shown(title or ", ".join(seats), _LONGEST_TITLE)
    data = json.dumps(stored.content(seats, view) | {"viewer": viewer}, separators=(",", ":"))
    # Without a time stamp, so that the same game gives the same file.
    packed = base64.b64encode(gzip.compress(data.encode(), 9, mtime=0)).decode()
    return Replay(_page(title, packed), len(stored.frames))


@dataclass
class _Stored:
    """Frames, with layers and elements that occur in several of them stored once."""

    elements: dict[str, int] = field(default_factory=dict)
    layers: dict[str, int] = field(default_factory=dict)
    frames: list[list[int]] = field(default_factory=list)
    lines: list[str | None] = field(default_factory=list)
    turns: list[tuple[int, int]] = field(default_factory=list)
    points: list[list[int]] = field(default_factory=list)
    advice: list[dict[str, Any] | None] = field(default_factory=list)
    win_probabilities: list[list[float] | None] = field(default_factory=list)
    below: float = 0.0
    _asked: Advice | None = None

    def add(self, view: TableView, frame: Frame) -> None:
        """Add a frame."""
        layers = table(view, frame.line, frame.notes.overlay)
        self.frames.append([self._layer(layer) for layer in layers])
        self.lines.append(frame.line)
        self.turns.append((view.turn, view.turn_player))
        self.points.append(
            [seat.visible_points if seat.points is None else seat.points for seat in view.seats]
        )
        self.below = max(self.below, room_for(frame.notes.overlay))
        self._add_notes(view, frame)

    def _add_notes(self, view: TableView, frame: Frame) -> None:
        if self._asked is not None:  # what was played is in the frame after the decision
            self.advice[-1] = self._advice_json(self._asked, view, frame.action)
        self._asked = frame.notes.advice
        self.advice.append(None if self._asked is None else self._advice_json(self._asked, view))
        estimated = frame.notes.win_probabilities
        self.win_probabilities.append(
            None if estimated is None else [round(share, 3) for share in estimated]
        )

    def _advice_json(
        self, advice: Advice, view: TableView, played: int | None = None
    ) -> dict[str, Any]:
        return advice_json(advice, view, played) | {"layer": self._layer(drawn_advice(advice))}

    def _layer(self, layer: str) -> int:
        return self.layers.setdefault(layer, len(self.layers))

    def content(self, seats: list[str], last: TableView) -> dict[str, Any]:
        """What the page's program reads."""
        layers = [
            [self.elements.setdefault(part, len(self.elements)) for part in _parts(layer)]
            for layer in self.layers
        ]
        return {
            "format": FORMAT,
            "width": WIDTH,
            "height": HEIGHT + self.below,
            "split": MARGIN + SEA_WIDTH + 4,
            "seats": [
                {"name": name, "fill": color.fill, "outline": color.outline}
                for name, color in zip(seats, SEATS, strict=False)
            ],
            "target": last.target_points,
            "winner": last.winner,
            "elements": list(self.elements),
            "layers": layers,
            "frames": self.frames,
            "lines": self.lines,
            "turns": self.turns,
            "points": self.points,
            "advice": self.advice if any(self.advice) else None,
            "win_probabilities": self.win_probabilities if all(self.win_probabilities) else None,
        }


def _parts(layer: str) -> list[str]:
    """The elements' tags of a layer, each with the text after it."""
    return re.findall(r"<[^<]*", layer)


def _page(title: str, packed: str) -> str:
    pages = files("catan_pz.web") / "pages"
    page, colors, style, program = (
        (pages / name).read_text(encoding="utf-8")
        for name in ("replay.html", "colors.css", "replay.css", "replay.js")
    )
    advice = [(pages / f"advice.{form}").read_text(encoding="utf-8") for form in ("css", "js")]
    # One page has no modules beside each other.
    program = advice[1].replace("export ", "") + re.sub(r"(?m)^import .*\n", "", program)
    style = colors + advice[0] + style
    parts = {"title": escape(title), "style": style, "program": program, "game": packed}
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], page)
