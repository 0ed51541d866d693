"""The group of commands, and how their errors reach the user."""

import io
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import click

import catan_pz
from catan_pz.checks import did_you_mean
from catan_pz.cli import (
    INTERRUPTED,
    bench,
    bot,
    catanatron,
    evaluate,
    export,
    info,
    jsettlers,
    perft,
    play,
    program,
    serve,
    tournament,
    train,
    warmup,
    watch,
)
from catan_pz.names import shown

_LONGEST: Final = 2000
"""Characters that are shown of a line of an error."""


class _ClosedPipeError(Exception):
    """Nobody reads on; click would make it a failure."""


@contextmanager
def _closed_pipe_errors() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise _ClosedPipeError from error


class _Commands(click.Group):
    """Commands by name, with a hint for one that is misspelled."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """The context of a line; help is shown here."""
        with _closed_pipe_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command of a line."""
        with _closed_pipe_errors():
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that a line names, and what comes after its name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            hint = did_you_mean(args[0], self.commands)
            raise click.UsageError(f"there is no command {args[0]!r}{hint}", ctx) from error


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog="Try `catan-pz COMMAND --help`; each command's help ends with examples.",
)
@click.version_option(catan_pz.__version__, prog_name="catan-pz")
@click.option("--debug", is_flag=True, help="Show the whole traceback of an error.")
def app(debug: bool) -> None:
    """Settlers of Catan: play it, watch it, train and compare agents, measure speed."""


for _room in (
    *(play, watch, serve, export, tournament, evaluate, train, program),
    *(jsettlers, catanatron, bot, bench, perft, warmup, info),
):
    app.add_command(_room.command)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; 0 where it went well.

    Errors are one sentence on standard error, with `--debug` after their traceback.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal may not know all letters
        sys.stdout.reconfigure(errors="backslashreplace")
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    # Wherever it stands on the line.
    given = ["--debug"] * debug + [word for word in given if word != "--debug"]
    try:
        app.main(given, prog_name="catan-pz", standalone_mode=False)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        _complain(error, debug)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    except _ClosedPipeError:  # such as `| head -1`, which has all that it wanted
        _write_to_nowhere()
        return 0
    except (ValueError, ImportError, RuntimeError, MemoryError, OSError) as error:
        _complain(click.ClickException(_sentence(error)), debug)
        return 1
    return 0


def _write_to_nowhere() -> None:
    """Spare the interpreter another error, as it writes out what is left at its end."""
    with suppress(OSError, ValueError):  # no file of the system
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, MemoryError) and not str(error):
        return "there is not enough memory"
    return str(error) or type(error).__name__


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
