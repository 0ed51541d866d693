"""Advice at a table: what pages are told of it, and what it rests on."""

import numpy as np
import pytest

from catan_pz import agents
from catan_pz.agents.advice import Advice
from catan_pz.agents.adviser import Adviser
from catan_pz.agents.search import SearchAgent
from catan_pz.belief import Belief
from catan_pz.events import ONLOOKER
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.render.log import action_words
from catan_pz.render.view import table_view
from catan_pz.render.words import places_of
from catan_pz.rules import Rules
from catan_pz.web.advice import advice_json, drawn_advice
from tests.web import tables
from tests.web.test_table import advance, as_sent

VIEW = table_view(Game(seed=1).snapshot())


def quick() -> SearchAgent:
    return SearchAgent(simulations=16, determinizations=2, turns=3, rollout="random")


def test_the_table_lists_the_best_actions_and_what_was_played() -> None:
    ids = np.array([182, 130, 75, 0, *range(200, 212)])
    advice = Advice(
        ids, win_probabilities=np.linspace(0.5, 0.2, 16), visits=np.arange(1016, 1000, -1)
    )
    table = advice_json(advice, VIEW, played=205)
    assert table["columns"] == ["Win prob.", "Visits"]
    assert len(table["rows"]) == 9
    assert table["more"] == 7
    words, place, bar, played, texts = table["rows"][1]
    assert (words, place, played) == (action_words(130, places_of(VIEW)), "vertex 2", False)
    assert bar == pytest.approx(0.48)
    assert texts == ["48.0 %", "1,015"]
    assert [row[0] for row in table["rows"] if row[3]] == [action_words(205, places_of(VIEW))]
    assert "48.0" in drawn_advice(advice)
    scores = advice_json(Advice(ids, scores=np.arange(16.0)), VIEW)
    assert scores["columns"] == ["Score"]
    assert advice_json(Advice.of_choice(0), VIEW)["columns"] == []


@pytest.mark.parametrize("leaks", [False, True])
def test_what_a_seat_may_not_know_changes_no_advice(leaks: bool) -> None:
    """Everything hidden is drawn anew; an adviser that was shown the true state would differ."""
    rng = np.random.default_rng(3)
    rules = Rules(num_players=3, trading=False, max_turns=90)
    hosted = tables.hosted([None] * 3, rules, adviser=quick())
    beliefs = [Belief(seat, hosted.session.game.state) for seat in range(3)]
    hosted.session.game.listeners += [belief.listen for belief in beliefs]
    compared = differing = 0
    for step in range(900):
        if hosted.session.is_finished or compared >= 12:
            break
        hosted.session.play(int(rng.choice(hosted.session.game.legal_actions())))
        seat = hosted.session.game.player
        if step < 100 or step % 7 or hosted.advised_decision(seat) is None:
            continue
        told = []
        drawn = Game.from_games(beliefs[seat].resample(hosted.session.game.state, rng), rules)
        for game in (hosted.session.game, drawn):
            adviser = hosted.session.advisers[seat]
            if leaks:
                adviser = Adviser(game, seat, quick(), 1, shows_state=True)
            adviser.agent.reset(seat, rules, 1)
            adviser._seated._game = game
            advice = adviser.question().advice()
            told.append((advice_json(advice, VIEW), drawn_advice(advice)))
        hosted.session.advisers[seat]._seated._game = hosted.session.game
        compared += hosted.session.game.snapshot()["players"] != drawn.snapshot()["players"]
        differing += told[0] != told[1]
    assert compared > 2
    assert (differing > 0) == leaks


def test_a_game_that_goes_on_advises_as_if_it_had_never_stopped() -> None:
    rng = np.random.default_rng(4)
    adviser = agents.load("weighted")
    hosted = tables.hosted(adviser=adviser)
    for _ in range(60):
        advance(hosted, rng)
    record = GameRecord.from_lines("\n".join(hosted.session.record.lines()))
    again = tables.hosted(record=record, adviser=adviser)
    assert again.session.agents == hosted.session.agents
    hosted._drafts.clear()
    seat = hosted.session.game.player
    assert as_sent(again, ONLOOKER) == as_sent(hosted, ONLOOKER)
    assert again.advised_decision(seat) == hosted.advised_decision(seat)
    assert again.advised_decision(1 - seat) is None
    sessions = (hosted.session, again.session)
    one, other = (session.advisers[seat].question().view for session in sessions)
    assert np.array_equal(one.observation, other.observation)
