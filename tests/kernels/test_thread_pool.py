"""Threads that share calls: all games once, results in order, sleep, errors and the end."""

import gc
import os
import subprocess
import sys
import threading
from typing import NamedTuple

import numba
import numpy as np
import pytest

from catan_pz.batch.cpu import CpuBatch
from catan_pz.engine.state import STATE, States, as_games
from catan_pz.kernels.backend import BACKEND
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.thread_pool import PlainThreadPool, make_thread_pool
from catan_pz.kernels.types import ConstInt64Array, Int64Array, Int64Matrix

pytestmark = pytest.mark.skipif(
    numba.config.DISABLE_JIT, reason="threads share compiled calls alone"
)


@entry
def count_in(
    games: States,
    first: int,
    last: int,
    counts: Int64Array,
    links: Int64Matrix,
    step: int,
    offset: ConstInt64Array,
):
    """Add to each game's place, and sum up what was there."""
    total = 0
    for i in range(first, last):
        total += counts[i]
        counts[i] += step + offset[0]
        links[i, 1] += games[i].turn
    return total


class Step(NamedTuple):
    by: int
    offset: Int64Array


class Counted(NamedTuple):
    counts: Int64Array
    step: Step


@kernel
def count_one(i: int, places: Counted) -> int:
    """Add to the place of a game; return what was there."""
    before = places.counts[i]
    places.counts[i] += places.step.by + places.step.offset[0]
    return before


@entry
def count_bundled(games: States, first: int, last: int, places: Counted):
    """What `count_in` does, with bundles."""
    total = 0
    for i in range(first, last):
        total += count_one(i, Counted(places.counts, places.step))
    return total


@entry
def go_too_far(games: States, first: int, last: int, counts: Int64Array):
    """Write beyond the end of an array."""
    counts[last] = 1


POOLS = {BACKEND: make_thread_pool, "python": PlainThreadPool}


@pytest.fixture(params=list(POOLS))
def make_pool(request):
    """Makes a pool, of the backend and of Python threads, and closes it in the end."""
    pools = []

    def make(num_games, threads, chunk):
        pools.append(POOLS[request.param](num_games, threads, chunk))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()


def some_games(count: int) -> np.ndarray:
    games = as_games(np.zeros(count, STATE))
    games["turn"] = np.arange(count)
    return games


OFFSET = np.array([1000], np.int64)


@pytest.mark.parametrize(("threads", "chunk"), [(1, 64), (2, 7), (3, 1), (50, 7)])
def test_each_game_is_taken_once_and_results_come_in_order(
    make_pool, threads: int, chunk: int
) -> None:
    size = 150
    shared = make_pool(size, threads, chunk)
    assert len(shared) == min(threads, -(-size // chunk))
    games, links = some_games(size), np.zeros((size, 3), np.int64)
    counts = np.arange(size)
    for k in range(50):
        before = counts.copy()
        found = shared.run(count_in, games, counts, links, k, OFFSET)
        part = chunk if len(found) > 1 else size
        assert found.tolist() == [before[i : i + part].sum() for i in range(0, size, part)]
        assert (counts == before + k + 1000).all()
    assert (links[:, 1] == 50 * np.arange(size)).all()
    assert not links[:, ::2].any()


@pytest.mark.parametrize("threads", [1, 3])
def test_bundles_are_passed_field_by_field(make_pool, threads: int) -> None:
    shared = make_pool(40, threads, 8)
    games, counts = some_games(40), np.arange(40)
    places = Counted(counts, Step(1, OFFSET))
    others = [places._replace(step=Step(step, OFFSET)) for step in range(2, 12)]
    turns = [places, places, others[0], places, *others, places]  # more than are remembered
    for given in turns:
        assert shared.run(count_bundled, games, given).sum() >= sum(range(40))
    added = sum(1000 + given.step.by for given in turns)
    assert (counts == np.arange(40) + added).all()
    assert count_bundled(games, 3, 5, places) == counts[3:5].sum() - 2002


WRONG = (
    ("counts", np.zeros(4, np.int32)),
    ("counts", np.zeros(8, np.int64)[::2]),
    ("counts", [0, 0, 0, 0]),
    ("links", np.zeros((2, 4), np.int64).T),
)


@pytest.mark.skipif(BACKEND != "fast", reason="numba checks arguments itself")
def test_arguments_of_other_types_are_named() -> None:
    """And too few of them; an array that is only read may be sealed."""
    alone, games, offset = make_thread_pool(4, 1, 4), some_games(4), OFFSET.copy()
    right = {"counts": np.zeros(4, np.int64), "links": np.zeros((4, 2), np.int64)}
    sealed = np.zeros(4, np.int64)
    offset.flags.writeable = sealed.flags.writeable = False
    for name, wrong in WRONG:
        with pytest.raises(TypeError, match=f"count_in: argument '{name}'"):
            alone.run(count_in, games, *(right | {name: wrong}).values(), 1, offset)
    with pytest.raises(TypeError, match="counts"):
        alone.run(count_in, games, sealed, right["links"], 1, offset)
    with pytest.raises(TypeError, match="count_in: 4 arguments, must be 5"):
        alone.run(count_in, games, *right.values(), 1)
    assert not right["counts"].any()
    alone.run(count_in, games, *right.values(), 1, offset)
    with pytest.raises(TypeError, match="count_bundled: argument 'places' must be a Counted"):
        alone.run(count_bundled, games, (right["counts"], Step(1, OFFSET)))
    wrong_field = Counted(right["counts"], Step(1, OFFSET.astype(np.int32)))
    with pytest.raises(TypeError, match=r"argument 'places'.step.offset must be a array"):
        alone.run(count_bundled, games, wrong_field)


def test_the_caller_alone_does_all_once_the_pool_is_closed(make_pool) -> None:
    pool = make_pool(10, 3, 2)
    pool.close()
    counts, links = np.arange(10), np.zeros((10, 2), np.int64)
    for _ in range(2):
        pool.run(count_in, some_games(10), counts, links, 1, OFFSET)
    assert (counts == np.arange(10) + 2002).all()


def test_an_index_out_of_bounds_is_told_where_numba_checks_them() -> None:
    code = (
        "from tests.kernels.test_thread_pool import *\n"
        "for kind, threads in [(kind, n) for kind in POOLS for n in (1, 3)]:\n"
        "    pool = POOLS[kind](3, threads, 1)\n"
        "    counts, links = np.zeros(3, np.int64), np.zeros((3, 2), np.int64)\n"
        "    for _ in range(2):\n"
        "        with pytest.raises(IndexError, match='index is out of bounds'):\n"
        "            pool.run(go_too_far, some_games(3), np.zeros(1, np.int64))\n"
        "        pool.run(count_in, some_games(3), counts, links, 1, OFFSET)\n"
        "    assert counts.tolist() == [2002] * 3\n"
    )
    checked = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}
    subprocess.run([sys.executable, "-c", code], env=checked, check=True, timeout=600)


@pytest.mark.parametrize("how", ["closed", "forgotten"])
def test_a_batch_that_is_closed_or_forgotten_leaves_no_thread(how: str) -> None:
    before = set(threading.enumerate())
    batch = CpuBatch(512, trading=False, seed=1, threads=3, observation=False)
    batch.play_random(2)
    threads = set(threading.enumerate()) - before
    assert 1 <= len(threads) <= 3  # the caller may be one of three
    if how == "closed":
        batch.close()
        batch.close()
        batch.play_random(2)  # on one thread now
    del batch
    gc.collect()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
