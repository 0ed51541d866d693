"""What each viewer is told of each kind of action that moves or shows resource cards."""

from typing import Any

import numpy as np
import pytest

from catan_pz.actions import action_id
from catan_pz.belief import HandsChanged, HoldingShown, hand_events
from catan_pz.belief.hand_events import HandEvent, MonopolyTaken, Theft
from catan_pz.events import as_seen_by
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.rules import Rules
from catan_pz.terms import Resource

pytestmark = pytest.mark.purepython

NOTHING = (0, 0, 0, 0, 0)
CORNERS = (0, 2, 9)
"""Three vertices of the first hex that keep the distance rule."""


def table(**entries: Any) -> Game:
    """Three players, on the corners of hex 0, with brick and ore in hand; seat 0 is in turn."""
    hands = [{"brick": 2, "wool": 4}, {"brick": 1, "ore": 2}, {"ore": 3}]
    players = [{"hand": h, "settlements": [v]} for h, v in zip(hands, CORNERS, strict=True)]
    players[0]["cards"] = {"monopoly": 1, "year_of_plenty": 1}
    return position(players, rules=Rules(num_players=3, offer_form="both"), **entries)


def told(
    game: Game, kind: str, outcome: Any = None, **arguments: Any
) -> list[tuple[HandEvent, ...]]:
    """Play an action and return what each seat sees."""
    events = game.step_once(action_id(kind, **arguments), outcome)
    return [hand_events(as_seen_by(events, viewer), 3) for viewer in range(3)]


def test_maritime_trade_and_year_of_plenty_are_public() -> None:
    game = table()
    # Seat 0 has the generic harbor at vertex 0.
    change = HandsChanged(((0, 0, -3, 0, 1), NOTHING, NOTHING))
    assert told(game, "maritime_trade", give="wool", get="ore") == [(change,)] * 3
    change = HandsChanged(((0, 1, 0, 1, 0), NOTHING, NOTHING))
    assert told(game, "play_year_of_plenty", pair=["lumber", "grain"]) == [(change,)] * 3


def test_production_is_public() -> None:
    game = table(phase="roll", robber=9)
    number = int(game.games[0]["token"][0])
    throw = (number // 2, number - number // 2)
    row = tuple(int(r == game.games[0]["terrain"][0]) for r in range(5))
    events = told(game, "roll", throw)
    assert events[0] == events[1] == events[2]
    assert isinstance(events[0][0], HandsChanged)
    assert events[0][0].changes[0][int(np.argmax(row))] == 1


def test_discards_are_public() -> None:
    game = table(phase="discard", to_discard=[1, 0, 0], dice=[3, 4])
    change = HandsChanged(((-1, 0, 0, 0, 0), NOTHING, NOTHING))
    assert told(game, "discard", resource="brick") == [(change,)] * 3


def test_the_type_of_a_stolen_card_is_told_to_thief_and_victim_alone() -> None:
    game = table(phase="steal", robber=0)
    events = told(game, "steal", Resource.ORE, seat=1)
    assert events == [(Theft(0, 1, 4),), (Theft(0, 1, 4),), (Theft(0, 1, None),)]


def test_a_theft_that_follows_the_robber_at_once_is_told_alike() -> None:
    game = table(phase="move_robber")
    alone = next(h for h in range(1, 19) if len(game.outcomes(action_id("move_robber", hex=h))))
    events = told(game, "move_robber", hex=alone)
    (theft,) = events[0]
    assert isinstance(theft, Theft)
    assert theft.resource is not None
    unconcerned = 3 - theft.victim
    assert events[unconcerned] == (Theft(0, theft.victim, None),)
    assert events[theft.victim] == (theft,)


def test_a_robber_without_a_victim_tells_nothing() -> None:
    game = table(phase="move_robber")
    assert told(game, "move_robber", hex=18) == [()] * 3


def test_a_monopoly_tells_what_each_hands_over() -> None:
    events = told(table(), "play_monopoly", resource="ore")
    assert events == [(MonopolyTaken(0, 4, (0, 2, 3)),)] * 3


def test_a_monopoly_without_any_card_keeps_its_event() -> None:
    events = told(table(), "play_monopoly", resource="lumber")
    assert events == [(MonopolyTaken(0, 1, (0, 0, 0)),)] * 3


def test_offers_acceptances_and_counter_offers_show_cards() -> None:
    game = table()
    shown = HoldingShown(0, (0, 0, 1, 0, 0))
    assert told(game, "offer", give={"wool": 1}, get={"ore": 1}) == [(shown,)] * 3
    shown = HoldingShown(1, (0, 0, 0, 0, 1))
    assert told(game, "accept") == [(shown,)] * 3
    shown = HoldingShown(2, (0, 0, 0, 0, 2))
    assert told(game, "offer", give={"ore": 2}, get={"brick": 1}) == [(shown,)] * 3
    change = HandsChanged(((-1, 0, 0, 0, 2), NOTHING, (1, 0, 0, 0, -2)))
    assert told(game, "close_with", seat=2) == [(change,)] * 3


def test_composing_is_hidden_until_it_is_sent() -> None:
    game = table()
    assert told(game, "compose_give", resource="wool") == [()] * 3
    assert told(game, "compose_give", resource="brick") == [()] * 3
    assert told(game, "compose_get", resource="ore") == [()] * 3
    shown = HoldingShown(0, (1, 0, 1, 0, 0))
    assert told(game, "compose_send") == [(shown,)] * 3


def test_rejecting_and_withdrawing_tell_nothing() -> None:
    game = table()
    told(game, "offer", give={"wool": 1}, get={"ore": 1})
    assert told(game, "reject") == [()] * 3
    told(game, "accept")
    assert told(game, "withdraw") == [()] * 3
