"""Games with searched decisions: what is recorded of them."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch", reason="takes the extra `train`")

import torch
from parts.searched_games import SearchedPlayer, play_searched

from catan_pz.agents.network import Base
from catan_pz.rules import Rules
from catan_pz.training.self_play_network import SelfPlayNetwork

RULES = Rules(num_players=3, trading=False, victory_points=4, skip_forced=True)
SEARCH = {"simulations": 20, "considered": 4, "determinizations": 2, "turns": 1, "setup_turns": 1}


def model():
    torch.manual_seed(1)
    sizes = {"kind": "dense", "width": 8, "critic": "shared"}
    return SelfPlayNetwork(252, 3, base=Base("heuristic", 3.0), **sizes).export(RULES)


def test_decisions_are_those_of_the_seats_that_were_searched():
    played = play_searched(model(), RULES, [1, 2], SEARCH, 1.0)
    assert len(played) > 40
    np.testing.assert_allclose(played.policy.sum(1, dtype=np.float64), 1, atol=0.01)
    assert not played.policy[played.mask == 0].any()
    assert (played.won.sum(1) == 1).all()
    # The winner decided last, so that its own seat won the game of its last decision.
    assert played.won[-1, 0] == 1
    fewer = play_searched(model(), RULES, [1, 2], SEARCH, 0.3)
    assert 0 < len(fewer) < len(played)


def test_nobody_wins_a_truncated_game():
    played = play_searched(model(), replace(RULES, max_turns=8), [1, 2], SEARCH, 1.0)
    assert len(played) > 10
    assert not played.won.any()


def test_what_is_played_does_not_depend_on_the_processes():
    one = play_searched(model(), RULES, [1, 2, 3], SEARCH, 0.2)
    other = play_searched(model(), RULES, [1, 2, 3], SEARCH, 0.2, workers=2)
    assert all(np.array_equal(value, vars(other)[name]) for name, value in vars(one).items())


def test_a_player_that_searches_nothing_has_nothing_to_tell():
    with pytest.raises(ValueError, match="no decision was searched"):
        play_searched(model(), RULES, [1], SEARCH, 0.0)
    with pytest.raises(ValueError, match="considered=1 is not possible"):
        SearchedPlayer(model(), SEARCH | {"considered": 1}, 0.5, [])


def test_an_expert_takes_the_place_of_the_search():
    played = play_searched(model(), RULES, [1, 2], {}, 1.0, expert="value")
    assert len(played) > 40
    assert (played.mask.sum(1) > 1).all()
    assert (played.policy.sum(1) == 1).all()
    assert not played.policy[played.mask == 0].any()
    improved = play_searched(model(), RULES, [1], {}, 1.0, expert="search:simulations=20")
    assert ((improved.policy > 0) & (improved.policy < 1)).any()
    with pytest.raises(ValueError, match="agent 'nobody' is not possible"):
        SearchedPlayer(model(), {}, 1.0, [], "nobody")
