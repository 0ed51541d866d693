"""Speed of the PettingZoo environment: python -m tests.benchmarks aec

Prints a table. Loops are `last()`, a masked choice, `step()`, on one core; PettingZoo's
connect_four_v3 runs beside them. Starts are measured in processes of their own, the first
one with an empty cache of compiled code.
"""

import argparse
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

from catan_pz import catan_v0

START = """
import time
start = time.perf_counter()
from catan_pz import catan_v0
imported = time.perf_counter()
env = catan_v0.env()
env.reset(seed=1)
env.last()
env.step(74)
print(imported - start, time.perf_counter() - imported)
"""

IMPORT = """
import time
start = time.perf_counter()
import catan_pz
print(time.perf_counter() - start)
"""


def steps_per_second(env: Any, seconds: float) -> float:
    """Agent steps a second of the usual loop, games begun anew where they end."""
    draw = random.Random(0).random
    env.reset(seed=0)
    steps = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        for _ in range(200):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(draw() * len(legal))]))
            steps += 1
    return steps / (time.perf_counter() - start)


def calls_per_second(call: Callable[[], Any], seconds: float) -> float:
    """Calls a second."""
    calls = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        for _ in range(20):
            call()
        calls += 20
    return calls / (time.perf_counter() - start)


def best(measure: Callable[[], float], repeats: int) -> float:
    """The highest of some measures: the one that other programs disturbed least."""
    return max(measure() for _ in range(repeats))


def seconds_of(program: str, cache: str | None = None) -> list[float]:
    """What a program prints, run in a process of its own."""
    environment = dict(os.environ)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return [float(word) for word in done.stdout.split()]


def connect_four() -> Any:
    """PettingZoo's connect four."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic import connect_four_v3

    return connect_four_v3


def loop_rows(seconds: float, repeats: int) -> list[tuple[str, str]]:
    """Rows of the loops."""
    kinds: dict[str, Callable[[], Any]] = {
        "raw_env, 4 players, no player trade": lambda: catan_v0.raw_env(trading=False),
        "raw_env, 4 players": catan_v0.raw_env,
        "raw_env, dict observations": lambda: catan_v0.raw_env(observation="dict"),
        "env, 4 players, no player trade": lambda: catan_v0.env(trading=False),
        "env, 4 players": catan_v0.env,
        "connect_four_v3 raw_env": lambda: connect_four().raw_env(),
        "connect_four_v3 env": lambda: connect_four().env(),
    }
    rows = []
    for name, make in kinds.items():
        env = make()
        steps = best(lambda env=env: steps_per_second(env, seconds), repeats)
        rows.append((f"{name}: agent steps/s", f"{steps:,.0f}"))
    return rows


def call_rows(seconds: float, repeats: int) -> list[tuple[str, str]]:
    """Rows of single calls."""
    env = catan_v0.raw_env()
    env.reset(seed=1)
    for _ in range(200):
        env.step(int(env.game.legal_actions()[0]))
    saved = env.snapshot()
    calls = {
        "snapshot()": env.snapshot,
        "restore()": lambda: env.restore(saved),
        "state()": env.state,
        "reset()": env.reset,
        "connect_four_v3 raw_env reset()": connect_four().raw_env().reset,
    }
    return [
        (f"{name}: calls/s", f"{best(lambda c=call: calls_per_second(c, seconds), repeats):,.0f}")
        for name, call in calls.items()
    ]


def start_seconds() -> tuple[float, float, float, float]:
    """Seconds to import the package and the environment, and to a first and a later game."""
    with tempfile.TemporaryDirectory() as cache:
        (package,) = seconds_of(IMPORT, cache)
        _, first = seconds_of(START, cache)
        imported, later = seconds_of(START, cache)
    return package, imported, first, later


def start_rows(repeats: int) -> list[tuple[str, str]]:
    """Rows of the time until a game runs, the shortest of each."""
    measures = [start_seconds() for _ in range(repeats)]
    package, imported, first, later = map(min, zip(*measures, strict=True))
    return [
        ("import catan_pz: s", f"{package:.2f}"),
        ("import catan_pz.catan_v0: s", f"{imported:.2f}"),
        ("first game after install, compiling: s", f"{first:.1f}"),
        ("later starts, compiled code from the cache: s", f"{later:.2f}"),
    ]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="length of each measure")
    parser.add_argument("--repeats", type=int, default=3, help="measures, of which the best counts")
    options = parser.parse_args()
    rows = loop_rows(options.seconds, options.repeats)
    rows += call_rows(options.seconds, options.repeats)
    rows += start_rows(options.repeats)
    print(f"Python {platform.python_version()}, {platform.machine()}\n")
    print("| measure | value |\n|---|---|")
    for name, value in rows:
        print(f"| {name} | {value} |")


if __name__ == "__main__":
    main()
