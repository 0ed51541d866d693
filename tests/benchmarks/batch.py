"""Speed of many games at once: python -m tests.benchmarks batch

Random games of four players without trade between players, the actions drawn by the batch itself;
every step checks that they are legal and starts the next game where one ends.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from catan_pz.batch.cpu import CpuBatch
from catan_pz.engine import legal
from catan_pz.engine.state import States
from catan_pz.kernels.rule import bound, entry
from catan_pz.kernels.types import Int8Matrix, Int64Array
from catan_pz.observation import encode
from tests.benchmarks.measuring import REPEATS, SECONDS, cores, options, print_table, rates

SIZES = (1, 16, 256, 1_024, 4_096, 16_384, 65_536)
PARTS_SIZES = (1_024, 16_384)
RULES: dict[str, Any] = {"trading": False}
DRIFT = 2000
"""Steps after which games that began together have drifted apart."""


@entry
def check_all(games: States, first: int, last: int, actions: Int64Array):
    count = 0
    for i in range(first, last):
        count += legal.is_legal(games[i], actions[i])
    return count


@entry
def mask_all(games: States, first: int, last: int, masks: Int8Matrix):
    for i in range(first, last):
        legal.write_mask(games[i], masks[i])


@entry
def observe_all(games: States, first: int, last: int, observations: Int8Matrix):
    for i in range(first, last):
        encode.observe(games[i], int(games[i].player), observations[i])


def drifted() -> np.ndarray:
    batch = CpuBatch(1024, observation=False, seed=1, **RULES)
    for _ in range(DRIFT):
        batch.step(batch.sample())
    return np.array(batch.games)


def make(size: int, records: np.ndarray, **arguments: Any) -> CpuBatch:
    batch = CpuBatch(size, seed=1, **RULES, **arguments)
    batch.games[:] = records[np.arange(size) % len(records)]
    for _ in range(20):
        batch.step(batch.sample())
    return batch


def speeds(
    given: Any, records: np.ndarray, size: int, seen: bool, counts: list[int]
) -> Iterator[str]:
    batches = [make(size, records, threads=n, observation=seen) for n in counts]
    played, ended = [0] * len(counts), [0] * len(counts)

    def work(k: int) -> int:
        batch = batches[k]
        for _ in range(8):
            batch.step(batch.sample())
            ended[k] += int(batch.done.sum())
        played[k] += 8 * size
        return 8 * size

    works = {str(k): partial(work, k) for k in range(len(counts))}
    found = rates(works, given.seconds, given.repeats).values()
    for batch in batches:
        batch.close()
    for k, rate in enumerate(found):
        yield f"{rate / 1e6:.2f} ({rate * ended[k] / played[k]:,.0f})"


def print_speeds(given: Any, records: np.ndarray) -> None:
    counts = sorted({1, *(2**k for k in range(10) if 2**k < given.threads), given.threads})
    print("Millions of decisions/s (games/s in brackets), by threads.\n")
    rows = (
        [f"{size:,}, {written}", *speeds(given, records, size, "observation" in written, counts)]
        for size, written in product(given.sizes, ("mask", "mask and observation"))
    )
    print_table(["games", *map(str, counts)], rows)


def parts(given: Any, size: int, records: np.ndarray) -> dict[str, float]:
    batch = make(size, records)
    everywhere = batch.games, 0, size
    actions = batch.sample().copy()
    passes = {
        "draw a legal action": batch.sample,
        "check that it is legal": partial(bound(check_all), *everywhere, actions),
        "write the mask": partial(bound(mask_all), *everywhere, batch.mask),
        "write the observation": partial(bound(observe_all), *everywhere, batch.observation),
    }
    for seen in (False, True):
        whole = make(size, records, observation=seen)
        name = f"CpuBatch {'with' if seen else 'without'} observation: sample and step"
        passes[name] = lambda whole=whole: whole.step(whole.sample())

    def work(call: Callable[[], Any]) -> int:
        call()
        return size

    works = {name: partial(work, call) for name, call in passes.items()}
    return {k: 1e9 / rate for k, rate in rates(works, given.seconds, given.repeats).items()}


def print_parts(given: Any, records: np.ndarray) -> None:
    found = [parts(given, size, records) for size in PARTS_SIZES]
    print("Nanoseconds a decision, one thread; each part in a pass over all games by itself.\n")
    rows = ([name, *(f"{one[name]:.0f}" for one in found)] for name in found[0])
    print_table(["part", *(f"{size:,} games" for size in PARTS_SIZES)], rows)


def print_memory(*_: Any) -> None:
    size = 1024
    batch = CpuBatch(size, **RULES)
    assert batch.observation is not None
    rows = {
        "record of the game": batch.games.itemsize,
        "mask": batch.mask.nbytes // size,
        "observation": batch.observation.nbytes // size,
    }
    owned = {id(a): a for a in vars(batch).values() if isinstance(a, np.ndarray) and a.base is None}
    total = sum(array.nbytes for array in owned.values()) // size
    rows |= {"reward, seeds and the rest": total - sum(rows.values()), "together": total}
    print_table(["what a game takes", "bytes"], ((name, f"{n:,}") for name, n in rows.items()))


TABLES: dict[str, Callable[[Any, np.ndarray], None]] = {
    "speeds": print_speeds,
    "parts": print_parts,
    "memory": print_memory,
}


def main() -> None:
    given = options(
        __doc__,
        seconds=(0.5, SECONDS),
        repeats=(5, REPEATS),
        threads=(cores(), "threads that use all cores"),
        sizes=(SIZES, "games of a batch"),
        tables=(list(TABLES), f"of {', '.join(TABLES)}"),
    )
    records = drifted()
    for table in given.tables:
        TABLES[table](given, records)
