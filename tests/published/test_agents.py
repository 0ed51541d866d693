"""Agents of all published systems: legal choices, and the files and cards of their models."""

import numpy as np
import pytest

from catan_pz import actions, agents, encoders
from catan_pz.agents.base import Views
from catan_pz.arena import play_match
from catan_pz.batch.cpu import CpuBatch
from catan_pz.game import position
from catan_pz.game.view import view_of
from catan_pz.published.charlesworth import agent as charlesworth
from catan_pz.published.gendre import agent as gendre
from catan_pz.published.gendre.networks import NETWORKS, GendreNetwork
from catan_pz.published.rocco import agent as rocco
from catan_pz.published.rocco import choices
from catan_pz.published.rocco.networks import Architecture
from catan_pz.published.xenou import agent as xenou
from catan_pz.published.xenou.networks import XenouOptions, fresh_weights
from catan_pz.rules import Rules
from catan_pz.testing import check_agent
from tests.published.charlesworth.models import made

TWO = Rules(num_players=2, trading=False)
CARD = {"seed": 1}


def rng():
    return np.random.default_rng(1)


def of_gendre(network="xdim_res", encoder="gendre"):
    architecture = GendreNetwork(network, 1, 3, 5, encoder=encoder)
    return gendre.GendreModel(architecture, architecture.initial(rng()), TWO, CARD)


def of_rocco(network="ff"):
    parts = {part: Architecture(network, outputs) for part, outputs in rocco.OUTPUTS.items()}
    networks = {part: (one, one.initial(rng())) for part, one in parts.items()}
    return rocco.RoccoModel(networks, Rules.preset("rocco"), CARD, encoders.load("rocco_cities"))


def of_xenou(**options):
    chosen = XenouOptions(hidden=3, **options)
    return xenou.XenouModel(chosen, fresh_weights(chosen, rng()), CARD)


@pytest.mark.parametrize(
    "model",
    [
        *(made(encoder, card=CARD) for encoder in ("charlesworth_flags", "charlesworth_2022")),
        *(of_gendre(network) for network in NETWORKS),
        of_gendre(encoder="gendre_table"),
        of_rocco("rgcn"),
        of_xenou(network="lstm", gamma=0.5),
    ],
    ids=lambda model: model.kinds[0],
)
def test_a_model_comes_back_from_its_file(model, tmp_path):
    model.save(tmp_path / "model.npz", dtype="float32")
    read = type(model).read(tmp_path / "model.npz")
    one, other = model.stored(), read.stored()
    assert read.card == CARD
    assert (other.network, other.encoder) == (one.network, one.encoder)
    assert one.header.items() <= other.header.items()
    for name, array in one.arrays.items():
        np.testing.assert_array_equal(other.arrays[name], array)
    agents.load(model.kinds[0], model=str(tmp_path / "model.npz"))


@pytest.mark.parametrize(
    ("name", "kind", "path"),
    [
        ("charlesworth", charlesworth.CharlesworthModel, charlesworth.SHIPPED),
        ("gendre", gendre.GendreModel, gendre.SHIPPED),
        ("rocco", rocco.RoccoModel, rocco.SHIPPED),
        ("xenou_kept", xenou.XenouModel, xenou.KEPT),
    ],
)
def test_the_shipped_model_is_small_and_has_its_card(name, kind, path):
    assert path.stat().st_size < 1_000_000
    card = path.with_suffix(".md").read_text(encoding="utf-8")
    assert card == kind.read(path).card_text(name)
    assert "python examples/published/" in card
    agents.load(name)


def test_models_of_other_rules_are_refused():
    one, other = made(), of_gendre()
    with pytest.raises(ValueError, match="num_players"):
        charlesworth.CharlesworthModel(one.architecture, one.weights, TWO)
    with pytest.raises(ValueError, match="two players without trade"):
        gendre.GendreModel(other.architecture, other.weights, Rules())


@pytest.mark.parametrize(
    ("agent", "rules", "turns"),
    [
        (charlesworth.CharlesworthAgent(made()), "charlesworth", 4),
        (rocco.RandomRoccoAgent(), "rocco", 20),
        (rocco.RoccoAgent(of_rocco("rgcn")), "rocco", 20),
        (xenou.XenouAgent(), Rules(), 12),
        (xenou.XenouAgent(of_xenou(network="lstm", layers=2, update="chosen")), Rules(), 12),
        (xenou.XenouAgent(base="weighted", mask=False), Rules(num_players=3), 12),
        (gendre.GendreAgent(of_gendre()), TWO, 10),
        pytest.param(
            gendre.GendreAgent(of_gendre(encoder="gendre_table")),
            Rules(num_players=3, skip_forced=True),
            10,
            marks=pytest.mark.slow,
        ),
    ],
)
def test_it_is_an_agent(agent, rules, turns):
    check_agent(agent, rules=rules, games=1, max_turns=turns)


def test_gendre_takes_the_largest_legal_logit():
    model = of_gendre("cnn_res")
    for name, array in model.weights.items():
        array[:] = np.arange(len(array)) if "bias_head" in name else 0
    agent = gendre.GendreAgent(model, choice="best")
    players = [{"settlements": [10], "roads": [7]}, {"settlements": [0], "roads": [0]}]
    for hand, first, count in (
        ({}, actions.END_TURN, 1),  # scalar choice 1 of 106
        ({"brick": 1, "lumber": 1}, actions.BUILD_ROAD, 72),  # plane 2 lies above
        ({"ore": 1, "wool": 1, "grain": 1}, actions.BUY_DEVELOPMENT_CARD, 1),  # scalar choice 22
    ):
        players[0]["hand"] = hand
        agent.reset(0, TWO, 1)
        action = agent.act(view_of(position(players, rules=TWO, turn=40, seed=1), 0))
        assert action in range(first, first + count)


def test_gendre_samples_policies_with_their_probabilities():
    logits = np.repeat(np.log([[1.0, 2.0, 5.0, 0.5]]), 40_000, axis=0)
    logits[:, 3] = -np.inf
    bits = np.arange(40_000, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    shares = np.bincount(gendre.sampled(logits, bits), minlength=4) / 40_000
    assert shares == pytest.approx([1 / 8, 2 / 8, 5 / 8, 0], abs=0.01)


def test_rocco_takes_the_largest_legal_q_value():
    """With weights of zero, biases alone order the choices."""
    model = of_rocco()
    for part, (_, weights) in model.networks.items():
        for array in weights.values():
            array[:] = 0
        weights["dense_bias_2"][:] = np.arange(rocco.OUTPUTS[part])
    agent, batch = rocco.RoccoAgent(model), CpuBatch(32, "rocco", seed=1)
    bits, rows = np.zeros(32, np.uint64), np.arange(32)
    for _ in range(60):
        mask = batch.mask
        chosen = agent.act_batch(Views(batch.observation, mask, bits, bits))
        last = 9 - choices.kinds_to_choose(mask)[:, ::-1].argmax(axis=1)
        in_turn = choices.orchestrated(mask)
        assert (choices.of_kind(mask, last)[rows, chosen] | ~in_turn).all()
        settling = mask[:, 74:128].any(axis=1) & (mask[:, actions.END_TURN] == 0)
        greatest = 127 - mask[:, 74:128][:, ::-1].argmax(axis=1)
        assert ((chosen == greatest) | ~settling).all()
        batch.step(chosen)


def test_the_shipped_rocco_plays_well():
    """An orchestrator that has learned nothing wins no game at all."""
    result = play_match(["rocco", "rocco_random"], 8, "rocco", seed=11, progress=False)
    assert result.win_rate("rocco") > 0.7
    assert result.tally("rocco").forfeits == 0
