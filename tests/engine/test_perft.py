"""Counts of the ways to play: the number of positions at each depth.

At each depth all legal actions are played, and where chance has a say all its outcomes.
"""

import itertools

import numpy as np
import pytest

from catan_pz import Game, Rules
from catan_pz.engine import legal, play
from catan_pz.engine.deal import NO_SCRIPT
from catan_pz.engine.state import STATE, States, as_games
from catan_pz.game.position import position
from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import Int8Matrix, Int64Array
from tests.helpers import path
from tests.reference_board import NEIGHBORS, VERTEX_EDGES

SETUP_COUNTS = [54, 144, 7_236, 19_248, 897_180]
"""Two-player set-up: node counts at depths 1 to 5."""


@entry
def perft(games: States, i: int, depth: int, actions: Int64Array, script: Int8Matrix):
    """Ways to play `depth` more decisions without chance from game i, which has its level.

    Games i + 1, i + 2 ... are scratch space; `actions` counts the actions tried at each level.
    """
    last = i + depth - 1
    level = i
    total = 0
    actions[i] = 0
    while level >= i:
        if level == last:
            total += legal.count_legal(games[level])
            level -= 1
            continue
        k = actions[level]
        if k == legal.count_legal(games[level]):
            level -= 1
            continue
        actions[level] += 1
        games[level + 1] = games[level]
        play.step(games[level + 1], legal.pick_legal(games[level], k), script)
        actions[level + 1] = 0
        level += 1
    return total


def count(game, depth):
    """Ways to play some decisions, in compiled code; no chance may come into it."""
    games = np.zeros(depth, STATE)
    games[0] = game.games[0]
    return perft(as_games(games), 0, depth, np.zeros(depth, np.int64), NO_SCRIPT)


def slow_count(game, depth):
    """Ways to play some decisions, chance outcomes counted apart."""
    if depth == 0:
        return 1
    total = 0
    for action in map(int, game.legal_actions()):
        for outcome in game.outcomes(action) or [None]:
            after = game.copy()
            after.step(action, outcome=outcome)
            total += slow_count(after, depth - 1)
    return total


@pytest.mark.parametrize(("depth", "nodes"), list(enumerate(SETUP_COUNTS, start=1)))
def test_two_player_setup(depth, nodes):
    assert count(Game(seed=1, num_players=2), depth) == nodes


@pytest.mark.parametrize("board", ["spiral", "beginner"])
def test_two_player_setup_counts_do_not_depend_on_the_board(board):
    for seed, depth in itertools.product(range(2), range(1, 5)):
        assert count(Game(seed=seed, num_players=2, board=board), depth) == SETUP_COUNTS[depth - 1]


def test_setup_counts_by_hand():
    """54 vertices; 72 edges have two ends each; what the distance rule leaves for the second."""
    game = Game(seed=1, num_players=2)
    assert [slow_count(game, depth) for depth in (1, 2)] == SETUP_COUNTS[:2]
    pairs = [(v, w) for v in range(54) for w in range(54) if w != v and w not in NEIGHBORS[v]]
    assert sum(len(VERTEX_EDGES[v]) for v, _ in pairs) == 7_236
    assert sum(len(VERTEX_EDGES[v]) * len(VERTEX_EDGES[w]) for v, w in pairs) == 19_248


TWO = Rules(num_players=2, trading=False)

NAMED = {
    # A roll: 36 throws. Then after six of them the robber has 18 hexes to go to, else the turn
    # can only be ended: 30 + 6 * 18. Then 36 throws of the other player, or the end of the turn.
    "nothing but dice": (
        lambda: position([{}, {}], rules=TWO, phase="roll"),
        [36, 30 + 6 * 18, 30 * 36 + 6 * 18],
    ),
    # The robber may go to 18 hexes; on the three at vertex 10 it brings a theft of brick or of
    # ore. After that only the end of the turn.
    "one victim, two kinds of card": (
        lambda: position(
            [{}, {"settlements": [10], "hand": {"brick": 1, "ore": 1}}],
            rules=TWO,
            phase="move_robber",
        ),
        [15 + 3 * 2, 15 + 3 * 2],
    ),
    # Three victims at hills 6 with one, two and three kinds of card.
    "three victims": (
        lambda: position(
            [
                {},
                {"settlements": [9], "hand": {"brick": 1}},
                {"settlements": [11], "hand": {"brick": 1, "ore": 2}},
                {"settlements": [20], "hand": {"brick": 1, "wool": 1, "ore": 1}},
            ],
            rules=Rules(trading=False),
            phase="steal",
            robber=4,
        ),
        [1 + 2 + 3, 1 + 2 + 3],
    ),
    # Buying one of the five kinds, or ending the turn; after the purchase only the end.
    "a purchase": (
        lambda: position([{"hand": {"wool": 1, "grain": 1, "ore": 1}}, {}], rules=TWO),
        [1 + 5, 36 + 5],
    ),
    # Discarding 4 of 8: two kinds at each step, then 18 hexes for the robber.
    "a discard": (
        lambda: position(
            [{"hand": {"brick": 4, "ore": 4}}, {}],
            rules=TWO,
            phase="discard",
            to_discard=[4, 0],
        ),
        [2, 4, 8, 16, 16 * 18],
    ),
    # Road building from vertex 0: two edges at it; then the other one, or the two beyond.
    "road building in the corner": (
        lambda: position(
            [{"settlements": [0], "cards": {"road_building": 1}}, {}],
            rules=TWO,
            phase="free_road",
            free_roads=2,
            card_played=True,
        ),
        [2, (1 + 1) + (1 + 2)],
    ),
    # Year of plenty: 15 pairs or the end of the turn.
    "year of plenty": (
        lambda: position([{"cards": {"year_of_plenty": 1}}, {}], rules=TWO),
        [16],
    ),
    # One offer (brick for ore) or the end of the turn; then to accept, to reject or to counter
    # with ore for brick, or 36 throws.
    "one card each": (
        lambda: position(
            [{"hand": {"brick": 1}}, {"hand": {"ore": 1}}], rules=Rules(num_players=2)
        ),
        [2, 3 + 36],
    ),
}


@pytest.mark.parametrize("name", NAMED)
def test_named_positions(name):
    make, nodes = NAMED[name]
    assert [slow_count(make(), depth) for depth in range(1, len(nodes) + 1)] == nodes


def test_compiled_and_slow_counts_agree():
    """On positions in which no chance is near."""
    seat = {
        "settlements": [20],
        "roads": path(20, 21),
        "hand": {"brick": 3, "lumber": 3, "wool": 2, "grain": 2},
    }
    game = position([seat, {"settlements": [40]}], rules=Rules(num_players=2))
    without_end = [a for a in game.legal_actions() if a != 1]
    assert len(without_end) > 3
    for depth in (1, 2):
        assert count(game, depth) == slow_count_without_chance(game, depth)


def slow_count_without_chance(game, depth):
    """Ways to play some decisions; dice and draws as they fall."""
    if depth == 1:
        return len(game.legal_actions())
    total = 0
    for action in map(int, game.legal_actions()):
        after = game.copy()
        after.step(action)
        total += slow_count_without_chance(after, depth - 1)
    return total
