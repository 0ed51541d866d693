"""The catanatron that is installed, and what differs between its versions."""

from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any, Final

INSTALL_SOME: Final = "pip install catanatron==3.2.1"
"""Installs a version with some of the bots."""

_COMMIT: Final = "41ba0db5bc9d95b13a32e1ed7710094382a3b87a"
INSTALL: Final = f"pip install 'catanatron @ git+https://github.com/bcollazo/catanatron@{_COMMIT}'"
"""Installs 3.3.0, which has all bots and which no index has."""


@cache
def version() -> str:
    """The version that is installed."""
    if find_spec("catanatron") is None:
        raise ImportError(f"catanatron isn't installed: {INSTALL_SOME}, or {INSTALL}")
    try:
        return metadata.version("catanatron")
    except metadata.PackageNotFoundError:
        return "unknown"


@cache
def module(name: str) -> Any:
    """A module of catanatron."""
    version()
    return import_module(f"catanatron.{name}")


def has_module(name: str) -> bool:
    """Whether the installed version has a module."""
    version()
    try:
        return find_spec(f"catanatron.{name}") is not None
    except ModuleNotFoundError:
        return False  # not even the package that it would lie in


@cache
def has_records() -> bool:
    """Whether actions are recorded apart from their results, as from 3.3.0 on."""
    return hasattr(module("models.enums"), "ActionRecord")


def playable_actions(game: Any) -> list[Any]:
    """The actions that a game of catanatron allows now."""
    return (game if has_records() else game.state).playable_actions


def moves_offered(game: Any) -> list[Any]:
    """The actions that a game allows, in an order that doesn't depend on hashes."""
    return sorted(playable_actions(game), key=repr)


def set_playable_actions(game: Any, actions: list[Any]) -> None:
    """Let a game of catanatron allow only these actions, until it is played on."""
    (game if has_records() else game.state).playable_actions = actions


def written_records(game: Any) -> list[tuple[Any, Any]]:
    """The moves of a game so far: each as it is written, and what chance brought to it."""
    if has_records():
        return [(record.action, record.result) for record in game.state.action_records]
    return [(action, None) for action in game.state.actions]
