"""Learning curves: win rates by what was trained, as CSV and as a picture; tables of figures."""

import csv
import io
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from catan_pz.names import plotted, printable, shown
from catan_pz.training.checkpoints import write_bytes

_COLUMNS: Final = ("frames", "seconds", "against", "games", "won", "win_rate")
_LONGEST: Final = 40
"""Characters that are drawn of a name."""


class TrainingPhase(NamedTuple):
    """A part of the training that is marked on the curve.

    Attributes:
        name: what happens in it, such as "behaviour cloning".
        start: frame at which it begins; below 0 for what comes before the first frame.
        end: frame at which it ends.
    """

    name: str
    start: float
    end: float


def write_curve(
    folder: Path,
    curve: Sequence[dict[str, Any]],
    title: str,
    num_players: int,
    unit: str,
    phases: Sequence[TrainingPhase] = (),
) -> None:
    """Write `curve.csv` and `curve.png`.

    Args:
        folder: where to.
        curve: rows of evaluations: those of `evaluation.evaluate` with `frames` (how much was
            trained), `seconds` and `against`.
        title: of the picture.
        num_players: players of a game, for the win rate at chance level.
        unit: what is counted.
        phases: parts of the training to mark.
    """
    rows = []
    for row in curve:  # `low` and `high` bound the 95 % interval
        low, high = row["interval"]
        cells = {name: row[name] for name in _COLUMNS} | {"against": printable(row["against"])}
        rows.append(cells | {"low": low, "high": high, "points": row["points"]})
    write_bytes(folder / "curve.csv", as_csv(rows))
    write_bytes(folder / "curve.png", draw_curve(curve, title, num_players, unit, phases))


def as_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Rows that have the same names as a table with a line for each; there must be one."""
    text = io.StringIO()
    table = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()


def draw_curve(
    curve: Sequence[dict[str, Any]],
    title: str,
    num_players: int,
    unit: str,
    phases: Sequence[TrainingPhase] = (),
) -> bytes:
    """The win rates with their intervals as a PNG; arguments as for `write_curve`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    figure = Figure(figsize=(7, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for against in dict.fromkeys(row["against"] for row in curve):
        rows = [row for row in curve if row["against"] == against]
        frames = [row["frames"] for row in rows]
        low, high = ([100 * row["interval"][k] for row in rows] for k in (0, 1))
        rates = [100 * row["win_rate"] for row in rows]
        label = plotted(f"against {shown(against, _LONGEST)}")
        axes.plot(frames, rates, marker=".", label=label)
        axes.fill_between(frames, low, high, alpha=0.2)
    chance = 100 / num_players
    axes.axhline(chance, color="gray", linestyle="--", label=f"chance level, {chance:.0f} %")
    for phase in phases:
        axes.axvspan(phase.start, phase.end, color="gray", alpha=0.15, linewidth=0)
        middle = (phase.start + phase.end) / 2
        words = plotted(shown(phase.name, _LONGEST))
        axes.text(middle, 3, words, rotation=90, ha="center", va="bottom", fontsize=8)
    axes.set_title(plotted(title))
    axes.set(xlabel=unit, ylabel="games won, %")
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set_ylim(0, 102)
    axes.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=3)
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        figure.savefig(file, format="png", dpi=120)
    return file.getvalue()
