"""What commands show on the terminal: progress, examples, sizes."""

import shutil
from typing import Any, Final

import click

COLUMNS: Final = 80
"""Columns that a game in the terminal takes."""


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
