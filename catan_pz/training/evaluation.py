"""Win rates of a learner, played by the arena; learning curves as CSV and as a picture."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from catan_pz.agents.base import Agent
from catan_pz.agents.registry import load, split_specs
from catan_pz.arena import play_match
from catan_pz.arena.report import drawn
from catan_pz.files import write_bytes
from catan_pz.names import plotted, printable, shown
from catan_pz.rules import Rules

_COLUMNS: Final = ("frames", "seconds", "against", "games", "won", "win_rate")
_LONGEST: Final = 40
"""The most characters of a name in a picture."""

SEED_OFFSET: Final = 1_000_003
"""Distance between the seeds of a training and of its evaluations: other boards and dice."""

_LEARNER: Final = "learner"


def line_ups(against: str, rules: Rules) -> dict[str, list[str]]:
    """Evaluations by name, each with one of these agents in all other seats.

    Names are separated by commas. An agent that can't play these rules is refused.
    """
    names = split_specs(against)
    for name in names:
        load(name).check_rules(rules)
    return {name: [name] * (rules.num_players - 1) for name in names}


def evaluate(
    agent: Agent, opponents: Sequence[Agent | str], rules: Rules, games: int, seed: int
) -> dict[str, Any]:
    """Play games against (P - 1,) opponents with `play_match`, and count wins.

    Returns JSON values: `games`, `won`, `win_rate`, `interval` (95 %), `points` (mean), `seed`.
    """
    result = play_match([(_LEARNER, agent), *opponents], games, rules, seed, progress=False)
    tally = result.tally(_LEARNER)
    return {
        "games": tally.seats,
        "won": tally.won,
        "win_rate": result.win_rate(_LEARNER),
        "interval": list(result.interval(_LEARNER)),
        "points": tally.points,
        "seed": seed,
    }


def describe(row: dict[str, Any]) -> str:
    """One line for the terminal: the win rate and its interval."""
    low, high = row["interval"]
    return (
        f"against {shown(row['against'])}: won {row['won']} of {row['games']} games = "
        f"{100 * row['win_rate']:.1f} % (95 % interval {100 * low:.1f} to "
        f"{100 * high:.1f} %), {row['points']:.1f} points"
    )


def write_curve(
    folder: Path, curve: Sequence[dict[str, Any]], title: str, num_players: int, unit: str
) -> None:
    """Write `curve.csv`, `curve.png` and a `curve.pdf` for papers, in the `unit` of the training.

    Rows of the curve are those of `evaluate` plus `frames` (amount trained), `seconds` and
    `against`. The number of players determines the win rate at chance level.
    """
    rows = []
    for row in curve:  # `low` and `high` bound the 95 % interval
        low, high = row["interval"]
        cells = {name: row[name] for name in _COLUMNS} | {"against": printable(row["against"])}
        rows.append(cells | {"low": low, "high": high, "points": row["points"]})
    write_bytes(folder / "curve.csv", as_csv(rows))
    for form in ("png", "pdf"):
        picture = draw_curve(curve, title, num_players, unit, form)
        write_bytes(folder / f"curve.{form}", picture)


def as_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Rows with the same names as a CSV table; at least one."""
    text = io.StringIO()
    table = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()


def draw_curve(
    curve: Sequence[dict[str, Any]], title: str, num_players: int, unit: str, form: str
) -> bytes:
    """The win rates with their intervals; other arguments as for `write_curve`.

    `form` is "png", or "pdf" in the width of a journal's column, without the title.
    """
    column = form != "png"

    def draw(figure: Any) -> None:
        from matplotlib.ticker import EngFormatter

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
        axes.set_title("" if column else plotted(title))
        axes.set(xlabel=unit, ylabel="games won, %")
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.set_ylim(0, 102)
        axes.grid(alpha=0.3)
        figure.legend(loc="outside lower center", ncols=2 if column else 3)

    width, height = (3.4, 2.5) if column else (7, 4)
    return drawn(form, width, height, draw, dpi=120)
