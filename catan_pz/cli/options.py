"""Options that several commands share: rules, seeds, matches."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

import click
from click.core import ParameterSource

from catan_pz.agents.specs import as_value, split_specs
from catan_pz.checks import check_seed, did_you_mean
from catan_pz.cli.agents import model_of
from catan_pz.files import check_writable
from catan_pz.game.game import drawn_seed
from catan_pz.game.record import GameRecord
from catan_pz.rules import BOARD_KINDS, OFFER_FORMS, PRESETS, Rules

Command = TypeVar("Command", bound=Callable[..., Any])


class Choice(click.Choice):  # type: ignore[type-arg]
    """One of some words, with a hint for one that is misspelled."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word that was chosen."""
        try:
            return super().convert(value, param, ctx)
        except click.UsageError as error:
            hint = did_you_mean(value, self.choices)
            raise click.BadParameter(error.message.rstrip(".") + hint, ctx, param) from error


class FloatRange(click.FloatRange):
    """A number in a range, which nan and infinity are in none of."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number that was given."""
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value} is no finite number.", param, ctx)
        return number


class Folder(click.Path):
    """A folder, which has a name: an empty one would stand for the working directory."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path that was given."""
        if value == "":
            self.fail("'' is no folder; write . for the working directory.", param, ctx)
        return super().convert(value, param, ctx)


def rules_options(
    command: Command, trading: str = "Trade between players.  [yes, or as preset or model say]"
) -> Command:
    """Options that choose the rules; the command gets them as keywords for `make_rules`.

    Args:
        command: the command.
        trading: help of the option `--trading`.
    """
    for option in reversed(
        (
            click.option(
                "--rules",
                type=Choice(sorted(PRESETS)),
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
                help=trading,
            ),
            click.option(
                "--points", type=click.IntRange(3, 22), metavar="N", help="Points that win."
            ),
            click.option("--board", type=Choice(BOARD_KINDS), help="Kind of board."),
            click.option(
                "--offers",
                type=Choice(OFFER_FORMS),
                help="How offers are made: as templates (1 card for 1, 2 for 1 or 1 for 2), "
                "composed card by card (up to 4 a side), or both.  [templates, or as preset says]",
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
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> Rules:
    """Rules from the options of `rules_options`.

    Where nothing is said of players and trade, a model among the agents has them as it was
    trained.

    Args:
        rules: the option `--rules`, as the next five are those of their names.
        players: number of players.
        trading: trade between players.
        points: points that win.
        board: kind of board.
        offers: how offers are made.
        options: those of `--set`.
        agents: who plays, separated by commas.
        defaults: options of the rules where nothing is said of them.

    Raises:
        click.UsageError: names the option that is wrong, and what is allowed.
    """
    said: dict[str, tuple[str, Any]] = {
        "num_players": ("--players", players),
        "trading": ("--trading", trading),
        "victory_points": ("--points", points),
        "board": ("--board", board),
        "offer_form": ("--offers", offers),
    }
    said = {name: (option, value) for name, (option, value) in said.items() if value is not None}
    for given in options:
        name, sign, value = given.partition("=")
        if not sign:
            raise click.UsageError(f"--set {given}: write OPTION=VALUE, such as dice=balanced")
        if name in said:
            raise click.UsageError(f"{said[name][0]} and --set {given}: one of them at a time")
        said[name] = f"--set {given}", as_value(value)
    changed = dict(defaults) | {name: value for name, (_, value) in said.items()}
    if rules == "base":
        changed = _trained_with(agents) | changed
    try:
        return Rules.make(rules, **changed)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


RULES_OPTIONS: Final = ("rules", "players", "trading", "points", "board", "offers", "options")
"""What `rules_options` are called, as parameters of a command."""


def refuse_rules_options(reason: str) -> None:
    """Refuse options for the rules where these are fixed otherwise.

    Raises:
        click.UsageError: names the first of them that is given.
    """
    refuse_options(RULES_OPTIONS, reason)


def refuse_options(names: Collection[str], reason: str) -> None:
    """Refuse options that would have no effect.

    Args:
        names: of the options, as parameters of the command.
        reason: why they would have none, in words.

    Raises:
        click.UsageError: names the first of them that is given.
    """
    context = click.get_current_context()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option.opts[0]}: {reason}")


def _trained_with(agents: str) -> dict[str, Any]:
    """Players and trade of the first small network among agents; nothing without one."""
    for spec in split_specs(agents):
        model = model_of(spec)
        if model is not None:
            rules = Rules.from_dict(model.rules)
            return {"num_players": rules.num_players, "trading": rules.trading}
    return {}


def seed_number(text: str) -> int:
    """A seed of a game."""
    try:
        return check_seed(int(text))
    except ValueError:
        raise click.UsageError(
            f"--seed {text}: {text!r} is no seed; allowed: a whole number from 0 to 2**64 - 1",
            click.get_current_context(),
        ) from None


def seed_option(command: Command, words: str = "Seed of the game.") -> Command:
    """The option `--seed`; None where it isn't given.

    Args:
        command: the command.
        words: its help.
    """
    return click.option("--seed", type=seed_number, metavar="SEED", help=f"{words}  [drawn]")(
        command
    )


def seed_or_drawn(seed: int | None) -> int:
    """The seed given, or one drawn."""
    return drawn_seed() if seed is None else seed


def match_options(
    command: Any,
    workers: str = "Processes that play.",
    seed: str = "Of the games and of the agents' random choices.",
) -> Any:
    """Options of the commands that play matches.

    Args:
        command: the command.
        workers: help of the option `--workers`.
        seed: help of the option `--seed`.
    """
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
            help=workers,
        ),
        click.option(
            "--seed",
            type=seed_number,
            metavar="SEED",
            help=f"{seed}  [drawn]",
        ),
    ):
        command = option(command)
    return command


def records_options(command: Any) -> Any:
    """The options `--records`, `--html` and `--most-html`."""
    for option in (
        click.option(
            "--most-html",
            type=click.IntRange(1),
            metavar="N",
            default=20,
            show_default=True,
            help="Replays that are written at most, evenly spread over the games.",
        ),
        click.option(
            "--html",
            type=Folder(),
            metavar="FOLDER",
            help="Folder for replays that open in any browser, beside their records.",
        ),
        click.option(
            "--records",
            type=Folder(),
            metavar="FOLDER",
            help="Folder for the recorded games.",
        ),
    ):
        command = option(command)
    return command


def executor_options(command: Any) -> Any:
    """Options that say where the games of a match are played, for `where_played`."""
    for option in (
        click.option(
            "--address",
            metavar="ADDRESS",
            help="Of a Ray cluster: HOST:PORT, auto or local.  [RAY_ADDRESS, or this machine]",
        ),
        click.option(
            "--executor",
            type=Choice(["inline", "processes", "ray"]),
            help="Where games are played; ray: on each CPU of a cluster, or with --workers.",
        ),
    ):
        command = option(command)
    return command


def where_played(executor: str | None, address: str | None, workers: int) -> dict[str, Any]:
    """The options `executor` and `workers` of a match, from those of a command.

    Raises:
        click.UsageError: for the address of a cluster that isn't to play.
    """
    if address is not None and executor != "ray":
        raise click.UsageError("--address is that of a Ray cluster: add --executor ray")
    if executor != "ray":
        return {"executor": executor, "workers": workers}
    from catan_pz.arena import RayExecutor

    source = click.get_current_context().get_parameter_source("workers")
    count = None if source is ParameterSource.DEFAULT else workers
    return {"executor": RayExecutor(count, address=address)}


def isolate_option(command: Command) -> Command:
    """The flag `--isolate`."""
    return click.option(
        "--isolate",
        is_flag=True,
        help="Play each agent in a process of its own, which gets its views only.",
    )(command)


def check_target(option: str, path: Path | None) -> None:
    """Refuse a file that can't be written, before there is a game to be lost.

    Args:
        option: what names the file, such as `--record`.
        path: the file; None where none is named.

    Raises:
        click.UsageError: says why it can't be written.
    """
    if path is None:
        return
    try:
        check_writable(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise click.UsageError(f"{option} {path}: this file can't be written: {reason}") from error


def check_apart(named: Mapping[str, Path | None]) -> None:
    """Refuse one file for two things, of which the last to be written would be left.

    Args:
        named: files by what names them, such as `--record`; None where none is named.

    Raises:
        click.UsageError: says what names the same file.
    """
    found: dict[str, str] = {}
    for option, path in named.items():
        if path is None:
            continue
        first = found.setdefault(os.path.realpath(path), option)
        if first != option:
            raise click.UsageError(f"{first} and {option} are one file, {path}: name two")


def load_record(path: Path) -> GameRecord:
    """A recorded game.

    Raises:
        click.ClickException: says what is wrong with the file.
    """
    with record_errors(path):
        return GameRecord.load(path)


@contextmanager
def record_errors(path: Path) -> Iterator[None]:
    """Let errors of a recorded game name its file.

    Raises:
        click.ClickException: for a ValueError.
    """
    try:
        yield
    except ValueError as error:
        raise click.ClickException(f"{path} holds no recorded game: {error}") from error
