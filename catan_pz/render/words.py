"""The words that pictures and text use."""

from typing import Final

CARD_WORDS: Final = ("knight", "road building", "year of plenty", "monopoly", "victory point")
SHORT_CARD_WORDS: Final = ("knight", "roads", "plenty", "monopoly", "point")
"""Names of the development cards, in the order of `Card`."""

PHASE_WORDS: Final = {
    "setup_settlement": "places a settlement",
    "setup_road": "places a road",
    "roll": "is to roll the dice",
    "discard": "discards",
    "move_robber": "moves the robber",
    "steal": "chooses whom to rob",
    "main": "may trade, build and buy",
    "free_road": "places a free road",
    "compose": "composes an offer",
    "answer": "answers the offer",
    "close": "closes the trade or withdraws",
    "over": "has won",
}
"""What the player to move does, by the state's "phase"."""
