"""What commands show on the terminal: progress, examples, sizes."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from catan_pz.files import is_terminal
from catan_pz.kernels.notices import MESSAGE, compile_hook, one_line
from catan_pz.names import shown
from catan_pz.play.terminal_game import ROWS
from catan_pz.render.ansi import COLUMNS


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


@contextmanager
def compiling_shown() -> Iterator[None]:
    """Show that rules are compiled, if they are: a spinner on a terminal, else one line."""
    if not is_terminal(sys.stderr):
        with compile_hook(one_line):
            yield
        return
    status = console(stderr=True).status(MESSAGE)
    with compile_hook(lambda _name: status.start()):
        try:
            yield
        finally:
            status.stop()


def check_streams(speaker: str) -> None:
    """Refuse to start what speaks with another program through streams that are closed.

    Raises:
        click.ClickException: says who needs them.
    """
    if sys.stdin is None or sys.stdout is None:
        raise click.ClickException(
            f"standard input or output is closed: {speaker} speaks through them"
        )


def terminal_rows() -> int:
    """Rows of the terminal.

    Raises:
        click.ClickException: it is too small for a game; says how large it is.
    """
    size = shutil.get_terminal_size((COLUMNS, ROWS))
    if size.columns < COLUMNS or size.lines < ROWS:
        raise click.ClickException(
            f"a game in the terminal takes {COLUMNS} columns and {ROWS} rows, this one has "
            f"{size.columns} and {size.lines}: make it larger, or use --window"
        )
    return size.lines


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


def win_rate_words(result: Any, name: str, agent: str) -> str:
    """How often an agent won, with its 95 % interval, and how many games were truncated, if any.

    Args:
        result: a `Result` of the arena.
        name: of the agent in it.
        agent: what it is called.
    """
    low, high = result.interval(name)
    tally = result.tally(name)
    truncated = result.ends()["truncated"]
    told = f" ({truncated} truncated)" if truncated else ""
    return (
        f"{shown(agent)} won {tally.won} of {tally.seats} games{told} = "
        f"{100 * result.win_rate(name):.1f} % "
        f"(95 % interval {100 * low:.1f} to {100 * high:.1f} %)"
    )
