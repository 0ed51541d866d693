"""Counts of the ways to play: the number of positions at each depth.

At each depth all legal actions are played, and where chance has a say all its outcomes.
"""

import itertools

import pytest

from catan_pz import Game
from catan_pz.game.perft import divide, perft
from tests.helpers import CARD, RULE_SETS, act, next_turn, table
from tests.reference_board import NEIGHBORS, VERTEX_EDGES

SETUP_COUNTS = [54, 144, 7_236, 19_248, 897_180]
"""Two-player set-up: node counts at depths 1 to 5."""


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


@pytest.mark.parametrize(("depth", "nodes"), list(enumerate([1, *SETUP_COUNTS])))
def test_two_player_setup(depth, nodes):
    assert perft(Game(seed=1, num_players=2), depth) == nodes


@pytest.mark.parametrize("board", ["spiral", "beginner"])
def test_two_player_setup_counts_do_not_depend_on_the_board(board):
    for seed, depth in itertools.product(range(2), range(1, 5)):
        assert perft(Game(seed=seed, num_players=2, board=board), depth) == SETUP_COUNTS[depth - 1]


def test_setup_counts_by_hand():
    """54 vertices; 72 edges have two ends each; what the distance rule leaves for the second."""
    game = Game(seed=1, num_players=2)
    assert [slow_count(game, depth) for depth in (1, 2)] == SETUP_COUNTS[:2]
    pairs = [(v, w) for v in range(54) for w in range(54) if w != v and w not in NEIGHBORS[v]]
    assert sum(len(VERTEX_EDGES[v]) for v, _ in pairs) == 7_236
    assert sum(len(VERTEX_EDGES[v]) * len(VERTEX_EDGES[w]) for v, w in pairs) == 19_248


POOR = {"trading": False}
VICTIMS = [
    {"settlements": [9], "hand": {"brick": 1}},
    {"settlements": [11], "hand": {"brick": 1, "ore": 2}},
    {"settlements": [20], "hand": {"brick": 1, "wool": 1, "ore": 1}},
]
CORNERED = {"settlements": [0], "cards": {"road_building": 1}}
NAMED = {
    # A roll: 36 throws. Then after six of them the robber has 18 hexes to go to, else the turn
    # can only be ended: 30 + 6 * 18. Then 36 throws of the other player, or the end of the turn.
    "nothing but dice": (table(phase="roll", **POOR), [36, 30 + 6 * 18, 30 * 36 + 6 * 18]),
    # The robber may go to 18 hexes; on the three at vertex 10 it brings a theft of brick or of
    # ore. After that only the end of the turn.
    "one victim, two kinds of card": (
        table({}, {"settlements": [10], "hand": {"brick": 1, "ore": 1}}, phase="move_robber"),
        [15 + 3 * 2],
    ),
    # Three victims at hills 6 with one, two and three kinds of card.
    "three victims": (
        table({}, *VICTIMS, phase="steal", robber=4, **POOR),
        [1 + 2 + 3, 1 + 2 + 3],
    ),
    # Buying one of the five kinds, or ending the turn; after the purchase only the end.
    "a purchase": (table({"hand": CARD}, **POOR), [1 + 5, 36 + 5]),
    # Discarding 4 of 8: two kinds at each step, then 18 hexes for the robber.
    "a discard": (
        table({"hand": {"brick": 4, "ore": 4}}, phase="discard", to_discard=[4, 0], **POOR),
        [2, 4, 8, 16, 16 * 18],
    ),
    # Road building from vertex 0: two edges at it; then the other one, or the two beyond.
    "road building in the corner": (
        table(CORNERED, phase="free_road", free_roads=2, **POOR),
        [2, (1 + 1) + (1 + 2)],
    ),
    # Year of plenty: 15 pairs or the end of the turn.
    "year of plenty": (table({"cards": {"year_of_plenty": 1}}, **POOR), [16]),
    # One offer (brick for ore) or the end of the turn; then to accept, to reject or to counter
    # with ore for brick, or 36 throws.
    "one card each": (table({"hand": {"brick": 1}}, {"hand": {"ore": 1}}), [2, 3 + 36]),
    # Balanced dice leave out what was thrown.
    "one roll less": (act(next_turn(table(dice="balanced", **POOR), 3), "end_turn"), [35]),
}


@pytest.mark.parametrize("name", NAMED)
def test_named_positions(name):
    game, nodes = NAMED[name]
    for depth, count in enumerate(nodes, 1):
        assert perft(game, depth) == slow_count(game, depth) == count


@pytest.mark.parametrize("name", ["two", "three", "one_v_one", "both_forms", "balanced_beginner"])
def test_the_count_is_that_of_trying_everything(name):
    game = Game(RULE_SETS[name], seed=3)
    for step in range(240):
        legal = game.legal_actions()
        if not len(legal):
            break
        if step % 12 == 0 and len(legal) < 60:
            before = game.games.tobytes()
            assert perft(game, 2) == slow_count(game, 2)
            assert game.games.tobytes() == before
        game.step(int(legal[step * 7 % len(legal)]))


def test_forced_decisions_count_by_themselves():
    assert perft(table(phase="roll", skip_forced=True), 3) == perft(table(phase="roll"), 3)


def test_divide_adds_up():
    game = table({"hand": CARD}, {"settlements": [9]}, trading=False)
    parts = list(divide(game, 2))
    assert sum(count for _, _, count in parts) == perft(game, 2) == slow_count(game, 2)
    assert len(parts) == perft(game, 1)


def test_a_finished_game_has_no_way_on():
    game = Game(seed=1, max_turns=1, trading=False)
    while game.mask.any():
        game.step(int(game.legal_actions()[0]))
    assert perft(game, 3) == 0
