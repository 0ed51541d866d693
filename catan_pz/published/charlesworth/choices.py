"""Joint actions: one of thirteen kinds, and the choices that it needs, each with its mask.

A joint action is a row of choices, one for each slot; slots that it doesn't need are `UNUSED`.
Slots are filled in their order, and what a slot may choose depends on those before it. Resources
are numbered as in `catan_pz.published.charlesworth.encoder.RESOURCES`. Letters: K decisions,
S slots, N numbers of an observation, A actions, R resources.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz import actions
from catan_pz.observation.segments import PLACES
from catan_pz.published.charlesworth.encoder import RESOURCES
from catan_pz.published.factored import UNUSED
from catan_pz.terms import (
    MAX_PLAYERS,
    MONOPOLY,
    NUM_CARD_KINDS,
    NUM_EDGES,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    YEAR_OF_PLENTY,
    Phase,
)

KINDS: Final = (
    "settlement",
    "road",
    "city",
    "buy card",
    "play card",
    "exchange",
    "propose trade",
    "respond to trade",
    "move robber",
    "roll",
    "end turn",
    "steal",
    "discard",
)
NUM_KINDS: Final = len(KINDS)
(
    SETTLEMENT,
    ROAD,
    CITY,
    BUY,
    PLAY,
    EXCHANGE,
    PROPOSE,
    RESPOND,
    ROBBER,
    ROLL,
    END_TURN,
    STEAL,
    DISCARD,
) = range(NUM_KINDS)

MOST_PICKS: Final = 4
"""Cards a side in an offer."""

STOP: Final = NUM_RESOURCES
"""The choice of no further card."""


@dataclass(frozen=True)
class Slot:
    """A choice of a joint action.

    Attributes:
        name: its own.
        head: the head that makes it; the picks of an offer's side share one.
        size: how many choices there are.
    """

    name: str
    head: str
    size: int


_PICKS: Final = [
    Slot(f"{side}_{k}", side, NUM_RESOURCES + 1) for side in ("give", "get") for k in range(4)
]

SLOTS: Final = (
    Slot("kind", "kind", NUM_KINDS),
    Slot("corner", "corner", NUM_VERTICES),
    # The last one stands for "no road possible", which the engine never asks.
    Slot("edge", "edge", NUM_EDGES + 1),
    Slot("tile", "tile", NUM_HEXES),
    Slot("card", "card", NUM_CARD_KINDS),
    Slot("accept", "accept", 2),
    Slot("player", "player", MAX_PLAYERS - 1),
    *_PICKS,
    Slot("first", "first", NUM_RESOURCES),
    Slot("second", "second", NUM_RESOURCES),
    Slot("discard", "discard", NUM_RESOURCES),
)
"""S slots, in the order in which they are filled."""

NUM_SLOTS: Final = len(SLOTS)
COLUMN: Final = {slot.name: k for k, slot in enumerate(SLOTS)}
"""Where the choice of each slot stands in a row."""

HEADS: Final = {slot.head: slot.size for slot in SLOTS}
"""Outputs of each head."""

_ENDS: Final = np.cumsum([slot.size for slot in SLOTS])
MASK_PLACES: Final = {
    slot.name: slice(int(end) - slot.size, int(end)) for slot, end in zip(SLOTS, _ENDS, strict=True)
}
"""Where the mask of each slot lies in the masks of all slots, one after the other."""

MASK_SIZE: Final = int(_ENDS[-1])

GIVE: Final = slice(COLUMN["give_0"], COLUMN["give_0"] + MOST_PICKS)
GET: Final = slice(COLUMN["get_0"], COLUMN["get_0"] + MOST_PICKS)

Choices = NDArray[np.int8]
Mask = NDArray[np.bool_]

_ORDER: Final = np.array(RESOURCES)
_NO_SWAP: Final = actions.NUM_ACTIONS
"""A column behind those of a mask, which is never legal."""


def _between(pairs: NDArray[np.int64], first: int, both_ways: bool) -> NDArray[np.int64]:
    """(R, R) the action of each pair of resources, in the order of the heads."""
    table = np.full((NUM_RESOURCES, NUM_RESOURCES), _NO_SWAP)
    for k, (a, b) in enumerate(pairs):
        table[a, b] = first + k
        if both_ways:
            table[b, a] = first + k
    return np.asarray(table[np.ix_(_ORDER, _ORDER)])


SWAPS: Final = _between(actions.MARITIME_SWAPS, actions.MARITIME_TRADE, both_ways=False)
PLENTY: Final = _between(actions.PLENTY_PAIRS, actions.PLAY_YEAR_OF_PLENTY, both_ways=True)
"""(R, R) the action of each two resources; two unlike ones of a year of plenty have two orders."""

MONOPOLIES: Final = actions.PLAY_MONOPOLY + _ORDER
DISCARDS: Final = actions.DISCARD + _ORDER

_KIND_ACTIONS: Final = {
    SETTLEMENT: slice(actions.BUILD_SETTLEMENT, actions.BUILD_CITY),
    ROAD: slice(actions.BUILD_ROAD, actions.BUILD_SETTLEMENT),
    CITY: slice(actions.BUILD_CITY, actions.BUY_DEVELOPMENT_CARD),
    BUY: slice(actions.BUY_DEVELOPMENT_CARD, actions.PLAY_KNIGHT),
    PLAY: slice(actions.PLAY_KNIGHT, actions.MOVE_ROBBER),
    EXCHANGE: slice(actions.MARITIME_TRADE, actions.OFFER),
    RESPOND: slice(actions.ACCEPT, actions.CLOSE_WITH),
    ROBBER: slice(actions.MOVE_ROBBER, actions.STEAL),
    ROLL: slice(actions.ROLL, actions.END_TURN),
    END_TURN: slice(actions.END_TURN, actions.BUILD_ROAD),
    STEAL: slice(actions.STEAL, actions.DISCARD),
    DISCARD: slice(actions.DISCARD, actions.MARITIME_TRADE),
}
"""Actions of the kinds that are one action of the environment; proposals are several."""


@dataclass(frozen=True)
class Situations:
    """What masks are worked out from, for K decisions.

    Attributes:
        units: (K, N) int8 observations in natural units.
        legal: (K, A + 1) bool, legal actions of the environment; the last column is False.
    """

    units: NDArray[np.int8]
    legal: Mask

    @classmethod
    def of(cls, units: NDArray[np.int8], masks: NDArray[Any]) -> "Situations":
        """From observations (K, N) and masks (K, A), of games with or without player trade."""
        legal = np.zeros((len(masks), actions.NUM_ACTIONS + 1), np.bool_)
        legal[:, : masks.shape[1]] = masks != 0
        return cls(units, legal)

    def __getitem__(self, rows: NDArray[Any]) -> "Situations":
        return Situations(self.units[rows], self.legal[rows])

    def segment(self, name: str, *shape: int) -> NDArray[np.int8]:
        """(K, ...) a segment of the observations."""
        return self.units[:, PLACES[name]].reshape(len(self.units), *shape)

    @property
    def hand(self) -> NDArray[np.int8]:
        """(K, R) own cards."""
        return self.segment("own_hand", NUM_RESOURCES)[:, _ORDER]

    @property
    def most_held(self) -> NDArray[np.int8]:
        """(K, P - 1, R) most cards that each opponent can hold, by what is known."""
        return self.segment("hand_max", MAX_PLAYERS, NUM_RESOURCES)[:, 1:, _ORDER]

    @property
    def hand_sizes(self) -> NDArray[np.int8]:
        """(K, P - 1) cards in the hands of the opponents."""
        return self.segment("hand_size", MAX_PLAYERS)[:, 1:]


def is_asked(units: NDArray[np.int8]) -> NDArray[np.bool_]:
    """(...) whether a joint action is to be chosen: not while an own offer is made or closed."""
    phases = units[..., PLACES["phase"]]
    return np.asarray((phases[..., Phase.COMPOSE] == 0) & (phases[..., Phase.CLOSE] == 0))


_WANTED: Final = {
    "corner": (SETTLEMENT, CITY),
    "edge": (ROAD,),
    "tile": (ROBBER,),
    "card": (PLAY,),
    "accept": (RESPOND,),
    "player": (PROPOSE, STEAL),
    "discard": (DISCARD,),
}
"""Kinds that a slot is for."""


def needed(slot: str, choices: Choices) -> NDArray[np.bool_]:
    """(K,) whether a slot is filled, after the choices (K, S) of those before it."""
    kind, card = choices[:, COLUMN["kind"]], choices[:, COLUMN["card"]]
    if slot == "kind":
        return np.ones(len(choices), np.bool_)
    if slot in ("first", "second"):
        plenty = card == YEAR_OF_PLENTY
        return np.asarray((kind == EXCHANGE) | plenty | ((card == MONOPOLY) & (slot == "first")))
    if slot[:-1] in ("give_", "get_"):
        before = choices[:, COLUMN[slot] - 1]
        goes_on = (before != STOP) & (before != UNUSED)
        return np.asarray((kind == PROPOSE) & (goes_on | slot.endswith("0")))
    wanted, *others = _WANTED[slot]
    found = kind == wanted
    for one in others:  # np.isin takes ten times as long
        found |= kind == one
    return np.asarray(found)


def picked(choices: Choices, side: slice) -> NDArray[np.int8]:
    """(K, R + 1) how often each resource, and the stop, was chosen for a side of an offer."""
    chosen = choices[:, side, None] == np.arange(NUM_RESOURCES + 1)
    return np.asarray(chosen.sum(1), np.int8)


def mask_of(slot: str, found: Situations, choices: Choices) -> Mask:
    """(K, size) what a slot may choose where it is needed, after the choices before it."""
    legal = found.legal
    if slot == "kind":
        return _kinds(found)
    if slot == "corner":
        settles = choices[:, COLUMN["kind"], None] == SETTLEMENT
        return np.where(settles, legal[:, _KIND_ACTIONS[SETTLEMENT]], legal[:, _KIND_ACTIONS[CITY]])
    if slot == "edge":
        return np.pad(legal[:, _KIND_ACTIONS[ROAD]], ((0, 0), (0, 1)))
    if slot == "tile":
        return legal[:, _KIND_ACTIONS[ROBBER]]
    if slot == "card":
        return _cards(found)
    if slot == "accept":
        return legal[:, _KIND_ACTIONS[RESPOND]]
    if slot == "player":
        steals = choices[:, COLUMN["kind"], None] == STEAL
        return np.where(steals, legal[:, _KIND_ACTIONS[STEAL]], _partners(found))
    if slot == "discard":
        return legal[:, DISCARDS]
    if slot in ("first", "second"):
        return _resources(slot, found, choices)
    return _gives(slot, found, choices) if slot.startswith("give") else _gets(slot, found, choices)


def _kinds(found: Situations) -> Mask:
    kinds = np.zeros((len(found.legal), NUM_KINDS), np.bool_)
    for kind, ids in _KIND_ACTIONS.items():
        kinds[:, kind] = found.legal[:, ids].any(1)
    composes = found.legal[:, actions.COMPOSE_GIVE : actions.COMPOSE_GET].any(1)
    in_turn = found.legal[:, actions.END_TURN]
    kinds[:, PROPOSE] = composes & in_turn & _partners(found).any(1)
    return kinds


def _cards(found: Situations) -> Mask:
    """Victory point cards are never played: they count at once."""
    legal = found.legal
    cards = np.zeros((len(legal), NUM_CARD_KINDS), np.bool_)
    cards[:, 0] = legal[:, actions.PLAY_KNIGHT]
    cards[:, 1] = legal[:, actions.PLAY_ROAD_BUILDING]
    cards[:, YEAR_OF_PLENTY] = legal[:, PLENTY.ravel()].any(1)
    cards[:, MONOPOLY] = legal[:, MONOPOLIES].any(1)
    return cards


def _partners(found: Situations) -> Mask:
    """(K, P - 1) opponents who can hold a resource that isn't the only one to give for it."""
    can_give = found.hand > 0
    can_get = (found.most_held > 0) & (found.hand_sizes[:, :, None] > 0)
    both = (can_give[:, None, :, None] & can_get[:, :, None, :]).reshape(
        len(can_give), MAX_PLAYERS - 1, -1
    )
    return np.asarray((both & ~np.eye(NUM_RESOURCES, dtype=bool).ravel()).any(2))


def _of_partner(found: Situations, choices: Choices) -> tuple[Any, Any]:
    """(K, R) most cards that the player named can hold, and (K,) all of them."""
    rows, named = np.arange(len(choices)), choices[:, COLUMN["player"]]
    return found.most_held[rows, named], found.hand_sizes[rows, named]


def _gives(slot: str, found: Situations, choices: Choices) -> Mask:
    """Cards in hand; something must be left to ask for, which isn't given."""
    given = picked(choices, GIVE)[:, :NUM_RESOURCES]
    most, _ = _of_partner(found, choices)
    free = (most > 0) & (given == 0)
    others = free.sum(1)[:, None] - free
    cards = (found.hand > given) & (others > 0)
    return _with_stop(cards, slot)


def _gets(slot: str, found: Situations, choices: Choices) -> Mask:
    """Cards that the player named can hold, of resources that aren't given."""
    given = picked(choices, GIVE)[:, :NUM_RESOURCES]
    asked = picked(choices, GET)[:, :NUM_RESOURCES]
    most, size = _of_partner(found, choices)
    room = asked.sum(1) < size
    return _with_stop((given == 0) & (asked < most) & room[:, None], slot)


def _with_stop(cards: Mask, slot: str) -> Mask:
    """The first pick must be a card."""
    stop = np.full((len(cards), 1), not slot.endswith("0"))
    return np.concatenate([cards, stop], axis=1)


def _resources(slot: str, found: Situations, choices: Choices) -> Mask:
    """Resources of an exchange, a year of plenty or a monopoly."""
    rows = np.arange(len(choices))[:, None]
    kind, card = choices[:, COLUMN["kind"]], choices[:, COLUMN["card"]]
    tables = np.where((kind == EXCHANGE)[:, None, None], SWAPS, PLENTY)
    if slot == "second":
        return found.legal[rows, tables[rows[:, 0], choices[:, COLUMN["first"]]]]
    pairs = found.legal[rows[:, :, None], tables].any(2)
    return np.where((card == MONOPOLY)[:, None], found.legal[:, MONOPOLIES], pairs)
