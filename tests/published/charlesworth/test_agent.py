"""The agent at tables and in batches, and the file of its model."""

import numpy as np
import pytest

from catan_pz import agents
from catan_pz.agents.base import Agent
from catan_pz.agents.table import Table
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.game.game import Game
from catan_pz.published.charlesworth.agent import SHIPPED, CharlesworthAgent, CharlesworthModel
from catan_pz.rules import Rules
from catan_pz.testing import check_agent
from tests.published.charlesworth.models import RULES, made


@pytest.fixture(scope="module")
def model():
    return made()


@pytest.mark.parametrize(
    "rules", [RULES, pytest.param(Rules(offer_form="both"), marks=pytest.mark.slow)]
)
def test_it_is_an_agent(model, rules):
    check_agent(CharlesworthAgent(model), rules=rules, games=1, max_turns=4)


def test_it_is_settled_by_its_seed_and_best_takes_no_chances(model):
    game = Game(RULES, seed=3)
    for choice in ("sample", "best"):
        actions = []
        for seed in (1, 1, 2, 3, 4, 5):
            with Table(game.copy(), [CharlesworthAgent(model, choice=choice)] * 4, [seed] * 4) as t:
                actions.append(t.agents[game.player].act(t.view(game.player)))
        assert actions[0] == actions[1]
        assert (len(set(actions)) == 1) == (choice == "best")


def test_in_a_batch_it_plays_as_at_a_table(model):
    """The same games, decision by decision, by one forward pass for all.

    Whatever other libraries have set NumPy to.
    """

    def points(agent):
        games = SingleLearnerBatch(2, RULES, opponents=agent, seed=4, max_turns=12)
        for _ in range(8):
            games.step(games.sample())
        return games.games["points"].tolist(), games.games["hand"].tolist()

    class OneByOne(CharlesworthAgent):
        act_batch = Agent.act_batch

    with np.errstate(under="raise"):
        assert points(CharlesworthAgent(model)) == points(OneByOne(model))


@pytest.mark.parametrize("encoder", ["charlesworth_flags", "charlesworth_2022"])
def test_a_model_comes_back_from_its_file(encoder, tmp_path):
    path = tmp_path / "model.npz"
    model = made(encoder, card={"seed": 1})
    model.save(path, dtype="float32")
    read = CharlesworthModel.read(path)
    assert (read.rules, read.card, read.encoder) == (RULES, {"seed": 1}, model.encoder)
    assert read.architecture == model.architecture
    for name, array in model.weights.items():
        np.testing.assert_array_equal(read.weights[name], array)
    model.save(path)
    assert path.stat().st_size < 1_000_000
    assert "offer_form composed" in read.card_text("charlesworth")


def test_the_shipped_model_is_small_and_has_its_card():
    assert SHIPPED.stat().st_size < 1_000_000
    model = CharlesworthModel.read(SHIPPED)
    card = SHIPPED.with_suffix(".md").read_text(encoding="utf-8")
    assert card == model.card_text("charlesworth")
    assert "python examples/published/charlesworth.py" in card
    assert agents.load("charlesworth").model.architecture == model.architecture


def test_a_model_of_other_rules_is_refused(model):
    with pytest.raises(ValueError, match="num_players"):
        CharlesworthModel(model.architecture, model.weights, Rules(num_players=3))
