"""The events of a decision: their layout, and the rules that write them.

Events are rows of a small int16 array, written on request. One array holds the events of one
decision; forced decisions have arrays of their own. Row 0 holds the number of events, rows 1 to
`MAX_EVENTS` the events, and the rest is scratch space for the state before the decision.
"""

from enum import IntEnum
from typing import Final

from catan_pz import actions
from catan_pz.engine.state import State, seat_after
from catan_pz.engine.turn import is_truncated
from catan_pz.kernels.rule import rule
from catan_pz.kernels.types import Int16Matrix
from catan_pz.terms import (
    KNIGHT,
    MAX_PLAYERS,
    MONOPOLY,
    NOBODY,
    NUM_CARD_KINDS,
    NUM_RESOURCES,
    ROAD_BUILDING,
    YEAR_OF_PLENTY,
    Phase,
)


class EventKind(IntEnum):
    """The kind of an event; the docstrings name the fields used besides `seat`."""

    DECISION = 0
    """A seat takes action `what` in the turn of `other`; `amount` is 1 if it was forced.

    Only the seat sees whether it was forced, and which card it adds to an offer.
    """
    ROLLED = 1
    """The dice show `what` and `amount`."""
    GAINED = 2
    """A seat takes `amount` cards of resource `what` from the bank."""
    PAID = 3
    """A seat returns `amount` cards of resource `what` to the bank."""
    GIVEN = 4
    """A seat hands `amount` cards of resource `what` to `other`, in public."""
    STOLEN = 5
    """A seat steals a card from `other`; only these two see its resource `what`."""
    ROAD_BUILT = 6
    """On edge `what`."""
    SETTLEMENT_BUILT = 7
    """On vertex `what`."""
    CITY_BUILT = 8
    """On vertex `what`."""
    CARD_BOUGHT = 9
    """Development card `what`, seen by its owner only."""
    CARD_PLAYED = 10
    """Development card `what`."""
    ROBBER_MOVED = 11
    """To hex `what`."""
    HOLDING_SHOWN = 12
    """A seat proves that it holds at least `amount` cards of resource `what`."""
    OFFER_GIVES = 13
    """The offer or counter-offer of a seat, now public, gives `amount` of resource `what`."""
    OFFER_ASKS = 14
    """As `OFFER_GIVES`, for the cards that the offer asks for."""
    LONGEST_ROAD = 15
    """The card passes from `other` to a seat, -1 for nobody; `amount` roads."""
    LARGEST_ARMY = 16
    """As `LONGEST_ROAD`, for the largest army; `amount` knights."""
    POINTS_CHANGED = 17
    """The points of a seat change by `amount`; only the seat sees hidden ones."""
    WON = 18
    """A seat wins the game."""
    TRUNCATED = 19
    """The turn limit is reached without a winner; `seat` is -1."""


KIND, SEAT, OTHER, WHAT, AMOUNT, SEEN_BY = 0, 1, 2, 3, 4, 5
"""Columns of an event; `SEEN_BY` is the set of seats that see all its fields."""

NUM_FIELDS: Final = 6
MAX_EVENTS: Final = 24
"""The most events of one decision."""

_BEFORE: Final = MAX_EVENTS + 1
_POINTS_BEFORE: Final = NUM_RESOURCES
"""Scratch rows: row _BEFORE + p holds the hand of p and its points before the decision."""
_TITLES: Final = _BEFORE + MAX_PLAYERS
"""Scratch row with the visible points of each seat and the owners of the special cards."""
_CARDS: Final = _TITLES + 1
"""Scratch row with the development cards of the player to move."""
EVENT_ROWS: Final = _CARDS + 1
"""Rows of an array for events: (EVENT_ROWS, NUM_FIELDS) int16."""

_ROAD_OWNER, _ARMY_OWNER = MAX_PLAYERS, MAX_PLAYERS + 1

# Plain integers: compiled rules on CUDA can't index with enums.
_KINDS = [kind.value for kind in EventKind]
DECISION, ROLLED, GAINED, PAID, GIVEN, STOLEN, ROAD_BUILT, SETTLEMENT_BUILT, CITY_BUILT = _KINDS[:9]
CARD_BOUGHT, CARD_PLAYED, ROBBER_MOVED, HOLDING_SHOWN, OFFER_GIVES, OFFER_ASKS = _KINDS[9:15]
LONGEST_ROAD, LARGEST_ARMY, POINTS_CHANGED, WON, TRUNCATED = _KINDS[15:]

EVERYBODY: Final = (1 << MAX_PLAYERS) - 1


@rule
def add_event(
    events: Int16Matrix, kind: int, seat: int, other: int, what: int, amount: int, seen_by: int
) -> None:
    k = int(events[0, 0]) + 1
    events[0, 0] = k
    events[k, KIND] = kind
    events[k, SEAT] = seat
    events[k, OTHER] = other
    events[k, WHAT] = what
    events[k, AMOUNT] = amount
    events[k, SEEN_BY] = seen_by


@rule
def remember(s: State, events: Int16Matrix) -> None:
    """Clear the events of a decision and save the state before it in the scratch rows."""
    events[0, 0] = 0
    for p in range(MAX_PLAYERS):
        for r in range(NUM_RESOURCES):
            events[_BEFORE + p, r] = s.hand[p, r]
        events[_BEFORE + p, _POINTS_BEFORE] = s.points[p]
        events[_TITLES, p] = s.visible_points[p]
    events[_TITLES, _ROAD_OWNER] = s.longest_road_owner
    events[_TITLES, _ARMY_OWNER] = s.largest_army_owner
    for card in range(NUM_CARD_KINDS):
        events[_CARDS, card] = s.cards[int(s.player), card]


@rule
def add_offer(s: State, p: int, events: Int16Matrix) -> None:
    """Add the offer that p has sent or is about to send, and the cards that it proves."""
    for r in range(NUM_RESOURCES):
        n = int(s.offer_give[p, r])
        if n > 0:
            add_event(events, OFFER_GIVES, p, NOBODY, r, n, EVERYBODY)
            add_event(events, HOLDING_SHOWN, p, NOBODY, r, n, EVERYBODY)
    for r in range(NUM_RESOURCES):
        n = int(s.offer_get[p, r])
        if n > 0:
            add_event(events, OFFER_ASKS, p, NOBODY, r, n, EVERYBODY)


@rule
def add_acceptance(s: State, p: int, events: Int16Matrix) -> None:
    """Add the cards that p proves by accepting the offer of the player in turn."""
    for r in range(NUM_RESOURCES):
        n = int(s.offer_get[int(s.turn_player), r])
        if n > 0:
            add_event(events, HOLDING_SHOWN, p, NOBODY, r, n, EVERYBODY)


@rule
def add_card_played(p: int, a: int, events: Int16Matrix) -> None:
    card = MONOPOLY
    if a == actions.PLAY_KNIGHT:
        card = KNIGHT
    elif a == actions.PLAY_ROAD_BUILDING:
        card = ROAD_BUILDING
    elif a < actions.PLAY_MONOPOLY:
        card = YEAR_OF_PLENTY
    add_event(events, CARD_PLAYED, p, NOBODY, card, 1, EVERYBODY)


@rule
def add_cause(s: State, p: int, a: int, events: Int16Matrix) -> None:
    """Add the roll, building, purchase, card or robber move of action a, after it is played."""
    if a == actions.ROLL:
        add_event(events, ROLLED, p, NOBODY, int(s.dice[0]), int(s.dice[1]), EVERYBODY)
    elif actions.BUILD_ROAD <= a < actions.BUILD_SETTLEMENT:
        add_event(events, ROAD_BUILT, p, NOBODY, a - actions.BUILD_ROAD, 1, EVERYBODY)
    elif actions.BUILD_SETTLEMENT <= a < actions.BUILD_CITY:
        add_event(events, SETTLEMENT_BUILT, p, NOBODY, a - actions.BUILD_SETTLEMENT, 1, EVERYBODY)
    elif actions.BUILD_CITY <= a < actions.BUY_DEVELOPMENT_CARD:
        add_event(events, CITY_BUILT, p, NOBODY, a - actions.BUILD_CITY, 1, EVERYBODY)
    elif a == actions.BUY_DEVELOPMENT_CARD:
        for card in range(NUM_CARD_KINDS):
            if s.cards[p, card] > events[_CARDS, card]:
                add_event(events, CARD_BOUGHT, p, NOBODY, card, 1, 1 << p)
    elif actions.PLAY_KNIGHT <= a < actions.MOVE_ROBBER:
        add_card_played(p, a, events)
    elif actions.MOVE_ROBBER <= a < actions.STEAL:
        add_event(events, ROBBER_MOVED, p, NOBODY, a - actions.MOVE_ROBBER, 1, EVERYBODY)


@rule
def gained(s: State, q: int, r: int, events: Int16Matrix) -> int:
    """The increase of a player's cards of a resource in the decision."""
    return int(s.hand[q, r]) - int(events[_BEFORE + q, r])


@rule
def add_theft(s: State, p: int, events: Int16Matrix) -> None:
    for q in range(s.num_players):
        for r in range(NUM_RESOURCES):
            if gained(s, q, r, events) < 0:
                add_event(events, STOLEN, p, q, r, 1, 1 << p | 1 << q)


@rule
def add_bank_cards(s: State, events: Int16Matrix) -> None:
    for q in range(s.num_players):
        for r in range(NUM_RESOURCES):
            n = gained(s, q, r, events)
            if n > 0:
                add_event(events, GAINED, q, NOBODY, r, n, EVERYBODY)
            elif n < 0:
                add_event(events, PAID, q, NOBODY, r, -n, EVERYBODY)


@rule
def add_handed_over(s: State, p: int, partner: int, events: Int16Matrix) -> None:
    """Add cards that p and other players exchanged; p gives cards only to the partner."""
    for q in range(s.num_players):
        for r in range(NUM_RESOURCES):
            n = gained(s, q, r, events)
            if n < 0:
                add_event(events, GIVEN, q, partner if q == p else p, r, -n, EVERYBODY)


@rule
def add_cards(s: State, p: int, a: int, events: Int16Matrix) -> None:
    """Add the resource cards that moved in action a."""
    if actions.MOVE_ROBBER <= a < actions.DISCARD:
        add_theft(s, p, events)
    elif actions.PLAY_MONOPOLY <= a < actions.MOVE_ROBBER:
        add_handed_over(s, p, NOBODY, events)
    elif actions.CLOSE_WITH <= a < actions.WITHDRAW:
        add_handed_over(s, p, seat_after(s, p, a - actions.CLOSE_WITH + 1), events)
    elif a < actions.OFFER:
        add_bank_cards(s, events)


@rule
def add_points(s: State, events: Int16Matrix) -> None:
    """Add changes of special cards and of points."""
    road, army = int(s.longest_road_owner), int(s.largest_army_owner)
    if road != events[_TITLES, _ROAD_OWNER]:
        length = int(s.road_length[road]) if road != NOBODY else 0
        old = int(events[_TITLES, _ROAD_OWNER])
        add_event(events, LONGEST_ROAD, road, old, NOBODY, length, EVERYBODY)
    if army != events[_TITLES, _ARMY_OWNER]:
        knights = int(s.played[army, KNIGHT])
        old = int(events[_TITLES, _ARMY_OWNER])
        add_event(events, LARGEST_ARMY, army, old, NOBODY, knights, EVERYBODY)
    for q in range(s.num_players):
        n = int(s.points[q]) - int(events[_BEFORE + q, _POINTS_BEFORE])
        if n != 0:
            hidden = s.visible_points[q] == events[_TITLES, q]
            seen_by = 1 << q if hidden else EVERYBODY
            add_event(events, POINTS_CHANGED, q, NOBODY, NOBODY, n, seen_by)


@rule
def add_end(s: State, events: Int16Matrix) -> None:
    if s.phase == Phase.OVER:
        add_event(events, WON, int(s.winner), NOBODY, NOBODY, 1, EVERYBODY)
    elif is_truncated(s):
        add_event(events, TRUNCATED, NOBODY, NOBODY, NOBODY, 1, EVERYBODY)


@rule
def begin_events(s: State, a: int, forced: int, events: Int16Matrix) -> None:
    """Start the events of a decision before it is played; `forced` is 1 for the engine's own."""
    remember(s, events)
    p = int(s.player)
    seen_by = 1 << p if actions.COMPOSE_GIVE <= a < actions.COMPOSE_SEND else EVERYBODY
    add_event(events, DECISION, p, int(s.turn_player), a, forced, seen_by)
    if a == actions.COMPOSE_SEND:
        add_offer(s, p, events)
    elif a == actions.ACCEPT:
        add_acceptance(s, p, events)


@rule
def end_events(s: State, p: int, a: int, events: Int16Matrix) -> None:
    """Add the events of p's decision after it is played."""
    add_cause(s, p, a, events)
    add_cards(s, p, a, events)
    if actions.OFFER <= a < actions.COMPOSE_GIVE:
        add_offer(s, p, events)
    add_points(s, events)
    add_end(s, events)
