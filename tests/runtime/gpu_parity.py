"""The same games on a GPU and on the CPU: `python -m tests.runtime.gpu_parity [options]`.

Compares records, masks, observations and all that steps tell, byte for byte, while both
batches play on from each other's actions; the first difference ends it with an error.
"""

import argparse
import time
from typing import Any

import numpy as np
from tqdm import trange

import catan_pz

ARRAYS = ("observation", "mask", "player", "reward", "done", "truncated")
RULE_SETS: tuple[dict[str, Any], ...] = (
    {"trading": False},
    {"offer_form": "both", "num_players": 3, "skip_forced": True, "reward": "win_and_terms"},
    {"rules": "one_v_one", "board": "spiral", "first_player": "random"},
)


def compare(cpu: Any, gpu: Any) -> None:
    """Raise an error where the two batches differ."""
    if np.asarray(cpu.games).tobytes() != gpu.games.tobytes():
        raise AssertionError("records differ")
    for name in ARRAYS:
        there = getattr(gpu, name)
        if not np.array_equal(getattr(cpu, name), there.cpu().numpy()):
            raise AssertionError(f"{name} differs")


def play(games: int, steps: int, every: int, **options: Any) -> int:
    """Play both batches side by side and return how many games ended."""
    cpu = catan_pz.make_batch(games, seed=1, threads=8, **options)
    gpu = catan_pz.make_batch(games, device="cuda", seed=1, **options)
    ended = 0
    compare(cpu, gpu)
    for step in trange(1, steps + 1, desc=str(options), leave=False):
        actions = cpu.sample()
        assert np.array_equal(actions, gpu.sample().cpu().numpy())
        cpu.step(actions)
        gpu.step(actions)
        ended += int(cpu.done.sum())
        if step % every == 0 or step == steps:
            compare(cpu, gpu)
    gpu.synchronize()
    cpu.close()
    return ended


def main() -> None:
    """Compare over several rule sets."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--every", type=int, default=1, help="steps between two comparisons")
    options = parser.parse_args()
    for rules in RULE_SETS:
        start = time.perf_counter()
        ended = play(options.games, options.steps, options.every, **rules)
        took = time.perf_counter() - start
        print(f"{rules}: {options.games:,} games x {options.steps:,} steps the same, ", end="")
        print(f"{ended:,} games ended, {took:.0f} s", flush=True)


if __name__ == "__main__":
    main()
