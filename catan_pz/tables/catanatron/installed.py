"""The installed catanatron, and differences between its versions."""

from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any, Final

INSTALL_SOME: Final = "pip install catanatron==3.2.1"
"""Installs a version with some of the bots."""

_COMMIT: Final = "41ba0db5bc9d95b13a32e1ed7710094382a3b87a"
INSTALL: Final = f"pip install 'catanatron @ git+https://github.com/bcollazo/catanatron@{_COMMIT}'"
"""Installs 3.3.0, which has all bots and isn't on PyPI."""


@cache
def version() -> str:
    """The installed version."""
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
        return False  # its parent package is missing too


@cache
def has_records() -> bool:
    """Whether actions and their results are recorded separately, as since 3.3.0."""
    return hasattr(module("models.enums"), "ActionRecord")


def playable_actions(game: Any) -> list[Any]:
    """The legal actions of a catanatron game."""
    return (game if has_records() else game.state).playable_actions


def moves_offered(game: Any) -> list[Any]:
    """The legal actions of a game, in an order independent of hashes."""
    return sorted(playable_actions(game), key=repr)


def set_playable_actions(game: Any, actions: list[Any]) -> None:
    """Restrict a catanatron game to these actions, until its next move."""
    (game if has_records() else game.state).playable_actions = actions


def written_records(game: Any) -> list[tuple[Any, Any]]:
    """The moves of a game so far: each as written, with its chance outcome."""
    if has_records():
        return [(record.action, record.result) for record in game.state.action_records]
    return [(action, None) for action in game.state.actions]
