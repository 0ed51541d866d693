"""Final positions of an agent and its strongest opponent in games won and lost.

    catan-pz tournament heuristic,random --players 2 --no-trading --games 40 --records games
    python examples/endings.py games heuristic

The games are records (`.jsonl`) of matches in which the agent had one seat.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table as Grid

from catan_pz import Game
from catan_pz.game import GameRecord
from catan_pz.observation.segments import PLACES
from catan_pz.terms import NUM_RESOURCES, Card, Phase
from catan_pz.training.console import run_program

console = Console()
COLUMNS = (
    *("pips after the set-up", "settlements", "cities", "longest road", "largest army"),
    *("victory point cards", "knights played", "points"),
)
SETUP = (Phase.SETUP_SETTLEMENT, Phase.SETUP_ROAD)


def holdings(game: Game) -> NDArray[np.float64]:
    """(P, 8) each seat's counts, in the order of `COLUMNS`, with its present pips."""
    state, rows = game.state, []
    for seat in range(game.rules.num_players):
        own = PLACES["production"].start
        pips = game.observe(seat)[own : own + NUM_RESOURCES].sum()
        pieces = (
            sum(map(int.bit_count, np.atleast_1d(state[name][seat]).tolist()))
            for name in ("settlements", "cities")
        )
        special = (state[name] == seat for name in ("longest_road_owner", "largest_army_owner"))
        cards = state["cards"][seat, Card.VICTORY_POINT], state["played"][seat, Card.KNIGHT]
        rows.append([pips, *pieces, *special, *cards, state["points"][seat]])
    return np.array(rows, np.float64)


def ending(record: GameRecord) -> tuple[NDArray[np.float64], int | None]:
    """(P, 8) each seat's counts at the end, and the winner."""
    pips, game = None, None
    for game in record.replay():
        if pips is None and game.phase not in SETUP:
            pips = holdings(game)[:, 0]
    assert game is not None
    held = holdings(game)
    if pips is not None:
        held[:, 0] = pips
    return held, game.winner


def endings(records: Sequence[GameRecord], agent: str) -> dict[str, list[NDArray[np.float64]]]:
    """Rows (2, 8), the agent and the one of the others with most points, for "won" and "lost".

    Raises:
        ValueError: for a game in which the agent hasn't exactly one seat.
    """
    found: dict[str, list[NDArray[np.float64]]] = {"won": [], "lost": []}
    for record in track(records, "games", console=console):
        names = record.names or []
        if names.count(agent) != 1:
            raise ValueError(f"agent must have exactly one of the seats {names}, got {agent!r}")
        held, winner = ending(record)
        if winner is None:
            continue
        seat = names.index(agent)
        others = [p for p in range(len(names)) if p != seat]
        best = max(others, key=lambda p: held[p, -1])
        found["won" if winner == seat else "lost"].append(held[[seat, best]])
    return found


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, help="folder of records")
    parser.add_argument("agent", help="name of the agent in them")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> dict[str, list[NDArray[np.float64]]]:
    """Read the games; return the results, and print means."""
    options = parse_options(arguments)
    paths = sorted(options.folder.glob("*.jsonl"))
    if not paths:
        raise ValueError(f"{options.folder} has no records (.jsonl)")
    found = endings([GameRecord.load(path) for path in paths], options.agent)
    grid = Grid("means a game", title=f"{options.agent}, and the best of the others")
    columns = []
    for end, rows in found.items():
        for k, who in enumerate(("own", "best")):
            if rows:
                grid.add_column(f"{len(rows)} {end}: {who}", justify="right")
                columns.append(np.mean(rows, 0)[k])
    for name, means in zip(COLUMNS, np.transpose(columns), strict=True):
        grid.add_row(name, *(f"{mean:.2f}" for mean in means))
    console.print(grid)
    return found


if __name__ == "__main__":
    run_program(main)
