"""Matches of a value in compiled games."""

from dataclasses import replace

import numpy as np
import pytest

from catan_pz.agents.value.choice import MARGIN
from catan_pz.agents.value.network import HEIGHT, shipped

pytestmark = pytest.mark.slow  # its compiled games take a while to compile

PROGRAM = "match_values"


def test_the_same_value_wins_one_game_of_each_board(program):
    assert program.match(shipped(2), MARGIN, "value", 4, 1).tolist() == [1, 1, 1, 1]


def test_a_match_ends_with_the_verdict(program):
    net = shipped(2)
    weights = np.append(net.weights[:-HEIGHT], -net.weights[-HEIGHT:])
    won = program.match(replace(net, weights=weights), 0.0, "value", 1000, 1)
    assert len(won) < 100
    assert won.sum() < 5
