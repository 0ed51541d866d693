"""What a viewer sees of resource cards that change hands or are shown."""

from dataclasses import dataclass

import numpy as np

from catan_pz.actions import (
    ACCEPT,
    COMPOSE_GIVE,
    COMPOSE_SEND,
    DISCARD,
    MOVE_ROBBER,
    OFFER,
    OFFER_GIVE,
    PLAY_MONOPOLY,
)

Counts = tuple[int, ...]
"""(R,) cards of each resource."""


@dataclass(frozen=True)
class HandsChanged:
    """Cards that came and went in public, all at once.

    Attributes:
        changes: (P, R) cards gained, less cards given, by each seat.
    """

    changes: tuple[Counts, ...]


@dataclass(frozen=True)
class HoldingShown:
    """A player has proved to hold a bundle, by an offer, a counter-offer or an acceptance.

    Attributes:
        seat: who holds it.
        bundle: (R,) the cards, which stay in the hand.
    """

    seat: int
    bundle: Counts


@dataclass(frozen=True)
class Theft:
    """A card was stolen.

    Attributes:
        thief: who took it.
        victim: who lost it.
        resource: its type, None to all but thief and victim.
    """

    thief: int
    victim: int
    resource: int | None


@dataclass(frozen=True)
class MonopolyTaken:
    """By a monopoly a player took all cards of a resource from all others.

    Attributes:
        seat: who took them.
        resource: the resource named.
        taken: (P,) cards that each seat handed over, 0 for the taker.
    """

    seat: int
    resource: int
    taken: Counts


Event = HandsChanged | HoldingShown | Theft | MonopolyTaken


def as_seen_by(event: Event, viewer: int) -> Event:
    """An event without what the viewer can't see of it."""
    if isinstance(event, Theft) and viewer not in (event.thief, event.victim):
        return Theft(event.thief, event.victim, None)
    return event


def public_events(
    before: np.ndarray, action: int, after: np.ndarray, viewer: int
) -> tuple[Event, ...]:
    """What the viewer sees of hands when an action leads from one record to the next.

    Args:
        before: `STATE` scalar before the action.
        action: id of the action, played by the player to move.
        after: `STATE` scalar after this one action.
        viewer: seat; the type of a stolen card is told to its thief and its victim alone.
    """
    player = int(before["player"])
    if action == ACCEPT:
        return (HoldingShown(player, _counts(before["offer_get"][before["turn_player"]])),)
    if action == COMPOSE_SEND:
        return (HoldingShown(player, _counts(before["offer_give"][player])),)
    if OFFER <= action < COMPOSE_GIVE:
        return (HoldingShown(player, _counts(OFFER_GIVE[action - OFFER])),)
    n = int(before["num_players"])
    changes = after["hand"][:n] - before["hand"][:n]
    if PLAY_MONOPOLY <= action < MOVE_ROBBER:
        resource = action - PLAY_MONOPOLY
        taken = np.maximum(-changes[:, resource], 0)
        return (MonopolyTaken(player, resource, _counts(taken)),)
    if not changes.any():
        return ()
    if MOVE_ROBBER <= action < DISCARD:
        event = _theft(changes)
        return (as_seen_by(event, viewer),)
    return (HandsChanged(tuple(_counts(row) for row in changes)),)


def _theft(changes: np.ndarray) -> Theft:
    thief, resource = (int(k) for k in np.argwhere(changes > 0)[0])
    victim = int(np.argwhere(changes < 0)[0, 0])
    return Theft(thief, victim, resource)


def _counts(numbers: np.ndarray) -> Counts:
    return tuple(int(n) for n in numbers)
