"""Calls on a batch: one at a time, each brought to its end or the batch to be reset."""

import os
import threading
from collections.abc import Callable
from typing import Any


class OneAtATime:
    """Lets threads call the methods of a batch one after the other.

    An exception may come between any two bytecodes: from a signal's handler, or from another
    thread. A change that takes several compiled calls goes through `_change`; where it doesn't
    come to its end, the batch says that it must be reset.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._is_whole = True

    @property
    def _one_at_a_time(self) -> Any:
        """The lock that a method holds while it works."""
        if os.getpid() != self._process:
            self._begin_forked()
        return self._lock

    def _begin_forked(self) -> None:
        """Find out whether the process was forked while another thread held the lock."""
        if self._lock.acquire(blocking=False):
            self._lock.release()
        else:  # that thread doesn't exist in this process
            self._lock = threading.RLock()
            self._is_whole = False
        self._process = os.getpid()

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
