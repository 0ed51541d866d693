"""What each viewer is told of each kind of action that moves or shows resource cards."""

from typing import Any

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


def told(game: Game, kind: str, outcome: Any = None, **arguments: Any) -> list[Any]:
    """Play an action and return what each seat sees: one event, or None."""
    events = game.step_once(action_id(kind, **arguments), outcome)
    seen = [hand_events(as_seen_by(events, viewer), 3) for viewer in range(3)]
    assert all(len(several) <= 1 for several in seen)
    return [several[0] if several else None for several in seen]


PUBLIC: dict[str, tuple[dict[str, Any], str, dict[str, Any], HandEvent]] = {
    "maritime trade": (  # seat 0 has the generic harbor at vertex 0
        {},
        "maritime_trade",
        {"give": "wool", "get": "ore"},
        HandsChanged(((0, 0, -3, 0, 1), NOTHING, NOTHING)),
    ),
    "year of plenty": (
        {},
        "play_year_of_plenty",
        {"pair": ["lumber", "grain"]},
        HandsChanged(((0, 1, 0, 1, 0), NOTHING, NOTHING)),
    ),
    "production": (  # mountains 10
        {"phase": "roll"},
        "roll",
        {"outcome": (4, 6)},
        HandsChanged(((0, 0, 0, 0, 1),) * 3),
    ),
    "a discard": (
        {"phase": "discard", "to_discard": [1, 0, 0], "dice": [3, 4]},
        "discard",
        {"resource": "brick"},
        HandsChanged(((-1, 0, 0, 0, 0), NOTHING, NOTHING)),
    ),
    "a robber without a victim": ({"phase": "move_robber"}, "move_robber", {"hex": 18}, None),
    "a monopoly": ({}, "play_monopoly", {"resource": "ore"}, MonopolyTaken(0, 4, (0, 2, 3))),
    "a monopoly of nothing": (
        {},
        "play_monopoly",
        {"resource": "lumber"},
        MonopolyTaken(0, 1, (0, 0, 0)),
    ),
}


@pytest.mark.parametrize("case", PUBLIC)
def test_what_everybody_is_told(case: str) -> None:
    entries, kind, arguments, event = PUBLIC[case]
    assert told(table(**entries), kind, **arguments) == [event] * 3


def test_the_type_of_a_stolen_card_is_told_to_thief_and_victim_alone() -> None:
    seen = told(table(phase="steal", robber=0), "steal", Resource.ORE, seat=1)
    assert seen == [Theft(0, 1, 4), Theft(0, 1, 4), Theft(0, 1, None)]


def test_a_theft_that_follows_the_robber_at_once_is_told_alike() -> None:
    game = table(phase="move_robber")
    alone = next(h for h in range(1, 19) if len(game.outcomes(action_id("move_robber", hex=h))))
    seen = told(game, "move_robber", hex=alone)
    assert seen[0].resource is not None
    assert seen[seen[0].victim] == seen[0]
    assert seen[3 - seen[0].victim] == Theft(0, seen[0].victim, None)


def test_offers_acceptances_and_counter_offers_show_cards() -> None:
    game = table()
    shown = HoldingShown(0, (0, 0, 1, 0, 0))
    assert told(game, "offer", give={"wool": 1}, get={"ore": 1}) == [shown] * 3
    assert told(game.copy(), "reject") == [None] * 3
    assert told(game, "accept") == [HoldingShown(1, (0, 0, 0, 0, 1))] * 3
    shown = HoldingShown(2, (0, 0, 0, 0, 2))
    assert told(game, "offer", give={"ore": 2}, get={"brick": 1}) == [shown] * 3
    assert told(game.copy(), "withdraw") == [None] * 3
    change = HandsChanged(((-1, 0, 0, 0, 2), NOTHING, (1, 0, 0, 0, -2)))
    assert told(game, "close_with", seat=2) == [change] * 3


def test_composing_is_hidden_until_it_is_sent() -> None:
    game = table()
    for kind, resource in (("give", "wool"), ("give", "brick"), ("get", "ore")):
        assert told(game, f"compose_{kind}", resource=resource) == [None] * 3
    assert told(game, "compose_send") == [HoldingShown(0, (1, 0, 1, 0, 0))] * 3
