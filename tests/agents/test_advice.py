"""What agents think of decisions, and what they are shown for it."""

from typing import Any, ClassVar

import numpy as np
import pytest

from catan_pz.actions import BUY_DEVELOPMENT_CARD
from catan_pz.agents import load
from catan_pz.agents.advice import Advice
from catan_pz.agents.adviser import Adviser
from catan_pz.agents.base import Agent, SeatResult
from catan_pz.agents.hosting import TrueState
from catan_pz.agents.mixture import Mixture
from catan_pz.agents.search import SearchAgent
from catan_pz.belief import Belief
from catan_pz.events import Events
from catan_pz.game.game import Game
from catan_pz.game.view import View
from catan_pz.rules import Rules
from tests.agents.search.play import RIVAL, duel, seen

RULES = Rules(num_players=4, trading=False, max_turns=400)
QUICK = {"simulations": 24, "determinizations": 2, "turns": 1}


def followed(
    agent: Agent | str, steps: int, **options: Any
) -> tuple[Game, list[Adviser], list[Belief]]:
    """A random game after some decisions, with an adviser and a belief in each seat."""
    game, rng = Game(RULES, seed=5), np.random.default_rng(5)
    advisers = [Adviser(game, seat, agent, seed=7, **options) for seat in range(4)]
    beliefs = [Belief(seat, game.state) for seat in range(4)]
    game.listeners += [belief.listen for belief in beliefs]
    for _ in range(steps):
        legal = game.legal_actions()
        buys = BUY_DEVELOPMENT_CARD in legal  # cards are what is hidden most
        game.step(BUY_DEVELOPMENT_CARD if buys else int(rng.choice(legal)))
    while len(game.legal_actions()) == 1:
        game.step(int(game.legal_actions()[0]))
    return game, advisers, beliefs


@pytest.mark.parametrize(
    "agent",
    [
        *("weighted", "heuristic", "ppo-4p-notrade", "dqn-4p-notrade"),
        SearchAgent(**QUICK),
        SearchAgent(**QUICK, method="puct"),
        Mixture(["weighted"]),
    ],
    ids=lambda agent: agent if isinstance(agent, str) else f"{agent.name}-{type(agent).__name__}",
)
def test_advice_is_about_legal_actions_the_best_first(agent: Agent | str) -> None:
    game, advisers, _ = followed(agent, 80)
    advice = advisers[game.player].question().advice()
    assert advice.agent == (agent if isinstance(agent, str) else agent.name)
    assert game.mask[advice.actions].all()
    assert len(set(advice.actions.tolist())) == len(advice) >= 1
    for values in (advice.probabilities, advice.scores, advice.win_probabilities, advice.visits):
        assert values is None or values.shape == advice.actions.shape
    if advice.probabilities is not None:
        assert advice.probabilities.sum() == pytest.approx(1)
        assert (np.diff(advice.probabilities) <= 0).all()
    if advice.scores is not None:
        assert (np.diff(advice.scores) <= 0).all()
    if advice.visits is not None:
        assert (np.diff(advice.visits[1:]) <= 0).all()
        assert (advice.win_probabilities <= 1).all()


def test_the_first_action_is_the_one_that_the_agent_plays() -> None:
    for agent in (load("heuristic"), SearchAgent(**QUICK)):
        game = duel({"grain": 2, "ore": 3, "brick": 1, "lumber": 1}, second=RIVAL)
        view = seen(game)
        chosen = []
        for call in (agent.advise, agent.act):
            agent.reset(game.player, game.rules, 3)
            found = call(view)
            chosen.append(int(found.actions[0]) if isinstance(found, Advice) else int(found))
        assert chosen[0] == chosen[1]


def answers(adviser: Adviser) -> list[Any]:
    """All that an adviser says, from the start of its random stream."""
    adviser.agent.reset(adviser.seat, RULES, 7)
    question = adviser.question()
    return [*vars(question.advice()).values(), question.win_probabilities()]


@pytest.mark.parametrize("shows_state", [False, True])
def test_what_a_seat_cannot_know_changes_no_advice(shows_state: bool) -> None:
    """With hidden cards drawn anew the answers are the same; of the true state they aren't."""
    rng = np.random.default_rng(1)
    compared = differing = 0
    for steps in (300, 400):
        game, advisers, beliefs = followed(SearchAgent(**QUICK), steps, shows_state=shows_state)
        adviser, belief = advisers[game.player], beliefs[game.player]
        told = answers(adviser)
        for _ in range(2):
            adviser._seated._game = Game.from_games(belief.resample(game.state, rng), RULES)
            again = answers(adviser)
            compared += adviser._seated._game.snapshot()["players"] != game.snapshot()["players"]
            differing += not all(map(np.array_equal, told, again))
    assert compared > 1
    assert (differing > 0) == shows_state


def test_win_probabilities_follow_the_points() -> None:
    game = duel({"grain": 2, "ore": 3})
    agent = SearchAgent(**QUICK)
    agent.reset(game.player, game.rules, 3)
    wins = agent.win_probabilities(seen(game))
    assert wins.shape == (2,)
    assert wins.sum() == pytest.approx(1, abs=0.01)
    assert wins[game.player] > 0.8
    assert load("heuristic").win_probabilities(seen(game)) is None


class Certain:
    """An evaluator: the seat to move wins with 60 %, the next one with 40 %."""

    def evaluate(self, observations: Any, masks: Any) -> tuple[Any, Any]:
        return masks.astype(float), np.tile([0.6, 0.4, 0.0, 0.0], (len(masks), 1))


def test_win_probabilities_are_those_of_an_evaluator_if_there_is_one() -> None:
    game, _, _ = followed("random", 30)
    agent = SearchAgent(method="puct", evaluator=Certain(), determinizations=2)
    agent.reset(1, game.rules, 3)
    wins = agent.win_probabilities(View(game.observe(1), game.mask, TrueState(game)))
    expected = np.zeros(4)
    expected[game.player], expected[(game.player + 1) % 4] = 0.6, 0.4
    assert wins == pytest.approx(expected)


class Listener(Agent):
    needs_belief = True
    left: ClassVar[list[str]] = []

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        super().reset(seat, rules, seed)
        self.heard = 0

    def observe(self, events: Events) -> None:
        self.heard += 1

    def act(self, view: View) -> int:
        return self.heard

    def end(self, result: SeatResult) -> None:
        self.left.append(result.reason)

    def close(self) -> None:
        self.left.append("closed")


def test_agents_hear_what_came_before_a_question_and_are_let_go_once() -> None:
    game = Game(RULES, seed=1)
    adviser, other = (Adviser(game, seat, Listener(), seed=1) for seat in (0, 1))
    questions = []
    for _ in range(5):
        questions.append(adviser.question())
        game.step(int(game.legal_actions()[0]))
    told = [adviser.ask(adviser.agent.act, q.view, q.heard) for q in questions]
    assert told == [q.heard for q in questions]
    assert questions[-1].heard >= 4
    with pytest.raises(ValueError, match="seat 1 isn't to move"):
        other.question().advice()
    adviser.close()
    adviser.close()
    assert len(game.listeners) == 1
    assert Listener.left == ["aborted", "closed"]
    other.close()
    assert game.listeners == []
