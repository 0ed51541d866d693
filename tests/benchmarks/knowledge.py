"""How much is known of hidden hands: python -m tests.benchmarks knowledge

The engine's bounds against the exact belief, in random games without trade between players; after
each decision each seat's knowledge of the opponents' hands is looked at. A cell is one opponent's
count of one resource.
"""

from collections import defaultdict
from time import perf_counter
from typing import Any

import numpy as np

from catan_pz.belief import Belief, bounds_of
from catan_pz.events import Events
from catan_pz.game.game import Game
from tests.benchmarks.measuring import options, print_table
from tests.helpers import play_randomly

TELLERS = {"engine's bounds (row and column sums)": "engine", "exact belief": "belief"}


def play_game(seed: int, decisions: int, measured: dict[str, list[Any]]) -> None:
    """Play a random game to its end or to a number of decisions.

    Args:
        seed: of the game.
        decisions: at most.
        measured: is added to: by "engine" and "belief" how many counts each cell may have had,
            less one; beliefs' "hypotheses", and whether the truth was "lost"; seconds of
            "following" by all viewers and of "drawing".
    """
    game, rng = Game(seed=seed, num_players=4, trading=False), np.random.default_rng(seed)
    beliefs = [Belief(viewer, game.games[0]) for viewer in range(4)]

    def follow(game: Game, events: Events) -> None:
        started = perf_counter()
        for belief in beliefs:
            belief.listen(game, events)
        measured["following"].append(perf_counter() - started)

    game.listeners.append(follow)
    for k in range(decisions):
        if not game.mask.any():
            return
        play_randomly(game, 1, rng)
        record = game.games[0]
        for viewer, belief in enumerate(beliefs):
            others, hands = np.arange(4) != viewer, belief.hands
            told = {"engine": bounds_of(record, viewer), "belief": (hands.least, hands.most)}
            for name, (least, most) in told.items():
                measured[name].append(most[others].astype(int) - least[others])
            measured["hypotheses"].append(len(hands))
            measured["lost"].append(hands.weight_of(record["hand"]) == 0)
        if k % 50 == 0:
            started = perf_counter()
            beliefs[k // 50 % 4].resample(record, rng)
            measured["drawing"].append(perf_counter() - started)


def main() -> None:
    given = options(__doc__, games=(52, "random games"), decisions=(5000, "at most, a game"))
    play_game(2**31, 60, defaultdict(list))  # compiles
    measured: dict[str, list[Any]] = defaultdict(list)
    for seed in range(given.games):
        play_game(seed, given.decisions, measured)
    print(f"{given.games} random games of four, {len(measured['following'])} decisions.\n")
    widths = {title: np.concatenate(measured[name]) for title, name in TELLERS.items()}
    rows = ((k, f"{100 * (w == 0).mean():.1f} %", f"{w.mean():.3f}") for k, w in widths.items())
    print_table(("knowledge of opponents' hands", "exact cells", "mean width"), rows)
    counts = np.array(measured["hypotheses"])
    row = f"{counts.mean():.2f}", f"{np.percentile(counts, 99):.0f}", counts.max()
    header = ("hypotheses: mean", "99th percentile", "most", "truth lost")
    print_table(header, [(*row, sum(measured["lost"]))])
    followed, drawn = (np.mean(measured[name]) * 1e6 for name in ("following", "drawing"))
    header = ("following a decision, each viewer", "drawing a state")
    print_table(header, [(f"{followed / 4:.0f} us", f"{drawn:.0f} us")])
