"""Trades between players by the value."""

import numpy as np
import pytest

from catan_pz.actions import ACCEPT, CLOSE_WITH, COMPOSE_GIVE, END_TURN, REJECT, WITHDRAW, action_id
from catan_pz.agents.value.agent import considered
from catan_pz.agents.value.choice import DOUBT, TEMPERATURE, Judge
from catan_pz.agents.value.network import shipped
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.rules import Rules
from catan_pz.terms import Phase, Resource
from tests.agents.search.play import seen
from tests.agents.value.test_agent import HAND, liking, seated, worths

RULES = Rules(num_players=3, counter_offers=False)
HANDS = ({"brick": 2}, {"ore": 1}, {"ore": 1, "wool": 1})
ORE_FOR_BRICK = action_id("offer", give={"brick": 1}, get={"ore": 1})


def at_table(hands=HANDS, rules: Rules = RULES) -> Game:
    places = (10, 20, 33)
    seats = [{"settlements": [v], "hand": hand} for v, hand in zip(places, hands, strict=True)]
    return position(seats, rules=rules)


def value_with(hands, net) -> np.ndarray:
    return Judge(RULES, net).win_probabilities(at_table(hands).games, 0)


def wanting(resource: Resource, rules: Rules = RULES):
    return liking(rules, **{f"f{HAND + resource}": 2.0})


@pytest.mark.purepython
@pytest.mark.parametrize("taker", [1, 2])
def test_an_offer_is_worth_its_gain_by_the_chance_that_somebody_agrees(taker) -> None:
    """Of those who hold the ore; the other one doesn't count."""
    hands = [{"brick": 2}, {"wool": 1}, {"wool": 1}]
    hands[taker] = {"ore": 1, "wool": 1}
    after_hands = [{"brick": 1, "ore": 1}, {"wool": 1}, {"wool": 1}]
    after_hands[taker] = {"brick": 1, "wool": 1}
    net = wanting(Resource.ORE)
    now, after = value_with(hands, net), value_with(after_hands, net)
    chance = 1 / (1 + np.exp(-(after[taker] - now[taker]) / DOUBT))
    found = worths(at_table(hands), net)[ORE_FOR_BRICK]
    assert after[0] > now[0]
    assert found == pytest.approx(now[0] + chance * (after[0] - now[0]), rel=1e-4)


@pytest.mark.purepython
@pytest.mark.parametrize(("resource", "answer"), [(Resource.BRICK, ACCEPT), (Resource.ORE, REJECT)])
def test_it_agrees_to_what_it_gains_by(resource, answer) -> None:
    game = at_table()
    game.step(ORE_FOR_BRICK)
    assert game.phase == Phase.ANSWER
    assert seated(RULES, net=wanting(resource)).act(seen(game)) == answer


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
    assert seated(RULES, net=net).act(seen(game)) == (CLOSE_WITH if closes else WITHDRAW)


def test_it_offers_what_both_gain_by() -> None:
    """It lacks an ore for a card, the other one a brick for a road; nobody wants more."""
    game = at_table(({"wool": 1, "grain": 1, "brick": 2}, {"ore": 2, "lumber": 1}, {"wool": 1}))
    net = liking(RULES, f47=8.0, f48=8.0)
    found = worths(game, net)
    assert found[ORE_FOR_BRICK] == max(found.values()) > found[END_TURN] + 0.025
    assert seated(RULES, net=net).act(seen(game)) == ORE_FOR_BRICK


def test_composed_offers_are_left_to_the_evolved_player() -> None:
    rules = Rules(num_players=3, offer_form="composed")
    game = at_table(rules=rules)
    view = seen(game)
    assert END_TURN in considered(view, END_TURN)
    assert set(considered(view, END_TURN)).isdisjoint(range(COMPOSE_GIVE, ACCEPT))
    assert considered(view, COMPOSE_GIVE).tolist() == [COMPOSE_GIVE]
    game.step(action_id("compose_give", resource="brick"))
    assert game.phase == Phase.COMPOSE
    assert considered(seen(game), COMPOSE_GIVE).tolist() == [COMPOSE_GIVE]


def test_the_policy_tells_actions_apart_where_an_offer_is_to_be_composed(monkeypatch) -> None:
    rules = Rules(num_players=3, offer_form="both")
    hands = ({"brick": 2, "lumber": 2, "wool": 4, "grain": 2, "ore": 3}, *HANDS[1:])
    game = at_table(hands, rules)
    agent, view = seated(rules), seen(game)
    monkeypatch.setattr(agent._evolved, "act", lambda view: COMPOSE_GIVE)
    policy = agent.policy(view)
    found = worths(game, shipped(3))
    judged = [a for a in found if a < COMPOSE_GIVE]
    weights = {a: np.exp((found[a] - found[END_TURN]) / TEMPERATURE) for a in judged}
    assert len(judged) > 8
    assert len(set(weights.values())) > 5
    for action, weight in weights.items():
        assert policy[action] == pytest.approx(policy[END_TURN] * weight, rel=1e-4)
    assert policy[COMPOSE_GIVE] > policy[COMPOSE_GIVE + 1] == policy[COMPOSE_GIVE + 2] > 0
    assert agent.act(view) == COMPOSE_GIVE
