"""The events of decisions: what each kind of action tells, and to whom."""

from typing import Any

import numpy as np
import pytest

from catan_pz.actions import action_id
from catan_pz.engine.event_rows import EVERYBODY, MAX_EVENTS, EventKind
from catan_pz.events import ONLOOKER, UNKNOWN, Events, as_seen_by, outcome_of
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.rules import Rules
from catan_pz.terms import Card, Phase, Resource
from tests.helpers import RULE_SETS, play_randomly

pytestmark = pytest.mark.purepython

THREE = Rules(num_players=3, offer_form="both")
BRICK, LUMBER, WOOL, GRAIN, ORE = range(5)


def play(game: Game, kind: str, outcome: Any = None, **arguments: Any) -> Events:
    return game.step_once(action_id(kind, **arguments), outcome)


def rows(events: Events) -> list[tuple[Any, ...]]:
    """Events but for the decision, without who sees them."""
    return [tuple(event[:5]) for event in events[1:]]


def test_a_decision_names_seat_turn_and_action() -> None:
    game = position([{"hand": {"brick": 1}}, {"hand": {"ore": 1}}], rules=Rules(num_players=2))
    play(game, "offer", give={"brick": 1}, get={"ore": 1})
    (decision,) = play(game, "reject")
    assert decision == (EventKind.DECISION, 1, 0, action_id("reject"), 0, EVERYBODY)


def test_a_roll_tells_dice_and_production() -> None:
    game = position([{"settlements": [20]}, {"cities": [9]}], rules=THREE, phase="roll")
    events = play(game, "roll", (5, 1))
    assert rows(events) == [
        (EventKind.ROLLED, 0, -1, 5, 1),
        (EventKind.GAINED, 0, -1, BRICK, 1),
        (EventKind.GAINED, 1, -1, BRICK, 2),
    ]
    assert outcome_of(events) == (5, 1)


def test_the_resource_stolen_is_seen_by_two() -> None:
    players = [{}, {"settlements": [9], "hand": {"ore": 1}}, {}]
    game = position(players, rules=THREE, phase="move_robber")
    events = play(game, "move_robber", hex=4)
    theft = (EventKind.STOLEN, 0, 1, ORE, 1)
    assert rows(events) == [(EventKind.ROBBER_MOVED, 0, -1, 4, 1), theft]
    for seat in (0, 1):
        assert rows(as_seen_by(events, seat))[1] == theft
    assert rows(as_seen_by(events, 2))[1] == (EventKind.STOLEN, 0, 1, UNKNOWN, 1)
    assert outcome_of(events) == Resource.ORE


def test_a_victory_point_bought_is_its_owners_secret() -> None:
    game = position([{"hand": {"wool": 1, "grain": 1, "ore": 1}}, {}, {}], rules=THREE)
    events = play(game, "buy_development_card", Card.VICTORY_POINT)
    bought = (EventKind.CARD_BOUGHT, 0, -1, Card.VICTORY_POINT, 1)
    points = (EventKind.POINTS_CHANGED, 0, -1, -1, 1)
    assert as_seen_by(events, 0) == events
    assert bought in rows(events)
    assert points in rows(events)
    others = rows(as_seen_by(events, 1))
    assert (EventKind.CARD_BOUGHT, 0, -1, UNKNOWN, 1) in others
    assert all(row[0] != EventKind.POINTS_CHANGED for row in others)


@pytest.mark.parametrize("card", ["knight", "victory_point"])
def test_others_do_not_see_that_a_decision_was_forced(card: str) -> None:
    """A knight may be played before the roll; with a victory point the roll is forced."""
    rules = Rules(num_players=3, skip_forced=True, dice=[(1, 1)])
    game = position([{}, {"cards": {card: 1}}, {}], rules=rules)
    heard: list[Events] = []
    game.listeners.append(lambda _, events: heard.append(events))
    game.step(action_id("end_turn"))
    if game.phase == Phase.ROLL:
        game.step(action_id("roll"))
    roll = heard[1]
    assert roll[0].what == action_id("roll")
    assert as_seen_by(roll, 1)[0].amount == roll[0].amount == (card == "victory_point")
    assert {as_seen_by(roll, seat)[0].amount for seat in (0, 2, ONLOOKER)} == {0}


def test_a_trade_from_composing_to_closing() -> None:
    game = position([{"hand": {"brick": 2}}, {"hand": {"ore": 1}}, {}], rules=THREE)
    events = play(game, "compose_give", resource="brick")
    assert rows(events) == []
    assert as_seen_by(events, 0)[0].what == action_id("compose_give", resource="brick")
    assert as_seen_by(events, 1)[0].what == UNKNOWN
    play(game, "compose_get", resource="ore")
    assert rows(play(game, "compose_send")) == [
        (EventKind.OFFER_GIVES, 0, -1, BRICK, 1),
        (EventKind.HOLDING_SHOWN, 0, -1, BRICK, 1),
        (EventKind.OFFER_ASKS, 0, -1, ORE, 1),
    ]
    assert rows(play(game, "accept")) == [(EventKind.HOLDING_SHOWN, 1, -1, ORE, 1)]
    assert rows(play(game, "reject")) == []
    assert rows(play(game, "close_with", seat=1)) == [
        (EventKind.GIVEN, 0, 1, BRICK, 1),
        (EventKind.GIVEN, 1, 0, ORE, 1),
    ]


class Ledger:
    """What follows from the events of a game alone."""

    def __init__(self, game: Game) -> None:
        count = game.rules.num_players
        self.hands = np.zeros((count, 5), int)
        self.points = np.zeros(count, int)
        self.cards = np.zeros((count, 5), int)
        self.owners = [-1, -1]
        self.most = 0

    def listen(self, game: Game, events: Events) -> None:
        self.most = max(self.most, len(events))
        for event in events:
            kind, seat, other, what, amount, _ = event
            if kind in (EventKind.GAINED, EventKind.STOLEN):
                self.hands[seat, what] += amount
            if kind in (EventKind.PAID, EventKind.GIVEN):
                self.hands[seat, what] -= amount
            if kind == EventKind.GIVEN:
                self.hands[other, what] += amount
            if kind == EventKind.STOLEN:
                self.hands[other, what] -= amount
            if kind == EventKind.POINTS_CHANGED:
                self.points[seat] += amount
            if kind == EventKind.CARD_BOUGHT:
                self.cards[seat, what] += 1
            if kind == EventKind.CARD_PLAYED:
                self.cards[seat, what] -= 1
            if kind in (EventKind.LONGEST_ROAD, EventKind.LARGEST_ARMY):
                assert self.owners[kind - EventKind.LONGEST_ROAD] == other
                self.owners[kind - EventKind.LONGEST_ROAD] = seat
        state, count = game.state, game.rules.num_players
        assert (self.hands == state["hand"][:count]).all()
        assert (self.points == state["points"][:count]).all()
        assert (self.cards == state["cards"][:count]).all()
        assert self.owners == [state["longest_road_owner"], state["largest_army_owner"]]
        ends = [event.kind for event in events[1:] if event.kind >= EventKind.WON]
        assert ends == (
            [EventKind.WON] if game.is_over else [EventKind.TRUNCATED] * game.is_truncated
        )


@pytest.mark.parametrize("name", RULE_SETS)
def test_events_alone_give_hands_points_and_owners(name: str) -> None:
    game = Game(RULE_SETS[name], seed=11)
    ledger = Ledger(game)
    game.listeners.append(ledger.listen)
    play_randomly(game, 2_000, rng=11)
    assert 5 < ledger.most <= MAX_EVENTS
    assert game.phase != Phase.SETUP_ROAD
