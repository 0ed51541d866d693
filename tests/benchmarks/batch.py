"""Speed of many games at once: python -m tests.benchmarks batch

Prints tables. Random games of four players without trade between players, the actions drawn
by the batch itself; every step checks that they are legal and starts the next game where one
ends. What belongs to one table is measured in turns, and the best of several measures
counts, so that rows can be compared with each other on a busy machine.
"""

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass
class Speed:
    """The best measure so far."""

    decisions: float = 0.0
    games: float = 0.0

    def add(self, decisions: int, games: int, seconds: float) -> None:
        """Take a measure into account."""
        if decisions / seconds > self.decisions:
            self.decisions, self.games = decisions / seconds, games / seconds


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


def measure(batch: CpuBatch, seconds: float, speed: Speed) -> None:
    """Random legal actions until the seconds are over, by the calls that a learner would use."""
    steps, games = 0, 0
    start = perf_counter()
    while perf_counter() - start < seconds:
        for _ in range(8):
            batch.step(batch.sample())
            games += int(batch.done.sum())
        steps += 8
    speed.add(steps * batch.num_games, games, perf_counter() - start)


def print_speeds(options: argparse.Namespace, records: np.ndarray) -> None:
    """Decisions and games a second, by size, threads and what is written."""
    threads = options.threads
    print(f"Millions of decisions/s (games/s in brackets), by threads; {threads} cores.\n")
    print("| games | mask, 1 | mask and observation, 1 |", end="")
    print(f" mask, {threads} | mask and observation, {threads} |" if threads > 1 else "")
    print("|---|" + "---|" * (4 if threads > 1 else 2))
    for size in options.sizes:
        kinds = [(n, seen) for n in sorted({1, threads}) for seen in (False, True)]
        batches = [make(size, records, threads=n, observation=seen) for n, seen in kinds]
        speeds = [Speed() for _ in kinds]
        for _ in range(options.repeats):
            for batch, speed in zip(batches, speeds, strict=True):
                measure(batch, options.seconds, speed)
        cells = [f"{one.decisions / 1e6:.2f} ({one.games:,.0f})" for one in speeds]
        print(f"| {size:,} | {' | '.join(cells)} |", flush=True)
        for batch in batches:
            batch.close()


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
        """A decision in each game."""
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

    def whole_round(self, seen: bool) -> None:
        """A decision in each game by the batch's own calls."""
        batch, name = self.whole[seen], "with" if seen else "without"
        actions = self.timed(f"CpuBatch {name} observation: sample", batch.sample)
        self.timed(f"CpuBatch {name} observation: step", batch.step, actions)

    def measure(self, seconds: float) -> None:
        """Rounds until the seconds are over; the best of the measures of each part counts."""
        whole = partial(self.whole_round, False), partial(self.whole_round, True)
        for one_round in (self.round, *whole):
            self.seconds = dict.fromkeys(PARTS, 0.0)
            rounds, start = 0, perf_counter()
            while perf_counter() - start < seconds or rounds < 4:
                one_round()
                rounds += 1
            for name, spent in self.seconds.items():
                if spent > 0:
                    cost = 1e9 * spent / (rounds * self.size)
                    self.best[name] = min(cost, self.best[name])


def print_parts(options: argparse.Namespace, records: np.ndarray) -> None:
    """What the parts of a step cost."""
    sizes = [size for size in PARTS_SIZES if size <= max(options.sizes)]
    clock = process_time if options.clock == "cpu" else perf_counter
    all_parts = [Parts(size, records, clock) for size in sizes]
    for _ in range(options.repeats):
        for parts in all_parts:
            parts.measure(options.seconds)
    if not sizes:
        return
    print(f"\nNanoseconds a decision ({options.clock} time), one thread; ", end="")
    print("each part in a pass over all games by itself.\n")
    print(f"| part | {' | '.join(f'{size:,} games' for size in sizes)} |")
    print("|---|" + "---|" * len(sizes))
    for name in PARTS:
        print(f"| {name} | {' | '.join(f'{parts.best[name]:.0f}' for parts in all_parts)} |")


def print_memory() -> None:
    """Bytes a game of a batch."""
    size = 1024
    batch = CpuBatch(size, **RULES)
    assert batch.observation is not None
    named = {
        "record of the game": batch.games.itemsize,
        "mask": batch.mask.nbytes // size,
        "observation": batch.observation.nbytes // size,
    }
    owned = {id(a): a for a in vars(batch).values() if isinstance(a, np.ndarray) and a.base is None}
    total = sum(array.nbytes for array in owned.values()) // size
    print("\n| what a game takes | bytes |\n|---|---|")
    for name, count in named.items():
        print(f"| {name} | {count:,} |")
    print(f"| reward, seeds and the rest | {total - sum(named.values()):,} |")
    print(f"| together | {total:,} |")


def print_scaling(options: argparse.Namespace, records: np.ndarray) -> None:
    """Millions of decisions a second over the number of threads."""
    counts = sorted({1, *(2**k for k in range(10) if 2**k < options.threads), options.threads})
    sizes = [size for size in SCALING_SIZES if size <= max(options.sizes)]
    if len(counts) == 1 or not sizes:
        return
    print("\nMillions of decisions/s (times those of one thread).\n")
    print(f"| games, by threads | {' | '.join(str(n) for n in counts)} |")
    print("|---|" + "---|" * len(counts))
    for size, seen in product(sizes, (False, True)):
        batches = [make(size, records, threads=n, observation=seen) for n in counts]
        speeds = [Speed() for _ in counts]
        for _ in range(options.repeats):
            for batch, speed in zip(batches, speeds, strict=True):
                measure(batch, options.seconds, speed)
        one = speeds[0].decisions
        cells = [f"{s.decisions / 1e6:.2f} ({s.decisions / one:.2f})" for s in speeds]
        written = "mask and observation" if seen else "mask"
        print(f"| {size:,}, {written} | {' | '.join(cells)} |", flush=True)
        for batch in batches:
            batch.close()


TABLES: dict[str, Callable[[argparse.Namespace, np.ndarray], None]] = {
    "speeds": print_speeds,
    "parts": print_parts,
    "memory": lambda *_: print_memory(),
    "scaling": print_scaling,
}


def main() -> None:
    """Measure and print the tables."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":", maxsplit=1)[0])
    parser.add_argument(
        "--clock",
        choices=("wall", "cpu"),
        default="wall",
        help="of the parts of a step; cpu: processor time, where others work beside it",
    )
    parser.add_argument("--seconds", type=float, default=0.5, help="length of each measure")
    parser.add_argument("--repeats", type=int, default=5, help="measures, of which the best counts")
    parser.add_argument("--threads", type=int, default=cores, help="threads that use all cores")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="games of a batch")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    options = parser.parse_args()
    records = drifted()
    for table in options.tables:
        TABLES[table](options, records)


if __name__ == "__main__":
    main()
