"""Agents as text: "search:simulations=250,turns=16", and several of them in a row."""

import json
import re
from collections.abc import Callable, Collection, Mapping
from inspect import Parameter, signature
from typing import Any

from catan_pz.checks import did_you_mean


def split_specs(text: str) -> list[str]:
    """Agents in a row, separated by commas outside of options and quotes."""
    specs: list[str] = []
    for word in re.findall(r"""((?:"[^"]*"|'[^']*'|[^,])+)""", text):
        option, sign, _ = word.partition("=")
        if sign and ":" not in option and specs:
            specs[-1] += f",{word}"
        else:
            specs.append(word.strip())
    return [spec for spec in specs if spec]


def specs_by_seat(option: str, given: str, seats: int, what: str = "other seats") -> list[str]:
    """Agents in a row, one a seat; the last one given takes all further seats."""
    specs = split_specs(given)
    if not 1 <= len(specs) <= seats:
        raise ValueError(f"{option} {given!r} names {len(specs)} agents; there are {seats} {what}")
    return specs + specs[-1:] * (seats - len(specs))


def options_in(text: str) -> dict[str, Any]:
    """The options "name=value,name=value" of an agent, values as `as_value` reads them."""
    options = {}
    for given in filter(None, text.split(",")):
        option, sign, value = given.partition("=")
        if not sign:
            raise ValueError("write NAME:OPTION=VALUE,OPTION=VALUE")
        options[option.strip()] = as_value(value)
    return options


def check_options(
    name: str, make: Callable[..., Any], options: Mapping[str, Any], own: Collection[str] = ()
) -> None:
    """Refuse options that an agent doesn't name; one that takes any checks them itself.

    `make` is its class, or a function that makes it; its `own` parameters are no options.
    """
    parameters = signature(make).parameters
    if any(one.kind is Parameter.VAR_KEYWORD for one in parameters.values()):
        return
    taken = [one for one in parameters if one not in own]
    for option in options:
        if option not in taken:
            allowed = f"its options are {', '.join(taken)}" if taken else "it has none"
            hint = did_you_mean(option, taken)
            raise ValueError(f"agent {name!r} has no option {option!r}{hint}; {allowed}")


def as_value(text: str) -> Any:
    """A value as it is written in a text: JSON where it is some, else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # numbers of thousands of digits, deeply nested lists, too
        return {"True": True, "False": False, "None": None}.get(text, text)
