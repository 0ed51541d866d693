"""What a player can conclude about hidden hands and cards, exactly, and states drawn from it."""

from catan_pz.belief.bounds import HandBounds
from catan_pz.belief.cards import CardBelief
from catan_pz.belief.events import (
    Event,
    HandsChanged,
    HoldingShown,
    MonopolyTaken,
    Theft,
    as_seen_by,
    public_events,
)
from catan_pz.belief.hands import HandBelief, all_hands
from catan_pz.belief.tracker import Belief, bounds_of

__all__ = [
    "Belief",
    "CardBelief",
    "Event",
    "HandBelief",
    "HandBounds",
    "HandsChanged",
    "HoldingShown",
    "MonopolyTaken",
    "Theft",
    "all_hands",
    "as_seen_by",
    "bounds_of",
    "public_events",
]
