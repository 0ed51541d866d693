"""Shared parts of the measurements: options, interleaved rates, Markdown tables."""

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

SECONDS = "length of each measure"
REPEATS = "measures, of which the best counts"


def options(doc: str | None, **known: Any) -> argparse.Namespace:
    """Options from the command line."""
    parser = argparse.ArgumentParser(description=(doc or "").split(":", maxsplit=1)[0])
    for name, (default, told) in known.items():
        if default is False:
            parser.add_argument(f"--{name}", action="store_true", help=told)
        elif isinstance(default, list | tuple):
            kind = type(default[0])
            parser.add_argument(f"--{name}", nargs="*", type=kind, default=list(default), help=told)
        else:
            kind = default if isinstance(default, type) else type(default)
            value = None if isinstance(default, type) else default
            parser.add_argument(f"--{name}", type=kind, default=value, help=told)
    return parser.parse_args()


def rates(
    works: Mapping[str, Callable[[], int]],
    seconds: float,
    repeats: int,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, float]:
    """The best rate of each of some works, which are measured in turns.

    So rows can be compared with each other on a busy machine.

    Args:
        works: each does some work and returns how much.
        seconds: length of each measure.
        repeats: measures of each.
        clock: by which the rates are taken.
    """
    best = dict.fromkeys(works, 0.0)
    for _ in range(repeats):
        for name, work in works.items():
            done, start = 0, clock()
            while done == 0 or clock() - start < seconds:
                done += work()
            best[name] = max(best[name], done / (clock() - start))
    return best


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def to_host(array: Any) -> np.ndarray:
    """A tensor, or an array of the simulator, in the host's memory."""
    return array.cpu().numpy() if hasattr(array, "cpu") else np.asarray(array)


def table_lines(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield "|---" * len(header) + "|"
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    return "\n".join(table_lines(header, rows))


def print_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table row by row, as soon as each is there."""
    for line in table_lines(header, rows):
        print(line, flush=True)
    print()
