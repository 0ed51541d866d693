"""A short training by each trainer on the GPU, as a user would start it."""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from tests.gpu.devices import Device
from tests.gpu.report import Deadline, table

ROOT = Path(__file__).parents[2]
NEEDED = ("gymnasium", "tyro")
STABLE_BASELINES = ("stable_baselines3", "sb3_contrib")
TRAINERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "train_selfplay": (
        NEEDED,
        (
            *("--frames", "450000000", "--num-envs", "16384", "--n-steps", "32"),
            *("--batch-size", "65536", "--bf16", "--compile", "--opponents", ""),
            *("--network", "dense", "--width", "512", "--n-epochs", "1", "--no-eval-first"),
            *("--eval-every", "450000000", "--checkpoint-every", "450000000"),
        ),
    ),
    "train_maskable_ppo": ((*NEEDED, *STABLE_BASELINES), ("--frames", "200000")),
    "train_dqn": ((*NEEDED, *STABLE_BASELINES), ("--frames", "200000")),
}
"""The libraries that each takes, and its options; the first one goes on until its time is over."""
OPTIONS = ("--device", "cuda", "--no-progress", "--eval-games", "200")
STOPPING = 60.0
"""Seconds that a training has to stop, save and evaluate, once it is asked to."""


class NotRunError(Exception):
    """A part that can't run here, with the reason."""


def run(device: Device, deadline: Deadline) -> str:
    """Train by each trainer and tell how long it took and what it printed last.

    Raises:
        NotRunError: in the simulator, or where libraries of all trainers are missing.
    """
    if device.is_simulated:
        raise NotRunError("torch needs a GPU")
    rows, ran = [], False
    for k, (name, (needed, options)) in enumerate(TRAINERS.items()):
        missing = [library for library in needed if find_spec(library) is None]
        if missing:
            line = f"not installed: {', '.join(missing)}"
        else:
            line, ran = train(name, options, deadline.share(1 / (len(TRAINERS) - k))), True
        rows.append((f"`{shlex.join([f'examples/{name}.py', *OPTIONS, *options])}`", line))
    text = table(("trainer", "last line"), rows)
    if not ran:
        raise NotRunError(text)
    return text


def train(name: str, options: Sequence[str], deadline: Deadline) -> str:
    """The last line that a training prints; it is asked to stop when its time is over."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, f"examples/{name}.py", "--out", folder, *OPTIONS, *options]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        with subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                printed, errors = process.communicate(timeout=max(10.0, deadline.left))
            except subprocess.TimeoutExpired:
                process.terminate()
                try:
                    printed, errors = process.communicate(timeout=STOPPING)
                except subprocess.TimeoutExpired:
                    process.kill()
                    return "stopped as its time was over, without a result"
    if process.returncode != 0:
        raise RuntimeError(f"{name} failed:\n{errors[-2000:]}")
    lines = printed.strip().splitlines()
    return lines[-1] if lines else "nothing printed"
