"""Actions in words: `describe_action` and its inverse `action_id`."""

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, Final

from catan_pz import actions as table
from catan_pz.terms import NUM_EDGES, NUM_HEXES, NUM_VERTICES, Resource

RESOURCE_NAMES: Final = tuple(r.name.lower() for r in Resource)


def bundle_to_dict(counts: Sequence[int]) -> dict[str, int]:
    """The cards of a bundle of 5 counts, by resource, without the zeros."""
    return {name: int(n) for name, n in zip(RESOURCE_NAMES, counts, strict=True) if n != 0}


def _descriptions() -> list[dict[str, Any]]:
    names = RESOURCE_NAMES
    relative = (1, 2, 3)
    return [
        {"kind": "roll"},
        {"kind": "end_turn"},
        *({"kind": "build_road", "edge": e} for e in range(NUM_EDGES)),
        *({"kind": "build_settlement", "vertex": v} for v in range(NUM_VERTICES)),
        *({"kind": "build_city", "vertex": v} for v in range(NUM_VERTICES)),
        {"kind": "buy_development_card"},
        {"kind": "play_knight"},
        {"kind": "play_road_building"},
        *(
            {"kind": "play_year_of_plenty", "pair": [names[a], names[b]]}
            for a, b in table.PLENTY_PAIRS
        ),
        *({"kind": "play_monopoly", "resource": r} for r in names),
        *({"kind": "move_robber", "hex": h} for h in range(NUM_HEXES)),
        *({"kind": "steal", "seat": k} for k in relative),
        *({"kind": "discard", "resource": r} for r in names),
        *(
            {"kind": "maritime_trade", "give": names[give], "get": names[get]}
            for give, get in table.MARITIME_SWAPS
        ),
        *(
            {"kind": "offer", "give": bundle_to_dict(give), "get": bundle_to_dict(get)}
            for give, get in zip(table.OFFER_GIVE, table.OFFER_GET, strict=True)
        ),
        *({"kind": "compose_give", "resource": r} for r in names),
        *({"kind": "compose_get", "resource": r} for r in names),
        {"kind": "compose_send"},
        {"kind": "accept"},
        {"kind": "reject"},
        *({"kind": "close_with", "seat": k} for k in relative),
        {"kind": "withdraw"},
    ]


_DESCRIPTIONS: Final = _descriptions()


def _key(description: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, _comparable(value)) for name, value in sorted(description.items()))


def _comparable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return frozenset((resource, n) for resource, n in value.items() if n != 0)
    if isinstance(value, list | tuple):
        return tuple(sorted(value))
    if isinstance(value, bool):
        raise TypeError("a bool is no number")
    return value if isinstance(value, str) else index(value)


_IDS: Final = {_key(description): a for a, description in enumerate(_DESCRIPTIONS)}
_KINDS: Final = {
    d["kind"]: sorted(name for name in d if name != "kind") for d in reversed(_DESCRIPTIONS)
}


def describe_action(action: int) -> dict[str, Any]:
    """What an action does: its kind and arguments, as JSON values.

    Raises:
        ValueError: if there is no such action.
        TypeError: if it isn't an integer.
    """
    action = index(action)
    if not 0 <= action < len(_DESCRIPTIONS):
        raise ValueError(f"action {action} doesn't exist; actions are 0 to {table.NUM_ACTIONS - 1}")
    return {
        name: value.copy() if isinstance(value, dict | list) else value
        for name, value in _DESCRIPTIONS[action].items()
    }


def action_id(kind: str, **arguments: Any) -> int:
    """The id of an action, from its kind and the arguments that `describe_action` gives.

    Raises:
        ValueError: names what is wrong with the kind or its arguments.
    """
    if kind not in _KINDS:
        raise ValueError(f"unknown kind of action {kind!r}; kinds are {sorted(_KINDS)}")
    if sorted(arguments) != _KINDS[kind]:
        raise ValueError(f"{kind} takes {_KINDS[kind]}, not {sorted(arguments)}")
    try:
        return _IDS[_key({"kind": kind, **arguments})]
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"there is no {kind} with {arguments}") from None
