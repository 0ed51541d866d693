"""Lines for the person at the terminal, above progress bars."""

import sys
from typing import Final

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from catan_pz.files import is_terminal
from catan_pz.names import printable

_console: Final = Console(stderr=True)


def say(text: str) -> None:
    """Print a line to standard output, on a terminal above the progress bar."""
    if sys.stdout is not None:
        sys.stdout.write(f"{printable(text)}\n")
        sys.stdout.flush()


def warn(text: str) -> None:
    """Print a warning to standard error."""
    _console.print(printable(text), style="yellow", soft_wrap=True, highlight=False, markup=False)


def bar_of(*columns: ProgressColumn, shown: bool) -> Progress:
    """A progress bar on standard error."""
    # Lines go above the bar on a terminal alone, not where output is written to a file.
    above = is_terminal(sys.stdout)
    return Progress(*columns, console=_console, redirect_stdout=above, disable=not shown)


def progress_bar(shown: bool) -> Progress:
    """A bar of frames, whose tasks have a field `rate`: frames a second."""
    return bar_of(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:,.0f} frames/s"),
        TimeRemainingColumn(),
        shown=shown,
    )
