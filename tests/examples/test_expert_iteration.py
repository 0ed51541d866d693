"""Expert iteration: searched games, what it writes, exact resumption, that a candidate learns."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from catan_pz.agents.network import Base
from catan_pz.rules import Rules
from catan_pz.training.self_play_network import SelfPlayNetwork

SMALL = (
    *("--players=2", "--points=4", "--rounds=2", "--games=3", "--share=0.3", "--simulations=20"),
    *("--considered=4", "--base=heuristic", "--width=8", "--embedding-size=4", "--window=1"),
    *("--match-block=20", "--match-games=20", "--eval-games=4", "--eval-against=random"),
)


RULES = Rules(num_players=3, trading=False, victory_points=4, skip_forced=True)
SEARCH = {"simulations": 20, "considered": 4, "determinizations": 2, "turns": 1, "setup_turns": 1}

PROGRAM = "expert_iteration"


@pytest.mark.slow
def test_a_candidate_learns_what_was_found(program):
    options = [*SMALL, "--games=30", "--epochs=30", "--batch-size=64", "--width=64"]
    learner = program.Learner(program.parse(program.Args, options, ""))
    network = learner.network
    last = learner.play(0)
    assert last["searched"] > 200
    data = learner.window[0]
    with torch.no_grad():
        log_policy = network.log_probabilities(torch.tensor(data.units), torch.tensor(data.mask))
    before = -(torch.tensor(data.policy).float() * log_policy).sum(1).mean()
    assert last["policy_loss"] < 0.85 * before


def model():
    torch.manual_seed(1)
    sizes = {"kind": "dense", "width": 8, "critic": "shared"}
    return SelfPlayNetwork(252, 3, base=Base("heuristic", 3.0), **sizes).export(RULES)


def test_decisions_are_those_of_the_seats_that_were_searched(program):
    played = program.play_searched(model(), RULES, [1, 2], SEARCH, 1.0)
    assert len(played) > 40
    np.testing.assert_allclose(played.policy.sum(1, dtype=np.float64), 1, atol=0.01)
    assert not played.policy[played.mask == 0].any()
    assert (played.won.sum(1) == 1).all()
    # The winner decided last, so that its own seat won the game of its last decision.
    assert played.won[-1, 0] == 1
    fewer = program.play_searched(model(), replace(RULES, max_turns=8), [1, 2], SEARCH, 0.3)
    assert 0 < len(fewer) < len(played)
    assert not fewer.won.any()


def test_an_expert_takes_the_place_of_the_search(program):
    played = program.play_searched(model(), RULES, [1], {}, 1.0, expert="value")
    assert len(played) > 20
    assert (played.mask.sum(1) > 1).all()
    assert (played.policy.sum(1) == 1).all()
    assert not played.policy[played.mask == 0].any()
