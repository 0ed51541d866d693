"""Searchers as agents: legal everywhere, blind, repeatable, within their budget."""

import json
from dataclasses import fields
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz.agents import load
from catan_pz.agents.base import Agent, SeatResult
from catan_pz.agents.hosting import FromBelief
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.search import SearchAgent, SearchOptions
from catan_pz.agents.search.descent import BY_GREEDY, BY_VALUE
from catan_pz.agents.table import Table
from catan_pz.events import Events
from catan_pz.game.game import Game
from catan_pz.game.view import View
from catan_pz.rules import Rules
from tests.agents.search.play import METHODS, RIVAL, duel, in_the_middle, searcher, seen

RULES = (
    Rules(trading=False),
    Rules(offer_form="both", num_players=3),
    Rules(offer_form="composed", num_players=2, skip_forced=True),
    Rules.make("one_v_one"),
    Rules(num_players=3, victory_points=5, dice=((3, 4), (6, 6)), max_turns=30),
)


def names(rules: Rules) -> str:
    return f"{rules.num_players}-{rules.offer_form}-{rules.dice}"


def decided(agent: SearchAgent, game: Game, belief: Any = None) -> tuple[int, Any]:
    """An agent's choice, and what it knows of it."""
    view = seen(game, belief)
    return agent.act(view), agent.last


def same(one: Any, other: Any) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rules", RULES, ids=names)
def test_games_are_played_to_the_end(rules: Rules, method: str) -> None:
    """The table checks that every choice is legal."""
    game = Game(rules, seed=4)
    agent = SearchAgent(method=method, simulations=12, determinizations=1, turns=2)
    table = Table(game, [agent] * rules.num_players, seat_seeds(4, rules.num_players))
    for _ in range(150):
        if game.is_over or game.is_truncated:
            break
        table.step()
    assert game.turn > 3


@pytest.mark.parametrize("method", METHODS)
def test_choices_follow_from_the_seed(method: str) -> None:
    game, belief = in_the_middle(RULES[0], 5, 150)
    options = {"method": method, "simulations": 150}
    first = decided(searcher(game, 9, **options), game, belief)
    again = decided(searcher(game, 9, **options), game, belief)
    other = decided(searcher(game, 10, **options), game, belief)
    assert first[0] == again[0]
    assert same(first[1], again[1])
    assert not same(first[1], other[1])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rules", RULES[:3], ids=names)
def test_what_is_hidden_has_no_part_in_a_choice(rules: Rules, method: str) -> None:
    rng = np.random.default_rng(1)
    differing = 0
    for seed in range(3):
        game, belief = in_the_middle(rules, seed, 130 + 40 * seed)
        options = {"method": method, "simulations": 60, "determinizations": 4}
        chosen = decided(searcher(game, **options), game, belief)
        for _ in range(3):
            other = FromBelief(belief, game).resample(rng)
            differing += other.games.tobytes() != game.games.tobytes()
            again = decided(searcher(other, **options), other, belief)
            assert again[0] == chosen[0]
            assert same(again[1], chosen[1])
    assert differing == 9


def test_with_halving_the_number_of_workers_changes_nothing() -> None:
    game, belief = in_the_middle(RULES[0], 6, 140)
    alone = decided(searcher(game, simulations=200), game, belief)
    shared = decided(searcher(game, simulations=200, workers=3), game, belief)
    assert alone[0] == shared[0]
    assert same(alone[1], shared[1])


def test_trees_of_several_workers_add_up_to_the_budget() -> None:
    game, belief = in_the_middle(RULES[0], 6, 140)
    options = {"method": "uct", "simulations": 300, "workers": 2}
    first = decided(searcher(game, **options), game, belief)
    again = decided(searcher(game, **options), game, belief)
    assert same(first[1], again[1])
    assert first[1]["visits"].sum() == first[1]["simulations"] <= 300


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("simulations", [1, 5, 100, 1000])
def test_no_more_simulations_are_played_than_allowed(method: str, simulations: int) -> None:
    game, belief = in_the_middle(RULES[0], 7, 160)
    legal = len(game.legal_actions())
    played = decided(searcher(game, method=method, simulations=simulations), game, belief)[1]
    # Halving tries each action once, whatever it was allowed.
    most = max(simulations, legal) if method == "halving" else simulations
    assert 0 < played["simulations"] <= most


@pytest.mark.parametrize("method", METHODS)
def test_a_limit_of_time_is_kept(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = count()
    monkeypatch.setattr("catan_pz.agents.search.budget.perf_counter", lambda: 0.01 * next(looks))
    game, belief = in_the_middle(RULES[0], 8, 160)
    played = decided(searcher(game, method=method, seconds=0.2), game, belief)[1]
    assert played["simulations"] > 0
    assert next(looks) in range(20, 100)  # each look at the clock takes a hundredth of a second


@pytest.mark.parametrize("method", METHODS)
def test_they_stop_when_more_simulations_would_change_nothing(method: str) -> None:
    """Only the trade for grain wins this turn."""
    game = duel({"grain": 1, "ore": 3, "wool": 4}, second=RIVAL)
    assert decided(searcher(game, method=method, simulations=4000), game)[1]["simulations"] < 3500


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"simulations": 0}, "simulations=0 .* from 1"),
        ({"simulations": 1.5}, "simulations=1.5"),
        ({"seconds": 0}, "seconds=0 .* above 0"),
        ({"seconds": float("nan")}, "seconds=nan"),
        ({"method": "mcts"}, "method='mcts' .*halving"),
        ({"rollout": "best"}, "rollout='best' .*greedy"),
        ({"turns": -1}, "turns=-1"),
        ({"determinizations": 0}, "determinizations=0"),
        ({"exploration": -0.1}, "exploration=-0.1"),
        ({"offers": 121}, "offers=121"),
        ({"workers": True}, "workers=True"),
        ({"batch": 0}, "batch=0"),
        ({"keep_tree": 1}, "keep_tree=1"),
        ({"evaluator": 3}, "evaluator=3"),
        ({"considered": 1}, "considered=1"),
        ({"method": "gumbell"}, "method='gumbell' .*did you mean 'gumbel'"),
        ({"preset": "quick"}, r"preset='quick' .*\('fast', 'strong'\) or None"),
        ({"prior": "heuristic"}, "prior='heuristic' .*an agent with a policy"),
        ({"prior": "dqn-4p-notrade"}, "prior='dqn-4p-notrade' .*an agent with a policy"),
        (
            {"method": "halving", "prior": "ppo-4p-notrade"},
            "method='halving' .*'gumbel' with a prior",
        ),
    ],
)
def test_options_that_are_not_possible_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"option {message}"):
        SearchAgent(**options)
    with pytest.raises(ValueError, match=f"option {message}"):
        load("search", **options)


def test_presets_stand_behind_the_options_given() -> None:
    assert SearchAgent(preset="fast").options == SearchAgent(simulations=64).options
    strong = SearchAgent(preset="strong", seconds=0.5, considered=8).options
    assert (strong.simulations, strong.seconds, strong.considered) == (4000, 0.5, 8)
    assert SearchAgent(preset="strong", simulations=5).options == SearchAgent(simulations=5).options
    assert SearchAgent(preset=None).options == SearchAgent().options


def test_a_models_policy_is_the_prior_of_gumbel() -> None:
    places = (in_the_middle(RULES[0], 3, steps) for steps in range(60, 400))
    game, belief = next(place for place in places if len(place[0].legal_actions()) > 5)
    view = seen(game, belief)
    model = load("ppo-4p-notrade")
    best = model.probabilities(view.observation[None], view.mask[None])[0].argsort()[-3:]
    agent = searcher(game, method="gumbel", prior="ppo-4p-notrade", considered=3, simulations=90)
    decided(agent, game, belief)
    assert agent.last is not None
    assert set(agent.last["actions"].tolist()) == set(best.tolist())
    with pytest.raises(ValueError, match="ppo-2p"):
        searcher(game, method="gumbel", prior="ppo-2p")


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


@pytest.mark.parametrize("rules", [RULES[0], RULES[4], RULES[3]])
def test_the_prior_auto_is_the_value(rules: Rules) -> None:
    places = (in_the_middle(rules, 3, steps) for steps in range(60, 400))
    game, belief = next(place for place in places if len(place[0].legal_actions()) > 5)
    options = {"method": "gumbel", "simulations": 60}
    auto = decided(searcher(game, prior="auto", **options), game, belief)
    named = decided(searcher(game, prior="value", **options), game, belief)
    assert auto[0] == named[0]
    assert same(auto[1], named[1])


def test_a_tree_is_led_by_the_value_only_where_its_priors_count() -> None:
    guides = [
        SearchOptions(method=method, prior=prior).guide
        for method, prior in (("puct", "auto"), ("puct", None), ("uct", "auto"))
    ]
    assert guides == [BY_VALUE, BY_GREEDY, BY_GREEDY]
    with pytest.raises(
        ValueError, match=r"method='puct' .*'gumbel' with a prior other than 'auto'"
    ):
        SearchOptions(method="puct", prior="ppo-4p-notrade")


def test_every_option_is_documented_with_its_default() -> None:
    page = (Path(__file__).parents[3] / "docs" / "search_agent.md").read_text(encoding="utf-8")
    for option in fields(SearchOptions):
        default = json.dumps(option.default).replace("null", "None").replace("true", "True")
        assert f"| `{option.name}` | `{default}` |" in page
