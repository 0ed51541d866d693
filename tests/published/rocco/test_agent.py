"""The agents: legal choices, files, the model that comes with the package."""

import numpy as np
import pytest

from catan_pz import agents
from catan_pz.agents.base import Views
from catan_pz.agents.random_stream import nth_numbers
from catan_pz.arena import play_match
from catan_pz.batch.cpu import CpuBatch
from catan_pz.published.rocco import choices
from catan_pz.published.rocco.agent import (
    OUTPUTS,
    SHIPPED,
    RandomRoccoAgent,
    RoccoAgent,
    RoccoModel,
)
from catan_pz.published.rocco.networks import NETWORKS, Architecture
from catan_pz.rules import Rules
from catan_pz.testing import check_agent

RULES = Rules.preset("rocco")


def made(network="ff", **options):
    rng = np.random.default_rng(1)
    architectures = {part: Architecture(network, outputs) for part, outputs in OUTPUTS.items()}
    networks = {part: (one, one.initial(rng)) for part, one in architectures.items()}
    return RoccoModel(networks, RULES, **options)


@pytest.mark.parametrize(
    "agent",
    [
        RandomRoccoAgent(),
        RoccoAgent(made()),
        *(pytest.param(RoccoAgent(made(n)), marks=pytest.mark.slow) for n in NETWORKS[1:]),
    ],
    ids=["random", *NETWORKS],
)
def test_masks_are_never_violated(agent):
    batch, seeds = CpuBatch(64, RULES, seed=3), np.arange(64, dtype=np.uint64)
    for n in range(60):
        bits = nth_numbers(seeds, np.full(64, n))
        chosen = agent.act_batch(Views(batch.observation, batch.mask, seeds, bits))
        assert batch.mask[np.arange(64), chosen].all()
        batch.step(chosen)


@pytest.mark.parametrize("agent", [RandomRoccoAgent(), RoccoAgent(made("rgcn"))])
def test_it_is_an_agent(agent):
    check_agent(agent, rules=RULES, games=1, max_turns=20)


def test_the_largest_legal_q_value_is_chosen():
    """With weights of zero, biases alone order the choices."""
    model = made()
    for part, (_, weights) in model.networks.items():
        for array in weights.values():
            array[:] = 0
        weights["dense_bias_2"][:] = np.arange(OUTPUTS[part])
    agent = RoccoAgent(model)
    batch = CpuBatch(32, RULES, seed=1)
    bits = np.zeros(32, np.uint64)
    for _ in range(60):
        chosen = agent.act_batch(Views(batch.observation, batch.mask, bits, bits))
        ends = choices.orchestrated(batch.mask)
        kinds = choices.kinds_to_choose(batch.mask)
        last = 9 - kinds[:, ::-1].argmax(axis=1)
        assert (choices.of_kind(batch.mask, last)[np.arange(32), chosen] | ~ends).all()
        settling = (batch.mask[:, 74:128].any(axis=1)) & ~batch.mask[:, 1].astype(bool)
        greatest = 127 - batch.mask[:, 74:128][:, ::-1].argmax(axis=1)
        assert ((chosen == greatest) | ~settling).all()
        batch.step(chosen)


def test_a_model_comes_back_from_its_file(tmp_path):
    model = made("rgcn", card={"seed": 1})
    model.save(tmp_path / "model.npz", dtype="float32")
    read = RoccoModel.read(tmp_path / "model.npz")
    assert (read.rules, read.card, read.encoder) == (model.rules, model.card, model.encoder)
    states = np.random.default_rng(0).integers(-1, 9, (4, 675)).astype(np.float32)
    for part in OUTPUTS:
        np.testing.assert_array_equal(read.q_values(part, states), model.q_values(part, states))
    assert agents.load("rocco", model=str(tmp_path / "model.npz")).model.card == {"seed": 1}


def test_the_shipped_model_has_its_card_and_plays_well():
    assert SHIPPED.stat().st_size < 1_000_000
    card = SHIPPED.with_suffix(".md").read_text(encoding="utf-8")
    assert card == RoccoModel.read(SHIPPED).card_text("rocco")
    # An orchestrator that has learned nothing wins no game at all.
    result = play_match(["rocco", "rocco_random"], 8, RULES, seed=11, progress=False)
    assert result.win_rate("rocco") > 0.7
    assert result.tally("rocco").forfeits == 0
