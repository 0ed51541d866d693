"""The action table: the kinds of action, their ids and arguments; ids in words and back."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz import terms
from catan_pz.checks import as_action, did_you_mean, quoted
from catan_pz.terms import (
    MAX_PLAYERS,
    NUM_EDGES,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    Resource,
)

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
NUM_ACTIONS: Final = terms.NUM_ACTIONS
NUM_ACTIONS_WITHOUT_TRADE: Final = terms.NUM_ACTIONS_WITHOUT_TRADE

NO_ACTION: Final = -1
"""No action."""

NUM_OFFERS: Final = COMPOSE_GIVE - OFFER
"""T, offers that are one action each (templates)."""

NUM_OPPONENTS: Final = MAX_PLAYERS - 1
"""Relative seats 1 to 3."""

OFFERING: Final = slice(OFFER, COMPOSE_SEND + 1)
"""The actions that make an offer or a counter-offer, or add a card to one."""

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
        first: its first id; the argument is the action's id minus this.
        count: number of actions of this kind, from 1.
        argument: type of the argument: "edge", "vertex", "hex", "resource", "seat",
            "pair" (`PLENTY_PAIRS`), "swap" (`MARITIME_SWAPS`), "bundles" (`OFFER_GIVE`,
            `OFFER_GET`), or "" for none.
        trading: whether it requires trade between players.
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

RESOURCE_NAMES: Final = tuple(r.name.lower() for r in Resource)


def bundle_to_dict(counts: Iterable[int]) -> dict[str, int]:
    """The cards of a bundle of 5 counts, by resource, without the zeros."""
    return {name: int(n) for name, n in zip(RESOURCE_NAMES, counts, strict=True) if n != 0}


def _arguments(kind: ActionKind) -> list[dict[str, Any]]:
    """The arguments of each action of a kind, in the order of their ids."""
    names = RESOURCE_NAMES
    match kind.argument:
        case "edge" | "vertex" | "hex":
            return [{kind.argument: place} for place in range(kind.count)]
        case "seat":
            return [{"seat": k + 1} for k in range(kind.count)]
        case "resource":
            return [{"resource": name} for name in names]
        case "pair":
            return [{"pair": [names[a], names[b]]} for a, b in PLENTY_PAIRS]
        case "swap":
            return [{"give": names[a], "get": names[b]} for a, b in MARITIME_SWAPS]
        case "bundles":
            sides = zip(OFFER_GIVE, OFFER_GET, strict=True)
            return [{"give": bundle_to_dict(a), "get": bundle_to_dict(b)} for a, b in sides]
    return [{}]


_DESCRIPTIONS: Final[list[dict[str, Any]]] = [
    {"kind": kind.name, **arguments} for kind in ACTION_KINDS for arguments in _arguments(kind)
]


def _key(description: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, _comparable(value)) for name, value in sorted(description.items()))


def _name(value: Any) -> Any:
    return value.name.lower() if isinstance(value, Resource) else value


def _comparable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return frozenset((_name(resource), n) for resource, n in value.items() if n != 0)
    if isinstance(value, list | tuple):
        return tuple(sorted(map(_name, value)))
    value = _name(value)
    if isinstance(value, bool):
        raise TypeError("a bool is not a number")
    return value if isinstance(value, str) else index(value)


_IDS: Final = {_key(description): a for a, description in enumerate(_DESCRIPTIONS)}
_KINDS: Final = {
    d["kind"]: sorted(name for name in d if name != "kind") for d in reversed(_DESCRIPTIONS)
}


_TEMPLATES: Final = {
    (*give, *get): OFFER + k
    for k, (give, get) in enumerate(zip(OFFER_GIVE.tolist(), OFFER_GET.tolist(), strict=True))
}


def template_of(give: Sequence[int], get: Sequence[int]) -> int | None:
    """The template that offers (R,) cards for (R,) others; None if there is none."""
    return _TEMPLATES.get((*give, *get))


def composing(give: Sequence[int], get: Sequence[int]) -> tuple[int, ...]:
    """The actions that compose an offer of (R,) cards for (R,) others card by card, and send it."""
    sides = ((COMPOSE_GIVE, give), (COMPOSE_GET, get))
    added = [first + r for first, side in sides for r in _R for _ in range(side[r])]
    return (*added, COMPOSE_SEND)


def is_offering(actions: Any) -> Any:
    """Whether an action is in `OFFERING`; elementwise for an array (K,)."""
    return (actions >= OFFERING.start) & (actions < OFFERING.stop)


def describe_action(action: int) -> dict[str, Any]:
    """An action's kind and arguments, as JSON values."""
    action = as_action(action)
    if not 0 <= action < len(_DESCRIPTIONS):
        raise ValueError(
            f"action {quoted(action)} doesn't exist; actions are 0 to {NUM_ACTIONS - 1}"
        )
    return {
        name: value.copy() if isinstance(value, dict | list) else value
        for name, value in _DESCRIPTIONS[action].items()
    }


def action_id(kind: str, **arguments: Any) -> int:
    """The id of an action, from its kind and arguments, as in `describe_action`.

    Resources are given by name, or as `Resource`.
    """
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ValueError(f"unknown kind of action {quoted(kind)}; kinds are {sorted(_KINDS)}")
    if sorted(arguments) != _KINDS[kind]:
        raise ValueError(f"{kind} takes {_KINDS[kind]}, not {quoted(sorted(arguments))}")
    try:
        return _IDS[_key({"kind": kind, **arguments})]
    except (KeyError, TypeError, ValueError, RecursionError):
        told = quoted(arguments)
        words = [word for word in re.findall(r"\w+", told) if word not in RESOURCE_NAMES]
        hint = next(filter(None, (did_you_mean(word, RESOURCE_NAMES) for word in words)), "")
        raise ValueError(f"there is no {kind} with {told}{hint}") from None
