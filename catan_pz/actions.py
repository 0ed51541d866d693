"""The action table: the kinds of action, the ids of each, and what its argument means."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.terms import MAX_PLAYERS, NUM_EDGES, NUM_HEXES, NUM_RESOURCES, NUM_VERTICES

ROLL: Final = 0
END_TURN: Final = 1
BUILD_ROAD: Final = 2
BUILD_SETTLEMENT: Final = 74
BUILD_CITY: Final = 128
BUY_DEVELOPMENT_CARD: Final = 182
PLAY_KNIGHT: Final = 183
PLAY_ROAD_BUILDING: Final = 184
PLAY_YEAR_OF_PLENTY: Final = 185
PLAY_MONOPOLY: Final = 200
MOVE_ROBBER: Final = 205
STEAL: Final = 224
DISCARD: Final = 227
MARITIME_TRADE: Final = 232
OFFER: Final = 252
COMPOSE_GIVE: Final = 372
COMPOSE_GET: Final = 377
COMPOSE_SEND: Final = 382
ACCEPT: Final = 383
REJECT: Final = 384
CLOSE_WITH: Final = 385
WITHDRAW: Final = 388
NUM_ACTIONS: Final = 389
NUM_ACTIONS_WITHOUT_TRADE: Final = 252

NO_ACTION: Final = -1
"""Stands for no action."""

NUM_OFFERS: Final = COMPOSE_GIVE - OFFER
"""T, offers that are one action each (templates)."""

NUM_OPPONENTS: Final = MAX_PLAYERS - 1
"""Relative seats 1 to 3."""

Table = NDArray[np.int64]


def _frozen(rows: list[list[int]]) -> Table:
    table = np.array(rows, np.int64)
    table.flags.writeable = False
    return table


_R = range(NUM_RESOURCES)
_SWAPS = [(give, get) for give in _R for get in _R if get != give]
_PAIRS = [(a, b) for a in _R for b in _R if a < b]
_PLENTIES = [(a, b) for a in _R for b in _R if a <= b]

PLENTY_PAIRS: Final = _frozen([list(pair) for pair in _PLENTIES])
"""(15, 2) the two resources of each year of plenty."""

MARITIME_SWAPS: Final = _frozen([list(swap) for swap in _SWAPS])
"""(20, 2) the resource given and the resource got in each maritime trade."""

PLENTY_ACTIONS: Final = _frozen(
    [[PLAY_YEAR_OF_PLENTY + _PLENTIES.index((min(a, b), max(a, b))) for b in _R] for a in _R]
)
"""(R, R) the year of plenty that takes two resources, in any order."""

SWAP_ACTIONS: Final = _frozen(
    [
        [NO_ACTION if give == get else MARITIME_TRADE + _SWAPS.index((give, get)) for get in _R]
        for give in _R
    ]
)
"""(R, R) the maritime trade of one resource for another; `NO_ACTION` for itself."""


def _bundle(*resources: int) -> list[int]:
    return [resources.count(r) for r in _R]


def _offers() -> list[tuple[list[int], list[int]]]:
    singles = [(_bundle(give), _bundle(get)) for give, get in _SWAPS]
    doubles = [(_bundle(give, give), _bundle(get)) for give, get in _SWAPS]
    pairs = [(_bundle(a, b), _bundle(get)) for a, b in _PAIRS for get in _R if get not in (a, b)]
    return singles + doubles + pairs + [(get, give) for give, get in doubles + pairs]


OFFER_GIVE: Final = _frozen([give for give, _ in _offers()])
"""(T, R) cards that the maker of each template gives."""

OFFER_GET: Final = _frozen([get for _, get in _offers()])
"""(T, R) cards that the maker of each template gets."""


@dataclass(frozen=True)
class ActionKind:
    """One row of the action table.

    Attributes:
        name: as `describe_action` gives it.
        first: its first id; the argument is the action's id less this.
        count: how many actions are of this kind, from 1.
        argument: what the argument numbers: "edge", "vertex", "hex", "resource", "seat",
            "pair" (`PLENTY_PAIRS`), "swap" (`MARITIME_SWAPS`), "bundles" (`OFFER_GIVE`,
            `OFFER_GET`), or "" where there is none.
        trading: whether it is there only with trade between players.
    """

    name: str
    first: int
    count: int = 1
    argument: str = ""
    trading: bool = False

    @property
    def ids(self) -> range:
        """Ids of all actions of this kind."""
        return range(self.first, self.first + self.count)


ACTION_KINDS: Final = (
    ActionKind("roll", ROLL),
    ActionKind("end_turn", END_TURN),
    ActionKind("build_road", BUILD_ROAD, NUM_EDGES, "edge"),
    ActionKind("build_settlement", BUILD_SETTLEMENT, NUM_VERTICES, "vertex"),
    ActionKind("build_city", BUILD_CITY, NUM_VERTICES, "vertex"),
    ActionKind("buy_development_card", BUY_DEVELOPMENT_CARD),
    ActionKind("play_knight", PLAY_KNIGHT),
    ActionKind("play_road_building", PLAY_ROAD_BUILDING),
    ActionKind("play_year_of_plenty", PLAY_YEAR_OF_PLENTY, len(PLENTY_PAIRS), "pair"),
    ActionKind("play_monopoly", PLAY_MONOPOLY, NUM_RESOURCES, "resource"),
    ActionKind("move_robber", MOVE_ROBBER, NUM_HEXES, "hex"),
    ActionKind("steal", STEAL, NUM_OPPONENTS, "seat"),
    ActionKind("discard", DISCARD, NUM_RESOURCES, "resource"),
    ActionKind("maritime_trade", MARITIME_TRADE, len(MARITIME_SWAPS), "swap"),
    ActionKind("offer", OFFER, NUM_OFFERS, "bundles", trading=True),
    ActionKind("compose_give", COMPOSE_GIVE, NUM_RESOURCES, "resource", trading=True),
    ActionKind("compose_get", COMPOSE_GET, NUM_RESOURCES, "resource", trading=True),
    ActionKind("compose_send", COMPOSE_SEND, trading=True),
    ActionKind("accept", ACCEPT, trading=True),
    ActionKind("reject", REJECT, trading=True),
    ActionKind("close_with", CLOSE_WITH, NUM_OPPONENTS, "seat", trading=True),
    ActionKind("withdraw", WITHDRAW, trading=True),
)
"""All kinds of action, in the order of their ids."""
