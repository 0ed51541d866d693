"""The ten agents of Rocco's thesis: trained, selected, and played against each other.

    python examples/published/matrix.py --out runs/rocco
    python examples/published/matrix.py --types FF/FF* RAN/RAN --seeds 1 --out runs/rocco
    python examples/published/matrix.py --also "FF/FF* both" heuristic ppo-2p --out runs/rocco

Each training is a run of `rocco.py` in a folder of its own below `--out`. A finished training is
not run again, and an interrupted one resumes from its checkpoint; so does the tournament. Of each
type the candidate with the highest win rate against the random player enters the tournament, in
which each pair plays `--games` games, half of them in each seating.

Beside the trainings the folder gets `curves.png` and `curves.csv` (points at turn 120, blocks of
100 games, mean and quartiles over the trainings), `matrix.md` and `matrix.csv`, and
`tournament.jsonl` with every game; with `--also`, `also.md`, `also.csv` and `also.jsonl` with the
games that those agents play.
"""

import csv
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

# NumPy plays the networks in the tournament: on products this small threads only cost time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from catan_pz.arena import Result, play_tournament
from catan_pz.arena.report import save_plot
from catan_pz.arena.statistics import LEVEL, normal_quantile, wilson
from catan_pz.checks import check_choice
from catan_pz.files import write_bytes
from catan_pz.published.rocco.agent import RandomRoccoAgent, RoccoAgent
from catan_pz.training.console import REPEATABLE, run_program
from catan_pz.training.evaluation import as_csv
from catan_pz.training.options import Count, parse

TYPES: dict[str, tuple[str, ...]] = {
    "SELF-L": ("--sub-goal", "--opponent=self"),
    "FF/FF*": ("--sub-goal",),
    "FF/FF": (),
    "FF/RAN": ("--executors=ran",),
    "GCN/GCN*": ("--orchestrator=gcn", "--executors=gcn", "--sub-goal"),
    "GCN/GCN": ("--orchestrator=gcn", "--executors=gcn"),
    "GCN/RAN": ("--orchestrator=gcn", "--executors=ran"),
    "RGCN/RGCN*": ("--orchestrator=rgcn", "--executors=rgcn", "--sub-goal"),
    "RGCN/RGCN": ("--orchestrator=rgcn", "--executors=rgcn"),
    "RAN/RAN": (),
}
"""The agents in the order of the thesis' matrix, with the options of their trainings."""

VARIANTS: dict[str, tuple[str, ...]] = {
    "FF/FF* both": ("--sub-goal", "--seat=both"),
    "FF/FF* code": ("--sub-goal", "--no-mask-bootstrap", "--no-cut-terminal"),
}
"""Variants that the thesis leaves open: a learner in both seats, and a bootstrap over illegal
choices and from the end of a game, as in the thesis' code."""

OPTIONS = TYPES | VARIANTS

RANDOM = "RAN/RAN"
LONGER = {"SELF-L": 3}
"""Multiples of the games of a training."""

THESIS = {
    "SELF-L": (32, 21),
    "FF/FF*": (41, 27),
    "FF/FF": (35, 15),
    "FF/RAN": (31, 21),
    "GCN/GCN*": (27, 17),
    "GCN/GCN": (25, 11),
    "GCN/RAN": (25, 13),
    "RGCN/RGCN*": (32, 14),
    "RGCN/RGCN": (31, 17),
    "RAN/RAN": (8, 7),
}
"""The thesis' wins of 45 games in the first seat, and of 45 in the second."""

BLOCK = 100
"""Games that a point of a curve is the mean of."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Options."""

    types: tuple[str, ...] = tuple(TYPES)
    """agents that take part"""
    also: tuple[str, ...] = ()
    """others that play each of these, and each other: heuristic, ppo-2p, "FF/FF* both"; variants
    of the thesis' agents are trained as well"""
    train: bool = True
    """run the trainings that are missing"""
    episodes: Count = 1000
    """games of a training; self-play has three times as many"""
    seeds: Count = 5
    """trainings of each type"""
    candidates: Count = 3
    """trainings of each type from which the one for the tournament is chosen"""
    options: str = ""
    """options for all trainings, as rocco.py takes them: "--cut-terminal --reward gain" """
    games: Count = 2000
    """games of each pair, half of them in each seating"""
    also_games: Count = 400
    """the same of pairs with others"""
    seed: int = 0
    """random seed of the tournament"""
    jobs: Count = 1
    """trainings, or parts of the tournament, at a time"""
    out: str = "runs/rocco"
    """output folder"""


def parse_args(arguments: Sequence[str] | None = None) -> Args:
    """Options from the command line.

    Raises:
        ValueError: names the option, its value and what is allowed.
    """
    args = parse(Args, arguments, __doc__ or "")
    for name in args.types:
        check_choice("types", name, tuple(TYPES))
    return args


def folder_of(name: str, seed: int, args: Args) -> Path:
    """Output folder of a training."""
    plain = name.replace("/", "-").replace("*", "-star").replace(" ", "-").lower()
    return Path(args.out) / f"{plain}-{seed}"


def episodes_of(name: str, args: Args) -> int:
    """Games of a training."""
    return args.episodes * LONGER.get(name, 1)


def options_of(name: str, seed: int, args: Args) -> list[str]:
    """The options of a training but its games."""
    given = [f"--seed={seed}", f"--out={folder_of(name, seed, args)}"]
    return [*OPTIONS[name], *args.options.split(), *given]


def is_trained(name: str, seed: int, args: Args) -> bool:
    """Whether a training has played all its games.

    Raises:
        ValueError: if it was one with other options.
    """
    folder, words = folder_of(name, seed, args), options_of(name, seed, args)
    kept = folder / "options.json"
    if kept.exists() and (trained := json.loads(kept.read_text())) != words:
        raise ValueError(
            f"{folder} holds a training with the options {shlex.join(trained)}; "
            f"given: {shlex.join(words)}; give the same, or another output folder"
        )
    result = folder / "result.json"
    wanted = episodes_of(name, args)
    return result.exists() and json.loads(result.read_text())["episodes"] >= wanted


def train(name: str, seed: int, args: Args) -> None:
    """Run a training, unless it is finished.

    Raises:
        RuntimeError: if it fails, with its standard error.
        ValueError: if the folder holds one with other options.
    """
    if is_trained(name, seed, args):
        return
    folder, words = folder_of(name, seed, args), options_of(name, seed, args)
    folder.mkdir(parents=True, exist_ok=True)
    write_bytes(folder / "options.json", json.dumps(words).encode())
    script = str(Path(__file__).with_name("rocco.py"))
    resume = ["--resume"] if (folder / "checkpoint.json").exists() else []
    command = [sys.executable, script, *words, f"--episodes={episodes_of(name, args)}", *resume]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"the training {name!r} with seed {seed} failed:\n{ran.stderr.strip()}")
    print(f"{name} with seed {seed}: trained", flush=True)


def trained_types(args: Args) -> list[str]:
    """The types and variants that have networks."""
    return [name for name in (*args.types, *args.also) if name in OPTIONS and name != RANDOM]


def chosen(name: str, args: Args) -> Path:
    """Model of the candidate that won most against the random player.

    Raises:
        ValueError: if no candidate is trained.
    """
    rates = {}
    for seed in range(1, min(args.candidates, args.seeds) + 1):
        result = folder_of(name, seed, args) / "result.json"
        if result.exists():
            (row,) = json.loads(result.read_text())["results"]
            rates[result.with_name("model.npz")] = row["win_rate"]
    if not rates:
        raise ValueError(f"no training of {name!r} in {args.out} is finished: leave out --no-train")
    return max(rates, key=lambda path: rates[path])


def tournament(args: Args) -> tuple[Result, Result | None]:
    """Every pair of the types, equally many games in each seating, and every pair with others.

    Returns:
        The games of the types among themselves, and those with others, where there are any.
    """
    trained = trained_types(args)

    def entrant(name: str) -> Any:
        if name == RANDOM:
            return name, RandomRoccoAgent()
        return (name, RoccoAgent(chosen(name, args))) if name in trained else name

    def play(file: str, names: Sequence[str], games: int, **options: Any) -> Result:
        options |= {"workers": args.jobs, "results": Path(args.out) / file}
        agents = [entrant(name) for name in names]
        return play_tournament(agents, games, "rocco", args.seed, **options)

    own = play("tournament.jsonl", args.types, args.games)
    if not args.also:
        return own, None
    names = [*args.types, *args.also]
    pairs = [pair for pair in combinations(names, 2) if pair[1] in args.also]
    return own, play("also.jsonl", names, args.also_games, lineups=pairs)


def wins(result: Result) -> dict[tuple[str, str], tuple[int, int]]:
    """For each first and second agent the games that the first won, and all."""
    table: dict[tuple[str, str], tuple[int, int]] = {}
    for game in result.games:
        won, games = table.get((game.seats[0], game.seats[1]), (0, 0))
        table[game.seats[0], game.seats[1]] = won + (game.winner == 0), games + 1
    return table


def percent(won: int, games: int) -> str:
    """A share with its 95 % interval."""
    low, high = wilson(won, games, normal_quantile(LEVEL))
    return f"{100 * won / games:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def totals_table(result: Result) -> list[str]:
    """Wins of each agent in each seat, compared with the thesis."""
    seconds = [(game.seats[1], game.winner == 1) for game in result.games]
    firsts = [(game.seats[0], game.winner == 0) for game in result.games]
    lines = ["| agent | first seat | second seat | all | thesis, of 90 |", "|---|---|---|---|---|"]
    for name in result.names:
        own = [[won for seated, won in seats if seated == name] for seats in (firsts, seconds)]
        shares = [percent(sum(seat), len(seat)) for seat in (*own, own[0] + own[1])]
        of_thesis = f"{sum(THESIS[name]) / 0.9:.1f} %" if name in THESIS else ""
        lines.append(f"| {name} | {' | '.join(shares)} | {of_thesis} |")
    won = sum(won for _, won in firsts)
    share = f"First seat: {percent(won, len(firsts))} of all games; thesis 63.8 % of 450."
    return [*lines, "", share]


def matrix_table(result: Result) -> list[str]:
    """Share of its games that the agent of a row, in the first seat, won against each column."""
    table = wins(result)
    lines = [
        f"| first seat | {' | '.join(result.names)} |",
        "|---" * (len(result.names) + 1) + "|",
    ]
    for row in result.names:
        cells = []
        for column in result.names:
            won, games = table.get((row, column), (0, 0))
            cells.append(f"{100 * won / games:.0f}" if games else "")
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return lines


def blocks_of(name: str, args: Args) -> list[list[float]]:
    """For each training of a type the mean points at turn 120 of each block of games."""
    found = []
    for seed in range(1, args.seeds + 1):
        path = folder_of(name, seed, args) / "episodes.csv"
        if path.exists():
            rows = list(csv.DictReader(path.read_text().splitlines()))
            points = [float(row["points_at_turn"]) for row in rows]
            ends = range(BLOCK, len(points) + 1, BLOCK)
            found.append([float(np.mean(points[end - BLOCK : end])) for end in ends])
    return found


def curve_rows(args: Args) -> list[dict[str, Any]]:
    """Mean and quartiles over the trainings of each type, for each block of games."""
    rows = []
    for name in args.types:
        blocks = blocks_of(name, args)
        for k in range(min(map(len, blocks), default=0)):
            values = [training[k] for training in blocks]
            low, high = np.quantile(values, (0.25, 0.75))
            row = {"type": name, "games": (k + 1) * BLOCK, "trainings": len(values)}
            rows.append(row | {"mean": float(np.mean(values)), "low": low, "high": high})
    return rows


def draw_curves(figure: Any, rows: list[dict[str, Any]]) -> None:
    """Draw the curves with their quartile bands."""
    axes = figure.add_subplot()
    for name in dict.fromkeys(row["type"] for row in rows):
        own = [row for row in rows if row["type"] == name]
        games, mean, low, high = ([r[k] for r in own] for k in ("games", "mean", "low", "high"))
        axes.plot(games, mean, marker=".", label=name)
        axes.fill_between(games, low, high, alpha=0.2)
    axes.set(xlabel="games", ylabel=f"points at turn 120, mean of {BLOCK} games")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper")


def main(arguments: Sequence[str] | None = None) -> Result:
    """Train missing networks, play the tournament, write the tables; return the games."""
    args = parse_args(arguments)
    out = Path(args.out)
    if args.train:
        tasks = [(name, seed) for seed in range(1, args.seeds + 1) for name in trained_types(args)]
        with ThreadPoolExecutor(args.jobs) as pool:  # after a failure `map` begins no further one
            list(pool.map(lambda task: train(*task, args), tasks))
    rows = curve_rows(args)
    if rows:
        write_bytes(out / "curves.csv", as_csv(rows))
        save_plot(out / "curves.png", 8, 5, lambda figure: draw_curves(figure, rows))
    own, further = tournament(args)
    write_tables(out, "matrix", own)
    if further is not None:
        write_tables(out, "also", further)
    return own


def write_tables(out: Path, name: str, result: Result) -> None:
    """Write the wins of each agent and of each pair, and print them."""
    cells = [
        {"first": first, "second": second, "won": won, "games": games}
        for (first, second), (won, games) in wins(result).items()
    ]
    write_bytes(out / f"{name}.csv", as_csv(cells))
    text = "\n".join([*totals_table(result), "", *matrix_table(result)]) + "\n"
    write_bytes(out / f"{name}.md", text.encode())
    print(text)


if __name__ == "__main__":
    run_program(main, RuntimeError, stopped=REPEATABLE)
