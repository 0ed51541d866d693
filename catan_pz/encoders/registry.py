"""Encoders by name."""

from typing import Any, Final

from catan_pz.checks import callable_at, check_home, not_possible
from catan_pz.encoders.base import Encoder

_HOMES: dict[str, str] = {
    "flat": "catan_pz.encoders.flat:FlatEncoder",
    "dict": "catan_pz.encoders.flat:DictEncoder",
    "units": "catan_pz.encoders.flat:UnitsEncoder",
    "graph": "catan_pz.encoders.graph:GraphEncoder",
    "planes": "catan_pz.encoders.planes:PlanesEncoder",
    "tokens": "catan_pz.encoders.graph:TokensEncoder",
    "xenou": "catan_pz.published.xenou.encoder:XenouEncoder",
    "rocco": "catan_pz.published.rocco.encoder:RoccoEncoder",
    "rocco_cities": "catan_pz.published.rocco.encoder:with_cities",
    "charlesworth": "catan_pz.published.charlesworth.encoder:CharlesworthEncoder",
    "charlesworth_flags": "catan_pz.published.charlesworth.encoder:with_flags",
    "charlesworth_2022": "catan_pz.published.charlesworth.encoder:as_published",
    "gendre": "catan_pz.published.gendre.encoder:GendreEncoder",
    "gendre_table": "catan_pz.published.gendre.encoder:for_table",
}
"""Homes by name: classes or functions, imported when the encoder is loaded."""

_OWN: Final = frozenset(_HOMES)

_LOADED: dict[str, Encoder] = {}


def names() -> list[str]:
    """The names that `load` accepts."""
    return list(_HOMES)


def register(name: str, home: str) -> None:
    """Register an encoder under a name.

    The name can be registered again until it is loaded; afterwards only with the same home, which
    the next `load` calls again.

    Args:
        name: the name, equal to the encoder's attribute `name`.
        home: "module:thing", an `Encoder` class or a function that returns one; imported when
            the encoder is loaded.
    """
    if not isinstance(name, str) or not name:
        raise not_possible("name", name, "a str that isn't empty")
    if name in _OWN or (name in _LOADED and home != _HOMES[name]):
        raise not_possible("name", name, "one that isn't taken")
    _HOMES[name] = check_home(home)
    _LOADED.pop(name, None)


def registered() -> dict[str, str]:
    """Homes of the registered encoders by name."""
    return {name: home for name, home in _HOMES.items() if name not in _OWN}


def load(name: str) -> Encoder:
    """The encoder of a name: the same object at each call, until it is registered again."""
    if not isinstance(name, str) or name not in _HOMES:
        raise not_possible("encoder", name, f"one of {names()}", names())
    if name not in _LOADED:
        made = callable_at(f"encoder {name!r}", _HOMES[name])()
        if not isinstance(made, Encoder) or made.name != name:
            raise ValueError(f"encoder {name!r} is {made!r}, must be an Encoder of that name")
        _LOADED[name] = made
    return _LOADED[name]


def as_encoder(given: Any, option: str = "observation") -> Encoder:
    """The encoder given as an object or by name; `option` names the argument in errors."""
    if isinstance(given, Encoder):
        return given
    if isinstance(given, str) and given in _HOMES:
        return load(given)
    allowed = f"an Encoder of catan_pz.encoders, or one of {names()}"
    raise not_possible(option, given, allowed, names())
