"""Speed of many games at once: python -m tests.benchmarks batch

Random games of four players without trade between players, the actions drawn by the batch itself;
every step checks that they are legal and starts the next game where one ends.
"""

from collections.abc import Callable
from functools import partial
from itertools import product
from time import perf_counter, process_time
from typing import Any

import numpy as np

from catan_pz.batch.cpu import CpuBatch
from catan_pz.engine import legal
from catan_pz.engine.deal import script_of
from catan_pz.engine.play import Log, new_log, play
from catan_pz.engine.state import States
from catan_pz.engine.turn import is_finished
from catan_pz.kernels.rule import bound, entry
from catan_pz.kernels.types import Int8Matrix, Int64Array
from catan_pz.observation import encode
from tests.benchmarks.measuring import REPEATS, SECONDS, cores, options, print_table, rates

SIZES = (1, 16, 256, 1_024, 4_096, 16_384, 65_536)
PARTS_SIZES = (1_024, 16_384)
SCALING_SIZES = (8_192, 65_536)
RULES: dict[str, Any] = {"trading": False}
PARTS = (
    "draw a legal action",
    "check that it is legal",
    "play it",
    "write the mask",
    "write the observation",
    "find the finished",
    "start the next games",
    "CpuBatch without observation: sample",
    "CpuBatch without observation: step",
    "CpuBatch with observation: sample",
    "CpuBatch with observation: step",
)
DRIFT = 2000
"""Steps after which games that began together have drifted apart."""


@entry
def apply_all(
    games: States, first: int, last: int, actions: Int64Array, script: Int8Matrix, log: Log
):
    """Play a legal action in each game, and nothing else."""
    for i in range(first, last):
        play(games[i], actions[i], script, log)


@entry
def check_all(games: States, first: int, last: int, actions: Int64Array):
    """How many actions are legal."""
    count = 0
    for i in range(first, last):
        count += legal.is_legal(games[i], actions[i])
    return count


@entry
def mask_all(games: States, first: int, last: int, masks: Int8Matrix):
    """Write the mask of each game."""
    for i in range(first, last):
        legal.write_mask(games[i], masks[i])


@entry
def observe_all(games: States, first: int, last: int, observations: Int8Matrix):
    """Write what the player to move sees in each game."""
    for i in range(first, last):
        encode.observe(games[i], int(games[i].player), observations[i])


@entry
def count_finished(games: States, first: int, last: int):
    """How many games have come to their end."""
    count = 0
    for i in range(first, last):
        count += is_finished(games[i])
    return count


def drifted() -> np.ndarray:
    """Records of 1,024 games, each somewhere between its start and its end."""
    batch = CpuBatch(1024, observation=False, seed=1, **RULES)
    for _ in range(DRIFT):
        batch.step(batch.sample())
    return np.array(batch.games)


def make(size: int, records: np.ndarray, **arguments: Any) -> CpuBatch:
    """A batch whose games are somewhere between start and end.

    Draws differ from place to place, so that games that begin alike go their own ways.
    """
    batch = CpuBatch(size, seed=1, **RULES, **arguments)
    batch.games[:] = records[np.arange(size) % len(records)]
    for _ in range(20):
        batch.step(batch.sample())
    return batch


def speeds(
    given: Any, records: np.ndarray, size: int, kinds: list[tuple[int, bool]]
) -> list[tuple[float, float]]:
    """Decisions and games a second of batches of one size, by threads and whether they observe.

    They play random legal actions, by the calls that a learner would use.
    """
    batches = [make(size, records, threads=n, observation=seen) for n, seen in kinds]
    played, ended = [0] * len(kinds), [0] * len(kinds)

    def work(k: int) -> int:
        batch = batches[k]
        for _ in range(8):
            batch.step(batch.sample())
            ended[k] += int(batch.done.sum())
        played[k] += 8 * size
        return 8 * size

    works = {str(k): partial(work, k) for k in range(len(kinds))}
    found = rates(works, given.seconds, given.repeats).values()
    for batch in batches:
        batch.close()
    return [(rate, rate * ended[k] / played[k]) for k, rate in enumerate(found)]


def print_speeds(given: Any, records: np.ndarray) -> None:
    """Decisions and games a second, by size, threads and what is written."""
    counts = sorted({1, given.threads})
    kinds = [(n, seen) for n in counts for seen in (False, True)]
    print(f"Millions of decisions/s (games/s in brackets), by threads; {given.threads} cores.\n")
    titles = [f"mask and observation, {n}" if seen else f"mask, {n}" for n, seen in kinds]
    rows = (
        [
            f"{size:,}",
            *(f"{n / 1e6:.2f} ({games:,.0f})" for n, games in speeds(given, records, size, kinds)),
        ]
        for size in given.sizes
    )
    print_table(["games", *titles], rows)


class Parts:
    """The parts of a step, each in a pass over all games by itself."""

    def __init__(self, size: int, records: np.ndarray, clock: Callable[[], float]) -> None:
        self.size = size
        self.clock = clock
        self.batch = make(size, records)
        self.batch.auto_reset = False
        self.whole = {seen: make(size, records, observation=seen) for seen in (False, True)}
        self.script = script_of(self.batch.rules)
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self.best = dict.fromkeys(PARTS, np.inf)

    def timed(self, name: str, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call, and add up the time by name."""
        start = self.clock()
        result = call(*arguments)
        self.seconds[name] += self.clock() - start
        return result

    def round(self) -> None:
        """A decision in each game: part by part, and by the batch's own calls."""
        batch, everywhere = self.batch, (self.batch.games, 0, self.size)
        actions = self.timed("draw a legal action", batch.sample)
        count = self.timed("check that it is legal", bound(check_all), *everywhere, actions)
        assert count == self.size
        self.timed("play it", bound(apply_all), *everywhere, actions, self.script, new_log())
        self.timed("write the mask", bound(mask_all), *everywhere, batch.mask)
        self.timed("write the observation", bound(observe_all), *everywhere, batch.observation)
        finished = self.timed("find the finished", bound(count_finished), *everywhere)
        if finished:
            self.timed("start the next games", batch.reset_finished)
        for seen, whole in self.whole.items():
            name = f"CpuBatch {'with' if seen else 'without'} observation"
            actions = self.timed(f"{name}: sample", whole.sample)
            self.timed(f"{name}: step", whole.step, actions)

    def measure(self, seconds: float) -> None:
        """Rounds until the seconds are over; the best of the measures of each part counts."""
        self.seconds = dict.fromkeys(PARTS, 0.0)
        rounds, start = 0, perf_counter()
        while perf_counter() - start < seconds or rounds < 4:
            self.round()
            rounds += 1
        for name, spent in self.seconds.items():
            if spent > 0:
                self.best[name] = min(1e9 * spent / (rounds * self.size), self.best[name])


def print_parts(given: Any, records: np.ndarray) -> None:
    """What the parts of a step cost."""
    sizes = [size for size in PARTS_SIZES if size <= max(given.sizes)]
    clock = process_time if given.clock == "cpu" else perf_counter
    all_parts = [Parts(size, records, clock) for size in sizes]
    for _ in range(given.repeats):
        for parts in all_parts:
            parts.measure(3 * given.seconds)
    print(f"Nanoseconds a decision ({given.clock} time), one thread; ", end="")
    print("each part in a pass over all games by itself.\n")
    rows = ([name, *(f"{parts.best[name]:.0f}" for parts in all_parts)] for name in PARTS)
    print_table(["part", *(f"{size:,} games" for size in sizes)], rows)


def print_memory(*_: Any) -> None:
    """Bytes a game of a batch."""
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


def print_scaling(given: Any, records: np.ndarray) -> None:
    """Millions of decisions a second over the number of threads."""
    counts = sorted({1, *(2**k for k in range(10) if 2**k < given.threads), given.threads})
    sizes = [size for size in SCALING_SIZES if size <= max(given.sizes)]
    print("Millions of decisions/s (times those of one thread).\n")
    rows = []
    for size, seen in product(sizes, (False, True)):
        found = speeds(given, records, size, [(n, seen) for n in counts])
        cells = [f"{rate / 1e6:.2f} ({rate / found[0][0]:.2f})" for rate, _ in found]
        rows.append([f"{size:,}, {'mask and observation' if seen else 'mask'}", *cells])
    print_table(["games, by threads", *map(str, counts)], rows)


TABLES: dict[str, Callable[[Any, np.ndarray], None]] = {
    "speeds": print_speeds,
    "parts": print_parts,
    "memory": print_memory,
    "scaling": print_scaling,
}


def main() -> None:
    """Measure and print the tables."""
    given = options(
        __doc__,
        clock=("wall", "of the parts of a step; cpu: processor time, where others work beside it"),
        seconds=(0.5, SECONDS),
        repeats=(5, REPEATS),
        threads=(cores(), "threads that use all cores"),
        sizes=(SIZES, "games of a batch"),
        tables=(list(TABLES), f"of {', '.join(TABLES)}"),
    )
    records = drifted()
    for table in given.tables:
        TABLES[table](given, records)
