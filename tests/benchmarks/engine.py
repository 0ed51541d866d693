"""Speed of the engine alone: random games, and what mask and observation add.

`python -m tests.benchmarks engine` prints a Markdown table. All rows are measured in one
run, interleaved, and the best of several repetitions counts, so that they can be compared
with each other on a busy machine.
"""

import argparse
from collections.abc import Callable
from time import perf_counter

import numpy as np

from catan_pz import Game
from catan_pz.engine import chance, legal
from catan_pz.engine.play import Log, new_log
from catan_pz.engine.play import play as play_step
from catan_pz.engine.state import States
from catan_pz.kernels.rule import bound, entry
from catan_pz.kernels.types import Int8Array, Int8Matrix
from catan_pz.observation import encode

RULE_SETS = {
    "4 players, no trade between players": {"trading": False},
    "4 players, trade by templates": {},
    "2 players, one_v_one": {"rules": "one_v_one"},
}


@entry
def play(games: States, i: int, script: Int8Matrix, log: Log):
    """Play game i to its end at random; return the decisions."""
    s = games[i]
    played = 0
    n = legal.count_legal(s)
    while n > 0:
        play_step(s, legal.pick_legal(s, chance.draw_below(s, n)), script, log)
        played += 1
        n = legal.count_legal(s)
    return played


@entry
def play_with_mask(games: States, i: int, script: Int8Matrix, log: Log, mask: Int8Array):
    """The same, writing the mask after each decision."""
    s = games[i]
    played = 0
    n = legal.count_legal(s)
    while n > 0:
        play_step(s, legal.pick_legal(s, chance.draw_below(s, n)), script, log)
        legal.write_mask(s, mask)
        played += 1
        n = legal.count_legal(s)
    return played


@entry
def play_with_observation(
    games: States, i: int, script: Int8Matrix, log: Log, mask: Int8Array, obs: Int8Array
):
    """The same, writing mask and observation of the player to move after each decision."""
    s = games[i]
    played = 0
    n = legal.count_legal(s)
    while n > 0:
        play_step(s, legal.pick_legal(s, chance.draw_below(s, n)), script, log)
        legal.write_mask(s, mask)
        encode.observe(s, int(s.player), obs)
        played += 1
        n = legal.count_legal(s)
    return played


def measure(
    game: Game, games: int, call: Callable[..., int], buffers: tuple[np.ndarray, ...]
) -> float:
    """Nanoseconds a decision, in some games."""
    script = np.zeros((0, 2), np.int8)
    decisions, seconds = 0, 0.0
    for seed in range(games):
        game.reset(seed)
        start = perf_counter()
        decisions += call(game.games, 0, script, new_log(), *buffers)
        seconds += perf_counter() - start
    return 1e9 * seconds / decisions


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":", maxsplit=1)[0])
    parser.add_argument("--games", type=int, default=200, help="games of each measure")
    parser.add_argument("--repeats", type=int, default=5, help="measures, of which the best counts")
    arguments = parser.parse_args()
    print("| rules | what is written | ns a decision | million decisions/s |")
    print("|---|---|---|---|")
    for name, options in RULE_SETS.items():
        game = Game(seed=0, **options)
        mask, obs = np.zeros_like(game.mask), game.observe(0)
        ways = {
            "nothing": (bound(play), ()),
            "mask": (bound(play_with_mask), (mask,)),
            "mask and observation": (bound(play_with_observation), (mask, obs)),
        }
        for call, buffers in ways.values():
            measure(game, 1, call, buffers)  # compiles
        best = dict.fromkeys(ways, np.inf)
        for _ in range(arguments.repeats):
            for way, (call, buffers) in ways.items():
                best[way] = min(best[way], measure(game, arguments.games, call, buffers))
        for way, nanoseconds in best.items():
            print(f"| {name} | {way} | {nanoseconds:.0f} | {1e3 / nanoseconds:.2f} |")


if __name__ == "__main__":
    main()
