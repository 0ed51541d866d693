"""Events of resource cards that move or are shown, as a viewer sees them."""

from dataclasses import dataclass

from catan_pz.actions import DISCARD, MARITIME_TRADE, MOVE_ROBBER, PLAY_MONOPOLY
from catan_pz.events import UNKNOWN, EventKind, Events
from catan_pz.terms import NUM_RESOURCES

Counts = tuple[int, ...]
"""(R,) cards of each resource."""


@dataclass(frozen=True)
class HandsChanged:
    """Cards moved in public, all at once: (P, R) gained minus given by each seat."""

    changes: tuple[Counts, ...]


@dataclass(frozen=True)
class HoldingShown:
    """A seat proved that it holds a bundle (R,), by an offer, a counter-offer or an acceptance."""

    seat: int
    bundle: Counts


@dataclass(frozen=True)
class Theft:
    """A card was stolen; its resource is None to all but thief and victim."""

    thief: int
    victim: int
    resource: int | None


@dataclass(frozen=True)
class MonopolyTaken:
    """A seat took all cards of a resource; `taken` (P,) is the number each seat handed over."""

    seat: int
    resource: int
    taken: Counts


@dataclass(frozen=True)
class Discarded:
    """A card was discarded face down; its resource is None to all but its owner."""

    seat: int
    resource: int | None


HandEvent = HandsChanged | HoldingShown | Theft | MonopolyTaken | Discarded


def unseen_by(event: HandEvent, viewer: int) -> HandEvent:
    """An event as the viewer sees it."""
    if isinstance(event, Theft) and viewer not in (event.thief, event.victim):
        return Theft(event.thief, event.victim, None)
    if isinstance(event, Discarded) and viewer != event.seat:
        return Discarded(event.seat, None)
    return event


def hand_events(
    events: Events, num_players: int, hides_discards: bool = False
) -> tuple[HandEvent, ...]:
    """The hand events of a decision."""
    decision = events[0]
    is_discard = decision.what == UNKNOWN or DISCARD <= decision.what < MARITIME_TRADE
    if hides_discards and is_discard:
        return tuple(
            Discarded(event.seat, None if event.what == UNKNOWN else event.what)
            for event in events
            if event.kind == EventKind.PAID
        )
    if PLAY_MONOPOLY <= decision.what < MOVE_ROBBER:
        taken = [0] * num_players
        for event in events:
            if event.kind == EventKind.GIVEN:
                taken[event.seat] = event.amount
        return (MonopolyTaken(decision.seat, decision.what - PLAY_MONOPOLY, tuple(taken)),)
    for event in events:
        if event.kind == EventKind.STOLEN:
            resource = None if event.what == UNKNOWN else event.what
            return (Theft(event.seat, event.other, resource),)
        if event.kind == EventKind.HOLDING_SHOWN:
            return (_holding(events, event.seat),)
    changes = _changes(events, num_players)
    return (HandsChanged(changes),) if any(map(any, changes)) else ()


def _holding(events: Events, seat: int) -> HoldingShown:
    bundle = [0] * NUM_RESOURCES
    for event in events:
        if event.kind == EventKind.HOLDING_SHOWN:
            bundle[event.what] = event.amount
    return HoldingShown(seat, tuple(bundle))


def _changes(events: Events, num_players: int) -> tuple[Counts, ...]:
    changes = [[0] * NUM_RESOURCES for _ in range(num_players)]
    for event in events:
        if event.kind == EventKind.GAINED:
            changes[event.seat][event.what] += event.amount
        elif event.kind in (EventKind.PAID, EventKind.GIVEN):
            changes[event.seat][event.what] -= event.amount
            if event.kind == EventKind.GIVEN:
                changes[event.other][event.what] += event.amount
    return tuple(tuple(row) for row in changes)
