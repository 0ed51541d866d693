"""Decisions a second by games and observations; registers and memory of the kernels."""

import gc
from collections.abc import Callable
from typing import Any

import catan_pz
from catan_pz import encoders
from catan_pz.batch import cuda_kernels
from tests.benchmarks.measuring import rates, table
from tests.gpu.devices import Device
from tests.gpu.report import Deadline

DRIFT = 500
"""Decisions after which games that began together are at different stages."""
FACTS = (
    ("registers", "get_regs_per_thread"),
    ("stack and spills, bytes", "get_local_mem_per_thread"),
    ("shared memory, bytes", "get_shared_mem_per_block"),
    ("constant memory, bytes", "get_const_mem_size"),
)


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
    short: tuple[type[Exception], ...] = (MemoryError,)
    if not device.is_simulated:
        import torch

        gc.collect()  # unreferenced batches
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


def run(device: Device, deadline: Deadline) -> str:
    """Masks and units at all sizes; then each encoder at one of them."""
    rows = [
        [name, *(cell(device, size, kind) for size in device.sizes)]
        for name, kind in (("masks alone", False), ("masks, `units`", "units"))
    ]
    size, encoded = device.sizes[len(device.sizes) // 2], []
    for name in encoders.names():
        if name != "units":
            late = encoded and deadline.is_over
            encoded.append((f"`{name}`", "no time" if late else cell(device, size, name)))
    what = "millions of decisions/s"
    games = table((what, *(f"{size:,} games" for size in device.sizes)), rows)
    return f"{games}\n\n{table(('masks and encoder', f'{what}, {size:,} games'), encoded)}"


def kernels(device: Device, _deadline: Deadline) -> str:
    """Launch each kernel, and report its resources."""
    from catan_pz.batch.cuda_device import _compiled

    batch = catan_pz.make_batch(device.soak_games, device="cuda", seed=1, global_state=True)
    batch.place_games([0], batch.games[1:2])
    batch.step(batch.sample())
    _ = batch.global_state
    batch.synchronize()
    names = sorted(name for name in vars(cuda_kernels) if name.endswith("_kernel"))
    if device.is_simulated:
        return f"{', '.join(f'`{name}`' for name in names)}: the simulator has no facts of them."
    compiled = {name: _compiled(getattr(cuda_kernels, name)) for name in names}
    idle = [name for name in names if not compiled[name].overloads]
    if idle:
        raise AssertionError(f"kernels {idle} were never launched")
    rows = [(f"`{name}`", *(fact(compiled[name], call) for _, call in FACTS)) for name in names]
    return table(("kernel", *(title for title, _ in FACTS)), rows)


def fact(kernel: Any, call: str) -> str:
    """A fact of each signature of a kernel."""
    found = getattr(kernel, call)()
    return ", ".join(str(n) for n in found.values()) if isinstance(found, dict) else str(found)
