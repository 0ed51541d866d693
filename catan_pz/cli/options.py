"""Options that several commands share, declared once: rules, matches, seeds."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from catan_pz.cli.console import FILE, FOLDER, Command, option

if TYPE_CHECKING:
    from catan_pz.rules import Rules

COUNT: Final = click.IntRange(1)


def seed_number(text: str) -> int:
    """A seed of a game, as it is typed."""
    from catan_pz.checks import check_seed

    return check_seed(int(text) if str(text).isdigit() else text)


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

        for one in reversed(options):
            wrapped = one(wrapped)
        return wrapped

    return decorate


class RuleChoice(NamedTuple):
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
        from catan_pz.agents.registry import as_value
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
    """Options that choose the rules; the command gets them as `rules`, a `RuleChoice`."""
    return bundle(
        RuleChoice,
        "rules",
        option(
            "--rules",
            "Preset that the other options change: base, one_v_one, rocco or charlesworth.",
            metavar="PRESET",
            default="base",
        ),
        option(
            "--players",
            "Number of players.  [4, or as preset or model say]",
            click.IntRange(2, 4),
            name="num_players",
        ),
        option("--trading/--no-trading", trading, default=None),
        option("--points", "Points that win.", click.IntRange(3, 22), name="victory_points"),
        option("--board", "Kind of board: random, spiral or beginner.", metavar="KIND"),
        option(
            "--offers",
            "How offers are made: templates (1 card for 1, 2 for 1 or 1 for 2), composed "
            "(card by card, up to 4 a side), or both.",
            name="offer_form",
            metavar="FORM",
        ),
        option(
            "--set",
            "Any other option of the rules, such as dice=balanced; may be repeated.",
            name="others",
            metavar="OPTION=VALUE",
            multiple=True,
        ),
    )


def seed_option(words: str = "Seed of the game.") -> Callable[[Command], Command]:
    """The option `--seed`; None where it isn't given."""
    return option("--seed", f"{words}  [drawn]", seed_number, metavar="SEED")


class TableChoice(NamedTuple):
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
    """Options of every match, at whichever table: the fields of `TableChoice`."""
    return (
        option("--games", games_help, COUNT, default=games),
        seed_option(seed),
        option("--workers", workers, COUNT),
        option("--results", "File of results; the same call goes on where it was stopped.", FILE),
    )


class MatchChoice(NamedTuple):
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
    """Options of matches in the arena; the command gets them as `match`, a `MatchChoice`."""
    return bundle(
        MatchChoice,
        "match",
        *table_options(games, words, "Processes that play.  [1; with ray one on each CPU]"),
        option(
            "--executor",
            "Where games are played; ray: on a cluster.",
            click.Choice(["inline", "processes", "ray"]),
        ),
        option(
            "--address",
            "Of a Ray cluster: HOST:PORT, auto or local.  [RAY_ADDRESS, or this machine]",
            metavar="ADDRESS",
        ),
        option(
            "--isolate",
            "Play each agent in a process of its own, which gets its views only.",
            is_flag=True,
        ),
        option("--records", "Folder for the recorded games.", FOLDER),
        option(
            "--html", "Folder for replays that open in any browser, beside their records.", FOLDER
        ),
        option(
            "--most-html",
            "Replays that are written at most, evenly spread over the games.",
            COUNT,
            default=20,
        ),
    )
