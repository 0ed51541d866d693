"""Speed of RLlib's two ways to sample: python -m tests.benchmarks rllib

Needs RLlib. One runner in this process plays games of two players without player trade; the
learner and random players decide by one forward pass each. Every decision of a seat counts. CPU
time is that of this process.
"""

import dataclasses
import time
from collections.abc import Iterator
from typing import Any

import ray
import torch

from catan_pz.rules import Rules
from tests.benchmarks.measuring import options, print_table
from tests.examples.programs import load

SIZES = {"batch": (16, 64, 256), "aec": (8,)}
"""Games side by side."""


def main() -> None:
    wanted = options(__doc__, decisions=(16_384, "to sample of each kind")).decisions
    torch.set_num_threads(1)
    program = load("libraries/rllib_selfplay")
    ray.init("local", num_cpus=1, include_dashboard=False, logging_level="error")
    print_table(
        ("runner", "games", "decisions a second", "a second of CPU time"), rows(program, wanted)
    )
    ray.shutdown()


def rows(program: Any, wanted: int) -> Iterator[tuple[str, ...]]:
    for runner, sizes in SIZES.items():
        for size in sizes:
            args = program.Args(runner=runner, train_batch_size=max(2048, 8 * size))
            args = dataclasses.replace(args, num_games=size)
            rules = Rules(num_players=args.players, trading=False, skip_forced=True)
            algorithm = program.make_config(args, rules).build_algo()
            algorithm.env_runner.sample()
            start, cpu, decisions = time.perf_counter(), time.process_time(), 0
            while decisions < wanted:
                algorithm.env_runner.sample()
                decisions += args.train_batch_size
            spent = time.perf_counter() - start, time.process_time() - cpu
            yield runner, str(size), *(f"{decisions / seconds:,.0f}" for seconds in spent)
            algorithm.stop()
