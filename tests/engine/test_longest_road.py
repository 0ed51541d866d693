"""Longest road against a brute force, on random roads among random opponents' buildings."""

import random

import numpy as np
import pytest

from catan_pz.actions import BUILD_ROAD
from catan_pz.engine.deal import NO_SCRIPT
from catan_pz.engine.play import new_log
from catan_pz.engine.state import STATE, as_games
from catan_pz.game import calls
from catan_pz.terms import Phase
from tests.engine.reference_play import longest_trail as brute_force
from tests.reference_board import ENDS, NEIGHBORS

MASK = np.zeros(252, np.int8)


def random_roads(rng):
    """Up to 15 roads: grown from a few places, mostly near each other so that loops arise."""
    roads = set()
    home = rng.randrange(54)
    near = {home}
    for _ in range(rng.choice([2, 2, 3, 4])):
        near |= {w for v in near for w in NEIGHBORS[v]}
    inside = [e for e in range(72) if ENDS[e] <= near] if rng.random() < 0.6 else list(range(72))
    most = rng.randint(1, 15)
    for _ in range(60):
        ends = {v for e in roads for v in ENDS[e]}
        beside = [e for e in inside if e not in roads and ENDS[e] & ends]
        anywhere = not beside or rng.random() < 0.08
        roads.add(rng.choice(inside if anywhere else beside))
        if len(roads) == most:
            break
    return sorted(roads)


def random_buildings(rng, most=8):
    """Opponents' buildings that keep the distance rule."""
    built = set()
    for _ in range(rng.randint(0, most)):
        v = rng.randrange(54)
        if not NEIGHBORS[v] & built:
            built.add(v)
    return sorted(built)


def record(roads, buildings):
    """(1,) a record with free roads of seat 0 to place, and buildings of seat 1."""
    games = np.zeros(1, STATE)
    game = games[0]
    game["num_players"] = 2
    game["longest_road_owner"] = game["largest_army_owner"] = -1
    game["phase"], game["free_roads"], game["victory_points"] = Phase.FREE_ROAD, 16, 22
    for e in roads:
        game["roads"][0, e // 36] |= 1 << e % 36
    game["settlements"][1] = sum(1 << v for v in buildings)
    calls.refresh(as_games(games), 0, MASK)
    return games


def compare(count, seed):
    """Compare engine and brute force on random positions; return the lengths found."""
    rng = random.Random(seed)
    found = set()
    for _ in range(count):
        roads, buildings = random_roads(rng), random_buildings(rng)
        length = record(roads, buildings)["road_length"][0, 0]
        expected = brute_force(roads, set(buildings))
        assert length == expected, f"roads {roads}, opponents' buildings {buildings}"
        found.add(int(length))
    return found


def test_longest_road_on_3_000_random_positions():
    assert compare(3_000, seed=1) >= set(range(1, 14))


@pytest.mark.slow
def test_longest_road_on_100_000_random_positions():
    compare(100_000, seed=2)


def test_longest_road_kept_up_to_date_road_by_road():
    """The length after each placement, worked out from the one before, in any order."""
    rng = random.Random(3)
    log = new_log()
    for _ in range(80):
        roads, buildings = random_roads(rng), random_buildings(rng)
        games = record([], buildings)
        rng.shuffle(roads)
        for k, e in enumerate(roads):
            games["phase"] = Phase.FREE_ROAD
            calls.play(as_games(games), 0, BUILD_ROAD + e, NO_SCRIPT, *log, MASK)
            expected = brute_force(roads[: k + 1], set(buildings))
            assert games["road_length"][0, 0] == expected, (roads[: k + 1], buildings)


def test_the_brute_force_knows_the_rulebooks_cases():
    ring = [e for e in range(72) if ENDS[e] <= {20, 21, 22, 31, 32, 33}]
    assert len(ring) == 6
    assert brute_force(ring, set()) == 6
    assert brute_force(ring, {20}) == 6  # a trail may begin and end at a building
    assert brute_force(ring, {20, 22}) == 4
