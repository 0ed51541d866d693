"""A pool of threads that run a compiled call on chunks of games, without the interpreter lock.

Each thread starts with the chunks of its own slot, whose games its cache may hold, and then
takes chunks left in other slots, so that one slow thread delays nobody. After a task, threads
spin for a while before they sleep: waking a sleeping thread takes up to a tenth of a
millisecond, as long as a step of a thousand games.
"""

import threading
import time
from collections.abc import Callable
from typing import Any, Final
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from catan_pz.compiler.arguments import index_error
from catan_pz.compiler.fast.atomics import (
    CACHE_LINE,
    call_packed,
    compare_exchange,
    fetch_add,
    load_acquire,
    store_release,
)
from catan_pz.compiler.fast.packed_calls import FAILED, PackedCall
from catan_pz.compiler.rule import bound, entry, rule
from catan_pz.compiler.types import Int64Array

SPINS_BEFORE_SLEEP: Final = 1_000_000
"""How often a thread polls for a task before it sleeps: some tenths of a millisecond."""

WAIT_SECONDS: Final = 5e-5
"""How long the caller sleeps at a time while other threads finish."""

SLOT: Final = 2 * CACHE_LINE // np.dtype(np.int64).itemsize
"""Items of a slot: enough that the ones in use share no cache line with another slot's."""

STATE: Final = 0
NEXT: Final = 1
END: Final = 2
"""Items of a thread's slot: its state, its next chunk, and the end of its chunks."""

SPINNING: Final = 0
ASSIGNED: Final = 1
RUNNING: Final = 2
SLEEPING: Final = 3
STOPPED: Final = 4
"""States of a thread."""

ADDRESS: Final = 0
ARGUMENTS: Final = 1
NUM_GAMES: Final = 2
CHUNK: Final = 3
"""Items of the task: address of the packed code and of its arguments, number of games in the
batch and in a chunk."""

FINISHED: Final = 0
UNFINISHED: Final = -1


@rule
def run_chunks(task: Int64Array, slots: Int64Array, results: Int64Array, own: int) -> None:
    """Run chunks until none is left, those of the thread's own slot first."""
    address, arguments = load_acquire(task, ADDRESS), load_acquire(task, ARGUMENTS)
    num_games, size = load_acquire(task, NUM_GAMES), load_acquire(task, CHUNK)
    n = slots.shape[0] // SLOT
    for k in range(n):
        slot = SLOT * ((own + k) % n)
        chunk = fetch_add(slots, slot + NEXT, 1)
        while chunk < load_acquire(slots, slot + END):
            first = chunk * size
            last = min(first + size, num_games)
            results[chunk] = call_packed(address, arguments, first, last)
            chunk = fetch_add(slots, slot + NEXT, 1)


@entry
def run_worker(
    task: Int64Array, slots: Int64Array, results: Int64Array, own: int, spins: int
) -> bool:
    """Run assigned tasks; return True to sleep after `spins` polls in vain, False to end."""
    mine = SLOT * own + STATE
    compare_exchange(slots, mine, SLEEPING, SPINNING)
    while True:
        polls = 0
        while polls < spins:
            state = load_acquire(slots, mine)
            if state == STOPPED:
                return False
            if state == ASSIGNED and compare_exchange(slots, mine, ASSIGNED, RUNNING):
                run_chunks(task, slots, results, own)
                store_release(slots, mine, SPINNING)
                polls = 0
            polls += 1
        if compare_exchange(slots, mine, SPINNING, SLEEPING):
            return True


@entry
def run_task(task: Int64Array, slots: Int64Array, results: Int64Array, spins: int) -> int:
    """Assign the task to all threads, run chunks, and wait for the threads still running.

    Returns FINISHED, UNFINISHED after `spins` polls in vain, or the number of threads to wake
    first. Unless finished, it has to be called again.
    """
    n = slots.shape[0] // SLOT
    sleeping = 0
    for k in range(1, n):
        theirs = SLOT * k + STATE
        if not compare_exchange(slots, theirs, SPINNING, ASSIGNED):
            sleeping += compare_exchange(slots, theirs, SLEEPING, ASSIGNED)
    if sleeping > 0:
        return sleeping
    run_chunks(task, slots, results, 0)
    for k in range(1, n):
        theirs = SLOT * k + STATE
        compare_exchange(slots, theirs, ASSIGNED, SPINNING)  # not begun: nothing is left to do
        polls = 0
        while load_acquire(slots, theirs) == RUNNING:
            polls += 1
            if polls > spins:
                return UNFINISHED
    return FINISHED


def _run_thread(
    worker: Callable[..., bool],
    task: NDArray[np.int64],
    slots: NDArray[np.int64],
    results: NDArray[np.int64],
    own: int,
    wakeup: threading.Event,
) -> None:
    """Target of a thread."""
    while worker(task, slots, results, own, SPINS_BEFORE_SLEEP):
        wakeup.wait()
        wakeup.clear()


def _wake(wakeups: list[threading.Event]) -> None:
    """Wake the sleeping threads; one that is awake only skips its next sleep."""
    for wakeup in wakeups:
        wakeup.set()


def _stop(slots: NDArray[np.int64], wakeups: list[threading.Event]) -> None:
    """Let the threads end."""
    slots[STATE::SLOT] = STOPPED
    _wake(wakeups)


class PackedThreadPool:
    """A `ThreadPool` whose threads take packed calls."""

    def __init__(self, num_games: int, threads: int, chunk: int) -> None:
        chunks = -(-num_games // chunk)
        threads = min(threads, chunks)
        self._task: NDArray[np.int64] = np.array([0, 0, num_games, chunk], np.int64)
        self._slots: NDArray[np.int64] = np.zeros(threads * SLOT, np.int64)
        parts = np.arange(threads + 1) * chunks // threads
        self._first, self._slots[END::SLOT] = parts[:-1], parts[1:]
        self._next = self._slots[NEXT::SLOT]
        self._results: NDArray[np.int64] = np.zeros(chunks, np.int64)
        self._calls: dict[Callable[..., Any], PackedCall] = {}
        self._run_task = bound(run_task)
        self._wakeups = [threading.Event() for _ in range(1, threads)]
        self._end = finalize(self, _stop, self._slots, self._wakeups)
        for own, wakeup in enumerate(self._wakeups, 1):
            arguments = (bound(run_worker), self._task, self._slots, self._results, own, wakeup)
            threading.Thread(target=_run_thread, args=arguments, daemon=True).start()

    def __len__(self) -> int:
        return len(self._first)

    def close(self) -> None:
        """See `ThreadPool.close`."""
        self._end()

    def run(self, function: Callable[..., Any], *arguments: Any) -> NDArray[np.int64]:
        """See `ThreadPool.run`."""
        packed = self._calls.get(function)
        if packed is None:
            packed = self._calls[function] = PackedCall(bound(function))
        packed.fill(arguments)
        self._task[ADDRESS], self._task[ARGUMENTS] = packed.address, packed.words_address
        self._next[:] = self._first
        try:
            self._finish()
        except KeyboardInterrupt:  # no thread may still run when the caller goes on
            self._finish()
            raise
        if packed.words[FAILED]:
            packed.words[FAILED] = 0
            raise index_error(function)
        return self._results

    def _finish(self) -> None:
        while left := self._run_task(self._task, self._slots, self._results, SPINS_BEFORE_SLEEP):
            if left == UNFINISHED:
                time.sleep(WAIT_SECONDS)  # a thread may wait for this one's core
            else:
                _wake(self._wakeups)
