"""Threads that stay awake for a moment after their work, so that more reaches them at once.

To wake a thread that sleeps takes a tenth of a millisecond on some machines, as long as a
step of a thousand games.
"""

import threading
from collections.abc import Callable
from typing import Any, Final

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from catan_pz.engine.rule import bound, entry

LOOKS_BEFORE_SLEEP: Final = 1_000_000
"""How often a thread looks for work before it sleeps: some tenths of a millisecond."""

_ASKED: Final = 0
_DONE: Final = 1


@intrinsic
def _look(_context: Any, array: Any, place: Any) -> Any:
    """array[place], read anew each time, whoever may have written it."""

    def load(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        held = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = cgutils.gep(builder, held.data, arguments[1])
        return builder.load_atomic(pointer, ordering="acquire", align=8)

    return types.int64(array, types.int64), load


@entry
def _changes(handovers, place, seen, looks):
    """Look at a number until it is no longer as seen, or often enough; whether it changed."""
    for _ in range(looks):
        if _look(handovers, place) != seen:
            return True
    return False


def dismiss(crew: "list[Worker]") -> None:
    """Let the threads of workers end."""
    for worker in crew:
        worker.stop()
    crew.clear()


class Worker:
    """A thread that takes calls, one at a time."""

    def __init__(self) -> None:
        self._handovers: NDArray[np.int64] = np.zeros(2, np.int64)
        self._call: Callable[[], Any] | None = None
        self._result: Any = None
        self._error: BaseException | None = None
        # Set only for those who sleep, which they say first; setting an event takes its time.
        self._woken, self._finished = threading.Event(), threading.Event()
        self._asleep, self._awaited = False, False
        # Uncompiled, looking would keep other threads from their work.
        self._looks = 0 if numba.config.DISABLE_JIT else LOOKS_BEFORE_SLEEP
        self._changes = bound(_changes)
        threading.Thread(target=self._work, daemon=True).start()

    def ask(self, call: Callable[[], Any]) -> None:
        """Hand over a call; `result` must be asked for before the next one."""
        self._hand_over(call)

    def result(self) -> Any:
        """Wait for what the call gives; what it raises is raised here."""
        handovers = self._handovers
        while handovers[_DONE] != handovers[_ASKED]:
            if not self._changes(handovers, _DONE, handovers[_ASKED] - 1, self._looks):
                self._awaited = True
                if handovers[_DONE] != handovers[_ASKED]:
                    self._finished.wait()
                self._awaited = False
                self._finished.clear()
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        return self._result

    def stop(self) -> None:
        """Let the thread end."""
        self._hand_over(None)

    def _hand_over(self, call: Callable[[], Any] | None) -> None:
        self._call = call
        self._handovers[_ASKED] += 1
        if self._asleep:
            self._woken.set()

    def _work(self) -> None:
        handovers, seen = self._handovers, 0
        while True:
            while handovers[_ASKED] == seen:
                if not self._changes(handovers, _ASKED, seen, self._looks):
                    self._asleep = True
                    if handovers[_ASKED] == seen:
                        self._woken.wait()
                    self._asleep = False
                    self._woken.clear()
            seen += 1
            if self._call is None:
                return
            try:
                self._result = self._call()
            except BaseException as error:  # handed to whoever asks for the result
                self._error = error
            self._call = None  # what it holds may go
            handovers[_DONE] = seen
            if self._awaited:
                self._finished.set()
