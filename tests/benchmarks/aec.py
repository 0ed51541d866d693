"""Speed of the PettingZoo environment: python -m tests.benchmarks aec

Loops are `last()`, a masked choice, `step()`, on one core; PettingZoo's connect_four_v3 runs
beside them. Starts are measured in processes of their own, the first one with an empty cache of
compiled code.
"""

import os
import random
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from catan_pz import catan_v0
from tests.benchmarks.measuring import REPEATS, SECONDS, options, print_table, rates

START = """
from time import perf_counter
times = [perf_counter()]
import catan_pz
times.append(perf_counter())
from catan_pz import catan_v0
times.append(perf_counter())
env = catan_v0.env()
env.reset(seed=1)
env.last()
env.step(74)
print(times[1] - times[0], times[2] - times[0], perf_counter() - times[2])
"""


def loop(env: Any) -> Callable[[], int]:
    draw = random.Random(0).random
    env.reset(seed=0)

    def steps() -> int:
        done = 0
        for _ in range(200):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(draw() * len(legal))]))
            done += 1
        return done

    return steps


def repeated(call: Callable[[], Any]) -> Callable[[], int]:
    def calls() -> int:
        for _ in range(20):
            call()
        return 20

    return calls


def start_seconds() -> tuple[float, float, float, float]:
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        words = [sys.executable, "-c", START]
        first, later = (
            [float(x) for x in subprocess.check_output(words, env=environment, text=True).split()]
            for _ in range(2)
        )
    return later[0], later[1], first[2], later[2]


def rows(seconds: float, repeats: int) -> Iterator[tuple[str, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pettingzoo.classic import connect_four_v3

    loops = {
        "raw_env, 4 players, no player trade": catan_v0.raw_env(trading=False),
        "raw_env, 4 players": catan_v0.raw_env(),
        "raw_env, dict observations": catan_v0.raw_env(observation="dict"),
        "env, 4 players, no player trade": catan_v0.env(trading=False),
        "env, 4 players": catan_v0.env(),
        "connect_four_v3 raw_env": connect_four_v3.raw_env(),
        "connect_four_v3 env": connect_four_v3.env(),
    }
    for name, rate in rates({k: loop(env) for k, env in loops.items()}, seconds, repeats).items():
        yield f"{name}: agent steps/s", f"{rate:,.0f}"
    env = catan_v0.raw_env()
    env.reset(seed=1)
    for _ in range(200):
        env.step(int(env.game.legal_actions()[0]))
    saved = env.snapshot()
    calls = {
        "snapshot()": repeated(env.snapshot),
        "restore()": repeated(lambda: env.restore(saved)),
        "state()": repeated(env.state),
        "reset()": repeated(env.reset),
        "connect_four_v3 raw_env reset()": repeated(connect_four_v3.raw_env().reset),
    }
    for name, rate in rates(calls, seconds, repeats).items():
        yield f"{name}: calls/s", f"{rate:,.0f}"
    starts = [start_seconds() for _ in range(repeats)]
    package, imported, first, later = map(min, zip(*starts, strict=True))
    yield "import catan_pz: s", f"{package:.2f}"
    yield "import catan_pz.catan_v0: s", f"{imported:.2f}"
    yield "first game after install, compiling: s", f"{first:.1f}"
    yield "later starts, compiled code from the cache: s", f"{later:.2f}"


def main() -> None:
    given = options(__doc__, seconds=(1.0, SECONDS), repeats=(3, REPEATS))
    print_table(("measure", "value"), rows(given.seconds, given.repeats))
