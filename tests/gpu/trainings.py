"""A short training by each trainer on the GPU, as a user would start it."""

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from tests.gpu.devices import Device
from tests.gpu.report import Deadline, table

ROOT = Path(__file__).parents[2]
NEEDED = ("gymnasium", "farama_notifications", "tyro", "docstring_parser", "typeguard")
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
SHORTEST = 10.0
"""Seconds that a training has at least."""
STOPPING = 60.0
"""Seconds that a training has to stop, save and evaluate, once it is asked to."""
LAST_ROUNDS = 5
"""Rounds whose median rate is reported: those before have compiled the kernels and the network."""


class NotRunError(Exception):
    """A part that can't run here, with the reason."""


class FailedError(Exception):
    """A part that failed in places, with all that it found."""


def run(device: Device, deadline: Deadline) -> str:
    """Train by each trainer and tell how long it took and what it printed last.

    Raises:
        NotRunError: in the simulator, or where libraries of all trainers are missing.
        FailedError: if a trainer failed; the others ran all the same.
    """
    if device.is_simulated:
        raise NotRunError("torch needs a GPU")
    missing = {
        name: [library for library in needed if find_spec(library) is None]
        for name, (needed, _) in TRAINERS.items()
    }
    rows, failures, to_run = [], [], sum(not libraries for libraries in missing.values())
    for name, (_, options) in TRAINERS.items():
        if missing[name]:
            line = f"not installed: {', '.join(missing[name])}"
        else:
            try:
                line = train(name, options, deadline.share(1 / to_run))
            except RuntimeError as error:
                line = "failed"
                failures.append(f"`{name}`:\n\n```\n{error}\n```")
            to_run -= 1
        rows.append((f"`{shlex.join([f'examples/{name}.py', *OPTIONS, *options])}`", line))
    text = "\n\n".join([table(("trainer", "last line"), rows), *failures])
    if all(missing.values()):
        raise NotRunError(text)
    if failures:
        raise FailedError(text)
    return text


def train(name: str, options: Sequence[str], deadline: Deadline) -> str:
    """The last line that a training prints, and the rate of its last rounds.

    It is asked to stop when its time is over.

    Raises:
        RuntimeError: with the errors that it printed, if it failed.
    """
    asked = killed = False
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, f"examples/{name}.py", "--out", folder, *OPTIONS, *options]
        with subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                printed, errors = process.communicate(timeout=max(SHORTEST, deadline.left))
            except subprocess.TimeoutExpired:
                asked = True
                process.terminate()
                try:
                    printed, errors = process.communicate(timeout=STOPPING)
                except subprocess.TimeoutExpired:
                    killed = True
                    process.kill()
                    printed, errors = process.communicate()
    if killed:
        line = f"killed, as it hadn't stopped {STOPPING:.0f} s after its time was over"
    elif asked and process.returncode == -signal.SIGTERM:
        line = "stopped while starting, as its time was over"
    elif process.returncode != 0:
        raise RuntimeError(f"exit status {process.returncode}\n{errors[-2000:]}".strip())
    else:
        line = (printed.strip().splitlines() or ["nothing printed"])[-1]
    last = rates(printed)[-LAST_ROUNDS:]
    return f"{line}; {median(last):,.0f} frames/s in the last {len(last)} rounds" if last else line


def environment() -> dict[str, str]:
    """Of a training: it finds the package, and prints without delay."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"}


def rates(printed: str) -> list[float]:
    """Frames a second of each round that a training by self-play has printed."""
    return [float(n.replace(",", "")) for n in re.findall(r"frames, ([\d,]+)/s", printed)]
