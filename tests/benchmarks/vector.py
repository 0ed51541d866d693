"""Speed of the vector environments: python -m tests.benchmarks vector

Prints tables. A frame is a decision of the learner, with those of the three others until its
next one, all at random, without player trade. The loop of CatanVecEnv asks for the masks,
draws from them, and steps; that of CatanTorchRLEnv draws, steps and resets. DummyVecEnv over
SingleSeatEnv runs beside them; learners run with SubprocVecEnv too, which plays each game in
a process of its own, as many as there are cores.
"""

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor

from catan_pz import SingleSeatEnv
from catan_pz.env.vector.sb3 import CatanVecEnv, ScaleUnits

SIZES = (64, 256, 1024, 4096)
ROLLOUT = 16_384
RULES: dict[str, Any] = {"seat": "random", "trading": False}


def frames_per_second(act: Callable[[], Any], num_envs: int, seconds: float, repeats: int) -> float:
    """Frames a second: the best of some measures, the one that others disturbed least."""
    best = 0.0
    for _ in range(repeats):
        steps, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            for _ in range(5):
                act()
            steps += 5
        best = max(best, steps * num_envs / (time.perf_counter() - start))
    return best


def native(num_envs: int, seconds: float, repeats: int, **arguments: Any) -> float:
    """Frames a second of CatanVecEnv."""
    env = CatanVecEnv(num_envs, seed=1, **RULES, **arguments)
    env.reset()

    def act() -> None:
        env.env_method("action_masks")
        env.step(env.sample())

    for _ in range(200):  # until the games have drifted apart
        act()
    frames = frames_per_second(act, num_envs, seconds, repeats)
    env.close()
    return frames


def torchrl(num_envs: int, seconds: float, repeats: int) -> float:
    """Frames a second of CatanTorchRLEnv; not a number where TorchRL isn't installed."""
    try:
        from catan_pz.env.vector.torchrl import CatanTorchRLEnv
    except ImportError:
        return float("nan")
    import torch

    torch.set_num_threads(1)
    env = CatanTorchRLEnv(num_envs, seed=1, **RULES)
    data = env.reset()

    def act() -> None:
        nonlocal data
        actions = torch.from_numpy(env.batch.sample().copy())
        data = env.step_and_maybe_reset(data.set("action", actions))[1]

    for _ in range(200):
        act()
    frames = frames_per_second(act, num_envs, seconds, repeats)
    env.close()
    return frames


def dummy(num_envs: int, seconds: float) -> float:
    """Frames a second of DummyVecEnv over SingleSeatEnv."""
    env = DummyVecEnv([lambda: SingleSeatEnv(**RULES)] * num_envs)
    env.seed(1)
    env.reset()
    rng = np.random.default_rng(1)

    def act() -> None:
        masks = env.env_method("action_masks")
        env.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))

    return frames_per_second(act, num_envs, seconds, 1)


def learning(make: Callable[[], Any], frames: int, **policy: Any) -> float:
    """Frames a second of a MaskablePPO that learns on all cores, after a rollout to warm up.

    A rollout has as many frames whatever the number of games.
    """
    import torch
    from sb3_contrib import MaskablePPO

    torch.set_num_threads(_cores())
    env = make()
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=max(2, ROLLOUT // env.num_envs),
        batch_size=4096,
        n_epochs=1,
        seed=0,
        device="cpu",
        policy_kwargs=policy,
    )
    model.learn(1)
    before, start = model.num_timesteps, time.perf_counter()
    model.learn(frames, reset_num_timesteps=False)
    done = model.num_timesteps - before
    env.close()
    return float(done / (time.perf_counter() - start))


def print_frames(seconds: float, repeats: int) -> None:
    """The table of frames without learning."""
    print("| games | float32 | float32, 2 threads | int8 | int8, 2 threads ", end="")
    print("| TorchRL, float32 | DummyVecEnv |\n|---|---|---|---|---|---|---|")
    for size in SIZES:
        row = [
            native(size, seconds, repeats, observation=observation, threads=threads)
            for observation in ("flat", "units")
            for threads in (1, 2)
        ]
        row.append(torchrl(size, seconds, repeats))
        row.append(dummy(size, seconds) if size <= 256 else float("nan"))
        cells = ["" if np.isnan(frames) else f"{frames:,.0f}" for frames in row]
        print(f"| {size:,} | {' | '.join(cells)} |", flush=True)


def print_learning(sizes: list[int], frames: int) -> None:
    """The table of frames with learning."""
    units = {"features_extractor_class": ScaleUnits}
    rows = {}
    for games in sizes:
        rows[f"CatanVecEnv, {games:,} games, float32"] = learning(
            lambda games=games: CatanVecEnv(games, seed=1, **RULES), frames
        )
        rows[f"CatanVecEnv, {games:,} games, int8"] = learning(
            lambda games=games: CatanVecEnv(games, seed=1, observation="units", **RULES),
            frames,
            **units,
        )
    rows[f"DummyVecEnv over SingleSeatEnv, {sizes[0]} games"] = learning(
        lambda: VecMonitor(DummyVecEnv([lambda: SingleSeatEnv(**RULES)] * sizes[0])), ROLLOUT
    )
    processes = 0.0
    for workers in (_cores(), 4 * _cores()):
        name = f"SubprocVecEnv over SingleSeatEnv, {workers} processes"
        rows[name] = learning(
            lambda workers=workers: VecMonitor(
                SubprocVecEnv([lambda: SingleSeatEnv(**RULES)] * workers)
            ),
            ROLLOUT,
        )
        processes = max(processes, rows[name])
    print("\n| MaskablePPO | frames/s | times the better SubprocVecEnv |\n|---|---|---|")
    for name, frames_a_second in rows.items():
        print(f"| {name} | {frames_a_second:,.0f} | {frames_a_second / processes:.1f} |")


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=0.3, help="length of each measure")
    parser.add_argument("--repeats", type=int, default=3, help="measures, of which the best counts")
    parser.add_argument(
        "--games", type=int, nargs="+", default=[256, 1024, 4096], help="games of the learners"
    )
    parser.add_argument("--frames", type=int, default=32_768, help="frames of the learners")
    parser.add_argument("--no-frames", action="store_true", help="the learners alone")
    options = parser.parse_args()
    if not options.no_frames:
        print_frames(options.seconds, options.repeats)
    print_learning(options.games, options.frames)


if __name__ == "__main__":
    main()
