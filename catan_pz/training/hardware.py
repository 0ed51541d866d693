"""The machine that a training runs on: told in its model card, and set up for torch."""

import ctypes
import os
import platform
from pathlib import Path
from typing import Any, Final

import torch

from catan_pz.training.options import command_line

_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
"""Numbers of `mallopt`'s options in the GNU C library's `malloc.h`."""


def hardware(device: torch.device) -> str:
    """The machine: CPU, GPU if it is used, cores, Python."""
    name = platform.processor() or platform.machine()
    cpu = Path("/proc/cpuinfo")
    if cpu.exists():
        lines = [line for line in cpu.read_text().splitlines() if line.startswith("model name")]
        name = lines[0].partition(":")[2].strip() if lines else name
    if device.type == "cuda":
        name += f", {torch.cuda.get_device_name(device)}"
    return f"{name}, {os.cpu_count()} cores, Python {platform.python_version()}"


def training_card(
    args: Any, algorithm: str, program: str, device: torch.device | None = None
) -> dict[str, Any]:
    """What a model's card tells of its training from the start.

    Args:
        args: the options, among them `seed` and `device`.
        algorithm: what learns.
        program: path of the program.
        device: that is computed on; that of the options where None.
    """
    return {
        "algorithm": algorithm,
        "command": command_line(args, program),
        "seed": args.seed,
        "hardware": hardware(device or torch.device(args.device)),
    }


def set_up_torch(threads: int) -> None:
    """Make torch fast for small networks on a CPU.

    On a CPU each layer takes and frees megabytes. A C library that gives them back to the system
    gets them again page by page, each cleared anew, which takes up to half of a forward pass; so
    GNU's is told to keep what is freed. Torch's checks of distributions are switched off: they
    cost as much as the network, and fail on rounding with large masks.

    Args:
        threads: that torch computes with.
    """
    torch.set_num_threads(threads)
    torch.distributions.Distribution.set_default_validate_args(False)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if mallopt is not None:
        mallopt(_TRIM_THRESHOLD, 2**31 - 1)
        mallopt(_MMAP_THRESHOLD, 2**25)
