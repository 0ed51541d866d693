"""A pool of threads that run a compiled call on chunks of games without the interpreter lock.

Each thread starts with the chunks of its own slot, whose games may be in its cache, and then
takes chunks left in other slots, so one slow thread delays no other. After a task, threads
spin for a while before they sleep: waking a sleeping thread takes up to 0.1 ms, as long as a
step of a thousand games.

One compiled call assigns the task, works, and waits for the threads. So no thread is working or
about to start while the caller runs Python, whatever is raised there. A forked process has none
of the threads, so its caller does all the work.
"""

import ctypes
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from catan_pz.kernels.fast.atomics import (
    CACHE_LINE,
    call_packed,
    call_sleep,
    compare_exchange,
    fetch_add,
    load_acquire,
    store_release,
)
from catan_pz.kernels.fast.packed_calls import FAILED, PackedCall
from catan_pz.kernels.rule import bound, entry, kernel
from catan_pz.kernels.types import Int64Array

SPINS_BEFORE_SLEEP: Final = 1_000_000
"""Polls for a task before a thread sleeps: a few tenths of a millisecond."""

PATIENCE: Final = 100
"""Polls and naps of a called thread before it sleeps again: many milliseconds, in which the
caller may have lost its core."""

SLOT: Final = 2 * CACHE_LINE // np.dtype(np.int64).itemsize
"""Items of a slot: enough that two slots share no cache line in use."""

STATE, NEXT, BEGIN, END = 0, 1, 2, 3
"""Items of a thread's slot: its state, its next chunk, and the range of its chunks."""

SPINNING, ASSIGNED, RUNNING, SLEEPING, CALLED, STOPPED = 0, 1, 2, 3, 4, 5
"""States of a thread; a called one is about to be woken, or is awake and about to get a
task."""

ADDRESS, ARGUMENTS, NUM_GAMES, CHUNK, SLEEP, LENGTH = 0, 1, 2, 3, 4, 5
"""Items of the task: addresses of the packed code and its arguments, numbers of games in the
batch and in a chunk, address and argument of the sleep function of threads."""


@kernel
def run_chunks(task: Int64Array, slots: Int64Array, results: Int64Array, own: int) -> None:
    """Run chunks until none are left, those of the thread's own slot first."""
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


@kernel
def nap(task: Int64Array) -> None:
    """Sleep briefly: another thread may need this one's core."""
    call_sleep(load_acquire(task, SLEEP), load_acquire(task, LENGTH))


@entry
def run_worker(
    task: Int64Array, slots: Int64Array, results: Int64Array, own: int, spins: int
) -> bool:
    """Run assigned tasks; return True to sleep after `spins` idle polls, False to end."""
    mine = SLOT * own + STATE
    naps = 0
    while True:
        polls = 0
        while polls < spins:
            state = load_acquire(slots, mine)
            if state == STOPPED:
                return False
            if state == ASSIGNED and compare_exchange(slots, mine, ASSIGNED, RUNNING):
                run_chunks(task, slots, results, own)
                store_release(slots, mine, SPINNING)
                polls, naps = 0, 0
            polls += 1
        if compare_exchange(slots, mine, SPINNING, SLEEPING):
            return True
        if load_acquire(slots, mine) == CALLED:
            nap(task)
            naps += 1
            if naps > PATIENCE and compare_exchange(slots, mine, CALLED, SLEEPING):
                return True


@kernel
def call_sleepers(slots: Int64Array) -> int:
    """Mark sleeping threads as called, so they don't sleep again; return how many need waking."""
    called = 0
    for k in range(1, slots.shape[0] // SLOT):
        theirs = SLOT * k + STATE
        if load_acquire(slots, theirs) in (SLEEPING, CALLED):
            compare_exchange(slots, theirs, SLEEPING, CALLED)
            called += 1
    return called


@kernel
def assign(slots: Int64Array) -> None:
    """Assign the task to the threads that are awake."""
    n = slots.shape[0] // SLOT
    for k in range(n):
        slots[SLOT * k + NEXT] = slots[SLOT * k + BEGIN]
    for k in range(1, n):
        theirs = SLOT * k + STATE
        if not compare_exchange(slots, theirs, SPINNING, ASSIGNED):
            compare_exchange(slots, theirs, CALLED, ASSIGNED)


@kernel
def wait_for_threads(task: Int64Array, slots: Int64Array, spins: int) -> None:
    """Wait until no thread runs the task; threads that haven't begun it never will."""
    for k in range(1, slots.shape[0] // SLOT):
        theirs = SLOT * k + STATE
        compare_exchange(slots, theirs, ASSIGNED, SPINNING)
        polls = 0
        while load_acquire(slots, theirs) == RUNNING:
            polls += 1
            if polls > spins:
                nap(task)


@entry
def run_task(
    task: Int64Array,
    slots: Int64Array,
    results: Int64Array,
    address: int,
    arguments: int,
    spins: int,
    were_woken: bool,
) -> int:
    """Run packed code on all chunks, together with the threads, to the end; return 0.

    If threads are asleep and `were_woken` is false, do nothing and return their number.
    """
    if not were_woken:
        called = call_sleepers(slots)
        if called > 0:
            return called
    task[ADDRESS], task[ARGUMENTS] = address, arguments
    assign(slots)
    run_chunks(task, slots, results, 0)
    wait_for_threads(task, slots, spins)
    return 0


def _sleep_function() -> tuple[int, int]:
    """Address of the system's sleep function, and its argument for a short sleep."""
    if sys.platform == "win32":
        function, length = ctypes.windll.kernel32.Sleep, 0  # yields to other threads
    else:
        function, length = ctypes.CDLL(None).usleep, 50
    return ctypes.cast(function, ctypes.c_void_p).value or 0, length


def _run_thread(asleep: threading.Lock, worker: Callable[..., bool], *arguments: Any) -> None:
    """Target of a thread; it blocks on the lock until somebody releases it."""
    while worker(*arguments, SPINS_BEFORE_SLEEP):
        asleep.acquire()


def _wake(locks: list[threading.Lock]) -> None:
    """Wake the sleeping threads; a thread that is awake skips its next sleep."""
    for asleep in locks:
        with suppress(RuntimeError):  # not locked: the thread has just been woken
            asleep.release()


def _stop(slots: NDArray[np.int64], locks: list[threading.Lock]) -> None:
    slots[STATE::SLOT] = STOPPED
    _wake(locks)


class PackedThreadPool:
    """A pool like `thread_pool.PlainThreadPool` whose threads take packed calls."""

    def __init__(self, num_games: int, threads: int, chunk: int) -> None:
        chunks = -(-num_games // chunk)
        threads = min(threads, chunks)
        self._task: NDArray[np.int64] = np.array(
            [0, 0, num_games, chunk, *_sleep_function()], np.int64
        )
        self._slots: NDArray[np.int64] = np.zeros(threads * SLOT, np.int64)
        parts = np.arange(threads + 1) * chunks // threads
        self._slots[BEGIN::SLOT], self._slots[END::SLOT] = parts[:-1], parts[1:]
        self._results: NDArray[np.int64] = np.zeros(chunks, np.int64)
        self._calls: dict[Callable[..., Any], PackedCall] = {}
        (compiled,) = bound(run_task).overloads.values()
        self._run_task = compiled.entry_point  # its types are fixed
        self._threads = threads
        self._locks = [threading.Lock() for _ in range(1, threads)]
        self._end = finalize(self, _stop, self._slots, self._locks)
        for own, asleep in enumerate(self._locks, 1):
            asleep.acquire()
            arguments = (asleep, bound(run_worker), self._task, self._slots, self._results, own)
            threading.Thread(target=_run_thread, args=arguments, daemon=True).start()

    def __len__(self) -> int:
        return self._threads

    def close(self) -> None:
        """End the threads; later calls run on the caller's thread only."""
        self._end()

    def run(self, function: Callable[..., Any], *arguments: Any) -> NDArray[np.int64]:
        """Call an entry point on all games; see `PlainThreadPool.run`."""
        packed = self._calls.get(function)
        if packed is None:
            packed = self._calls[function] = PackedCall(bound(function))
        packed.fill(arguments)
        return self._run(packed)

    def prepare(self, function: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
        """`run` as a repeatable call, with its own memory for arguments."""
        packed = PackedCall(bound(function))
        packed.fill(arguments)
        return partial(self._run, packed)

    def _run(self, packed: PackedCall) -> NDArray[np.int64]:
        given = self._task, self._slots, self._results, packed.address, packed.words_address
        if self._run_task(*given, SPINS_BEFORE_SLEEP, False):
            _wake(self._locks)
            self._run_task(*given, SPINS_BEFORE_SLEEP, True)
        if packed.words[FAILED]:
            packed.words[FAILED] = 0
            raise IndexError(f"{packed.name}: an index is out of bounds")
        return self._results
