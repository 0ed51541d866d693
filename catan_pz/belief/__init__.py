"""What a player can conclude about hidden hands and cards, exactly, and states drawn from it."""

from catan_pz.belief.bounds import HandBounds
from catan_pz.belief.cards import CardBelief
from catan_pz.belief.hand_events import (
    Discarded,
    HandEvent,
    HandsChanged,
    HoldingShown,
    MonopolyTaken,
    Theft,
    hand_events,
    unseen_by,
)
from catan_pz.belief.hands import HandBelief, all_hands
from catan_pz.belief.tracker import OWN_CUSTOMS, Belief, TableCustoms, bounds_of

__all__ = [
    "OWN_CUSTOMS",
    "Belief",
    "CardBelief",
    "Discarded",
    "HandBelief",
    "HandBounds",
    "HandEvent",
    "HandsChanged",
    "HoldingShown",
    "MonopolyTaken",
    "TableCustoms",
    "Theft",
    "all_hands",
    "bounds_of",
    "hand_events",
    "unseen_by",
]
