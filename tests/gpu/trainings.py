"""A short training by each trainer on the GPU, as a user would start it."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from tests.benchmarks.measuring import table
from tests.gpu.devices import Device
from tests.gpu.report import Deadline, NotRunError

ROOT = Path(__file__).parents[2]
NEEDED = ("gymnasium", "farama_notifications", "tyro", "docstring_parser", "typeguard")
STABLE_BASELINES = ("stable_baselines3", "sb3_contrib")
_SELFPLAY = """
    --frames 450000000 --num-envs 16384 --n-steps 32 --batch-size 65536 --bf16 --compile
    --opponents= --network dense --width 512 --n-epochs 1 --no-eval-first --eval-every 450000000
    --checkpoint-every 450000000
"""
TRAINERS: dict[str, tuple[tuple[str, ...], str]] = {
    "train_selfplay": (NEEDED, _SELFPLAY),
    "train_maskable_ppo": ((*NEEDED, *STABLE_BASELINES), "--frames 200000"),
    "train_dqn": ((*NEEDED, *STABLE_BASELINES), "--frames 200000"),
}
"""The libraries that each takes, and its options; the first one goes on until its time is over."""
OPTIONS = "--device cuda --no-progress --eval-games 200"
SHORTEST = 10.0
"""Seconds that a training has at least."""
STOPPING = 60.0
"""Seconds that a training has to stop, save and evaluate, once it is asked to."""
ENDED = {143: "stopped as its time was over", -9: "killed as its time was over"}
"""What statuses of `timeout` tell of a training that hasn't ended by itself."""
LAST_ROUNDS = 5
"""Rounds whose median rate is reported: those before have compiled the kernels and the network."""


def run(device: Device, deadline: Deadline) -> str:
    """Train by each trainer that can run, and tell what it printed last.

    Raises:
        NotRunError: in the simulator, or where libraries of all trainers are missing.
        RuntimeError: if a trainer failed; the others ran all the same.
    """
    if device.is_simulated:
        raise NotRunError("torch needs a GPU")
    rows, failures, to_run = [], [], []
    for name, (needed, options) in TRAINERS.items():
        missing = [library for library in needed if find_spec(library) is None]
        if missing:
            rows.append((name, f"not installed: {', '.join(missing)}"))
        else:
            to_run.append((name, shlex.split(f"{OPTIONS} {options}")))
    if not to_run:
        raise NotRunError(table(("trainer", "last line"), rows))
    for k, (name, options) in enumerate(to_run):
        line, errors = train(name, options, deadline.share(1 / (len(to_run) - k)))
        rows.append((f"`{shlex.join([f'examples/{name}.py', *options])}`", line))
        failures += [f"{name}:\n{errors}"] if errors else []
    if failures:
        raise RuntimeError("\n\n".join([table(("trainer", "last line"), rows), *failures]))
    return table(("trainer", "last line"), rows)


def train(name: str, options: list[str], deadline: Deadline) -> tuple[str, str]:
    """The last line that a training prints, with the rate of its last rounds; errors if it failed.

    It is asked to stop when its time is over, and killed if it doesn't.
    """
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"}
    limit = ["timeout", "--preserve-status", f"--kill-after={STOPPING}"]
    program = [sys.executable, f"examples/{name}.py", *options]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*limit, str(max(SHORTEST, deadline.left)), *program, "--out", folder],
            cwd=ROOT,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode not in (0, *ENDED):
        return "failed", f"exit status {done.returncode}\n{done.stderr[-2000:]}"
    line = (
        ENDED.get(done.returncode) or (done.stdout.strip().splitlines() or ["nothing printed"])[-1]
    )
    last = rates(done.stdout)[-LAST_ROUNDS:]
    told = f"; {median(last):,.0f} frames/s in the last {len(last)} rounds" if last else ""
    return f"{line}{told}", ""


def rates(printed: str) -> list[float]:
    """Frames a second of each round that a training by self-play has printed."""
    return [float(n.replace(",", "")) for n in re.findall(r"frames, ([\d,]+)/s", printed)]
