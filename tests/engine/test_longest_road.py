"""Longest road against a brute force, on random roads among random opponents' buildings."""

import random

import numpy as np
import pytest

from catan_pz.engine import awards, building, derive
from catan_pz.engine.state import STATE, States, as_games
from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import Int64Array
from tests.engine.reference_play import longest_trail as brute_force
from tests.reference_board import ENDS, NEIGHBORS


@entry
def road_lengths(games: States, actions: Int64Array):
    """Write the longest road of seat 0 in each game."""
    for i in range(games.shape[0]):
        derive.derive_network(games[i], 0)
        actions[i] = awards.longest_road_length(games[i], 0)


@entry
def place_road(games: States, i: int, e: int):
    """Place a road of seat 0 and return its road length, kept up to date."""
    building.place_road(games[i], 0, e)
    return int(games[i].road_length[0])


@entry
def prepare(games: States, i: int):
    """Work out what follows from the pieces."""
    derive.derive(games[i])


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


def fill(game, roads, buildings):
    """Put the roads of seat 0 and the buildings of seat 1 into a record."""
    game["num_players"] = 2
    game["longest_road_owner"] = game["largest_army_owner"] = -1
    for e in roads:
        game["roads"][0, e // 36] |= 1 << e % 36
    game["settlements"][1] = sum(1 << v for v in buildings)


def compare(count, seed):
    """Compare engine and brute force on random positions; return the lengths found."""
    rng = random.Random(seed)
    found = []
    for first in range(0, count, 1000):
        games = np.zeros(min(1000, count - first), STATE)
        cases = [(random_roads(rng), random_buildings(rng)) for _ in games]
        for game, case in zip(games, cases, strict=True):
            fill(game, *case)
        lengths = np.zeros(len(games), np.int64)
        road_lengths(as_games(games), lengths)
        for (roads, buildings), length in zip(cases, lengths, strict=True):
            expected = brute_force(roads, set(buildings))
            assert length == expected, f"roads {roads}, opponents' buildings {buildings}"
        found += lengths.tolist()
    return found


def test_longest_road_on_3_000_random_positions():
    lengths = compare(3_000, seed=1)
    assert set(range(1, 14)) <= set(lengths)


@pytest.mark.slow
def test_longest_road_on_100_000_random_positions():
    compare(100_000, seed=2)


def test_longest_road_kept_up_to_date_road_by_road():
    """The length after each placement, worked out from the one before, in any order."""
    rng = random.Random(3)
    for _ in range(80):
        roads, buildings = random_roads(rng), random_buildings(rng)
        games = np.zeros(1, STATE)
        fill(games[0], [], buildings)
        prepare(as_games(games), 0)
        rng.shuffle(roads)
        for k, e in enumerate(roads):
            expected = brute_force(roads[: k + 1], set(buildings))
            assert place_road(as_games(games), 0, e) == expected, (roads[: k + 1], buildings)


def test_the_brute_force_knows_the_rulebooks_cases():
    ring = [e for e in range(72) if ENDS[e] <= {20, 21, 22, 31, 32, 33}]
    assert len(ring) == 6
    assert brute_force(ring, set()) == 6
    assert brute_force(ring, {20}) == 6  # a trail may begin and end at a building
    assert brute_force(ring, {20, 22}) == 4
