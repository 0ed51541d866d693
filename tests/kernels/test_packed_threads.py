"""The fast backend's threads: at work together, asleep and woken; atomic operations."""

import time

import numpy as np
import pytest

from catan_pz.kernels.backend import BACKEND

if BACKEND != "fast":
    pytest.skip("only the fast backend has atomic operations", allow_module_level=True)

from catan_pz.engine.state import STATE, States, as_games
from catan_pz.kernels import packed_threads as packed
from catan_pz.kernels.fast.atomics import compare_exchange, fetch_add, load_acquire
from catan_pz.kernels.packed_threads import PackedThreadPool
from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import Int64Array


@entry
def meet(games: States, first: int, last: int, counts: Int64Array, spins: int):
    """Wait until two calls run at the same time; return whether they did."""
    fetch_add(counts, 0, 1)
    polls = 0
    while load_acquire(counts, 0) < 2 and polls < spins:
        polls += 1
    return int(load_acquire(counts, 0) >= 2)


@entry
def increment(games: States, first: int, last: int, total: Int64Array, repeats: int):
    """Add to one number from all threads, by both ways that lose nothing."""
    for _ in range(repeats):
        fetch_add(total, 0, 3)
        while True:
            seen = load_acquire(total, 1)
            if compare_exchange(total, 1, seen, seen + 2):
                break


def some_games(count: int) -> np.ndarray:
    return as_games(np.zeros(count, STATE))


def test_threads_lose_no_increment() -> None:
    pool = PackedThreadPool(num_games=40, threads=4, chunk=1)
    total = np.zeros(2, np.int64)
    pool.run(increment, some_games(40), total, 5000)
    pool.close()
    assert total.tolist() == [40 * 5000 * 3, 40 * 5000 * 2]


def all_meet(pool: PackedThreadPool, num_games: int) -> bool:
    """Whether all threads take part in a call; one that is late may miss some."""
    for _ in range(20):
        met = pool.run(meet, some_games(num_games), np.zeros(1, np.int64), 2**30)
        if met.tolist() == [1] * num_games:
            return True
    return False


@pytest.mark.parametrize("spins", [1, 10, packed.SPINS_BEFORE_SLEEP])
def test_threads_are_at_work_together_and_woken(spins: int, monkeypatch) -> None:
    """Those that fell asleep after a few polls, too."""
    monkeypatch.setattr(packed, "SPINS_BEFORE_SLEEP", spins)
    pool = PackedThreadPool(num_games=3, threads=3, chunk=1)
    for k in range(20):
        if k % 5 == 0:
            time.sleep(0.02)
        assert all_meet(pool, 3)
    pool.close()
