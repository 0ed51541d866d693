"""Compiled players: alike one by one, in batches and in whole games; strong as they should be."""

import numpy as np
import pytest

from catan_pz import Game
from catan_pz.agents.compiled import play_compiled
from catan_pz.agents.heuristic.agent import HeuristicAgent
from catan_pz.agents.heuristic.weights import PARTS, Weights
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.registry import load
from catan_pz.agents.table import Table
from catan_pz.rules import Rules


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (["heuristic", "random", "weighted"], {"num_players": 3, "max_turns": 60}),
        (["weighted", "heuristic"], {"rules": "one_v_one"}),
        (["heuristic"] * 4, {"offer_form": "both", "max_offers_per_turn": 9}),
        (["evolved", "heuristic"], {"num_players": 2}),
        (["evolved", "evolved", "heuristic"], {"num_players": 3, "trading": False}),
    ],
    ids=str,
)
def test_compiled_games_are_those_at_a_table(names, options):
    rules = Rules.make(**options)
    played = play_compiled(names, 5, rules, seed=2**64 - 2)
    decisions = [0] * len(names)
    for i in range(5):
        seed = (2**64 - 2 + i) % 2**64
        game = Game(rules, seed)
        seats = [load(names[(p - i) % len(names)]) for p in range(len(names))]
        table = Table(game, seats, seat_seeds(seed, len(names)))
        while not (game.is_over or game.is_truncated):
            decisions[(game.player - i) % len(names)] += 1
            table.step()
        assert played.turns[i] == game.turn
        winner = -1 if game.winner is None else (game.winner - i) % len(names)
        assert played.winners[i] == winner
        assert np.roll(played.points[i], i).tolist() == list(game.points)
    assert played.decisions.tolist() == decisions


@pytest.mark.parametrize(
    ("one", "others", "least", "options"),
    [
        ("heuristic", "random", 0.95, {}),
        ("heuristic", "weighted", 0.95, {"offer_form": "both"}),
        ("weighted", "random", 0.5, {}),
    ],
)
def test_strength(one, others, least, options):
    count = options.get("num_players", 4)
    played = play_compiled([one, *[others] * (count - 1)], 200, seed=3, **options)
    assert played.won(0) >= 200 * least


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "trading", "least"), [(4, False, 0.27), (4, True, 0.27), (2, False, 0.52)]
)
def test_evolved_weights_win_more(players, trading, least):
    options = {"num_players": players, "trading": trading}
    played = play_compiled(["evolved", *["heuristic"] * (players - 1)], 2000, seed=5, **options)
    assert played.won(0) > least * 2000


@pytest.mark.slow
@pytest.mark.parametrize("part", list(PARTS))
def test_every_part_earns_its_place(part):
    without = HeuristicAgent(Weights().without(part))
    played = play_compiled(["heuristic", without] * 2, 400, seed=4)
    assert played.won(0) + played.won(2) > 200
