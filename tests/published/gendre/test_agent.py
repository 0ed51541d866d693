"""The agent: legal choices, files, the model that comes with the package."""

import dataclasses

import numpy as np
import pytest

from catan_pz import actions, agents
from catan_pz.agents.random_stream import nth_numbers
from catan_pz.agents.views import Views
from catan_pz.batch.cpu import CpuBatch
from catan_pz.game import position
from catan_pz.game.view import view_of
from catan_pz.published.gendre import choices as c
from catan_pz.published.gendre.agent import SHIPPED, GendreAgent, sampled
from catan_pz.published.gendre.model import GendreModel
from catan_pz.published.gendre.networks import NETWORKS, GendreNetwork
from catan_pz.rules import Rules
from catan_pz.testing import check_agent

RULES = Rules(num_players=2, trading=False)
TABLES = (
    Rules(),
    Rules(num_players=3, trading=False, skip_forced=True),
    Rules(num_players=2, offer_form="both", counter_offers=False),
)


def made(network="xdim_res", layers=2, encoder="gendre", **options):
    architecture = GendreNetwork(network, layers, 3, 5, encoder=encoder)
    weights = architecture.initial(np.random.default_rng(1))
    return GendreModel(architecture, weights, RULES, **options)


def zeros(**biases):
    """A network whose choices and value follow from the biases of its last layer."""
    model = made("cnn_res", 1)
    for array in model.weights.values():
        array[:] = 0
    for name, values in biases.items():
        model.weights[name][:] = values
    return model


def plays(agent, decisions, games=256, rules=RULES):
    """Decisions in all seats of many games; each must be legal."""
    batch = CpuBatch(games, rules, seed=3)
    seeds, rows = np.arange(games, dtype=np.uint64), np.arange(games)
    for n in range(-(-decisions // games)):
        bits = nth_numbers(seeds, np.full(games, n))
        chosen = agent.act_batch(Views(batch.observation, batch.mask, seeds, bits))
        assert batch.mask[rows, chosen].all()
        batch.step(chosen)


@pytest.mark.parametrize("network", NETWORKS)
def test_choices_are_legal(network):
    plays(GendreAgent(made(network, 1)), 2_000)
    plays(GendreAgent(made(network, 1), choice="best"), 1_000)


@pytest.mark.parametrize("rules", TABLES, ids=["four, trade", "three", "two, trade"])
def test_a_model_of_any_table_plays_there(rules):
    model = made(layers=1, encoder="gendre_table")
    GendreAgent(model).check_rules(rules)
    plays(GendreAgent(model), 2_000, rules=rules)
    check_agent(GendreAgent(model), rules=rules, games=1, max_turns=10)


def test_the_largest_legal_logit_is_chosen():
    agent = GendreAgent(
        zeros(plane_bias_head=np.arange(5), scalar_bias_head=np.arange(107)), choice="best"
    )
    players = [{"settlements": [10], "roads": [7]}, {"settlements": [0], "roads": [0]}]
    for hand, expected in (
        ({}, actions.END_TURN),  # scalar choice 1 of 106
        ({"brick": 1, "lumber": 1}, actions.BUILD_ROAD),  # plane 2 lies above
        ({"ore": 1, "wool": 1, "grain": 1}, actions.BUY_DEVELOPMENT_CARD),  # scalar choice 22
    ):
        players[0]["hand"] = hand
        game = position(players, rules=RULES, turn=40, seed=1)
        agent.reset(0, RULES, 1)
        action = agent.act(view_of(game, 0))
        kinds = range(expected, expected + (72 if expected == actions.BUILD_ROAD else 1))
        assert action in kinds


def test_policies_are_sampled_with_their_probabilities():
    logits = np.repeat(np.log([[1.0, 2.0, 5.0, 0.5]]), 40_000, axis=0)
    logits[:, 3] = -np.inf
    bits = np.arange(40_000, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    shares = np.bincount(sampled(logits, bits), minlength=4) / 40_000
    assert shares == pytest.approx([1 / 8, 2 / 8, 5 / 8, 0], abs=0.01)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("encoder", c.NUM_CHOICES)
def test_a_model_comes_back_from_its_file(network, encoder, tmp_path):
    path = tmp_path / "model.npz"
    model = made(network, encoder=encoder, card={"seed": 1})
    model.save(path, dtype="float32")
    read = GendreModel.read(path)
    assert (read.architecture, read.rules, read.card) == (
        model.architecture,
        model.rules,
        model.card,
    )
    for name, array in model.weights.items():
        np.testing.assert_array_equal(read.weights[name], array)
    agent = agents.load("gendre", model=str(path), choice="best")
    assert (agent.name, agent.choice) == ("gendre", "best")


def test_the_shipped_model_is_small_and_has_its_card():
    assert SHIPPED.stat().st_size < 1_000_000
    model = GendreModel.read(SHIPPED)
    card = SHIPPED.with_suffix(".md").read_text(encoding="utf-8")
    assert card == model.card_text("gendre")
    assert "python examples/published/gendre.py" in card
    assert agents.load("gendre").model is agents.load("gendre").model


def test_a_model_of_other_rules_is_refused():
    with pytest.raises(ValueError, match="allowed: two players without trade"):
        dataclasses.replace(made(layers=1), rules=Rules(trading=False))
