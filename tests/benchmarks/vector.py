"""Speed of the vector environments: python -m tests.benchmarks vector

A frame is a decision of the learner, with those of the three others until its
next one, all at random, without player trade. The loop of CatanVecEnv asks for the masks,
draws from them, and steps; that of CatanTorchRLEnv draws, steps and resets. DummyVecEnv over
SingleSeatEnv runs beside them; learners run with SubprocVecEnv too, which plays each game in
a process of its own, as many as there are cores.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor

from catan_pz import SingleSeatEnv
from catan_pz.env.vector.sb3 import CatanVecEnv, ScaleUnits
from tests.benchmarks.measuring import REPEATS, SECONDS, cores, options, print_table, rates
from tests.soak import torchrl

SIZES = (64, 256, 1024, 4096)
ROLLOUT = 16_384
RULES: dict[str, Any] = {"seat": "random", "trading": False}


def frames(num_envs: int, act: Callable[[], Any]) -> Callable[[], int]:
    for _ in range(200):
        act()

    def work() -> int:
        for _ in range(5):
            act()
        return 5 * num_envs

    return work


def native(num_envs: int, **arguments: Any) -> Callable[[], int]:
    env = CatanVecEnv(num_envs, seed=1, **RULES, **arguments)
    env.reset()
    return frames(num_envs, lambda: (env.env_method("action_masks"), env.step(env.sample())))


def dummy(num_envs: int) -> Callable[[], int]:
    env = DummyVecEnv([lambda: SingleSeatEnv(**RULES)] * num_envs)
    env.seed(1)
    env.reset()
    rng = np.random.default_rng(1)

    def work() -> int:
        masks = env.env_method("action_masks")
        env.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
        return num_envs

    return work


def frame_rows(seconds: float, repeats: int) -> Iterator[list[str]]:
    for size in SIZES:
        works = {
            f"{observation}, {threads}": native(size, observation=observation, threads=threads)
            for observation in ("flat", "units")
            for threads in (1, 2)
        }
        if find_spec("torchrl") is not None:
            torch.set_num_threads(1)
            works["torchrl"] = frames(size, torchrl(size, RULES).step)
        if size <= 256:
            works["dummy"] = dummy(size)
        found = rates(works, seconds, repeats)
        names = [*list(works)[:4], "torchrl", "dummy"]
        yield [f"{size:,}", *(f"{found[name]:,.0f}" if name in found else "" for name in names)]


def learning(make: Callable[[], Any], count: int, **policy: Any) -> float:
    """Frames a second of a MaskablePPO that learns on all cores, after a rollout to warm up.

    A rollout has as many frames whatever the number of games.
    """
    from sb3_contrib import MaskablePPO

    torch.set_num_threads(cores())
    env = make()
    steps = max(2, ROLLOUT // env.num_envs)
    fixed = {"batch_size": 4096, "n_epochs": 1, "seed": 0, "device": "cpu"}
    model = MaskablePPO("MlpPolicy", env, n_steps=steps, policy_kwargs=policy, **fixed)
    model.learn(1)
    before, start = model.num_timesteps, time.perf_counter()
    model.learn(count, reset_num_timesteps=False)
    done = model.num_timesteps - before
    env.close()
    return float(done / (time.perf_counter() - start))


def learning_rows(sizes: list[int], count: int) -> Iterator[list[str]]:
    units = {"features_extractor_class": ScaleUnits}
    rows = {}
    for games in sizes:
        for told, form, policy in (("float32", "flat", {}), ("int8", "units", units)):
            make = partial(CatanVecEnv, games, seed=1, observation=form, **RULES)
            rows[f"CatanVecEnv, {games:,} games, {told}"] = learning(make, count, **policy)
    single = partial(SingleSeatEnv, **RULES)
    kinds = [(DummyVecEnv, sizes[0], "games")]
    kinds += [(SubprocVecEnv, number, "processes") for number in (cores(), 4 * cores())]
    for kind, number, what in kinds:
        rate = learning(lambda k=kind, n=number: VecMonitor(k([single] * n)), ROLLOUT)
        rows[f"{kind.__name__} over SingleSeatEnv, {number} {what}"] = rate
    best = max(rate for name, rate in rows.items() if name.startswith("SubprocVecEnv"))
    for name, rate in rows.items():
        yield [name, f"{rate:,.0f}", f"{rate / best:.1f}"]


def main() -> None:
    given = options(
        __doc__,
        seconds=(0.3, SECONDS),
        repeats=(3, REPEATS),
        games=([256, 1024, 4096], "games of the learners"),
        frames=(32_768, "frames of the learners"),
    )
    header: tuple[str, ...] = ("games", "float32", "float32, 2 threads", "int8", "int8, 2 threads")
    header += ("TorchRL, float32", "DummyVecEnv")
    print_table(header, frame_rows(given.seconds, given.repeats))
    header = ("MaskablePPO", "frames/s", "times the better SubprocVecEnv")
    print_table(header, learning_rows(given.games, given.frames))
