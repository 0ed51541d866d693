"""Homes of classes and functions that are known by a name: "module:thing", imported when wanted."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from catan_pz.checks import did_you_mean, not_possible


def check_home(home: object) -> str:
    """A home as it was given.

    Raises:
        ValueError: if it isn't in the form "module:thing".
    """
    parts = home.split(":") if isinstance(home, str) else []
    if len(parts) != 2 or not all(parts) or parts[0].startswith("."):
        raise not_possible("home", home, "'module:thing'")
    return ":".join(parts)


def callable_at(what: str, home: str) -> Callable[..., Any]:
    """The class or function at a home, imported.

    Args:
        what: names what is wanted, for errors: "encoder 'mine'".
        home: "module:thing".

    Raises:
        ValueError: if there is no such module, or nothing in it to be called by that name.
        ImportError: if the module needs what isn't installed.
    """
    module, thing = home.split(":")
    try:
        found = import_module(module)
    except ModuleNotFoundError as error:
        # What the module itself imports may be missing as well; that error says enough.
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise ValueError(f"{what}: home {home!r}: {error}") from error
    make = getattr(found, thing, None)
    if not callable(make):
        hint = did_you_mean(thing, vars(found))
        raise ValueError(f"{what}: home {home!r} has no such class or function{hint}")
    return make  # type: ignore[no-any-return]
