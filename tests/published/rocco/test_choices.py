"""Kinds of action, ways of executors, and the two draws of the random player."""

import numpy as np
import pytest

from catan_pz import Game, actions
from catan_pz.agents.base import Views
from catan_pz.agents.random_stream import scramble_all
from catan_pz.published.rocco import choices
from catan_pz.published.rocco.agent import RandomRoccoAgent
from catan_pz.rules import Rules

RULES = Rules.make("rocco", board="beginner")


def legal(*ids):
    mask = np.zeros(actions.NUM_ACTIONS_WITHOUT_TRADE, np.int8)
    mask[list(ids)] = 1
    return mask


def test_ways_of_a_bank_trade_are_pairs_of_resources():
    ways = choices.EXECUTORS["trade"]
    assert (ways == actions.NO_ACTION).sum() == 5
    for give in range(5):
        assert ways[give * 5 + give] == actions.NO_ACTION
    third = actions.MARITIME_SWAPS[3]
    assert ways[third[0] * 5 + third[1]] == actions.MARITIME_TRADE + 3
    allowed = choices.legal_ways(legal(actions.MARITIME_TRADE + 3, actions.END_TURN), "trade")
    assert np.flatnonzero(allowed).tolist() == [third[0] * 5 + third[1]]


def test_to_end_the_turn_before_the_roll_is_to_roll():
    mask = legal(actions.ROLL, actions.PLAY_KNIGHT)
    assert choices.orchestrated(mask)
    kinds = np.flatnonzero(choices.kinds_to_choose(mask))
    assert [choices.KINDS[k] for k in kinds] == ["play_knight", "end_turn"]
    assert np.flatnonzero(choices.of_kind(mask, choices.END_TURN)).tolist() == [actions.ROLL]
    assert not choices.orchestrated(legal(actions.ROLL))


@pytest.mark.parametrize("card", [actions.PLAY_MONOPOLY, actions.PLAY_ROAD_BUILDING])
def test_before_the_roll_a_knight_is_the_only_card(card):
    mask = legal(actions.ROLL, card)
    assert not choices.orchestrated(mask)
    drawn = RandomRoccoAgent().act_batch(views_of(mask, 200))
    assert set(drawn.tolist()) == {actions.ROLL}
    mask = legal(actions.ROLL, actions.PLAY_KNIGHT, card)
    kinds = np.flatnonzero(choices.kinds_to_choose(mask))
    assert [choices.KINDS[k] for k in kinds] == ["play_knight", "end_turn"]
    after = legal(actions.END_TURN, card)
    assert choices.kinds_to_choose(after).sum() == 2


def views_of(mask, count):
    bits = scramble_all(np.arange(count, dtype=np.uint64))
    units = np.repeat(Game(RULES, seed=1).observe(0)[None], count, axis=0)
    return Views(units, np.repeat(mask[None], count, axis=0), bits, bits)


def test_the_random_player_draws_a_kind_and_then_a_way():
    mask = legal(actions.END_TURN, *range(actions.BUILD_ROAD, actions.BUILD_ROAD + 6))
    drawn = RandomRoccoAgent().act_batch(views_of(mask, 12_000))
    counts = np.bincount(drawn, minlength=252)
    assert counts[actions.END_TURN] == pytest.approx(6_000, rel=0.05)
    assert counts[actions.BUILD_ROAD : actions.BUILD_ROAD + 6] == pytest.approx(1_000, rel=0.15)
