"""Loads the programs in `examples`, which have no package; results of trainings."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.helpers import load_file

EXAMPLES = Path(__file__).parents[2] / "examples"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(EXAMPLES.parent)}
"""For programs that run as processes: they find the package beside `examples`."""


def kill_after_a_checkpoint(program, arguments, out):
    """Run a program until its folder `out` holds a checkpoint, or to its end; then SIGKILL it."""
    command = [sys.executable, program.__file__, *arguments]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    with subprocess.Popen(command, **quiet, env=ENVIRONMENT) as process:
        until = time.monotonic() + 480
        while not (out / "checkpoint.json").exists() and time.monotonic() < until:
            time.sleep(0.01)
        process.kill()
    assert process.returncode in (-signal.SIGKILL, 0)


def load(name):
    """A fresh module of a program."""
    return load_file(EXAMPLES / f"{name}.py")


def end_of(out):
    """The result of a training, without times, as comparable values."""
    from catan_pz.training.checkpoints import Checkpoints

    state = Checkpoints(out).load()
    past_selves = sorted(path.name for path in (out / "league").glob("*"))
    return plain({k: v for k, v in state.items() if k != "options"}) | {"files": past_selves}


def plain(value):
    """Nested values with arrays as bytes, and without times."""
    if isinstance(value, dict):
        times = ("seconds", "seconds_playing", "seconds_learning", "t", "timers")
        return {name: plain(one) for name, one in value.items() if name not in times}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    value = value.numpy(force=True) if hasattr(value, "numpy") else value
    return value.tobytes() if hasattr(value, "tobytes") else value
