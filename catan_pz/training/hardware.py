"""The machine that a training runs on, for its model card."""

import os
import platform
from pathlib import Path

import torch


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
