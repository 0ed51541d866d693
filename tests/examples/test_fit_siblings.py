"""Fitting the value to siblings: positions that are compared, exchanges, and that it learns."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from catan_pz import Rules
from catan_pz.actions import NO_ACTION
from catan_pz.agents.search.rollout import PLAYERS, Rollout
from catan_pz.agents.search.search_calls import Simulations
from catan_pz.agents.value.network import shipped
from catan_pz.engine.state import STATE, as_games
from catan_pz.game.position import position
from catan_pz.terms import NOBODY
from tests.agents.search.play import work_for
from tests.agents.value.test_features import all_features_of

pytestmark = pytest.mark.slow  # its compiled games take a while to compile

PROGRAM = "fit_siblings"
GRAIN_FOR_ORE = [0, 0, 0, -1, 1]


def holding(first, second):
    hands = ({"hand": first}, {"hand": second}, {}, {})
    return position(list(hands), rules=Rules(), phase="main")


def test_an_exchange_is_compared_with_the_position_by_the_same_dice(program):
    game, after = holding({"grain": 1}, {"ore": 1}), holding({"ore": 1}, {"grain": 1})
    games, features = as_games(game.games.copy()), np.zeros((3, 322), np.float32)
    run = Simulations(
        games,
        as_games(np.zeros(2, STATE)),
        np.uint64(1),
        Rollout(PLAYERS["evolved"], 8),
        work_for(games),
    )
    swaps = np.array([[0] * 5, [0] * 5, GRAIN_FOR_ORE], np.int8)
    siblings = program.Siblings(np.full(3, NO_ACTION), np.array([NOBODY, NOBODY, 1]), swaps)
    targets = np.zeros((3, 4))
    # Offers of cards that are gone would leave bounds on hands that no round of them tightens.
    assert program.play_siblings(run, siblings, 0, 32, features, targets)
    np.testing.assert_array_equal(features[0], all_features_of(game))
    np.testing.assert_array_equal(features[2], all_features_of(after))
    np.testing.assert_array_equal(targets[0], targets[1])
    assert (targets[0] != targets[2]).any()
    np.testing.assert_allclose(targets.sum(1), 1, atol=0.01)


def test_it_learns_which_sibling_is_better(program, monkeypatch):
    monkeypatch.setattr(program, "RATE", 0.01)
    net, rng = shipped(4), np.random.default_rng(1)
    network = program.ValueNetwork.loaded(net)
    np.testing.assert_array_equal(network.flat(), net.weights)
    features = torch.from_numpy(rng.random((400, 2, 322), np.float32))
    targets = torch.softmax(4 * features[..., 14:320:80], 2)  # more brick, more wins
    data = program.Data(torch.arange(400) // 4, features, targets)
    before = program.regrets(network, data).mean()
    program.fit(network, data, features[:, 0], SimpleNamespace(seed=1, epochs=60))
    assert program.regrets(network, data).mean() < 0.7 * before
