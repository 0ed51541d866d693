"""Agents as they are named on the command line."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from catan_pz.cli.console import Command, need, option, usage_errors
from catan_pz.names import printable

if TYPE_CHECKING:
    from catan_pz.rules import Rules

_TRUSTED: Final = f"{__name__}.trusted"
"""Key in the context's `meta`: whether pickles may be loaded."""


def _register(_context: click.Context, _option: click.Parameter, homes: tuple[str, ...]) -> None:
    for home in homes:
        from catan_pz import encoders
        from catan_pz.checks import callable_at, check_home

        _find_modules(home)
        try:
            encoders.register(callable_at("--encoder", check_home(home)).name, home)  # type: ignore[attr-defined]
        except (ValueError, AttributeError) as error:
            raise click.UsageError(f"--encoder {home}: {error}") from error


trust_option: Final = option(
    "--trust-pickle",
    "Also load models from .zip files, whose pickles can run anything as you.",
    is_flag=True,
    expose_value=False,
    callback=lambda context, _option, given: context.meta.update({_TRUSTED: given}),
)
"""For every command that loads agents."""

encoder_option: Final = option(
    "--encoder",
    "Custom encoder named in a model file; may be repeated.",
    metavar="MODULE:CLASS",
    multiple=True,
    expose_value=False,
    callback=_register,
)
"""For commands that play models of the user's."""


def agent_option(
    name: str, words: str, default: str | None = "heuristic"
) -> Callable[[Command], Command]:
    """An option that names an agent, or several with a name in the plural."""
    several = name in ("--agents", "--against")
    return option(name, words, metavar="AGENTS" if several else "AGENT", default=default)


def specs_by_seat(option: str, given: str, seats: int, what: str = "other seats") -> list[str]:
    """Agents' names, one a seat; the last one given takes all further seats."""
    from catan_pz.agents import registry

    with usage_errors():
        return registry.specs_by_seat(option, given, seats, what)


def load_agent(spec: str, rules: "Rules | None" = None) -> Any:
    """An agent as it is named on the command line.

    It is what `catan_pz.agents.load` takes, or "model.zip", a MaskablePPO saved by
    Stable-Baselines3, where `--trust-pickle` is given. Without rules each game tells its own.
    """
    from catan_pz.agents.registry import begins_with_name, load

    with usage_errors():
        _find_modules(spec)
        saved = Path(spec).suffix == ".zip" and not begins_with_name(spec)
        agent = _load_learner(Path(spec)) if saved else load(spec)
        if rules is not None:
            agent.check_rules(rules)
        return agent


def _find_modules(spec: str) -> None:
    """Add the current folder to the end of the module path, if an agent is named by a module."""
    from catan_pz.agents.registry import check_code, is_home

    here = str(Path.cwd())
    if here not in sys.path and any(map(is_home, re.split("[,=]", spec))):
        check_code("imports a module")
        sys.path.append(here)


def agent_source(spec: str, rules: "Rules") -> Any:
    """An agent, or its name if processes can make the agent from the name."""
    from catan_pz.agents.registry import is_home

    agent = load_agent(spec, rules)  # says at once what is wrong with it
    return spec if spec.isidentifier() or is_home(spec) else agent


def _load_learner(path: Path) -> Any:
    """A learner of Stable-Baselines3, with all that its file holds."""
    from catan_pz.agents.registry import check_code

    if not path.is_file():
        raise ValueError(f"there is no model {path}")
    check_code(f"runs pickles such as those of {path}")
    if not click.get_current_context().meta.get(_TRUSTED):
        raise ValueError(
            f"{path} holds pickles, which can run anything as you: give an .npz instead, or "
            "--trust-pickle for a file of your own"
        )
    click.echo(f"Warning: loading {printable(str(path))} runs the pickles in it.", err=True)
    need("train", "a saved model", "sb3_contrib", "stable_baselines3", "torch")
    from sb3_contrib import MaskablePPO

    from catan_pz.env.vector.sb3 import PolicyOpponent

    agent = PolicyOpponent(MaskablePPO.load(path, device="cpu"))
    agent.name = path.stem
    return agent


def trained_with(agents: str) -> dict[str, Any]:
    """Number of players and trading that the first model among agents was trained with."""
    from catan_pz.agents.network import SHIPPED, Model, shipped
    from catan_pz.agents.registry import split_specs

    for spec in split_specs(agents):
        name = spec.partition(":")[0]
        path = SHIPPED / f"{name}.npz" if name in shipped() else Path(spec)
        if path.suffix != ".npz" or not path.is_file():
            continue
        with usage_errors():
            rules = Model.read(path).rules
        return {name: rules[name] for name in ("num_players", "trading") if name in rules}
    return {}
