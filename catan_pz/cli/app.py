"""The group of commands, and how their errors reach the user."""

import io
import sys
import traceback
import warnings
from collections.abc import Sequence
from importlib import import_module
from keyword import iskeyword
from typing import Final

import click

import catan_pz
from catan_pz.cli import INTERRUPTED
from catan_pz.cli.console import sentence
from catan_pz.names import shown

GROUPS: Final = {
    "Play": {
        "play": ("play", "Play against agents, in the browser or by typed commands."),
        "watch": ("watch", "Watch a recording or a live match, or export it."),
        "serve": ("serve", "Open a table in the browser, for several persons too."),
        "mcp": ("chat", "Open tables for a chat client, by the Model Context Protocol."),
        "export": ("watch", "Write a recorded game as an HTML file, or many as Parquet."),
    },
    "Games of people": {
        "import": ("records", "Read games that were recorded elsewhere, and check them."),
        "review": ("studies", "Review a recorded game: luck, play, dearest decisions."),
    },
    "Compare": {
        "evaluate": ("matches", "Measure the win rate of one agent."),
        "tournament": ("matches", "Let agents play each other."),
        "ladder": ("ladder", "Rate agents, until the ratings are precise."),
        "positions": ("matches", "Measure the win probability lost by an agent in 200 positions."),
        "openings": ("studies", "Measure the win rates of openings in recorded games."),
        "agreement": ("studies", "Compare recorded decisions with an agent's."),
    },
    "Train": {"train": ("train", "Train an agent for a few minutes.")},
    "Other tables and programs": {
        "jsettlers": ("tables", "Play at a JSettlers table."),
        "catanatron": ("tables", "Play a match at a table of catanatron."),
        "bot": ("tables", "Play an agent at a table of catanatron."),
        "program": ("tables", "Serve an agent by JSON lines."),
    },
    "This machine": {
        "bench": ("machine", "Measure speed on this machine."),
        "perft": ("machine", "Count the ways in which a game can go on."),
        "warmup": ("machine", "Compile everything into the cache."),
        "info": ("machine", "Show versions, devices, the cache and the extras."),
    },
}
"""Commands by name: the module of each, imported on use, and its description."""

_COMMANDS: Final = {name: home for group in GROUPS.values() for name, home in group.items()}

_LONGEST: Final = 2000
"""Characters that are shown of a line of an error."""


def _imported(name: str) -> click.Command:
    module = import_module(f"catan_pz.cli.{_COMMANDS[name][0]}")
    return getattr(module, name + "_" * iskeyword(name))


class _Commands(click.Group):
    """Commands by name, imported when they are wanted."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Their names."""
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """The command of a name."""
        return _imported(name) if name in _COMMANDS else None

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each does, group by group."""
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, words) for name, (_, words) in group.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that a line names, and what comes after its name."""
        if args[0] not in _COMMANDS:
            from catan_pz.checks import did_you_mean

            hint = did_you_mean(args[0], _COMMANDS)
            raise click.UsageError(f"there is no command {args[0]!r}{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="Try `catan-pz COMMAND --help`; each command's help ends with examples.",
)
@click.version_option(catan_pz.__version__, prog_name="catan-pz")
@click.option("--debug", is_flag=True, help="Show the whole traceback of an error.")
def app(debug: bool) -> None:
    """Settlers of Catan: play it, watch it, train and compare agents, measure speed."""


def commands() -> dict[str, click.Command]:
    """All commands by name."""
    return {name: _imported(name) for name in _COMMANDS}


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; 0 where it went well.

    Errors are one sentence on standard error, with `--debug` after their traceback.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal may not know all letters
        sys.stdout.reconfigure(errors="backslashreplace")
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    if not debug:
        warnings.formatwarning = lambda message, *_, **__: f"Warning: {message}\n"
    # Wherever it stands on the line.
    given = ["--debug"] * debug + [word for word in given if word != "--debug"]
    try:
        app.main(given, prog_name="catan-pz", standalone_mode=False, obj=given)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        _complain(error, debug)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    except (ValueError, ImportError, RuntimeError, MemoryError, OSError) as error:
        notes = getattr(error, "__notes__", ())  # such as which agent raised it
        _complain(click.ClickException("\n".join([sentence(error), *notes])), debug)
        return 1
    return 0


def _complain(error: click.ClickException, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message())
        return
    lines = error.format_message().split("\n")
    click.echo("Error: " + "\n".join(shown(line, _LONGEST) for line in lines), err=True)
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is not None:
        click.echo(f"Try '{context.command_path} --help'.", err=True)
