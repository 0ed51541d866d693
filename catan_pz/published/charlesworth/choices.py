"""Joint actions: one of thirteen kinds, and its further choices, each with its mask.

A joint action is a row of choices, one per slot; slots that it doesn't need are `UNUSED`. Slots
are filled in order, and a slot's mask depends on earlier choices. Resources are numbered as in
`catan_pz.published.charlesworth.encoder.RESOURCES`. Letters: K decisions,
S slots, N numbers of an observation, A actions, R resources.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz import actions
from catan_pz.encoders.arrays import Array, Constant, floats
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

SETTLEMENT, ROAD, CITY, BUY, PLAY, EXCHANGE, PROPOSE = range(7)
RESPOND, ROBBER, ROLL, END_TURN, STEAL, DISCARD = range(7, 13)
NUM_KINDS: Final = 13

MOST_PICKS: Final = 4
"""The most cards on each side of an offer."""

STOP: Final = NUM_RESOURCES
"""The choice of no further card."""


class Slot(NamedTuple):
    """A choice of a joint action: its name, its head, and its number of options."""

    name: str
    head: str
    size: int


SLOTS: Final = (
    Slot("kind", "kind", NUM_KINDS),
    Slot("corner", "corner", NUM_VERTICES),
    # The last option is "no road possible", which the engine never needs.
    Slot("edge", "edge", NUM_EDGES + 1),
    Slot("tile", "tile", NUM_HEXES),
    Slot("card", "card", NUM_CARD_KINDS),
    Slot("accept", "accept", 2),
    Slot("player", "player", MAX_PLAYERS - 1),
    *(Slot(f"give_{k}", "give", STOP + 1) for k in range(MOST_PICKS)),
    *(Slot(f"get_{k}", "get", STOP + 1) for k in range(MOST_PICKS)),
    Slot("first", "first", NUM_RESOURCES),
    Slot("second", "second", NUM_RESOURCES),
    Slot("discard", "discard", NUM_RESOURCES),
)
"""S slots, in the order of filling."""

NUM_SLOTS: Final = len(SLOTS)
COLUMN: Final = {slot.name: k for k, slot in enumerate(SLOTS)}
"""The column of each slot in a row."""

HEADS: Final = {slot.head: slot.size for slot in SLOTS}
"""The number of outputs of each head."""

_ENDS: Final = np.cumsum([slot.size for slot in SLOTS])
MASK_PLACES: Final = {
    slot.name: slice(int(end) - slot.size, int(end)) for slot, end in zip(SLOTS, _ENDS, strict=True)
}
"""The slice of each slot's mask in the concatenated masks of all slots."""

MASK_SIZE: Final = int(_ENDS[-1])

GIVE: Final = slice(COLUMN["give_0"], COLUMN["give_0"] + MOST_PICKS)
GET: Final = slice(COLUMN["get_0"], COLUMN["get_0"] + MOST_PICKS)

Choices = NDArray[np.int8]
Mask = NDArray[np.bool_]

_ORDER: Final = np.array(RESOURCES)
_PICKABLE: Final = Constant(np.arange(STOP + 1))


SWAPS: Final = np.asarray(actions.SWAP_ACTIONS[np.ix_(_ORDER, _ORDER)])
"""(R, R) the bank trade of each two resources; for two alike the last column, never legal."""

PLENTY: Final = actions.PLENTY_ACTIONS[np.ix_(_ORDER, _ORDER)]
"""(R, R) the year of plenty of each two resources; two different ones have two orders."""

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
"""Actions of the kinds with one environment action each; proposals have several."""


class Situations(NamedTuple):
    """The inputs of masks, for K decisions."""

    legal: Mask  # (K, A + 1) legal actions of the environment; the last column is False
    hand: NDArray[np.int8]  # (K, R) own cards
    most_held: NDArray[np.int8]  # (K, P - 1, R) most cards that each opponent can hold
    hand_sizes: NDArray[np.int8]  # (K, P - 1) cards in the hands of the opponents

    @classmethod
    def of(cls, units: NDArray[np.int8], masks: NDArray[Any]) -> "Situations":
        """From observations (K, N) and masks (K, A), of games with or without player trade."""
        legal = np.zeros((len(masks), actions.NUM_ACTIONS + 1), np.bool_)
        legal[:, : masks.shape[1]] = masks != 0
        most = units[:, PLACES["hand_max"]].reshape(-1, MAX_PLAYERS, NUM_RESOURCES)
        hand, sizes = units[:, PLACES["own_hand"]], units[:, PLACES["hand_size"]]
        return cls(legal, hand[:, _ORDER], most[:, 1:, _ORDER], sizes[:, 1:])

    def at(self, rows: NDArray[Any]) -> "Situations":
        """The situations of some decisions."""
        return Situations(*(array[rows] for array in self))


def is_asked(units: NDArray[np.int8]) -> NDArray[np.bool_]:
    """(...) whether to choose a joint action: not while an own offer is made or closed."""
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
"""The kinds that need each slot."""


def needed(slot: str, choices: Choices) -> NDArray[np.bool_]:
    """(K,) whether a slot is needed after the earlier choices (K, S)."""
    kind, card = choices[:, COLUMN["kind"]], choices[:, COLUMN["card"]]
    if slot == "kind":
        return np.ones(len(choices), np.bool_)
    if slot in ("first", "second"):
        plenty = card == YEAR_OF_PLENTY
        return np.asarray((kind == EXCHANGE) | plenty | ((card == MONOPOLY) & (slot == "first")))
    if slot not in _WANTED:
        before = choices[:, COLUMN[slot] - 1]
        goes_on = (before != STOP) & (before != UNUSED)
        return np.asarray((kind == PROPOSE) & (goes_on | slot.endswith("0")))
    wanted, *others = _WANTED[slot]
    found = kind == wanted
    for one in others:  # np.isin takes ten times as long
        found |= kind == one
    return np.asarray(found)


def picked(choices: Array, side: slice) -> Array:
    """(K, R + 1) counts of each resource, and of the stop, in some slots, as float32."""
    chosen = choices[:, side, None]
    return floats(chosen == _PICKABLE.beside(chosen)).sum(1)


def mask_of(slot: str, found: Situations, choices: Choices) -> Mask:
    """(K, size) the options of a slot if it is needed, after the earlier choices."""
    legal, of_kind, kind = found.legal, _KIND_ACTIONS, choices[:, COLUMN["kind"], None]
    match slot:
        case "kind":
            return _kinds(found)
        case "corner":
            settles = kind == SETTLEMENT
            return np.where(settles, legal[:, of_kind[SETTLEMENT]], legal[:, of_kind[CITY]])
        case "edge":
            return np.pad(legal[:, of_kind[ROAD]], ((0, 0), (0, 1)))
        case "tile":
            return legal[:, of_kind[ROBBER]]
        case "card":
            return _cards(legal)
        case "accept":
            return legal[:, of_kind[RESPOND]]
        case "player":
            return np.where(kind == STEAL, legal[:, of_kind[STEAL]], _partners(found))
        case "discard":
            return legal[:, DISCARDS]
        case "first" | "second":
            return _resources(slot, legal, choices)
    return _picks(slot, found, choices)


def _kinds(found: Situations) -> Mask:
    kinds = np.zeros((len(found.legal), NUM_KINDS), np.bool_)
    for kind, ids in _KIND_ACTIONS.items():
        kinds[:, kind] = found.legal[:, ids].any(1)
    composes = found.legal[:, actions.COMPOSE_GIVE : actions.COMPOSE_GET].any(1)
    in_turn = found.legal[:, actions.END_TURN]
    kinds[:, PROPOSE] = composes & in_turn & _partners(found).any(1)
    return kinds


def _cards(legal: Mask) -> Mask:
    """Victory point cards are never played: they count at once."""
    cards = np.zeros((len(legal), NUM_CARD_KINDS), np.bool_)
    cards[:, 0] = legal[:, actions.PLAY_KNIGHT]
    cards[:, 1] = legal[:, actions.PLAY_ROAD_BUILDING]
    cards[:, YEAR_OF_PLENTY] = legal[:, PLENTY.ravel()].any(1)
    cards[:, MONOPOLY] = legal[:, MONOPOLIES].any(1)
    return cards


def _partners(found: Situations) -> Mask:
    """(K, P - 1) opponents who can hold a resource other than the only one to give."""
    can_get = (found.most_held > 0) & (found.hand_sizes[:, :, None] > 0)
    both = (found.hand > 0)[:, None, :, None] & can_get[:, :, None, :]
    return np.asarray((both & ~np.eye(NUM_RESOURCES, dtype=bool)).any((2, 3)))


def _picks(slot: str, found: Situations, choices: Choices) -> Mask:
    """Options of an offer's side: no cards of the other side, and at least one card."""
    rows, named = np.arange(len(choices)), choices[:, COLUMN["player"]]
    most, size = found.most_held[rows, named], found.hand_sizes[rows, named]
    given, asked = (picked(choices, side)[:, :STOP] for side in (GIVE, GET))
    if slot.startswith("give"):  # leave something to ask for
        free = (most > 0) & (given == 0)
        cards = (found.hand > given) & (free.sum(1)[:, None] > free)
    else:
        cards = (given == 0) & (asked < most) & (asked.sum(1) < size)[:, None]
    stop = np.full((len(cards), 1), not slot.endswith("0"))
    return np.concatenate([cards, stop], axis=1)


def _resources(slot: str, legal: Mask, choices: Choices) -> Mask:
    """Options of an exchange, a year of plenty or a monopoly."""
    rows = np.arange(len(choices))[:, None]
    kind, card = choices[:, COLUMN["kind"]], choices[:, COLUMN["card"]]
    tables = np.where((kind == EXCHANGE)[:, None, None], SWAPS, PLENTY)
    if slot == "second":
        return legal[rows, tables[rows[:, 0], choices[:, COLUMN["first"]]]]
    pairs = legal[rows[:, :, None], tables].any(2)
    return np.where((card == MONOPOLY)[:, None], legal[:, MONOPOLIES], pairs)
