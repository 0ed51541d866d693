"""The agent: legal choices, files, the model that comes with the package."""

import numpy as np
import pytest

from catan_pz import actions, agents
from catan_pz.agents.base import Views
from catan_pz.agents.random_stream import nth_numbers
from catan_pz.batch.cpu import CpuBatch
from catan_pz.game import position
from catan_pz.game.view import view_of
from catan_pz.published.gendre import choices as c
from catan_pz.published.gendre.agent import SHIPPED, GendreAgent, GendreModel, sampled
from catan_pz.published.gendre.networks import NETWORKS, GendreNetwork
from catan_pz.rules import Rules
from catan_pz.testing import check_agent

RULES = Rules(num_players=2, trading=False)


def made(network="xdim_res", layers=2, encoder="gendre", **options):
    architecture = GendreNetwork(network, layers, 3, 5, encoder=encoder)
    weights = architecture.initial(np.random.default_rng(1))
    return GendreModel(architecture, weights, RULES, **options)


def plays(agent, decisions, games=256, rules=RULES):
    """Decisions in all seats of many games; each must be legal."""
    batch = CpuBatch(games, rules, seed=3)
    seeds, rows = np.arange(games, dtype=np.uint64), np.arange(games)
    for n in range(-(-decisions // games)):
        bits = nth_numbers(seeds, np.full(games, n))
        chosen = agent.act_batch(Views(batch.observation, batch.mask, seeds, bits))
        assert batch.mask[rows, chosen].all()
        batch.step(chosen)


@pytest.mark.parametrize("choice", ["sample", "best"])
def test_choices_are_legal(choice):
    plays(GendreAgent(made(layers=1), choice=choice), 1_000)


def test_a_model_of_any_table_plays_with_trade():
    plays(GendreAgent(made(layers=1, encoder="gendre_table")), 1_000, rules=Rules())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "encoder"),
    [(RULES, "gendre"), (Rules(num_players=3, skip_forced=True), "gendre_table")],
)
def test_it_is_an_agent(rules, encoder):
    check_agent(GendreAgent(made(layers=1, encoder=encoder)), rules=rules, games=1, max_turns=10)


def test_the_largest_legal_logit_is_chosen():
    model = made("cnn_res", 1)
    for name, array in model.weights.items():
        array[:] = np.arange(len(array)) if "bias_head" in name else 0
    agent = GendreAgent(model, choice="best")
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
    assert (read.architecture, read.rules) == (model.architecture, model.rules)
    assert read.card == {"seed": 1}
    for name, array in model.weights.items():
        np.testing.assert_array_equal(read.weights[name], array)
    assert agents.load("gendre", model=str(path)).model.card == {"seed": 1}


def test_the_shipped_model_is_small_and_has_its_card():
    assert SHIPPED.stat().st_size < 1_000_000
    model = GendreModel.read(SHIPPED)
    card = SHIPPED.with_suffix(".md").read_text(encoding="utf-8")
    assert card == model.card_text("gendre")
    assert "python examples/published/gendre.py" in card
    assert agents.load("gendre").model is agents.load("gendre").model


def test_a_model_of_other_rules_is_refused():
    model = made(layers=1)
    with pytest.raises(ValueError, match="two players without trade"):
        GendreModel(model.architecture, model.weights, Rules())
