"""Weights that `examples/tune_heuristic.py` found, for two players and for more."""

from typing import Final

from catan_pz.agents.heuristic.weights import Weights

FOR_TWO: Final = Weights(
    horizon=34,
    patience=101,
    second=113,
    mixed=76,
    cities=31,
    roads=44,
    card=818,
    army=1138,
    road=636,
    claim=252,
    claimed=113,
    near=105,
    held=12,
    seven=39,
    bank=12,
    knight=31,
    plenty=0,
    monopoly=484,
    danger=830,
    victim=106,
)
FOR_MORE: Final = Weights(
    horizon=45,
    patience=120,
    second=100,
    mixed=56,
    cities=28,
    roads=22,
    card=858,
    army=986,
    road=272,
    claim=300,
    claimed=96,
    near=101,
    held=9,
    seven=30,
    bank=0,
    knight=8,
    plenty=0,
    monopoly=488,
    danger=477,
    victim=88,
)

WEIGHTS_OF_TWO = FOR_TWO.array()
WEIGHTS_OF_MORE = FOR_MORE.array()


def evolved(num_players: int) -> Weights:
    """The weights in games of so many players."""
    return FOR_TWO if num_players == 2 else FOR_MORE
