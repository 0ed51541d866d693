"""Exact beliefs of a player about hidden hands and cards, and states drawn from them."""

from catan_pz.belief.hand_events import HandsChanged, HoldingShown, hand_events
from catan_pz.belief.tracker import OWN_CUSTOMS, Belief, TableCustoms, bounds_of

__all__ = [
    "OWN_CUSTOMS",
    "Belief",
    "HandsChanged",
    "HoldingShown",
    "TableCustoms",
    "bounds_of",
    "hand_events",
]
