"""Draws learning curves of several trainings over the time that they took.

    python examples/curves.py PPO=runs/ppo-1 PPO=runs/ppo-2 DQN=runs/dqn-1 DQN=runs/dqn-2
    python examples/curves.py --over frames --out curves.pdf short=runs/a long=runs/b

Each training is a folder with a `curve.csv`, behind the name of what it is a run of; runs of one
name have one color. The bands are the evaluations' 95 % intervals. Seconds are those of the
training, evaluations included.
"""

import argparse
import csv
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from catan_pz.arena.report import save_plot
from catan_pz.names import plotted
from catan_pz.training.console import run_program

Curve = list[dict[str, str]]
"""Rows of a `curve.csv`."""


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("runs", nargs="+", metavar="NAME=FOLDER", help="a training")
    parser.add_argument("--over", choices=("seconds", "frames"), default="seconds")
    parser.add_argument("--against", default="random", help="opponents of the evaluations")
    parser.add_argument("--out", type=Path, default=Path("curves.png"), help=".png, .svg or .pdf")
    return parser.parse_args(arguments)


def read_curves(runs: Sequence[str], against: str) -> dict[str, list[Curve]]:
    """The curves of each name, of the evaluations against some opponents."""
    found: dict[str, list[Curve]] = defaultdict(list)
    for run in runs:
        name, equals, folder = run.partition("=")
        if not equals:
            raise ValueError(f"a training must be NAME=FOLDER, got {run!r}")
        path = Path(folder) / "curve.csv"
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
        met = dict.fromkeys(row["against"] for row in rows)
        if against not in met:
            raise ValueError(f"{path}: against must be one of {', '.join(met)}, got {against!r}")
        found[name].append([row for row in rows if row["against"] == against])
    return found


def draw(figure: Any, curves: dict[str, list[Curve]], over: str) -> None:
    """Draw all curves into one diagram."""
    axes = figure.add_subplot()
    for k, (name, its) in enumerate(curves.items()):
        for number, curve in enumerate(its):
            x = [float(row[over]) for row in curve]
            shares = [[float(row[c]) for row in curve] for c in ("win_rate", "low", "high")]
            rate, low, high = ([100 * share for share in column] for column in shares)
            label = "" if number else plotted(name)
            axes.plot(x, rate, marker=".", color=f"C{k}", label=label)
            axes.fill_between(x, low, high, color=f"C{k}", alpha=0.15, linewidth=0)
    axes.set(xlabel=over, ylabel="games won, %", ylim=(0, 102))
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the curves and draw them."""
    options = parse_options(arguments)
    curves = read_curves(options.runs, options.against)
    save_plot(options.out, 7, 4, lambda figure: draw(figure, curves, options.over))


if __name__ == "__main__":
    run_program(main)
