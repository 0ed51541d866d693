"""Searchers as agents: legal everywhere, blind, repeatable, within their budget."""

import json
from dataclasses import fields
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from catan_pz.agents import load
from catan_pz.agents.base import Agent, SeatResult
from catan_pz.agents.hosting import FromBelief
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.search import SearchAgent, SearchOptions
from catan_pz.agents.search.parallel_trees import checked_evaluation
from catan_pz.agents.search.tree import BY_EVALUATOR, BY_PLAYER, BY_VALUE
from catan_pz.agents.table import Table
from catan_pz.events import Events
from catan_pz.game.game import Game
from catan_pz.game.view import View
from catan_pz.observation.segments import PLACES, SIZE
from catan_pz.rules import Rules
from tests.agents.search.play import (
    METHODS,
    RIVAL,
    choice,
    decided,
    duel,
    in_the_middle,
    searcher,
    seen,
)

RULES = (
    Rules(trading=False),
    Rules(offer_form="both", num_players=3),
    Rules(offer_form="composed", num_players=2, skip_forced=True),
    Rules.make("one_v_one"),
)


def same(one: Any, other: Any) -> bool:
    if one is None or other is None:  # an offer of the prior's
        return one is other
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)


def with_many_actions(rules: Rules) -> Any:
    places = (in_the_middle(rules, 3, steps) for steps in range(60, 400))
    return next(place for place in places if len(place[0].legal_actions()) > 5)


@pytest.mark.parametrize(
    ("rules", "method"),
    [(1, "gumbel"), (2, "gumbel"), (0, "puct"), (1, "puct"), (3, "puct")],
)
def test_games_are_played_on(rules: int, method: str) -> None:
    """The table checks that every choice is legal."""
    game = Game(RULES[rules], seed=4)
    agent = SearchAgent(method=method, simulations=12, determinizations=1, turns=2)
    seats = game.rules.num_players
    table = Table(game, [agent] * seats, seat_seeds(4, seats))
    while game.turn < 8:
        table.step()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rules", RULES[:3], ids=range(3))
def test_choices_follow_from_the_seed_and_not_from_what_is_hidden(
    rules: Rules, method: str
) -> None:
    rng = np.random.default_rng(1)
    options = {"method": method, "simulations": 60, "determinizations": 4}
    for seed in range(2):
        game, belief = in_the_middle(rules, seed, 130 + 40 * seed)
        chosen = decided(game, belief, **options)
        for _ in range(2):
            other = FromBelief(belief, game).resample(rng)
            assert other.games.tobytes() != game.games.tobytes()
            again = decided(other, belief, **options)
            assert again[0] == chosen[0]
            assert same(again[1], chosen[1])
        other_draws = decided(game, belief, seed=10, **options)[1]
        assert chosen[1] is None or not same(other_draws, chosen[1])


@pytest.mark.parametrize(("method", "workers"), [("gumbel", (1, 3)), ("puct", (2, 2))])
def test_threads_leave_choices_repeatable(method: str, workers: tuple[int, int]) -> None:
    """With "gumbel" for any number of them; trees add up to the budget."""
    place = in_the_middle(RULES[0], 6, 140)
    one, other = (decided(*place, method=method, simulations=200, workers=n) for n in workers)
    assert one[0] == other[0]
    assert same(one[1], other[1])
    assert one[1]["visits"].sum() == one[1]["simulations"] <= 200


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("simulations", [1, 100])
def test_no_more_simulations_are_played_than_allowed(method: str, simulations: int) -> None:
    game, belief = in_the_middle(RULES[0], 7, 160)
    played = decided(game, belief, method=method, simulations=simulations)[1]
    assert 0 < played["simulations"] <= simulations


@pytest.mark.parametrize("method", METHODS)
def test_a_limit_of_time_is_kept(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = count()
    monkeypatch.setattr("catan_pz.agents.search.simulator.perf_counter", lambda: 0.01 * next(looks))
    played = decided(*in_the_middle(RULES[0], 8, 160), method=method, seconds=0.2)[1]
    assert played["simulations"] > 0
    assert next(looks) in range(20, 100)  # each look at the clock takes a hundredth of a second


@pytest.mark.parametrize("method", METHODS)
def test_they_stop_when_more_simulations_would_change_nothing(method: str) -> None:
    """Only the trade for grain wins this turn."""
    game = duel({"grain": 1, "ore": 3, "wool": 4}, second=RIVAL)
    assert decided(game, method=method, simulations=4000)[1]["simulations"] < 3500


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "gumbell"}, "method.*did you mean 'gumbel'"),
        ({"evaluator": 3}, "evaluator"),
        ({"preset": "quick"}, r"preset.*\('fast', 'strong'\)"),
        ({"prior": "heuristic"}, "prior.*an agent with a policy"),
        ({"prior": "dqn-4p-notrade"}, "prior.*an agent with a policy"),
        ({"method": "puct", "prior": "ppo-4p-notrade"}, "method.*'gumbel' with a prior"),
    ],
)
def test_options_that_are_not_possible_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load("search", **options)


def test_presets_stand_behind_the_options_given() -> None:
    assert SearchAgent(preset="fast").options == SearchAgent(simulations=64).options
    strong = SearchAgent(preset="strong", seconds=0.5, considered=8).options
    assert (strong.simulations, strong.seconds, strong.considered) == (4000, 0.5, 8)


def test_a_models_policy_is_the_prior_of_gumbel() -> None:
    game, belief = with_many_actions(RULES[0])
    view = seen(game, belief)
    model = load("ppo-4p-notrade")
    best = model.probabilities(view.observation[None], view.mask[None])[0].argsort()[-3:]
    last = decided(game, belief, prior="ppo-4p-notrade", considered=3, simulations=90)[1]
    assert set(last["actions"][last["visits"] > 0].tolist()) == set(best.tolist())
    with pytest.raises(ValueError, match="ppo-2p"):
        searcher(game, prior="ppo-2p")


def test_a_prior_is_told_what_happens_and_let_go() -> None:
    told: list[str] = []
    played: list[int] = []

    class Listening(Agent):
        def act(self, view: View) -> int:
            return int(view.mask.argmax())

        def policy(self, view: View) -> Any:
            assert len(told) == len(played)
            return view.mask / view.mask.sum()

        def observe(self, events: Events) -> None:
            told.append("events")

        def end(self, result: SeatResult) -> None:
            told.append(result.reason)

        def close(self) -> None:
            told.append("closed")

    agent = SearchAgent(prior=Listening(), simulations=2, determinizations=1, turns=0)
    with Table(Game(RULES[0], seed=1), [agent, *["random"] * 3], seat_seeds(1, 4)) as table:
        for _ in range(12):
            played.append(table.step())
    assert told == ["events"] * 12 + ["aborted", "closed"]
    assert not SearchAgent().needs_events


def test_policies_are_those_whatever_numpy_is_to_raise() -> None:
    """Other libraries may set it; probabilities of bad actions underflow. "auto" is "value"."""
    place = with_many_actions(RULES[0])
    expected = decided(*place, simulations=60)
    with np.errstate(under="raise", over="raise"):
        found = decided(*place, simulations=60, prior="value")
    assert found[0] == expected[0]
    assert same(found[1], expected[1])


def test_what_a_tree_is_led_by() -> None:
    kinds: list[dict[str, Any]] = [{}, {"prior": None}, {"evaluator": ByPoints()}]
    guides = [SearchOptions(method="puct", **kind).guide for kind in kinds]
    assert guides == [BY_VALUE, BY_PLAYER, BY_EVALUATOR]


def test_every_option_is_documented_with_its_default() -> None:
    page = (Path(__file__).parents[3] / "docs" / "search_agent.md").read_text(encoding="utf-8")
    for option in fields(SearchOptions):
        default = json.dumps(option.default).replace("null", "None").replace("true", "True")
        assert f"| `{option.name}` | `{default}` |" in page


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
