"""The agents: legal choices, files, the model that comes with the package."""

import numpy as np
import pytest

from catan_pz import agents
from catan_pz.agents.random_stream import nth_numbers
from catan_pz.agents.views import Views
from catan_pz.arena import play_match
from catan_pz.batch.cpu import CpuBatch
from catan_pz.published.rocco import choices
from catan_pz.published.rocco.agent import SHIPPED, RandomRoccoAgent, RoccoAgent
from catan_pz.published.rocco.model import OUTPUTS, RoccoModel
from catan_pz.published.rocco.networks import NETWORKS, Architecture
from catan_pz.rules import Rules
from catan_pz.testing import check_agent

RULES = Rules.preset("rocco")


def made(network="ff", parts=tuple(OUTPUTS), **options):
    rng = np.random.default_rng(1)
    networks = {}
    for part in parts:
        architecture = Architecture(network, OUTPUTS[part])
        networks[part] = architecture, architecture.initial(rng)
    return RoccoModel(networks, RULES, **options)


def plays(agent, games, decisions, seed=3):
    """Decisions of an agent in all seats of many games; each must be legal."""
    batch = CpuBatch(games, RULES, seed=seed)
    seeds = np.arange(games, dtype=np.uint64)
    for n in range(-(-decisions // games)):
        bits = nth_numbers(seeds, np.full(games, n))
        chosen = agent.act_batch(Views(batch.observation, batch.mask, seeds, bits))
        assert batch.mask[np.arange(games), chosen].all()
        batch.step(chosen)


@pytest.mark.parametrize(
    "agent", [RandomRoccoAgent(), RoccoAgent(made())], ids=["random", "trained"]
)
def test_masks_are_never_violated(agent):
    plays(agent, games=256, decisions=100_000)


@pytest.mark.slow
@pytest.mark.parametrize("network", NETWORKS[1:])
def test_masks_are_never_violated_by_graph_networks(network):
    plays(RoccoAgent(made(network)), games=256, decisions=100_000)


def test_it_is_an_agent():
    check_agent(RandomRoccoAgent(), rules=RULES, games=2)
    check_agent(RoccoAgent(made("rgcn")), rules=RULES, games=2)


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
    for _ in range(200):
        chosen = agent.act_batch(Views(batch.observation, batch.mask, bits, bits))
        ends = choices.orchestrated(batch.mask)
        kinds = choices.kinds_to_choose(batch.mask)
        last = 9 - kinds[:, ::-1].argmax(axis=1)
        assert (choices.of_kind(batch.mask, last)[np.arange(32), chosen] | ~ends).all()
        settling = (batch.mask[:, 74:128].any(axis=1)) & ~batch.mask[:, 1].astype(bool)
        greatest = 127 - batch.mask[:, 74:128][:, ::-1].argmax(axis=1)
        assert ((chosen == greatest) | ~settling).all()
        batch.step(chosen)


@pytest.mark.parametrize("network", NETWORKS)
def test_a_model_comes_back_from_its_file(network, tmp_path):
    path = tmp_path / "model.npz"
    model = made(network, card={"seed": 1})
    model.save(path, dtype="float32")
    read = RoccoModel.read(path)
    assert (read.rules, read.card, read.encoder) == (model.rules, model.card, model.encoder)
    states = np.random.default_rng(0).integers(-1, 9, (4, 675)).astype(np.float32)
    for part in OUTPUTS:
        np.testing.assert_array_equal(read.q_values(part, states), model.q_values(part, states))
    assert path.stat().st_size < 2_000_000
    agent = agents.load("rocco", model=str(path))
    assert agent.name == "rocco"


def test_the_shipped_model_is_small_and_has_its_card():
    assert SHIPPED.stat().st_size < 1_000_000
    model = RoccoModel.read(SHIPPED)
    card = SHIPPED.with_suffix(".md").read_text(encoding="utf-8")
    assert card == model.card_text("rocco")
    assert "python examples/published/rocco.py" in card


def test_the_shipped_model_plays_as_its_card_says():
    """An orchestrator that has learned nothing wins no game at all."""
    result = play_match(["rocco", "rocco_random"], 40, RULES, seed=11, progress=False)
    assert result.win_rate("rocco") > 0.7
    assert result.tally("rocco").forfeits == 0
