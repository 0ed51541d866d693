"""Speed of RLlib's two ways to sample: python -m tests.benchmarks rllib

Needs RLlib. One runner in this process plays games of two players without player trade; the
learner and random players decide by one forward pass each. Every decision of a seat counts. CPU
time is that of this process.
"""

import argparse
import dataclasses
import time

import ray
import torch

from catan_pz.rules import Rules
from tests.examples.programs import load

SIZES = {"batch": (16, 64, 256), "aec": (8,)}
"""Games side by side."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decisions", type=int, default=16_384, help="to sample of each kind")
    options = parser.parse_args()
    torch.set_num_threads(1)
    program = load("libraries/rllib_selfplay")
    ray.init("local", num_cpus=1, include_dashboard=False, logging_level="error")
    print("| runner | games | decisions a second | a second of CPU time |\n|---|---|---|---|")
    for runner, sizes in SIZES.items():
        for size in sizes:
            args = program.Args(runner=runner, train_batch_size=max(2048, 8 * size))
            args = dataclasses.replace(args, num_games=size)
            rules = Rules(num_players=args.players, trading=False, skip_forced=True)
            algorithm = program.make_config(args, rules).build_algo()
            algorithm.env_runner.sample()
            start, cpu, decisions = time.perf_counter(), time.process_time(), 0
            while decisions < options.decisions:
                algorithm.env_runner.sample()
                decisions += args.train_batch_size
            rates = (
                decisions / (time.perf_counter() - start),
                decisions / (time.process_time() - cpu),
            )
            print(f"| {runner} | {size} | {rates[0]:,.0f} | {rates[1]:,.0f} |", flush=True)
            algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
