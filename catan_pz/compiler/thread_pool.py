"""Threads that share calls on many games, without the interpreter and its lock.

A call is cut into chunks of games. Each thread takes those of its own part first, whose games
its cache may hold, and then what others have not come to yet, so that a thread that is kept from
its work holds up nobody. Threads stay awake for a moment after their work: to wake one that
sleeps takes a tenth of a millisecond on some machines, as long as a step of a thousand games.
"""

import threading
import time
from collections.abc import Callable
from typing import Any, Final
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from catan_pz.compiler.atomics import CACHE_LINE, call, look, replace, take, tell
from catan_pz.compiler.packed_calls import FAILED, PackedCall
from catan_pz.compiler.rule import Entry, bound, entry, rule
from catan_pz.compiler.types import Int64Array

LOOKS_BEFORE_SLEEP: Final = 1_000_000
"""How often a thread looks for work before it sleeps: some tenths of a millisecond."""

NAP: Final = 5e-5
"""Seconds that the caller sleeps at a time where others keep it waiting."""

DESK: Final = 2 * CACHE_LINE // np.dtype(np.int64).itemsize
"""Numbers of a desk, so many that its first ones share no cache line with those of another."""

STATE_OF: Final = 0
NEXT: Final = 1
END: Final = 2
"""On each thread's desk: its state, its next chunk, and the end of its chunks."""

LOOKING: Final = 0
ASKED: Final = 1
WORKING: Final = 2
ASLEEP: Final = 3
DISMISSED: Final = 4
"""States of a thread."""

ADDRESS: Final = 0
WORDS: Final = 1
NUM_GAMES: Final = 2
CHUNK: Final = 3
"""The job: a packed call, the games of the batch, and those of a chunk."""

FINISHED: Final = 0
UNFINISHED: Final = -1


@rule
def work(job: Int64Array, desks: Int64Array, answers: Int64Array, own: int) -> None:
    """Take chunks until all are taken, from one's own desk first."""
    address, words = look(job, ADDRESS), look(job, WORDS)
    num_games, size = look(job, NUM_GAMES), look(job, CHUNK)
    n = desks.shape[0] // DESK
    for k in range(n):
        desk = DESK * ((own + k) % n)
        chunk = take(desks, desk + NEXT)
        while chunk < look(desks, desk + END):
            first = chunk * size
            last = min(first + size, num_games)
            answers[chunk] = call(address, words, first, last)
            chunk = take(desks, desk + NEXT)


@entry
def serve(job: Int64Array, desks: Int64Array, answers: Int64Array, own: int, looks: int) -> bool:
    """Work whenever asked; whether to sleep now, or to end."""
    mine = DESK * own + STATE_OF
    replace(desks, mine, ASLEEP, LOOKING)
    while True:
        seen = 0
        while seen < looks:
            state = look(desks, mine)
            if state == DISMISSED:
                return False
            if state == ASKED and replace(desks, mine, ASKED, WORKING):
                work(job, desks, answers, own)
                tell(desks, mine, LOOKING)
                seen = 0
            seen += 1
        if replace(desks, mine, LOOKING, ASLEEP):
            return True


@entry
def share(job: Int64Array, desks: Int64Array, answers: Int64Array, looks: int) -> int:
    """Ask the others, work oneself, and wait for who is still at it.

    Returns FINISHED, UNFINISHED after many looks, or how many sleepers have to be woken first;
    in either of the latter cases it is to be called again.
    """
    n = desks.shape[0] // DESK
    sleepers = 0
    for k in range(1, n):
        theirs = DESK * k + STATE_OF
        if not replace(desks, theirs, LOOKING, ASKED):
            sleepers += replace(desks, theirs, ASLEEP, ASKED)
    if sleepers > 0:
        return sleepers
    work(job, desks, answers, 0)
    for k in range(1, n):
        theirs = DESK * k + STATE_OF
        replace(desks, theirs, ASKED, LOOKING)  # who has not begun yet is no longer needed
        seen = 0
        while look(desks, theirs) == WORKING:
            seen += 1
            if seen > looks:
                return UNFINISHED
    return FINISHED


def _serve(
    serving: Callable[..., bool],
    job: NDArray[np.int64],
    desks: NDArray[np.int64],
    answers: NDArray[np.int64],
    own: int,
    woken: threading.Event,
) -> None:
    """The life of a thread."""
    while serving(job, desks, answers, own, LOOKS_BEFORE_SLEEP):
        woken.wait()
        woken.clear()


def _wake(alarms: list[threading.Event]) -> None:
    """Wake the threads that sleep; one that doesn't is only kept from its next sleep once."""
    for alarm in alarms:
        alarm.set()


def _dismiss(desks: NDArray[np.int64], alarms: list[threading.Event]) -> None:
    """Let the threads end."""
    desks[STATE_OF::DESK] = DISMISSED
    _wake(alarms)


class Crew:
    """Threads for calls on the games of a batch, of which the caller's is the first.

    Args:
        num_games: of the batch.
        threads: that share a call, the caller's own included.
        chunk: games that a thread takes at a time.
    """

    def __init__(self, num_games: int, threads: int, chunk: int) -> None:
        chunks = -(-num_games // chunk)
        threads = min(threads, chunks)
        self._job: NDArray[np.int64] = np.array([0, 0, num_games, chunk], np.int64)
        self._desks: NDArray[np.int64] = np.zeros(threads * DESK, np.int64)
        parts = np.arange(threads + 1) * chunks // threads
        self._first, self._desks[END::DESK] = parts[:-1], parts[1:]
        self._next = self._desks[NEXT::DESK]
        self._answers: NDArray[np.int64] = np.zeros(chunks, np.int64)
        self._calls: dict[Entry, PackedCall] = {}
        self._share = bound(share)
        self._alarms = [threading.Event() for _ in range(1, threads)]
        self.dismiss = finalize(self, _dismiss, self._desks, self._alarms)
        for own, woken in enumerate(self._alarms, 1):
            arguments = (bound(serve), self._job, self._desks, self._answers, own, woken)
            threading.Thread(target=_serve, args=arguments, daemon=True).start()

    def __len__(self) -> int:
        return len(self._first)

    def run(self, function: Entry, *arguments: Any) -> NDArray[np.int64]:
        """Call an entry point on all games.

        Args:
            function: the entry point.
            arguments: its arguments without `first` and `last`.

        Returns:
            Its result for each chunk of games, zero where it has none; the same array at
            each call.

        Raises:
            TypeError: for an argument of another type than the parameter's name stands for.
        """
        packed = self._calls.get(function)
        if packed is None:
            packed = self._calls[function] = function.packed()
        packed.fill(arguments)
        self._job[ADDRESS], self._job[WORDS] = packed.address, packed.words_address
        self._next[:] = self._first
        try:
            self._finish()
        except KeyboardInterrupt:  # no thread may be left at work on what is to change
            self._finish()
            raise
        if packed.words[FAILED]:
            packed.words[FAILED] = 0
            raise IndexError(f"{function.__name__}: an index is out of bounds")
        return self._answers

    def _finish(self) -> None:
        while left := self._share(self._job, self._desks, self._answers, LOOKS_BEFORE_SLEEP):
            if left == UNFINISHED:
                time.sleep(NAP)  # a thread may wait for this one's processor
            else:
                _wake(self._alarms)
