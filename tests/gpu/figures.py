"""Decisions a second by number of games: masks, observations in units, each encoder."""

import gc
from collections.abc import Callable
from typing import Any

import catan_pz
from catan_pz import encoders
from tests.benchmarks.measuring import rates, table
from tests.gpu.devices import Device
from tests.gpu.report import Deadline

DRIFT = 2_000
"""Decisions after which games that began together have drifted apart."""


def steps(batch: Any) -> Callable[[], int]:
    """Random decisions, observations taken at each step."""

    def work() -> int:
        for _ in range(8):
            batch.play_random()
            _ = batch.observation
        batch.synchronize()
        return 8 * int(batch.num_games)

    return work


def cell(device: Device, size: int, observation: bool | str) -> str:
    """Millions of decisions a second of a batch, or that it has no room."""
    short: tuple[type[Exception], ...] = (MemoryError,)
    if not device.is_simulated:
        import torch

        gc.collect()  # batches that are forgotten
        torch.cuda.empty_cache()
        short += (torch.OutOfMemoryError,)
    try:
        batch: Any = catan_pz.make_batch(
            size, device="cuda", seed=1, observation=observation, trading=False
        )
        if not device.is_simulated:
            batch.play_random(DRIFT)
        batch.synchronize()
        best = rates({"": steps(batch)}, device.seconds, 2)[""]
    except short:
        return "no memory"
    batch.close()
    return f"{best / 1e6:.2f}"


def row(device: Device, deadline: Deadline, observation: bool | str) -> list[str]:
    """The rates with one kind of observation, by number of games."""
    cells: list[str] = []
    for size in device.sizes:
        late = cells and deadline.is_over
        cells.append("no time" if late else cell(device, size, observation))
    return cells


def run(device: Device, deadline: Deadline) -> str:
    """Time all kinds of observation."""
    others = [name for name in encoders.names() if name != "units"]
    kinds: list[tuple[str, bool | str]] = [("masks alone", False)]
    kinds += [(f"masks, `{name}`", name) for name in ["units", *others]]
    rows = []
    for k, (name, observation) in enumerate(kinds):
        own = deadline.share(1 / (len(kinds) - k))
        rows.append([name, *row(device, own, observation)])
    header = ["millions of decisions/s", *(f"{size:,} games" for size in device.sizes)]
    return table(header, rows)
