from dataclasses import replace

import numpy as np
import pytest

from catan_pz import Game
from catan_pz.agents.advice import Advice
from catan_pz.agents.base import Agent
from catan_pz.arena.agreement import (
    ComparedDecision,
    Estimate,
    agreement_table,
    brier_score,
    calibration,
    compare_record,
)
from catan_pz.game.record import GameRecord
from catan_pz.game.view import View
from tests.helpers import play_randomly


class Lowest(Agent):
    """Ranks actions by their ids, the lowest first, and takes seat 0 for the likely winner."""

    name = "lowest"

    def act(self, view: View) -> int:
        return int(view.mask.argmax())

    def advise(self, view: View) -> Advice:
        actions = np.flatnonzero(view.mask)
        return Advice(actions, win_probabilities=1 - actions / 1000)

    def win_probabilities(self, view: View) -> np.ndarray:
        return np.array([0.75, 0.25])


@pytest.fixture
def record() -> GameRecord:
    game = Game(seed=2, num_players=2, offer_form="both", max_turns=None)
    record = GameRecord.of(game)
    play_randomly(game, 150)
    record.result |= {"winner": 0, "end": "resigned"}
    return record


def test_each_decision_is_compared_with_the_advice(record: GameRecord) -> None:
    found = list(compare_record(record, Lowest(), number=5))
    choices = iter([one for one in found if isinstance(one, ComparedDecision)])
    turns = []
    for game, one in zip(record.replay(), record.decisions, strict=False):
        if game.phase.name == "ROLL" and game.turn not in turns:
            turns.append(game.turn)
        legal = game.legal_actions().tolist()
        is_offer = 252 <= one.action <= 382
        if not is_offer:
            legal = [a for a in legal if not 252 <= a <= 382]
        if len(legal) < 2:
            continue
        choice = next(choices)
        assert (choice.game, choice.legal, choice.rank) == (5, len(legal), legal.index(one.action))
        assert choice.regret == pytest.approx((one.action - legal[0]) / 1000)
        assert choice.won == (game.player == 0)
        assert choice.kind == ("offer" if is_offer else game.phase.name.lower())
    assert next(choices, None) is None
    estimates = [one for one in found if isinstance(one, Estimate)]
    assert len(estimates) == len(turns)
    assert brier_score(estimates) == pytest.approx(0.0625)  # the same for either seat
    bins = calibration(estimates)
    assert [(one.mean, one.won.rate) for one in bins] == [(0.25, 0), (0.75, 1)]
    assert "| all |" in agreement_table([one for one in found if isinstance(one, ComparedDecision)])


def test_marked_decisions_are_left_out(record: GameRecord) -> None:
    record.decisions = [replace(one, marks=("bot",)) for one in record.decisions]
    kept = compare_record(record, "random", left_out=("bot", "timeout"))
    assert [one for one in kept if isinstance(one, ComparedDecision)] == []
