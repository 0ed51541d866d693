"""Weights of the heuristic player, and the parts of its play that can be switched off."""

from dataclasses import astuple, dataclass, fields, replace
from typing import Annotated, Any, Final, TypeAlias

import numba
import numpy as np
from numba import types

from catan_pz.checks import not_possible
from catan_pz.engine.state import as_games
from catan_pz.kernels.rule import kernel

PARTS: Final = {
    "placement": "first settlements and roads at random",
    "plan": "builds, buys, plays and trades by the weights of the weighted player",
    "roads": "a road only once all is there for what it leads to",
    "robber": "robber and victim at random",
    "knights": "a knight only for the largest army",
    "cards": "no other development card is played",
    "discards": "discards at random",
    "bank": "no trade with the bank",
    "offers": "makes no offers",
    "answers": "rejects all offers",
}
"""Parts of the play that can be switched off, and the play without them."""

PLACEMENT, PLAN, ROADS, ROBBER, KNIGHTS, CARDS, DISCARDS, BANK, OFFERS, ANSWERS = range(len(PARTS))


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Weights of the player: values in thousandths of a point, times in tenths of a roll."""

    parts: int = (1 << len(PARTS)) - 1  # set of PARTS that are on
    horizon: int = 90  # time that production counts, for each point the leader lacks
    patience: int = 242  # a goal this far off counts half
    second: int = 80  # percent that the goal after the next counts
    mixed: int = 60  # percent of the speed with which all is built alike ...
    cities: int = 40  # ... and with which cities and cards are
    roads: int = 16  # ... and with which roads and settlements are
    card: int = 420  # a development card
    army: int = 1500  # the largest army, shared out among the knights that lack
    road: int = 1500  # the longest road
    claim: int = 350  # a road towards a spot, beyond its use
    claimed: int = 50  # percent that a spot next to another's road counts
    near: int = 100  # percent that a spot one road from another's counts
    held: int = 10  # any card in hand
    seven: int = 60  # each card that a 7 would cost
    bank: int = 30  # least gain for a trade with the bank
    offer: int = 60  # least gain for an offer
    accept: int = 40  # least gain for agreeing to one
    close: int = 2  # points that a player may lack and is traded with no more
    knight: int = 0  # least harm of the robber for which a knight is played at once
    plenty: int = 300  # least gain for a year of plenty
    monopoly: int = 400  # least gain for a monopoly
    danger: int = 400  # how much more those close to winning are robbed, in percent
    victim: int = 23  # a stolen card, against a pip kept from a player

    def without(self, *parts: str) -> "Weights":
        """A copy with some of `PARTS` switched off."""
        off = 0
        for part in parts:
            if part not in PARTS:
                raise not_possible("part", part, f"one of {list(PARTS)}")
            off |= 1 << list(PARTS).index(part)
        return replace(self, parts=self.parts & ~off)


WEIGHTS: Final = np.dtype([(field.name, np.int64) for field in fields(Weights)], align=True)
"""`Weights` as compiled rules take them."""

WeightRow: TypeAlias = Annotated[Any, numba.from_dtype(WEIGHTS)]
WeightRows: TypeAlias = Annotated[
    Any, types.Array(numba.from_dtype(WEIGHTS), 1, "C", readonly=True)
]

_EVOLVED: Final = {
    "horizon": (34, 45),
    "patience": (101, 120),
    "second": (113, 100),
    "mixed": (76, 56),
    "cities": (31, 28),
    "roads": (44, 22),
    "card": (818, 858),
    "army": (1138, 986),
    "road": (636, 272),
    "claim": (252, 300),
    "claimed": (113, 96),
    "near": (105, 101),
    "held": (12, 9),
    "seven": (39, 30),
    "bank": (12, 0),
    "knight": (31, 8),
    "plenty": (0, 0),
    "monopoly": (484, 488),
    "danger": (830, 477),
    "victim": (106, 88),
}
"""Weights found by `examples/tune_heuristic.py`, for two players and for more."""


def evolved(num_players: int) -> Weights:
    """The evolved weights for a number of players."""
    column = 0 if num_players == 2 else 1
    return Weights(**{name: found[column] for name, found in _EVOLVED.items()})


def rows_of(*weights: Weights) -> np.ndarray:
    """`WEIGHTS` of each."""
    rows = as_games(np.array([astuple(one) for one in weights], WEIGHTS))
    rows.flags.writeable = False
    return rows


DEFAULT_WEIGHTS = rows_of(Weights())
EVOLVED_WEIGHTS = rows_of(evolved(2), evolved(4))


@kernel
def plays(weights: WeightRow, part: int) -> bool:
    """Whether a part is on."""
    return (weights.parts >> part) & 1 == 1
