"""What a player can conclude about hidden hands and cards, exactly, and states drawn from it."""

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
