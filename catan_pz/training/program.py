"""Programs of the command line: a wrong option or Ctrl-C ends them with one line."""

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

RESUMABLE: Final = "Interrupted: --resume continues from the last checkpoint."
REPEATABLE: Final = "Interrupted: the same call goes on."


def run_program(
    main: Callable[[], object], *further: type[Exception], stopped: str = "Interrupted."
) -> None:
    """Run a program's `main`.

    Args:
        main: parses the options, and does everything.
        further: errors that say what is wrong, beside `ValueError`, `OSError` and
            `FloatingPointError`.
        stopped: what Ctrl-C, or the end of the input, is answered with.

    Raises:
        SystemExit: says what is wrong with an option, a file or an address.
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
    stop: Callable[..., object], numbers: Sequence[int] = (signal.SIGINT, signal.SIGTERM)
) -> Iterator[None]:
    """Let signals call `stop` meanwhile; in other threads than the main one nothing.

    Args:
        stop: called with the signal's number and the frame.
        numbers: of the signals, by default those of Ctrl-C and of `kill`.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [signal.signal(number, stop) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
