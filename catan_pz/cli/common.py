"""What several commands share: options, agents by name, tables and progress bars."""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from catan_pz.checks import check_seed
from catan_pz.rules import BOARD_KINDS, OFFER_FORMS, PRESETS, Rules
from catan_pz.runtime.game import drawn_seed

Command = TypeVar("Command", bound=Callable[..., Any])

COLUMNS: Final = 80
"""Columns that a game in the terminal takes."""


def seed_number(text: str) -> int:
    """A seed of a game."""
    try:
        return check_seed(int(text))
    except ValueError:
        raise click.UsageError(
            f"--seed {text}: {text!r} is no seed; allowed: a whole number from 0 to 2**64 - 1",
            click.get_current_context(),
        ) from None


def rules_options(command: Command) -> Command:
    """Options that choose the rules; the command gets them as keywords for `make_rules`."""
    for option in reversed(
        (
            click.option(
                "--rules",
                type=click.Choice(sorted(PRESETS)),
                default="base",
                show_default=True,
                help="Preset that the other options change.",
            ),
            click.option(
                "--players",
                type=click.IntRange(2, 4),
                metavar="N",
                help="Number of players.  [4, or as preset or model say]",
            ),
            click.option(
                "--trading/--no-trading",
                default=None,
                help="Trade between players.  [yes, or as preset or model say]",
            ),
            click.option(
                "--points", type=click.IntRange(3, 22), metavar="N", help="Points that win."
            ),
            click.option("--board", type=click.Choice(BOARD_KINDS), help="Kind of board."),
            click.option(
                "--offers",
                type=click.Choice(OFFER_FORMS),
                help="How offers are made.",
            ),
            click.option(
                "--set",
                "options",
                metavar="OPTION=VALUE",
                multiple=True,
                help="Any other option of the rules, such as dice=balanced; may be repeated.",
            ),
        )
    ):
        command = option(command)
    return command


def make_rules(
    rules: str,
    players: int | None,
    trading: bool | None,
    points: int | None,
    board: str | None,
    offers: str | None,
    options: Sequence[str],
    agents: str = "",
) -> Rules:
    """Rules from the options of `rules_options`.

    Where nothing is said of players and trade, a model among the agents has them as it was
    trained.

    Raises:
        click.UsageError: names the option that is wrong, and what is allowed.
    """
    changed: dict[str, Any] = {
        "num_players": players,
        "trading": trading,
        "victory_points": points,
        "board": board,
        "offer_form": offers,
    }
    changed = {name: value for name, value in changed.items() if value is not None}
    for given in options:
        name, sign, value = given.partition("=")
        if not sign:
            raise click.UsageError(f"--set {given}: write OPTION=VALUE, such as dice=balanced")
        changed[name] = as_value(value)
    if rules == "base":
        changed = _trained_with(agents) | changed
    try:
        return Rules.make(rules, **changed)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _trained_with(agents: str) -> dict[str, Any]:
    """Players and trade of the first small network among agents; nothing without one."""
    for spec in split_specs(agents):
        model = model_of(spec)
        if model is not None:
            rules = Rules.from_dict(model.rules)
            return {"num_players": rules.num_players, "trading": rules.trading}
    return {}


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


def seed_option(command: Command) -> Command:
    """The option `--seed`; None where it isn't given."""
    return click.option(
        "--seed", type=seed_number, metavar="SEED", help="Seed of the game.  [drawn]"
    )(command)


def seed_or_drawn(seed: int | None) -> int:
    """The seed given, or one drawn."""
    return drawn_seed() if seed is None else seed


def split_specs(text: str) -> list[str]:
    """Agents named on the command line, separated by commas outside of their options."""
    specs: list[str] = []
    for word in text.split(","):
        if "=" in word and ":" not in word and specs:
            specs[-1] += f",{word}"
        else:
            specs.append(word.strip())
    return [spec for spec in specs if spec]


def load_agent(spec: str, rules: Rules) -> Any:
    """An agent as it is named on the command line.

    "heuristic" is one of `catan_pz.agents.names()`, "search:simulations=50,exploration=1.5"
    gives it options, "model.zip" is a MaskablePPO saved by Stable-Baselines3, and "model.npz"
    a small network of `catan_pz.agents.network`.

    Args:
        spec: what was written.
        rules: of the games that it is to play.

    Raises:
        click.UsageError: says what is wrong with it.
    """
    path = Path(spec)
    agent = _load_model(path, rules) if path.suffix in (".zip", ".npz") else _load_named(spec)
    try:
        agent.check_rules(rules)
    except ValueError as error:
        raise click.UsageError(f"{error}: see --players and --trading") from error
    return agent


def _load_named(spec: str) -> Any:
    from catan_pz import agents

    name, _, rest = spec.partition(":")
    options = {}
    for given in filter(None, rest.split(",")):
        option, sign, value = given.partition("=")
        if not sign:
            raise click.UsageError(f"agent {spec!r}: write NAME:OPTION=VALUE,OPTION=VALUE")
        options[option.strip()] = as_value(value)
    if name not in agents.names():
        raise click.UsageError(
            f"there is no agent {name!r}; there are {', '.join(agents.names())}, and saved "
            "models as FILE.zip or FILE.npz"
        )
    try:
        return agents.load(name, **options)
    except (TypeError, ValueError) as error:
        raise click.UsageError(f"agent {spec!r}: {error}") from error


def _load_model(path: Path, rules: Rules) -> Any:
    if not path.is_file():
        raise click.UsageError(f"there is no model {path}")
    if path.suffix == ".npz":
        from catan_pz.agents.network import NetworkAgent

        return NetworkAgent(model_of(str(path)), name=path.stem)
    need("train", "a saved model", "sb3_contrib", "stable_baselines3", "torch")
    from sb3_contrib import MaskablePPO

    from catan_pz.env.vector.sb3 import PolicyOpponent

    agent = PolicyOpponent(MaskablePPO.load(path, device="cpu"))
    agent.name = path.stem
    known = int(agent.model.action_space.n)
    if known != rules.num_actions:
        trained, option = ("without", "--no-trading") if rules.trading else ("with", "--trading")
        raise click.UsageError(
            f"{path} was trained {trained} trade between players ({known} actions): add {option}"
        )
    return agent


def need(extra: str, what: str, *modules: str) -> None:
    """Say how to install what is missing, if it is.

    Raises:
        click.ClickException: if one of the modules can't be found.
    """
    from importlib.util import find_spec

    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise click.ClickException(
            f'{what} needs {", ".join(missing)}: pip install "catan-pz[{extra}]"'
        )


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


def match_options(command: Any) -> Any:
    """Options of the commands that play matches."""
    for option in (
        click.option(
            "--results",
            type=click.Path(dir_okay=False, path_type=Path),
            help="File of results; the same call goes on where it was stopped.",
        ),
        click.option(
            "--workers",
            type=click.IntRange(1),
            metavar="N",
            default=1,
            show_default=True,
            help="Processes that play.",
        ),
        click.option(
            "--seed",
            type=seed_number,
            metavar="SEED",
            default=0,
            show_default=True,
            help="Of the games and of the agents' draws.",
        ),
    ):
        command = option(command)
    return command


def console(stderr: bool = False) -> Any:
    """A console of rich, no wider than it says."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)


def progress(unit: str = "") -> Any:
    """A progress bar on standard error with what is done, time gone and time left."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        *([TextColumn(unit)] if unit else []),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console(stderr=True),
    )


def check_columns() -> None:
    """Refuse a terminal that is too narrow for a game.

    Raises:
        click.ClickException: says how wide it is, and what to do.
    """
    columns = shutil.get_terminal_size((COLUMNS, 24)).columns
    if columns < COLUMNS:
        raise click.ClickException(
            f"a game in the terminal takes {COLUMNS} columns, this one has {columns}: "
            "make it wider, or use --window"
        )


def examples(*lines: str) -> str:
    """The end of a command's help: its examples, kept line by line."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def size_words(count: float) -> str:
    """Bytes in words."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
