"""Options that several commands share, declared once: rules, matches, seeds."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from catan_pz.cli.console import Command

if TYPE_CHECKING:
    from catan_pz.rules import Rules

FILE: Final = click.Path(dir_okay=False, path_type=Path)
OLD_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER: Final = click.Path(file_okay=False, path_type=Path)
COUNT: Final = click.IntRange(1)
SEED: Final = click.IntRange(0, 2**64 - 1)


def bundle(kind: type, name: str, *options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Options that a command gets as one argument.

    Args:
        kind: a NamedTuple with a field for each of the options.
        name: of the argument.
        *options: decorators of click.
    """
    fields: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def wrapped(**given: Any) -> Any:
            bundled = kind(**{field: given.pop(field) for field in fields})
            return command(**given, **{name: bundled})

        for option in reversed(options):
            wrapped = option(wrapped)
        return wrapped

    return decorate


class RuleOptions(NamedTuple):
    """The options of `rule_options`; None where the command line says nothing."""

    rules: str
    num_players: int | None = None
    trading: bool | None = None
    victory_points: int | None = None
    board: str | None = None
    offer_form: str | None = None
    others: tuple[str, ...] = ()

    def make(self, agents: str = "", **defaults: Any) -> "Rules":
        """The rules.

        Where nothing is said of players and trade, a model among the agents has them as it was
        trained.

        Args:
            agents: who plays, separated by commas.
            **defaults: options of the rules where nothing is said of them.
        """
        from catan_pz.agents.specs import as_value
        from catan_pz.cli.agents import trained_with
        from catan_pz.rules import Rules

        given = self._asdict()
        del given["rules"], given["others"]
        said = {name: value for name, value in given.items() if value is not None}
        for other in self.others:
            name, sign, value = other.partition("=")
            if not sign:
                raise click.UsageError(f"--set {other}: write OPTION=VALUE, such as dice=balanced")
            said[name] = as_value(value)
        if self.rules == "base":
            said = trained_with(agents) | said
        try:
            return Rules.make(self.rules, **defaults | said)
        except ValueError as error:
            raise click.UsageError(str(error)) from error


def rule_options(
    trading: str = "Trade between players.  [yes, or as preset or model say]",
) -> Callable[[Any], Any]:
    """Options that choose the rules; the command gets them as `rules`, a `RuleOptions`."""
    return bundle(
        RuleOptions,
        "rules",
        click.option(
            "--rules",
            metavar="PRESET",
            default="base",
            show_default=True,
            help="Preset that the other options change: base, one_v_one, rocco or charlesworth.",
        ),
        click.option(
            "--players",
            "num_players",
            type=click.IntRange(2, 4),
            metavar="N",
            help="Number of players.  [4, or as preset or model say]",
        ),
        click.option("--trading/--no-trading", default=None, help=trading),
        click.option(
            "--points",
            "victory_points",
            type=click.IntRange(3, 22),
            metavar="N",
            help="Points that win.",
        ),
        click.option("--board", metavar="KIND", help="Kind of board: random, spiral or beginner."),
        click.option(
            "--offers",
            "offer_form",
            metavar="FORM",
            help="How offers are made: templates (1 card for 1, 2 for 1 or 1 for 2), composed "
            "(card by card, up to 4 a side), or both.",
        ),
        click.option(
            "--set",
            "others",
            metavar="OPTION=VALUE",
            multiple=True,
            help="Any other option of the rules, such as dice=balanced; may be repeated.",
        ),
    )


def seed_option(words: str = "Seed of the game.") -> Callable[[Command], Command]:
    """The option `--seed`; None where it isn't given."""
    return click.option("--seed", type=SEED, metavar="SEED", help=f"{words}  [drawn]")


def games_option(default: int, words: str) -> Callable[[Command], Command]:
    """The option `--games`."""
    return click.option(
        "--games", type=COUNT, metavar="N", default=default, show_default=True, help=words
    )


class TableOptions(NamedTuple):
    """The options of `table_options`."""

    games: int
    seed: int | None
    workers: int | None
    results: Path | None


def table_options(
    games: int,
    games_help: str = "Games, at least; all seatings are played alike.",
    workers: str = "Processes that play.  [1]",
    seed: str = "Of the games and of the agents' random choices.",
) -> tuple[Callable[[Any], Any], ...]:
    """Options of every match, at whichever table: the fields of `TableOptions`."""
    return (
        games_option(games, games_help),
        seed_option(seed),
        click.option("--workers", type=COUNT, metavar="N", help=workers),
        click.option(
            "--results",
            type=FILE,
            help="File of results; the same call goes on where it was stopped.",
        ),
    )


class MatchOptions(NamedTuple):
    """The options of `match_options`."""

    games: int
    seed: int | None
    workers: int | None
    results: Path | None
    executor: str | None
    address: str | None
    isolate: bool
    records: Path | None
    html: Path | None
    most_html: int

    def keywords(self) -> dict[str, Any]:
        """The arguments of `play_match` and `play_tournament`."""
        given = self._asdict()
        address, html, most = (given.pop(name) for name in ("address", "html", "most_html"))
        if self.executor == "ray":
            from catan_pz.arena import RayExecutor

            given["executor"] = RayExecutor(self.workers, address=address)
        if html is not None and self.records is None:
            given |= {"records": html, "most_records": most}
        return given


def match_options(
    games: int, words: str = "Games, at least; all seatings are played alike."
) -> Callable[[Any], Any]:
    """Options of matches in the arena; the command gets them as `match`, a `MatchOptions`."""
    return bundle(
        MatchOptions,
        "match",
        *table_options(games, words, "Processes that play.  [1; with ray one on each CPU]"),
        click.option(
            "--executor",
            type=click.Choice(["inline", "processes", "ray"]),
            help="Where games are played; ray: on a cluster.",
        ),
        click.option(
            "--address",
            metavar="ADDRESS",
            help="Of a Ray cluster: HOST:PORT, auto or local.  [RAY_ADDRESS, or this machine]",
        ),
        click.option(
            "--isolate",
            is_flag=True,
            help="Play each agent in a process of its own, which gets its views only.",
        ),
        click.option(
            "--records", type=FOLDER, metavar="FOLDER", help="Folder for the recorded games."
        ),
        click.option(
            "--html",
            type=FOLDER,
            metavar="FOLDER",
            help="Folder for replays that open in any browser, beside their records.",
        ),
        click.option(
            "--most-html",
            type=COUNT,
            metavar="N",
            default=20,
            show_default=True,
            help="Replays that are written at most, evenly spread over the games.",
        ),
    )
