"""Production and shortage against an independent reading, over random boards and banks."""

import random

import pytest

from catan_pz import Game, Rules
from catan_pz.game.position import position
from tests.engine.reference_play import Play
from tests.helpers import RESOURCES, act
from tests.reference_board import NEIGHBORS


def random_position(rng):
    """Buildings anywhere, a robber anywhere, a bank that is often nearly empty."""
    n = rng.randint(2, 4)
    seats = [{"settlements": [], "cities": [], "hand": {}} for _ in range(n)]
    built = set()
    for _ in range(rng.randint(4, 40)):
        v, seat = rng.randrange(54), rng.choice(seats)
        kind = rng.choice(["settlements", "cities"])
        if NEIGHBORS[v] & built or v in built or len(seat[kind]) == 4:
            continue
        built.add(v)
        seat[kind].append(v)
    for r in RESOURCES:
        seats[-1]["hand"][r] = 19 - rng.choice([0, 1, 2, 3, 4, 5, 19])
    start = Game(seed=rng.randrange(10**6), board=rng.choice(["random", "spiral"])).snapshot()
    rules = Rules(num_players=n, victory_points=22)
    robber = rng.randrange(19)
    return position(seats, rules=rules, board=start["board"], phase="roll", robber=robber)


def compare(count, seed):
    """Roll each number in random positions; count the resources that lacked somebody."""
    rng = random.Random(seed)
    lacking = 0
    for _ in range(count):
        start = random_position(rng)
        before = start.snapshot()
        for number in (2, 3, 4, 5, 6, 8, 9, 10, 11, 12):
            dice = (max(1, number - 6), min(6, number - 1))
            after = act(start.copy(), "roll", outcome=dice).snapshot()
            play = Play(before, {"kind": "roll"}, dice)
            for name in ("players", "bank"):
                assert after[name] == play.state[name], f"number {number}, {before}"
            lacking += play.shortages
    return lacking


def test_production_against_an_independent_reading():
    assert compare(60, seed=1) > 40


@pytest.mark.slow
def test_production_against_an_independent_reading_at_length():
    compare(5000, seed=2)
