"""Terminal output of programs: lines above a progress bar, Ctrl-C, one-line errors."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from catan_pz.names import printable
from catan_pz.training.tracking import Tracker

RESUMABLE: Final = "Interrupted: --resume continues from the last checkpoint."
REPEATABLE: Final = "Interrupted: the same command continues."

_console: Final = Console(stderr=True)


def say(text: str) -> None:
    """Print a line to standard output, on a terminal above the progress bar."""
    if sys.stdout is not None:
        sys.stdout.write(f"{printable(text)}\n")
        sys.stdout.flush()


def warn(text: str) -> None:
    """Print a warning to standard error."""
    _console.print(printable(text), style="yellow", soft_wrap=True, highlight=False, markup=False)


def run_program(
    main: Callable[[], object], *further: type[Exception], stopped: str = "Interrupted."
) -> None:
    """Run a program's `main`; errors end it with one line.

    Args:
        main: parses the options and runs the program.
        further: errors to report, besides `ValueError`, `OSError` and `FloatingPointError`.
        stopped: message on Ctrl-C or the end of the input.
    """
    errors: tuple[type[Exception], ...] = (ValueError, OSError, FloatingPointError, *further)
    try:
        main()
    except errors as error:
        raise SystemExit(f"error: {error}") from None
    except (KeyboardInterrupt, EOFError):
        raise SystemExit(stopped) from None


@contextmanager
def heeding_signals(
    stop: Callable[..., Any], numbers: Sequence[int] = (signal.SIGINT, signal.SIGTERM)
) -> Iterator[None]:
    """Let signals, by default those of Ctrl-C and `kill`, call `stop`; only in the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [signal.signal(number, stop) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


class Logs:
    """Logs for TensorBoard, if it is installed, and for a tracker.

    Args:
        folder: of TensorBoard's logs; None for none.
        frames: amount trained before; later logs are replaced.
        tracker: the tracker, if there is one.
    """

    def __init__(self, folder: Path | None, frames: int, tracker: Tracker | None = None) -> None:
        self._tracker, self._writer = tracker, None
        if folder is not None:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                return
            self._writer = SummaryWriter(str(folder), purge_step=frames + 1 if frames else None)

    def write(self, values: Mapping[str, Any], frames: int) -> None:
        """Log the numbers among these values; write errors don't end the training."""
        numbers = {tag: value for tag, value in values.items() if isinstance(value, int | float)}
        try:
            if self._writer is not None:
                for tag, value in numbers.items():
                    self._writer.add_scalar(tag, value, frames)
        except OSError as error:
            warn(f"TensorBoard's logs can no longer be written: {error}.")
            self._writer = None
        try:
            if self._tracker is not None:
                self._tracker.write(numbers, frames)
        except Exception as error:  # trackers raise many kinds, none worth ending a training
            warn(f"The training continues without tracking: {error}.")
            self._tracker = None

    def close(self) -> None:
        """Write the remaining logs."""
        for one in (self._writer, self._tracker):
            if one is not None:
                one.close()
