"""The agent at tables and in batches, and the file of its model."""

import numpy as np
import pytest

from catan_pz.agents.base import Agent
from catan_pz.agents.table import Table
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.game.game import Game
from catan_pz.published.charlesworth.agent import CharlesworthAgent
from tests.published.charlesworth.models import RULES, made


@pytest.fixture(scope="module")
def model():
    return made()


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
