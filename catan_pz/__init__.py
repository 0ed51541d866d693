"""Settlers of Catan for machines that learn: rules engine, PettingZoo environment, observations."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Board": "catan_pz.rules",
    "Game": "catan_pz.runtime.game",
    "IllegalActionError": "catan_pz.runtime.game",
    "Rules": "catan_pz.rules",
    "action_id": "catan_pz.notation",
    "describe_action": "catan_pz.notation",
}

__all__ = ["Board", "Game", "IllegalActionError", "Rules", "action_id", "describe_action"]


def __getattr__(name: str) -> Any:
    # Looked up on first use, so that `import catan_pz` stays quick.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
