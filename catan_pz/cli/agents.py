"""Agents as they are named on the command line."""

import json
import re
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from catan_pz.checks import did_you_mean
from catan_pz.cli.extras import need
from catan_pz.names import printable
from catan_pz.rules import Rules

Command = TypeVar("Command", bound=Callable[..., Any])

_TRUSTED: Final = f"{__name__}.trusted"
"""Where a command's context notes that it may run what files hold."""


def _trust(context: click.Context, _option: click.Parameter, given: bool) -> None:
    context.meta[_TRUSTED] = given


trust_option: Final[Callable[[Command], Command]] = click.option(
    "--trust-pickle",
    is_flag=True,
    expose_value=False,
    callback=_trust,
    help="Also load models from .zip files, whose pickles can run anything as you.",
)
"""The option `--trust-pickle`, for every command that loads agents."""


def split_specs(text: str) -> list[str]:
    """Agents named on the command line, separated by commas outside of options and quotes."""
    specs: list[str] = []
    for word in re.findall(r"""((?:"[^"]*"|'[^']*'|[^,])+)""", text):
        if "=" in word and ":" not in word and specs:
            specs[-1] += f",{word}"
        else:
            specs.append(word.strip())
    return [spec for spec in specs if spec]


def specs_by_seat(option: str, given: str, seats: int, what: str = "other seats") -> list[str]:
    """Agents' names, one a seat; the last one given takes all further seats.

    Raises:
        click.UsageError: if there are none or too many.
    """
    specs = split_specs(given)
    if not 1 <= len(specs) <= seats:
        raise click.UsageError(
            f"{option} {given!r} names {len(specs)} agents; there are {seats} {what}"
        )
    return specs + specs[-1:] * (seats - len(specs))


def load_agent(spec: str, rules: Rules) -> Any:
    """An agent as it is named on the command line.

    "heuristic" is one of `catan_pz.agents.names()`, "search:simulations=50,exploration=1.5"
    gives it options, 'exec:"node bot.js"' is a program, "model.npz" is a small network of
    `catan_pz.agents.network`, and "model.zip" a MaskablePPO saved by Stable-Baselines3, where
    `--trust-pickle` is given.

    Args:
        spec: what was written.
        rules: of the games that it is to play.

    Raises:
        click.UsageError: says what is wrong with it.
    """
    path = Path(spec)
    is_path = path.suffix in (".zip", ".npz") and not _begins_with_name(spec)
    agent = _load_model(path) if is_path else _load_named(spec)
    try:
        agent.check_rules(rules)
    except ValueError as error:
        raise click.UsageError(f"{error}: see --players and --trading") from error
    return agent


def agent_source(spec: str, rules: Rules) -> Any:
    """An agent, by its name where that is enough for each process to make its own."""
    agent = load_agent(spec, rules)  # says at once what is wrong with it
    return spec if spec.isidentifier() else agent


def _family(spec: str) -> str:
    """The family that a name belongs to, such as "exec" for programs; "" for none."""
    from catan_pz.agents.registry import FAMILIES

    family, sign, _ = spec.partition(":")
    return family if sign and family in FAMILIES else ""


def _begins_with_name(spec: str) -> bool:
    """Whether an agent's name and its options were written, one of which may be a file."""
    from catan_pz import agents

    name, sign, _ = spec.partition(":")
    return bool(_family(spec)) or (bool(sign) and name in agents.names())


def _load_named(spec: str) -> Any:
    from catan_pz import agents

    if _family(spec) == "exec":  # all of the rest is the command
        try:
            return agents.load(spec)
        except ValueError as error:
            raise click.UsageError(f"agent {spec!r}: {error}") from error
    name, _, rest = spec.partition(":")
    if _family(spec):
        member, _, rest = rest.partition(":")
        name = f"{name}:{member}"
    options = {}
    for given in filter(None, rest.split(",")):
        option, sign, value = given.partition("=")
        if not sign:
            raise click.UsageError(f"agent {spec!r}: write NAME:OPTION=VALUE,OPTION=VALUE")
        options[option.strip()] = as_value(value)
    if ":" not in name and name not in agents.names():
        raise click.UsageError(
            f"there is no agent {name!r}{did_you_mean(name, agents.names())}; there are "
            f"{', '.join(agents.names())}, and saved models as FILE.npz"
        )
    _check_options(name, options)
    try:
        return agents.load(name, **options)
    except (TypeError, ValueError, OSError) as error:
        unknown = re.search(r"unexpected keyword argument '(\w+)'", str(error))
        reason = f"it has no option {unknown[1]!r}" if unknown else error
        raise click.UsageError(f"agent {spec!r}: {reason}") from error


def _check_options(name: str, options: Mapping[str, Any]) -> None:
    """Refuse options that the agent doesn't name; one that takes any checks them itself."""
    from catan_pz import agents

    taken = dict(signature(type(agents.load(name))).parameters)
    if any(one.kind is Parameter.VAR_KEYWORD for one in taken.values()):
        return
    for option in options:
        if option not in taken:
            allowed = f"its options are {', '.join(taken)}" if taken else "it has none"
            hint = did_you_mean(option, taken)
            raise click.UsageError(f"agent {name!r} has no option {option!r}{hint}; {allowed}")


def _load_model(path: Path) -> Any:
    if not path.is_file():
        raise click.UsageError(f"there is no model {path}")
    if path.suffix == ".npz":
        from catan_pz.agents.network import NetworkAgent

        return NetworkAgent(model_of(str(path)), name=path.stem)
    return _load_learner(path)


def _load_learner(path: Path) -> Any:
    """A learner of Stable-Baselines3, with all that its file holds."""
    if not click.get_current_context().meta.get(_TRUSTED):
        other = path.with_suffix(".npz")
        beside = f"give {other} instead, or" if other.is_file() else "give an .npz instead, or"
        raise click.UsageError(
            f"{path} holds pickles, which can run anything as you: {beside} --trust-pickle for a "
            "file of your own"
        )
    click.echo(f"Warning: loading {printable(str(path))} runs the pickles in it.", err=True)
    need("train", "a saved model", "sb3_contrib", "stable_baselines3", "torch")
    from sb3_contrib import MaskablePPO

    from catan_pz.env.vector.sb3 import PolicyOpponent

    agent = PolicyOpponent(MaskablePPO.load(path, device="cpu"))
    agent.name = path.stem
    return agent


def model_of(spec: str) -> Any:
    """The small network that an agent's name stands for, or None.

    Raises:
        click.UsageError: if its file can't be played.
    """
    from catan_pz.agents.network import SHIPPED, Model, shipped

    name = spec.partition(":")[0]
    path = SHIPPED / f"{name}.npz" if name in shipped() else Path(name)
    if path.suffix != ".npz" or not path.is_file():
        return None
    try:
        return Model.read(path)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def as_value(text: str) -> Any:
    """A value written on the command line: JSON where it is some, else the text itself."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return {"True": True, "False": False, "None": None}.get(text, text)
