"""States, actions and whole games as JSON and text, and back."""

from importlib import import_module
from typing import Any

from catan_pz.notation.actions import action_id, describe_action
from catan_pz.notation.state import state_from_dict, state_to_dict

# These build games, which themselves speak this notation: looked up on first use.
_HOMES = {"GameRecord": "catan_pz.runtime.record", "position": "catan_pz.runtime.position"}

__all__ = [
    "GameRecord",
    "action_id",
    "describe_action",
    "position",
    "state_from_dict",
    "state_to_dict",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
