"""A progress bar on the terminal while games are played."""

import sys
from types import TracebackType
from typing import Any, Self

from catan_pz.files import is_terminal


class ProgressBar:
    """Shows how many games are finished, by the library rich.

    Args:
        total: games of the match.
        done: games that are finished already.
        show: whether there is a bar; None for one if standard error is a terminal and rich is
            installed.

    Raises:
        ImportError: if a bar is asked for and rich isn't installed.
    """

    def __init__(self, total: int, done: int, show: bool | None) -> None:
        self._progress: Any = None
        if show is False or (show is None and not is_terminal(sys.stderr)):
            return
        try:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )
        except ImportError as error:
            if show is None:
                return
            raise ImportError("progress=True needs rich: pip install 'catan-pz[arena]'") from error
        self._progress = Progress(
            TextColumn("games"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=Console(stderr=True),
        )
        self._task = self._progress.add_task("games", total=total, completed=done, note="")
        self._forfeits = 0

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def advance(self, *, forfeit: bool) -> None:
        """One more game is finished."""
        if self._progress is not None:
            self._forfeits += forfeit
            note = f"{self._forfeits:,} forfeited" if self._forfeits else ""
            self._progress.update(self._task, advance=1, note=note)
