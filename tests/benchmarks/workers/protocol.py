"""Shared code of the measured programs, which each run in a separate process, on one core.

A worker is started with the core's number first and the clock last, "wall" or "cpu". It
prints a line of JSON with its version, then waits for lines "way seconds", works that way
for about so long, and prints a line of JSON for each: decisions, games ended, seconds in
all, and seconds spent on drawing actions.
"""

import json
import os
import sys
from collections.abc import Callable
from time import perf_counter, process_time

clock = process_time if sys.argv[-1] == "cpu" else perf_counter
"""Seconds gone by, or those of the processor's time that this process has had."""

Work = Callable[[], tuple[int, int, float]]
"""A round of work: decisions, games ended, seconds spent on drawing actions."""


def pin() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {int(sys.argv[1])})


def serve(version: str, ways: dict[str, Work]) -> None:
    """Do the requested work, until the input ends."""
    for work in ways.values():
        work()  # compiling and loading in the first call isn't measured
    tell({"version": version, "ways": list(ways)})
    for line in sys.stdin:
        way, seconds = line.rsplit(maxsplit=1)
        tell(measure(ways[way], float(seconds)))


def tell(values: dict[str, object]) -> None:
    print(json.dumps(values), flush=True)


def measure(work: Work, seconds: float) -> dict[str, object]:
    decisions, games, drawing = 0, 0, 0.0
    start = clock()
    while clock() - start < seconds:
        played, ended, drawn = work()
        decisions += played
        games += ended
        drawing += drawn
    elapsed = clock() - start
    return {"decisions": decisions, "games": games, "seconds": elapsed, "drawing": drawing}
