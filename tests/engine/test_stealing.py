"""Stealing: the probabilities stated, and those with which cards are drawn."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from catan_pz import action_id
from catan_pz.terms import Resource
from tests.helpers import RESOURCES, table

HANDS = [
    {"brick": 1},
    {"lumber": 1, "grain": 9},
    {"brick": 1, "lumber": 2, "wool": 3, "grain": 4, "ore": 5},
]


def victim_of(hand, *, alone):
    other = {} if alone else {"settlements": [20], "hand": {"ore": 1}}
    seats = [{}, {"settlements": [10], "hand": hand}, other, {}]
    if alone:
        return table(*seats, phase="move_robber"), action_id("move_robber", hex=4)
    return table(*seats, phase="steal", robber=4), action_id("steal", seat=1)


@pytest.mark.parametrize("alone", [True, False], ids=["only victim", "named victim"])
@pytest.mark.parametrize("hand", HANDS, ids=str)
def test_each_card_is_equally_likely(hand, alone):
    game, action = victim_of(hand, alone=alone)
    total = sum(hand.values())
    stated = {Resource[r.upper()]: n / total for r, n in hand.items()}
    assert game.outcomes(action) == pytest.approx(stated)
    drawn = Counter()
    trials = 400
    for seed in range(trials):
        trial = game.copy()
        trial.games["rng"][0] = np.uint64(seed)
        trial.step(action)
        (resource,) = np.flatnonzero(trial.state["hand"][0])
        left = [hand.get(r, 0) for r in RESOURCES]
        left[resource] -= 1
        assert trial.state["hand"][1].tolist() == left
        drawn[RESOURCES[resource]] += 1
    assert set(drawn) <= set(hand)
    if len(hand) > 1:
        expected = [trials * n / total for n in hand.values()]
        assert stats.chisquare([drawn[r] for r in hand], expected).pvalue > 0.001
