"""Calls on a batch: one at a time, each brought to its end or the batch to be reset."""

import threading
from collections.abc import Callable
from typing import Any

from catan_pz.kernels.forks import tell_forks


class OneAtATime:
    """Lets threads call the methods of a batch one after the other: each holds `_turn`.

    An exception may come between any two bytecodes: from a signal's handler, or from another
    thread. A change that takes several compiled calls goes through `_change`; where it doesn't
    come to its end, the batch says that it must be reset.
    """

    def __init__(self) -> None:
        self._turn = threading.RLock()
        self._is_whole = True
        tell_forks(self)

    def after_fork(self) -> None:
        """Ask for a reset where another thread was in a call when the process was forked."""
        if self._turn.acquire(blocking=False):
            self._turn.release()
        else:
            self._turn = threading.RLock()
            self._is_whole = False

    def _change(self, change: Callable[..., None], *arguments: Any) -> None:
        """Call what changes the batch."""
        self._is_whole = False
        change(*arguments)
        self._is_whole = True

    def _check_whole(self) -> None:
        """Refuse to go on from a change that didn't come to its end.

        Raises:
            RuntimeError: asks for `reset`.
        """
        if not self._is_whole:
            raise RuntimeError(
                "a call before this one didn't come to its end: it raised, or the process was "
                "forked while another thread was in it; call reset() first"
            )
