"""Decisions reported to a seat, in words: what a followed game takes in, and what it refuses."""

from dataclasses import replace
from typing import Any

import pytest

from catan_pz.actions import action_id
from catan_pz.events import UNKNOWN, Event, EventKind, Events
from catan_pz.game.followed import ContradictionError, FollowedGame
from catan_pz.game.position import position
from catan_pz.game.view import view_of
from catan_pz.rules import Rules
from catan_pz.terms import Card, Phase, Resource

pytestmark = pytest.mark.purepython

THREE = Rules(num_players=3, offer_form="both", board="beginner")
TURN_OF_1 = {"turn_player": 1, "player_to_move": 1}
BRICK, LUMBER, WOOL, GRAIN, ORE = range(5)


def content(followed: FollowedGame) -> tuple[bytes, ...]:
    """All that a refused report must leave as it was."""
    belief, sampled = followed.belief, followed.sampled
    bounds = [array.tobytes() for array in vars(belief.shared).values()]
    cards = repr(vars(belief.cards)).encode()
    hands = belief.hands.hands.tobytes(), belief.hands.weights.tobytes()
    return (sampled.games.tobytes(), sampled.mask.tobytes(), cards, *hands, *bounds)


def refuse(followed: FollowedGame, events: Events, why: str | None = None) -> None:
    before = content(followed)
    with pytest.raises(ContradictionError, match=why):
        followed.follow(events)
    assert content(followed) == before


def follow(players: list[dict[str, Any]], seat: int = 0, **options: Any) -> FollowedGame:
    game = position(players, rules=options.pop("rules", THREE), **options)
    return FollowedGame.from_snapshot(game.snapshot(), seat)


def report(seat: int, turn: int, action: int, *events: tuple[Any, ...]) -> Events:
    """A decision and its events: kind, seat, other, what, amount."""
    rows = [(EventKind.DECISION, seat, turn, action, 0), *events]
    return tuple(Event(*row, seen_by=15) for row in rows)


def road(seat: int, edge: int) -> Events:
    built = (EventKind.ROAD_BUILT, seat, -1, edge, 1)
    paid = [(EventKind.PAID, seat, -1, r, 1) for r in (BRICK, LUMBER)]
    return report(seat, seat, action_id("build_road", edge=edge), built, *paid)


def test_decisions_out_of_turn_are_refused() -> None:
    followed = follow([{}, {}, {}])
    refuse(followed, report(1, 0, 1), "seat 0 is to move")
    refuse(followed, report(0, 1, 1), "turn of seat 0")
    refuse(followed, (), "DECISION")
    refuse(followed, report(5, 0, 1), "no such seat")
    refuse(followed, report(0, 0, action_id("roll")), "phase 'main'")
    end = action_id("end_turn")
    refuse(followed, report(0, 0, end, (EventKind.GIVEN, 0, 3, ORE, 1)), "other seat")
    refuse(followed, report(0, 0, end, (EventKind.STOLEN, 0, 1, 5, 1)), "no such cards")
    refuse(followed, report(0, 0, end, (EventKind.PAID, 0, -1, UNKNOWN, 1)), "no such cards")
    refuse(followed, report(0, 0, 1000), "hidden action")
    refuse(followed, report(0, 0, UNKNOWN), "hidden")


@pytest.mark.parametrize(
    ("hand", "edge", "why"),
    [
        ({"brick": 1, "ore": 1}, 34, "no hands fit"),
        ({"brick": 1, "lumber": 1}, 0, "must be empty and touch your road"),
    ],
)
def test_roads_that_nobody_can_pay_or_place_are_refused(
    hand: dict[str, int], edge: int, why: str
) -> None:
    followed = follow([{}, {"settlements": [20], "roads": [26], "hand": hand}, {}], **TURN_OF_1)
    refuse(followed, road(1, edge), why)


def test_dice_that_can_not_be_are_refused() -> None:
    followed = follow([{}, {}, {}], phase="roll", rules=replace(THREE, dice="balanced"))
    roll = action_id("roll")
    refuse(followed, report(0, 0, roll, (EventKind.ROLLED, 0, -1, 7, 1)), "is impossible")
    refuse(followed, report(0, 0, roll), "ROLLED")
    followed.follow(report(0, 0, roll, (EventKind.ROLLED, 0, -1, 1, 1)))
    followed.follow(report(0, 0, action_id("end_turn")))
    refuse(followed, report(1, 1, roll, (EventKind.ROLLED, 1, -1, 1, 1)), "is impossible")


def test_production_that_the_board_does_not_bring_is_refused() -> None:
    followed = follow([{"settlements": [20]}, {}, {}], phase="roll")
    rolled = (EventKind.ROLLED, 0, -1, 5, 1)
    gained = (EventKind.GAINED, 1, -1, ORE, 1)
    refuse(followed, report(0, 0, action_id("roll"), rolled, gained), "the rules give .*GAINED")


def test_cards_that_nobody_can_hold_are_refused() -> None:
    played = {"cards": {"knight": 1}, "cards_played": {"monopoly": 2}}
    followed = follow([{}, played, {}], **TURN_OF_1)
    taken = (EventKind.CARD_PLAYED, 1, -1, Card.MONOPOLY, 1)
    action = action_id("play_monopoly", resource="ore")
    refuse(followed, report(1, 1, action, taken), "MONOPOLY card is accounted for")
    followed = follow([{}, {}, {}], **TURN_OF_1)
    refuse(followed, report(1, 1, action, taken), "there is no card")


def test_a_card_that_can_be_held_is_believed() -> None:
    """Whatever card lies there in the start given."""
    knight = (EventKind.CARD_PLAYED, 1, -1, Card.KNIGHT, 1)
    for card in ("knight", "monopoly", "victory_point"):
        followed = follow([{}, {"cards": {card: 1}}, {}], **TURN_OF_1)
        followed.follow(report(1, 1, action_id("play_knight"), knight))
        assert followed.view().segments["cards_played"][1, Card.KNIGHT] == 1


def test_wins_that_can_not_be_are_refused() -> None:
    rules = replace(THREE, victory_points=5)
    players = [{}, {"settlements": [9], "cards": {"knight": 2}}, {}]
    followed = follow(players, rules=rules)
    end, won = action_id("end_turn"), (EventKind.WON, 1, -1, -1, 1)
    refuse(followed, report(0, 0, end, won), "no victory point cards fit")
    refuse(followed, report(0, 0, end, (EventKind.WON, 0, -1, -1, 1)), "can't have won")
    players[1]["cards"]["knight"] = 4
    hidden = follow(players, rules=rules)
    hidden.follow(report(0, 0, end, won))
    assert hidden.sampled.winner == 1
    refuse(hidden, report(1, 1, end), "the game is finished")


def test_a_false_win_takes_nothing_of_the_decision_in() -> None:
    players = [{}, {"settlements": [20], "roads": [26], "hand": {"brick": 1, "lumber": 1}}, {}]
    followed = follow(players, **TURN_OF_1)
    edge = next(e for e in range(72) if followed.sampled.mask[action_id("build_road", edge=e)])
    refuse(followed, (*road(1, edge), Event(EventKind.WON, 1, -1, -1, 1, 15)), "no victory point")
    followed.follow(road(1, edge))
    assert followed.belief.hands.most[1].sum() == 0


@pytest.mark.parametrize(("stolen", "asked"), [("brick", "ore"), ("ore", "brick")])
def test_others_ask_for_what_they_have_seen(stolen: str, asked: str) -> None:
    """The thief knows what is left to the victim, the seat that follows doesn't."""
    thief, victim = {"hand": {"wool": 1}}, {"settlements": [9], "hand": {"brick": 1, "ore": 1}}
    game = position([{}, thief, victim], rules=THREE, phase="move_robber", **TURN_OF_1)
    followed = FollowedGame.from_snapshot(game.snapshot(), 0)
    game.listeners.append(followed.listen)
    game.step(action_id("move_robber", hex=4), Resource[stolen.upper()])
    game.step(action_id("offer", give={"wool": 1}, get={asked: 1}))
    assert followed.view().observation.tobytes() == view_of(game, 0).observation.tobytes()
    game.step(action_id("accept"))
    assert followed.belief.hands.hands.tolist() == [game.state["hand"][:3].tolist()]


def sent(give: dict[int, int], get: dict[int, int]) -> Events:
    """A composed offer of seat 1 becomes public."""
    gives = [(EventKind.OFFER_GIVES, 1, -1, r, n) for r, n in give.items()]
    shown = [(EventKind.HOLDING_SHOWN, 1, -1, r, n) for r, n in give.items()]
    asks = [(EventKind.OFFER_ASKS, 1, -1, r, n) for r, n in get.items()]
    return report(1, 1, action_id("compose_send"), *gives, *shown, *asks)


def test_an_offer_is_composed_unseen() -> None:
    players = [{"hand": {"ore": 1}}, {"hand": {"wool": 2}}, {}]
    followed = follow(players, **TURN_OF_1)
    for _ in range(3):
        followed.follow(report(1, 1, UNKNOWN))
        assert followed.sampled.phase == Phase.COMPOSE
        assert not followed.view().segments["offer_give"].any()
    refuse(followed, sent({WOOL: 3}, {ORE: 1}), "no hands fit")
    refuse(followed, sent({WOOL: 1}, {WOOL: 1}), "no offer is composed like that")
    refuse(followed, sent({WOOL: 2}, {}), "both sides")
    more = Event(EventKind.OFFER_GIVES, 1, -1, WOOL, 1, seen_by=15)
    refuse(followed, (*sent({WOOL: 2}, {ORE: 1}), more), "more than its seat is shown to hold")
    followed.follow(sent({WOOL: 2}, {ORE: 1}))
    assert followed.view().segments["offer_give"][1].tolist() == [0, 0, 2, 0, 0]
    followed.follow(report(2, 1, action_id("reject")))
    assert followed.view().mask[action_id("accept")]


def test_nothing_is_hidden_where_offers_are_not_composed() -> None:
    rules = replace(THREE, offer_form="templates")
    followed = follow([{}, {}, {}], rules=rules, **TURN_OF_1)
    refuse(followed, report(1, 1, UNKNOWN), "hidden")


def test_an_own_card_must_be_told() -> None:
    followed = follow([{"hand": {"wool": 1, "grain": 1, "ore": 1}}, {}, {}])
    bought = (EventKind.CARD_BOUGHT, 0, -1, UNKNOWN, 1)
    paid = [(EventKind.PAID, 0, -1, r, 1) for r in (WOOL, GRAIN, ORE)]
    action = action_id("buy_development_card")
    refuse(followed, report(0, 0, action, bought, *paid), "CARD_BOUGHT")
    for card in Card:
        told = follow([{"hand": {"wool": 1, "grain": 1, "ore": 1}}, {}, {}])
        points = [(EventKind.POINTS_CHANGED, 0, -1, -1, 1)] * (card == Card.VICTORY_POINT)
        told.follow(report(0, 0, action, (*bought[:3], card, 1), *paid, *points))
        assert told.view().segments["own_cards"][card] == 1
