import numpy as np
import pytest

from catan_pz import encoders
from catan_pz.agents.logits import LogitsAgent
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from tests.views import views_of

QUICK = {"num_players": 2, "trading": False, "victory_points": 4, "max_turns": 60}


@pytest.fixture(scope="module")
def views():
    """Views in games under way."""
    batch = SingleLearnerBatch(40, seed=1, **QUICK)
    for _ in range(30):
        batch.step(batch.sample())
    bits = np.random.default_rng(1).integers(2**64, size=40, dtype=np.uint64)
    return views_of(batch.observation.copy(), batch.mask.copy(), bits)


def test_the_function_gets_what_the_encoder_gives(views):
    given = []

    def logits(seen):
        given.append(seen)
        return np.zeros(views.masks.shape)

    LogitsAgent(logits).act_batch(views)
    LogitsAgent(logits, observation="dict").act_batch(views)
    assert given[0].dtype == np.float32
    assert np.array_equal(given[0], encoders.load("flat").encode(views.observations))
    assert isinstance(given[1], dict)


def test_choices_are_legal_and_follow_the_logits(views):
    numbers = np.random.default_rng(1).normal(size=views.masks.shape)
    best = LogitsAgent(lambda _: numbers, best=True).act_batch(views)
    assert np.array_equal(best, np.where(views.masks, numbers, -np.inf).argmax(axis=1))
    sampled = LogitsAgent(lambda _: numbers).act_batch(views)
    assert views.masks[np.arange(len(views)), sampled].all()
    assert not np.array_equal(best, sampled)
    sure = LogitsAgent(lambda _: 1000 * numbers).act_batch(views)
    assert np.array_equal(sure, best)


def test_what_goes_wrong_is_told(views):
    with pytest.raises(ValueError, match=r"shape \(40, 3\), must have \(40, 252\)"):
        LogitsAgent(lambda _: np.zeros((40, 3))).act_batch(views)
    agent = LogitsAgent(lambda _: np.full(views.masks.shape, np.nan), name="odd")
    with pytest.raises(ValueError, match="'odd' are NaN or infinite"):
        agent.act_batch(views)
