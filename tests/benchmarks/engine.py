"""Speed of the bare engine: python -m tests.benchmarks engine

Random games, and what mask and observation add.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from catan_pz import Game
from catan_pz.engine import chance, legal
from catan_pz.engine.play import Log, new_log
from catan_pz.engine.play import play as play_step
from catan_pz.engine.state import States
from catan_pz.kernels.rule import bound, entry
from catan_pz.kernels.types import Int8Array, Int8Matrix
from catan_pz.observation import encode
from tests.benchmarks.measuring import REPEATS, SECONDS, options, print_table, rates

RULE_SETS: Final[dict[str, dict[str, Any]]] = {
    "4 players, no trade between players": {"trading": False},
    "4 players, trade by templates": {},
    "2 players, one_v_one": {"rules": "one_v_one"},
}
WRITTEN: Final = ("nothing", "mask", "mask and observation")


@entry
def play(
    games: States,
    i: int,
    script: Int8Matrix,
    log: Log,
    written: int,
    mask: Int8Array,
    obs: Int8Array,
):
    """Play game i to its end at random; return the decisions.

    After each it writes the mask and the mover's observation, as selected by `written`.
    """
    s = games[i]
    played = 0
    n = legal.count_legal(s)
    while n > 0:
        play_step(s, legal.pick_legal(s, chance.draw_below(s, n)), script, log)
        if written > 0:
            legal.write_mask(s, mask)
        if written > 1:
            encode.observe(s, int(s.player), obs)
        played += 1
        n = legal.count_legal(s)
    return played


def games_of(game: Game, written: int) -> Callable[[], int]:
    call, buffers = bound(play), (np.zeros_like(game.mask), game.observe(0))
    script = np.zeros((0, 2), np.int8)

    def work() -> int:
        game.reset()
        return int(call(game.games, 0, script, new_log(), written, *buffers))

    work()  # compiles
    return work


def rows(seconds: float, repeats: int) -> Iterator[tuple[str, ...]]:
    for name, rules in RULE_SETS.items():
        game = Game(seed=0, **rules)
        works = {way: games_of(game, k) for k, way in enumerate(WRITTEN)}
        for way, rate in rates(works, seconds, repeats).items():
            yield name, way, f"{1e9 / rate:.0f}", f"{rate / 1e6:.2f}"


def main() -> None:
    given = options(__doc__, seconds=(0.3, SECONDS), repeats=(5, REPEATS))
    header = ("rules", "what is written", "ns a decision", "million decisions/s")
    print_table(header, rows(given.seconds, given.repeats))
