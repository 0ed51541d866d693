"""Lines for the person at the terminal, above progress bars."""

from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from catan_pz.names import printable

console: Final = Console()


def say(text: str, style: str | None = None) -> None:
    """Print a line above the progress bar, in a style of rich's."""
    console.print(printable(text), style=style, soft_wrap=True, highlight=False, markup=False)


def warn(text: str) -> None:
    """Print a warning."""
    say(text, "yellow")


def progress_bar(shown: bool) -> Progress:
    """A bar of frames, whose tasks have a field `rate`: frames a second."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:,.0f} frames/s"),
        TimeRemainingColumn(),
        console=console,
        disable=not shown,
    )
