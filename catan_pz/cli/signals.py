"""Signals that end a command: those of a closed terminal and of `kill`, beside Ctrl-C."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from catan_pz.training.program import heeding_signals

_NAMES: Final = ("SIGHUP", "SIGTERM")


@contextmanager
def ended_as_by_ctrl_c() -> Iterator[None]:
    """Within it a closed terminal and `kill` raise KeyboardInterrupt, so that games are saved.

    What is ignored stays ignored, such as a closed terminal under `nohup`.
    """
    found = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    numbers = [n for n in found if signal.getsignal(n) == signal.SIG_DFL]

    def stop(_number: int, _frame: Any) -> None:
        # A terminal tells its programs twice, by its shell and by the system: the second signal
        # must not stop what the first one saves.
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    with heeding_signals(stop, numbers):
        yield
