"""The processes of a data-parallel training that torchrun has started; one where it hasn't."""

import os
from typing import Any, Final

import torch
import torch.distributed as dist

PROCESSES: Final = int(os.environ.get("WORLD_SIZE", "1"))
"""How many there are."""

RANK: Final = int(os.environ.get("RANK", "0"))
"""Which one this is."""


def join(device: str) -> torch.device:
    """Meet the others, and give this process its device.

    Args:
        device: "auto", "cpu" or "cuda".
    """
    on_gpu = device != "cpu" and torch.cuda.is_available()
    if PROCESSES > 1 and not dist.is_initialized():
        dist.init_process_group("nccl" if on_gpu else "gloo")
    if not on_gpu:
        return torch.device("cpu")
    here = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(here)
    return here


def gathered(value: Any) -> list[Any]:
    """The values of all processes, which each of them calls this with."""
    values = [value] * PROCESSES
    if PROCESSES > 1:
        dist.all_gather_object(values, value)
    return values


def average_gradients(network: torch.nn.Module) -> None:
    """Give all processes the mean of their gradients."""
    if PROCESSES == 1:
        return
    for parameter in network.parameters():
        dist.all_reduce(parameter.grad)
        parameter.grad /= PROCESSES
