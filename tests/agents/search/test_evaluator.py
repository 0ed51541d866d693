"""Tree search led by an evaluator, in place of rollouts."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from catan_pz.agents.search.parallel_trees import checked_evaluation
from catan_pz.observation.segments import PLACES, SIZE
from catan_pz.rules import Rules
from tests.agents.search.play import RIVAL, choice, decided, duel, in_the_middle

BUILDING = slice(74, 182)


class ByPoints:
    """Odds by visible points, and building preferred."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def evaluate(
        self, observations: NDArray[np.int8], masks: NDArray[np.int8]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        self.batches.append(len(masks))
        assert masks.any(1).all()
        points = observations[:, PLACES["visible_points"]].astype(float)
        points[:, 0] = observations[:, PLACES["own_points"]][:, 0]
        strengths = np.exp(points) * observations[:, PLACES["present"]]
        priors = np.ones(masks.shape)
        priors[:, BUILDING] = 20.0
        return priors, strengths / strengths.sum(1, keepdims=True)


@pytest.mark.parametrize("batch", [1, 8])
def test_an_evaluator_leads_to_the_win(batch: int) -> None:
    game = duel({"grain": 1, "ore": 3, "wool": 4}, second=RIVAL)
    judge = ByPoints()
    chosen = choice(game, method="puct", evaluator=judge, batch=batch, simulations=300)
    assert chosen == {"kind": "maritime_trade", "give": "wool", "get": "grain"}
    assert max(judge.batches) <= batch
    assert judge.batches[0] == 1  # the root


def test_positions_are_judged_together() -> None:
    place, judge = in_the_middle(Rules(trading=False), 5, 150), ByPoints()
    last = decided(*place, method="puct", evaluator=judge, batch=16, simulations=320)[1]
    assert np.mean(judge.batches[1:]) > 8
    assert last["visits"].sum() == last["simulations"]
    assert (last["win_probabilities"] <= 1).all()


MASKS = np.array([[1, 0, 1], [0, 1, 0]], np.int8)
SEEN = np.zeros((2, SIZE), np.int8)
VALUES = np.full((2, 4), 0.25)


def checked(*answer: Any) -> Any:
    evaluator: Any = SimpleNamespace(evaluate=lambda observations, masks: answer)
    return checked_evaluation(evaluator, SEEN, MASKS, 3)


def test_priors_of_illegal_actions_do_not_count() -> None:
    priors, values = checked(np.array([[1, 5, 3], [2, 0, 2]]), VALUES)
    assert priors.tolist() == [[0.25, 0, 0.75], [0, 1, 0]]  # nothing legal: all alike
    assert values.tolist() == [[0.25, 0.25, 0.25, 0]] * 2


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((np.ones((2, 4)), VALUES), r"priors must be of shape \(2, 3\), got \(2, 4\)"),
        ((np.full((2, 3), np.nan), VALUES), "priors are not finite"),
        ((-np.ones((2, 3)), VALUES), "priors are negative"),
    ],
)
def test_what_an_evaluator_may_not_say(answer: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        checked(*answer)
