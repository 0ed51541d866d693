"""A short training by each trainer on the GPU, as a user would start it."""

import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from tests.gpu.devices import Device
from tests.gpu.report import Deadline, table

ROOT = Path(__file__).parents[2]
NEEDED = ("gymnasium", "pettingzoo", "stable_baselines3", "sb3_contrib", "tyro")
TRAINERS = ("train_maskable_ppo", "train_dqn")
OPTIONS = ("--device", "cuda", "--frames", "200000", "--no-progress", "--eval-games", "200")


class NotRunError(Exception):
    """A part that can't run here, with the reason."""


def run(device: Device, deadline: Deadline) -> str:
    """Train by each trainer and tell how long it took and what it printed last.

    Raises:
        NotRunError: in the simulator, or where libraries are missing.
    """
    if device.is_simulated:
        raise NotRunError("torch needs a GPU")
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise NotRunError(f"not installed: {', '.join(missing)}")
    rows = []
    for k, name in enumerate(TRAINERS):
        rows.append((f"`{name}`", train(name, deadline.share(1 / (len(TRAINERS) - k)))))
    return table(("trainer", "last line"), rows)


def train(name: str, deadline: Deadline) -> str:
    """The last line that a training prints, or that its time was over."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, f"examples/{name}.py", "--out", folder, *OPTIONS]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                timeout=max(10.0, deadline.left),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "stopped as its time was over"
    if done.returncode != 0:
        raise RuntimeError(f"{name} failed:\n{done.stderr[-2000:]}")
    lines = done.stdout.strip().splitlines()
    return lines[-1] if lines else "nothing printed"
