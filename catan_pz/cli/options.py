"""Options that several commands share: rules, matches, seeds, how games are shown."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from catan_pz.cli.agents import agent_option, encoder_option, trained_with, trust_option
from catan_pz.cli.console import FILE, FOLDER, OLD_FILE, Command, option, usage_errors

if TYPE_CHECKING:
    from catan_pz.rules import Rules

COUNT: Final = click.IntRange(1)


def seed_number(text: str) -> int:
    """A seed of a game from the command line."""
    from catan_pz.checks import check_seed

    return check_seed(int(text) if str(text).isdigit() else text)


def bundle(kind: type, name: str, *options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Pass options to a command as one argument, a NamedTuple with a field for each."""
    fields: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def wrapped(**given: Any) -> Any:
            bundled = kind(**{field: given.pop(field) for field in fields if field in given})
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
        """The rules, with defaults for options that aren't given.

        A model among the agents (separated by commas) gives the defaults of players and trade.
        """
        from catan_pz.agents.registry import as_value
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
        with usage_errors():
            return Rules.make(self.rules, **defaults | said)

    def for_persons(self, agents: str) -> "Rules":
        """The rules of a game with persons, by default with both forms of offers."""
        return self.make(agents, **({"offer_form": "both"} if self.rules == "base" else {}))


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
        option("--points", "Victory points to win.", click.IntRange(3, 22), name="victory_points"),
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


def game_options(command: Command) -> Command:
    """Options of games between agents: the rules, own encoders, trust in pickles."""
    return trust_option(encoder_option(rule_options()(command)))


def seed_option(words: str = "Seed of the game.") -> Callable[[Command], Command]:
    """The option `--seed`; None where it isn't given."""
    return option("--seed", f"{words}  [drawn]", seed_number, metavar="SEED")


class MatchChoice(NamedTuple):
    """The options of `match_options` and `table_options`."""

    games: int
    seed: int | None
    workers: int | None
    results: Path | None
    executor: str | None = None
    address: str | None = None
    isolate: bool = False
    records: Path | None = None
    html: Path | None = None
    most_html: int = 20

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


_SEATINGS: Final = "Minimum number of games; all seatings are played equally often."


def table_options(
    games: int,
    *more: Callable[[Any], Any],
    words: str = _SEATINGS,
    workers: str = "Processes that play.  [1]",
    seed: str = "Seed of the games and the agents' random choices.",
) -> Callable[[Any], Any]:
    """Options of every match, at any table; the command gets a `MatchChoice` as `match`."""
    return bundle(
        MatchChoice,
        "match",
        option("--games", words, COUNT, default=games),
        seed_option(seed),
        option("--workers", workers, COUNT),
        option("--results", "File of results; the same command continues a match.", FILE),
        *more,
    )


def match_options(games: int, words: str = _SEATINGS) -> Callable[[Any], Any]:
    """Options of matches in the arena."""
    return table_options(
        games,
        option(
            "--executor",
            "Where games are played; ray: on a cluster.",
            click.Choice(["inline", "processes", "ray"]),
        ),
        option(
            "--address",
            "Address of a Ray cluster: HOST:PORT, auto or local.  [RAY_ADDRESS, or this machine]",
            metavar="ADDRESS",
        ),
        option(
            "--isolate",
            "Play each agent in a separate process, which only gets its views.",
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
        words=words,
        workers="Processes that play.  [1; with ray one on each CPU]",
    )


class WatchChoice(NamedTuple):
    """How a game is shown, and agents that are asked about each position."""

    viewer: int | None = None
    names: str | None = None
    advice: str | None = None
    win_probability: str | None = None
    reasons: tuple[Path, ...] = ()


watch_options: Final = bundle(
    WatchChoice,
    "asked",
    option("--viewer", "Show what this seat knows.  [everything]", click.IntRange(0, 3)),
    option(
        "--names",
        "Names of a recording's seats, separated by commas.  [as recorded]",
        metavar="NAMES",
    ),
    agent_option("--advice", "Show what this agent thinks of each move.", None),
    agent_option(
        "--win-probability",
        "Chart the win probabilities that this agent estimates, such as search, in a replay.",
        None,
    ),
    option(
        "--reasons",
        "Transcript of a chat model in a recorded game: its reasons stand beside its decisions; "
        "may be repeated.",
        OLD_FILE,
        multiple=True,
    ),
)
