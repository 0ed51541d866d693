"""Production and shortage against an independent reading, over random boards and banks."""

import random

import pytest

from catan_pz import Game, Rules
from catan_pz.game.position import position
from tests.helpers import RESOURCES, roll
from tests.reference_board import HEX_VERTICES, NEIGHBORS

GIVES = dict(zip(("hills", "forest", "pasture", "fields", "mountains"), RESOURCES, strict=True))


def due(state, number):
    """What each player is due of each resource: cards by player and resource."""
    claims = [dict.fromkeys(RESOURCES, 0) for _ in state["players"]]
    for h, land in enumerate(state["board"]["hexes"]):
        if land["token"] != number or h == state["robber"]:
            continue
        for p, player in enumerate(state["players"]):
            for v in HEX_VERTICES[h]:
                worth = (v in player["settlements"]) + 2 * (v in player["cities"])
                claims[p][GIVES[land["terrain"]]] += worth
    return claims


def paid(state, number):
    """What each player receives: shortage judged for each resource by itself."""
    claims = due(state, number)
    for r in RESOURCES:
        claimants = [p for p, claim in enumerate(claims) if claim[r] > 0]
        left = state["bank"][r]
        if sum(claim[r] for claim in claims) > left:
            for p in claimants:
                claims[p][r] = min(claims[p][r], left) if len(claimants) == 1 else 0
    return claims


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
        left = rng.choice([0, 1, 2, 3, 4, 5, 19])
        seats[-1]["hand"][r] = 19 - left
    board = Game(seed=rng.randrange(10**6), board=rng.choice(["random", "spiral"])).snapshot()[
        "board"
    ]
    rules = Rules(num_players=n, board=board, victory_points=22)
    return position(seats, rules=rules, board=rules.board, phase="roll", robber=rng.randrange(19))


def compare(count, seed):
    """Roll each number in random positions; count the shortages of both kinds."""
    rng = random.Random(seed)
    shared, single = 0, 0
    for _ in range(count):
        start = random_position(rng)
        before = start.snapshot()
        for number in (2, 3, 4, 5, 6, 8, 9, 10, 11, 12):
            after = roll(start.copy(), number).snapshot()
            claims, gains = due(before, number), paid(before, number)
            for p, player in enumerate(after["players"]):
                expected = {r: before["players"][p]["hand"][r] + gains[p][r] for r in RESOURCES}
                assert player["hand"] == expected, f"seat {p}, number {number}, {before}"
            for r in RESOURCES:
                total = sum(gain[r] for gain in gains)
                assert after["bank"][r] == before["bank"][r] - total
                if sum(claim[r] for claim in claims) > before["bank"][r]:
                    claimants = sum(claim[r] > 0 for claim in claims)
                    shared += claimants > 1
                    single += claimants == 1
    return shared, single


def test_production_against_an_independent_reading():
    shared, single = compare(60, seed=1)
    assert shared > 20
    assert single > 20


@pytest.mark.slow
def test_production_against_an_independent_reading_at_length():
    compare(5000, seed=2)
