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
    horizon: int = 90  # time for which production counts, per point that the leader needs
    patience: int = 242  # a goal at this time counts for half
    second: int = 80  # weight of the goal after the next, in percent
    mixed: int = 60  # weight of the speed of building everything, in percent ...
    cities: int = 40  # ... of cities and cards ...
    roads: int = 16  # ... and of roads and settlements
    card: int = 420  # a development card
    army: int = 1500  # the largest army, divided among the missing knights
    road: int = 1500  # the longest road
    claim: int = 350  # bonus for a road towards a spot
    claimed: int = 50  # weight of a spot next to another's road, in percent
    near: int = 100  # weight of a spot one road from another's, in percent
    held: int = 10  # any card in hand
    seven: int = 60  # each card lost to a 7
    bank: int = 30  # least gain for a trade with the bank
    offer: int = 60  # least gain for an offer
    accept: int = 40  # least gain for agreeing to one
    close: int = 2  # no trades with a player who needs at most this many points
    knight: int = 0  # least harm of the robber for playing a knight at once
    plenty: int = 300  # least gain for a year of plenty
    monopoly: int = 400  # least gain for a monopoly
    danger: int = 400  # extra weight for robbing players close to winning, in percent
    victim: int = 23  # a stolen card, relative to a blocked pip

    def without(self, *parts: str) -> "Weights":
        """A copy with some of `PARTS` switched off."""
        off = 0
        for part in parts:
            if part not in PARTS:
                raise not_possible("part", part, f"one of {list(PARTS)}")
            off |= 1 << list(PARTS).index(part)
        return replace(self, parts=self.parts & ~off)


WEIGHTS: Final = np.dtype([(field.name, np.int64) for field in fields(Weights)], align=True)
"""`Weights` for compiled rules."""

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
