"""The progress bar of matches, trainings and commands, made with rich."""

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from catan_pz.files import is_terminal

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")


def progress_bar(show: bool | None = None) -> "Progress":
    """A bar on standard error; its tasks need a field `note`, a text such as "1,234 frames/s".

    Args:
        show: None for a bar only on a terminal.
    """
    # Rich is slow to import, so commands without a bar don't.
    from rich.console import Console
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
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=Console(stderr=True, highlight=False),
        # Print lines above the bar only on a terminal, not if output goes to a file.
        redirect_stdout=is_terminal(sys.stdout),
        disable=not (is_terminal(sys.stderr) if show is None else show),
    )


def tracked(items: Iterable[T], words: str, total: int) -> Iterator[T]:
    """Iterate over `total` items, with a progress bar."""
    with progress_bar() as bar:
        task = bar.add_task(words, total=total, note="")
        for item in items:
            yield item
            bar.advance(task)
