"""Decisions a second by number of games: masks, observations in units, each encoder."""

import gc
from time import perf_counter
from typing import Any

import catan_pz
from catan_pz import encoders
from tests.gpu.devices import Device
from tests.gpu.report import Deadline, table

DRIFT = 2_000
"""Decisions after which games that began together have drifted apart."""


def rate(batch: Any, seconds: float) -> float:
    """Millions of decisions a second, observations taken at each step."""
    batch.synchronize()
    steps, start = 0, perf_counter()
    while steps == 0 or perf_counter() - start < seconds:
        for _ in range(8):
            batch.play_random()
            _ = batch.observation
        steps += 8
        batch.synchronize()
    return steps * int(batch.num_games) / (perf_counter() - start) / 1e6


def cell(device: Device, size: int, observation: bool | str) -> str:
    """The rate of a batch, or that it has no room."""
    try:
        batch: Any = catan_pz.make_batch(
            size, device="cuda", seed=1, observation=observation, trading=False
        )
        if not device.is_simulated:
            batch.play_random(DRIFT)
        best = max(rate(batch, device.seconds) for _ in range(2))
    except memory_errors(device):
        return "no memory"
    batch.close()
    return f"{best:.2f}"


def memory_errors(device: Device) -> tuple[type[Exception], ...]:
    """What is raised where memory is short: by a batch, and by an encoder's operations."""
    if device.is_simulated:
        return (MemoryError,)
    import torch

    return MemoryError, torch.OutOfMemoryError


def free_memory(device: Device) -> None:
    """Give the memory of batches that are forgotten back."""
    gc.collect()
    if not device.is_simulated:
        import torch

        torch.cuda.empty_cache()


def row(device: Device, deadline: Deadline, observation: bool | str) -> list[str]:
    """The rates with one kind of observation, by number of games."""
    cells: list[str] = []
    for size in device.sizes:
        if deadline.is_over and cells:
            cells.append("no time")
            continue
        cells.append(cell(device, size, observation))
        free_memory(device)
    return cells


def run(device: Device, deadline: Deadline) -> str:
    """Time all kinds of observation."""
    kinds: list[tuple[str, bool | str]] = [("masks alone", False)]
    kinds += [(f"masks, `{name}`", name) for name in ["units", *other_encoders()]]
    rows = []
    for k, (name, observation) in enumerate(kinds):
        own = deadline.share(1 / (len(kinds) - k))
        rows.append([name, *row(device, own, observation)])
    header = ["millions of decisions/s", *(f"{size:,} games" for size in device.sizes)]
    return table(header, rows)


def other_encoders() -> list[str]:
    """Names of the encoders but for the units themselves."""
    return [name for name in encoders.names() if name != "units"]
