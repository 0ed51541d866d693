"""The player that goes by the value: what it builds, plays and trades."""

from typing import Any

import numpy as np
import pytest

from catan_pz.actions import (
    ACCEPT,
    BUY_DEVELOPMENT_CARD,
    CLOSE_WITH,
    END_TURN,
    OFFER,
    REJECT,
    ROLL,
    WITHDRAW,
    action_id,
)
from catan_pz.agents import load
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.agents.value.agent import SETUP, ValueAgent
from catan_pz.agents.value.choice import Judge
from catan_pz.agents.value.features import HAND, PIPS
from catan_pz.agents.value.network import HEIGHT, WIDTH, ValueNet, size_of, sizes_of
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.rules import Rules
from catan_pz.terms import Phase, Resource
from tests.agents.search.play import seen
from tests.helpers import CARD, path

RULES = Rules(num_players=2, trading=False)
TRADERS = Rules(num_players=3, counter_offers=False)


def liking(rules: Rules = RULES, **features: float) -> ValueNet:
    """A value that wants some features, given as f14=1.0, and nothing else."""
    weights = np.zeros(size_of(WIDTH), np.float32)
    for name, weight in features.items():
        weights[int(name[1:]) * WIDTH] = weight
    weights[sum(sizes_of(WIDTH)[:3])] = 1
    weights[-HEIGHT:] = 1
    return ValueNet(rules, weights)


def seated(rules: Rules = RULES, **options: Any) -> ValueAgent:
    """A player by the value in seat 0."""
    agent = ValueAgent(**options)
    agent.reset(0, rules, 1)
    return agent


def worths(game: Game, net: ValueNet) -> dict[int, float]:
    actions = game.legal_actions().astype(np.int64)
    before = game.games.tobytes()
    found = Judge(game.rules, net).worths(game.games, actions, 7)
    assert game.games.tobytes() == before
    return dict(zip(actions.tolist(), found.tolist(), strict=True))


@pytest.mark.purepython
def test_a_card_is_worth_the_mean_over_the_deck() -> None:
    game = position([{"settlements": [10], "hand": CARD}, {"settlements": [20]}], rules=RULES)
    net = liking(f55=10.0)
    value = 1 / (1 + np.exp(-10 * 0.3))  # of a knight
    knights = 14 / 25
    found = worths(game, net)[BUY_DEVELOPMENT_CARD]
    assert found == pytest.approx(knights * value + (1 - knights) / 2, rel=1e-4)


@pytest.mark.purepython
def test_to_roll_is_worth_what_the_position_is() -> None:
    seats = [{"settlements": [10], "cards": {"knight": 1}}, {"settlements": [20]}]
    game = position(seats, rules=RULES, phase="roll")
    found = worths(game, liking(f66=10.0))
    assert found.pop(ROLL) == pytest.approx(0.5)
    assert list(found.values()) == pytest.approx([1 / (1 + np.exp(-10.0))], rel=1e-4)


@pytest.mark.purepython
def test_the_best_second_action_of_a_turn_counts() -> None:
    hand = {"brick": 5, "lumber": 2, "wool": 1, "grain": 1}
    seats = [{"settlements": [10, 33], "roads": path(10, 11, 12), "hand": hand}, {"cities": [20]}]
    game, rng = position(seats, rules=RULES, phase="main"), np.random.default_rng(1)
    net = ValueNet(RULES, rng.normal(0, 0.2, size_of(WIDTH)).astype(np.float32))
    expected, better = worths(game, net), 0
    actions = np.array([*expected])
    for action in {*expected} - {END_TURN, BUY_DEVELOPMENT_CARD}:
        after = game.copy()
        after.step(action)
        ends = END_TURN, BUY_DEVELOPMENT_CARD
        best = max(worth for a, worth in worths(after, net).items() if a not in ends)
        better += best > expected[action]
        expected[action] = max(best, expected[action])
    found = Judge(RULES, net).worths(game.games, actions, 7, with_next=True)
    assert found.tolist() == pytest.approx([*expected.values()])
    assert better > 0


@pytest.mark.purepython
@pytest.mark.parametrize(
    ("phase", "robber"), [("move_robber", None), ("steal", 1)], ids=["moved", "robbed"]
)
def test_a_theft_is_worth_the_mean_over_the_cards_of_the_victim(phase: str, robber: Any) -> None:
    """With one victim it is robbed at once; with none or several nobody is robbed yet."""
    rules = Rules(num_players=3, trading=False)
    seats = [
        {"settlements": [30], "hand": {"wool": 1}},
        {"settlements": [10], "hand": {"wool": 3, "ore": 1, "grain": 2}},
        {"settlements": [12], "hand": {"brick": 2}},
    ]
    place = {} if robber is None else {"robber": robber}
    game = position(seats, rules=rules, phase=phase, **place)
    net = liking(rules, **{f"f{HAND + Resource.ORE}": 4.0, f"f{HAND + Resource.GRAIN}": 1.0})
    thefts = 0
    for action, found in worths(game, net).items():
        outcomes = game.outcomes(action) or {None: 1.0}
        expected = 0.0
        for outcome, probability in outcomes.items():
            after = game.copy()
            after.step_once(action, outcome)
            value = Judge(rules, net).win_probabilities(after.games, 0)[0]
            expected += probability * value
        assert found == pytest.approx(expected, rel=1e-6)
        thefts += len(outcomes) > 1
    assert thefts > 0


@pytest.mark.parametrize("seats", [2, 4])
def test_it_settles_where_the_value_is_largest(seats: int) -> None:
    rules = Rules(num_players=seats, trading=False)
    earned = []
    for resource in (Resource.LUMBER, Resource.ORE):
        agent = ValueAgent(net=liking(rules, **{f"f{PIPS + resource}": 3.0}))
        game = Game(rules, seed=3)
        with Table(game, [agent, *["random"] * (seats - 1)], seat_seeds(3, seats)) as table:
            while game.phase in SETUP:
                table.step()
        earned.append(game.state["pips"][0, [Resource.LUMBER, Resource.ORE]].tolist())
    assert earned[0][0] > earned[1][0]
    assert earned[1][1] > earned[0][1]


@pytest.mark.parametrize(("points", "usual", "other"), [(10, 0.02, 0.06), (15, 0.06, 0.02)])
def test_the_margin_is_larger_in_games_to_more_points(
    points: int, usual: float, other: float
) -> None:
    rules = Rules(num_players=2, trading=False, victory_points=points, max_turns=60)
    played: list[list[int]] = [[], [], []]
    with Table(Game(rules, seed=6), ["value", "evolved"], seat_seeds(6, 2)) as table:
        while not (table.game.is_over or table.game.is_truncated):
            if table.game.player == 0 and table.game.mask.sum() > 2:
                for k, margin in enumerate((None, usual, other)):
                    played[k].append(seated(rules, margin=margin).act(table.view(0)))
            table.step()
    assert played[0] == played[1] != played[2]


def test_without_a_margin_the_value_alone_decides() -> None:
    game = position([{"settlements": [10], "hand": CARD}, {"settlements": [20]}], rules=RULES)
    for weight, buys in ((10.0, True), (-10.0, False)):
        net = liking(f55=weight, f31=0.0)
        # Without hidden units below zero, a bias keeps the unit alive.
        net.weights[2 * 80 * WIDTH + 2 * WIDTH] = 20
        chosen = seated(margin=0.0, net=net).act(seen(game))
        assert (chosen == BUY_DEVELOPMENT_CARD) == buys


@pytest.mark.parametrize("trading", [False, True])
def test_advice_and_policy_agree_with_what_it_plays(trading: bool) -> None:
    rules = Rules(trading=trading)
    game, players = Game(rules, seed=8), [load("value"), *["evolved"] * 3]
    compared = 0
    with Table(game, players, seat_seeds(8, 4)) as table:
        while game.turn < 24:
            if game.player == 0 and game.mask.sum() > 2:
                view = table.view(0)
                calls = (seated(rules).act, seated(rules).advise, seated(rules).policy)
                played, advice, policy = (call(view) for call in calls)
                assert advice.actions[0] == played
                assert policy.sum() == pytest.approx(1)
                assert (policy[view.mask == 0] == 0).all()
                if game.phase not in (Phase.MOVE_ROBBER, Phase.STEAL) and played < OFFER:
                    compared += policy[:OFFER].argmax() == played
            table.step()
    assert compared > 5


def test_a_network_for_other_games_is_refused() -> None:
    with pytest.raises(ValueError, match="'value' plays games of 2 players; this one has 4"):
        ValueAgent(net=liking()).check_rules(Rules())


HANDS = ({"brick": 2}, {"ore": 1}, {"ore": 1, "wool": 1})
ORE_FOR_BRICK = action_id("offer", give={"brick": 1}, get={"ore": 1})


def at_table(hands=HANDS, rules: Rules = TRADERS) -> Game:
    places = (10, 20, 33)
    seats = [{"settlements": [v], "hand": hand} for v, hand in zip(places, hands, strict=True)]
    return position(seats, rules=rules)


def value_with(hands, net) -> np.ndarray:
    return Judge(TRADERS, net).win_probabilities(at_table(hands).games, 0)


def wanting(resource: Resource, rules: Rules = TRADERS):
    return liking(rules, **{f"f{HAND + resource}": 2.0})


@pytest.mark.purepython
@pytest.mark.parametrize(("resource", "answer"), [(Resource.BRICK, ACCEPT), (Resource.ORE, REJECT)])
def test_it_agrees_to_what_it_gains_by(resource, answer) -> None:
    game = at_table()
    game.step(ORE_FOR_BRICK)
    assert game.phase == Phase.ANSWER
    assert seated(TRADERS, net=wanting(resource)).act(seen(game)) == answer


@pytest.mark.purepython
@pytest.mark.parametrize(("resource", "closes"), [(Resource.ORE, True), (Resource.BRICK, False)])
def test_it_closes_where_it_gains(resource, closes) -> None:
    game = at_table()
    for action in (ORE_FOR_BRICK, ACCEPT, REJECT):
        game.step(action)
    assert game.phase == Phase.CLOSE
    net = wanting(resource)
    found = worths(game, net)
    agreed = value_with(({"brick": 1, "ore": 1}, {"brick": 1}, {"ore": 1, "wool": 1}), net)[0]
    assert found[CLOSE_WITH] == pytest.approx(agreed, rel=1e-4)
    assert found[WITHDRAW] == pytest.approx(value_with(HANDS, net)[0], rel=1e-4)
    assert seated(TRADERS, net=net).act(seen(game)) == (CLOSE_WITH if closes else WITHDRAW)
