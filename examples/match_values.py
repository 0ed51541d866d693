"""Tells by compiled games whether a value is stronger than that of the package.

    python examples/match_values.py runs/value-4p/model.npz
    python examples/match_values.py runs/value-4p/model.npz --against heuristic --margin 0.01

Each board is played once with the candidate in each seat, by the same dice, until a sequential test
tells 0 from 20 Elo or the boards run out; against another player than "value" all are played. One
takes some hundredths of a second, as all decisions are compiled rules. These see the game as it is,
where the agent draws hidden cards from its belief, and nobody trades with others.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from parts.value_games import play_match

from catan_pz import Game, Rules
from catan_pz.agents.random import EVOLVED, HEURISTIC, VALUE
from catan_pz.agents.value.choice import MARGIN
from catan_pz.agents.value.network import ValueNet, shipped, workspace
from catan_pz.arena.sequential import EloTest
from catan_pz.arena.statistics import wilson_by_blocks
from catan_pz.training.console import run_program

OPPONENTS = {"value": VALUE, "evolved": EVOLVED, "heuristic": HEURISTIC}
TEST = EloTest(0, 20)
EVERY = 50


def match(net: ValueNet, margin: float, against: str, boards: int, seed: int) -> np.ndarray:
    """(B,) games won on each board; every `EVERY` boards the test may end it."""
    seats, rng = net.rules.num_players, np.random.default_rng(seed)
    rules = Rules(num_players=seats, trading=False)
    works = [workspace(one.weights, rules.num_actions) for one in (net, shipped(seats))]
    game, won = Game(rules), list[int]()
    while len(won) < boards:
        board, bits, wins = int(rng.integers(2**62)), np.uint64(rng.integers(2**63)), 0
        for seat in range(seats):
            game.reset(board)
            play_match(game.games, seat, OPPONENTS[against], margin, MARGIN, bits, *works)
            wins += game.winner == seat
        won.append(wins)
        if against == "value" and len(won) % EVERY == 0:
            if TEST.verdict(TEST.log_likelihood_ratio(won, seats, seats)) is not None:
                break
    return np.array(won)


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options from the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n", maxsplit=1)[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("net", type=Path, help="the candidate")
    parser.add_argument("--against", choices=OPPONENTS, default="value", help="in all other seats")
    parser.add_argument("--margin", type=float, default=MARGIN, help="of the candidate")
    parser.add_argument("--boards", type=int, default=5000, help="at most, at least 2")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(arguments)


def main() -> None:
    """Play, and tell."""
    args = parse_options()
    net = ValueNet.read(args.net)
    won = match(net, args.margin, args.against, args.boards, args.seed)
    seats = net.rules.num_players
    low, high = wilson_by_blocks(won, np.full(len(won), seats), 0.95)
    rate = f"{100 * won.mean() / seats:.2f} % (95 %: {100 * low:.2f} to {100 * high:.2f})"
    print(f"{rate} of {seats * len(won):,} games against {seats - 1} {args.against}")
    if args.against == "value":
        verdict = TEST.verdict(TEST.log_likelihood_ratio(won, seats, seats))
        print({None: "no verdict", True: "20 Elo or more", False: "0 Elo or less"}[verdict])


if __name__ == "__main__":
    run_program(main)
