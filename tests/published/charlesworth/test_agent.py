"""The agent at tables and in batches, and the file of its model."""

import copy

import numpy as np
import pytest

from catan_pz import agents
from catan_pz.agents.base import Agent
from catan_pz.agents.network import SHIPPED
from catan_pz.agents.table import Table
from catan_pz.arena import play_match
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.game.game import Game
from catan_pz.published.charlesworth.agent import SHIPPED as SHIPPED_MODEL
from catan_pz.published.charlesworth.agent import CharlesworthAgent
from catan_pz.published.charlesworth.model import ENCODERS, CharlesworthModel
from catan_pz.rules import Rules
from catan_pz.testing import check_agent
from tests.published.charlesworth.models import RULES, made


@pytest.fixture(scope="module")
def model():
    return made()


@pytest.mark.parametrize(
    "rules",
    [RULES, Rules(), Rules(trading=False), Rules(offer_form="both", skip_forced=True)],
    ids=["own", "templates and counter-offers", "no trade", "both"],
)
def test_it_plays_all_games_of_four(model, rules):
    check_agent(CharlesworthAgent(model), rules=rules, games=1, max_turns=8)


def test_it_is_settled_by_its_seed_and_best_takes_no_chances(model):
    for choice in ("sample", "best"):
        agent = CharlesworthAgent(model, choice=choice)
        game = Game(RULES, seed=3)
        actions = []
        for seed in (1, 1, 2, 3, 4, 5):
            with Table(game.copy(), [agent] * 4, [seed] * 4) as table:
                actions.append(table.agents[game.player].act(table.view(game.player)))
        assert actions[0] == actions[1]
        assert (len(set(actions)) == 1) == (choice == "best")


def test_in_a_batch_it_plays_as_at_a_table(model):
    """The same games, decision by decision, by one forward pass for all."""

    def points(agent):
        games = SingleLearnerBatch(6, RULES, opponents=agent, seed=4, max_turns=12)
        for _ in range(25):
            games.step(games.sample())
        return games.games["points"].tolist(), games.games["hand"].tolist()

    class OneByOne(CharlesworthAgent):
        act_batch = Agent.act_batch

    assert points(CharlesworthAgent(model)) == points(OneByOne(model))


def test_copies_have_plans_of_their_own(model):
    agent = CharlesworthAgent(model)
    one, other = copy.copy(agent), copy.copy(agent)
    one.reset(0, RULES, 1)
    other.reset(1, RULES, 2)
    assert one._plan is not other._plan
    assert one.model is other.model


@pytest.mark.parametrize("encoder", ENCODERS)
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
    assert "preset charlesworth" in read.card_text("charlesworth")


def test_other_files_and_parts_are_refused(model, tmp_path):
    with pytest.raises(ValueError, match="of the kind 'board', must be 'charlesworth'"):
        CharlesworthAgent(SHIPPED / "ppo-2p.npz")
    with pytest.raises(FileNotFoundError):
        CharlesworthAgent(tmp_path / "nothing.npz")
    weights = {**model.weights, "trunk.bias": np.zeros(3, np.float32)}
    with pytest.raises(ValueError, match=r"array 'trunk\.bias' has the shape \(3,\)"):
        CharlesworthModel(model.architecture, weights, RULES)
    with pytest.raises(ValueError, match="encoder='charlesworth_2022'"):
        CharlesworthModel(
            model.architecture, model.weights, RULES, {}, made("charlesworth_2022").encoder
        )
    with pytest.raises(ValueError, match=r"choice='worst' is not possible.*'sample'"):
        CharlesworthAgent(model, choice="worst")


def test_games_of_others_are_refused(model):
    with pytest.raises(ValueError, match="plays games of 4 players; this one has 3"):
        CharlesworthAgent(model).check_rules(Rules(num_players=3))


def test_the_shipped_model_is_small_and_has_its_card():
    assert SHIPPED_MODEL.stat().st_size < 1_000_000
    model = CharlesworthModel.read(SHIPPED_MODEL)
    card = SHIPPED_MODEL.with_suffix(".md").read_text(encoding="utf-8")
    assert card == model.card_text("charlesworth")
    assert "python examples/published/charlesworth.py" in card
    assert agents.load("charlesworth").model.architecture == model.architecture


def test_it_finishes_a_match():
    result = play_match(["charlesworth", *["random"] * 3], 4, RULES, seed=1, max_turns=4)
    assert result.tally("charlesworth").forfeits == 0
