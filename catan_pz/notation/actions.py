"""Actions in words: `describe_action` and its inverse `action_id`."""

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any, Final

from catan_pz import actions as table
from catan_pz.checks import as_action, quoted
from catan_pz.terms import Resource

RESOURCE_NAMES: Final = tuple(r.name.lower() for r in Resource)


def bundle_to_dict(counts: Sequence[int]) -> dict[str, int]:
    """The cards of a bundle of 5 counts, by resource, without the zeros."""
    return {name: int(n) for name, n in zip(RESOURCE_NAMES, counts, strict=True) if n != 0}


def _arguments(kind: table.ActionKind) -> list[dict[str, Any]]:
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
            return [{"pair": [names[a], names[b]]} for a, b in table.PLENTY_PAIRS]
        case "swap":
            return [{"give": names[a], "get": names[b]} for a, b in table.MARITIME_SWAPS]
        case "bundles":
            sides = zip(table.OFFER_GIVE, table.OFFER_GET, strict=True)
            return [{"give": bundle_to_dict(a), "get": bundle_to_dict(b)} for a, b in sides]
    return [{}]


def _descriptions() -> list[dict[str, Any]]:
    return [
        {"kind": kind.name, **arguments}
        for kind in table.ACTION_KINDS
        for arguments in _arguments(kind)
    ]


_DESCRIPTIONS: Final = _descriptions()


def _key(description: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, _comparable(value)) for name, value in sorted(description.items()))


def _name(value: Any) -> Any:
    return value.name.lower() if isinstance(value, Resource) else value


def _comparable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return frozenset((_name(resource), n) for resource, n in value.items() if n != 0)
    if isinstance(value, list | tuple):
        return tuple(sorted(map(_name, value)))
    if isinstance(value, Resource):
        return _name(value)
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
    action = as_action(action)
    if not 0 <= action < len(_DESCRIPTIONS):
        raise ValueError(
            f"action {quoted(action)} doesn't exist; actions are 0 to {table.NUM_ACTIONS - 1}"
        )
    return {
        name: value.copy() if isinstance(value, dict | list) else value
        for name, value in _DESCRIPTIONS[action].items()
    }


def action_id(kind: str, **arguments: Any) -> int:
    """The id of an action, from its kind and the arguments that `describe_action` gives.

    Resources are given by name, or as `Resource`.

    Raises:
        ValueError: names what is wrong with the kind or its arguments.
    """
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ValueError(f"unknown kind of action {quoted(kind)}; kinds are {sorted(_KINDS)}")
    if sorted(arguments) != _KINDS[kind]:
        raise ValueError(f"{kind} takes {_KINDS[kind]}, not {quoted(sorted(arguments))}")
    try:
        return _IDS[_key({"kind": kind, **arguments})]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise ValueError(f"there is no {kind} with {quoted(arguments)}") from None
