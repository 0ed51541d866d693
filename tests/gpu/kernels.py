"""Facts about the kernels as they are compiled for the device: registers and memory."""

from typing import Any

import catan_pz
from catan_pz.batch import cuda_kernels
from tests.benchmarks.measuring import table
from tests.gpu.devices import Device
from tests.gpu.report import Deadline

FACTS = (
    ("registers", "get_regs_per_thread"),
    ("stack and spills, bytes", "get_local_mem_per_thread"),
    ("shared memory, bytes", "get_shared_mem_per_block"),
    ("constant memory, bytes", "get_const_mem_size"),
)


def run(device: Device, _deadline: Deadline) -> str:
    """The facts of all kernels that a batch with trade and observations launches."""
    from catan_pz.batch import cuda_device

    compiled: dict[str, Any] = {}
    original = cuda_device._compiled

    def remembered(kernel: Any) -> Any:
        compiled[kernel.__name__] = original(kernel)
        return compiled[kernel.__name__]

    cuda_device._compiled = remembered
    try:
        batch = catan_pz.make_batch(device.soak_games, device="cuda", seed=1, global_state=True)
        batch.place_games([0], batch.games[1:2])
        batch.step(batch.sample())
        _ = batch.global_state
        batch.synchronize()
    finally:
        cuda_device._compiled = original
    names = sorted(name for name in vars(cuda_kernels) if name.endswith("_kernel"))
    missing = sorted(set(names) - set(compiled))
    if missing:
        raise AssertionError(f"kernels {missing} were never launched")
    if device.is_simulated:
        return f"Launched: {', '.join(f'`{name}`' for name in names)}; the simulator has no facts."
    rows = [(f"`{name}`", *(fact(compiled[name], call) for _, call in FACTS)) for name in names]
    return table(("kernel", *(title for title, _ in FACTS)), rows)


def fact(kernel: Any, call: str) -> str:
    """A fact of each signature of a kernel."""
    found = getattr(kernel, call)()
    return ", ".join(str(n) for n in found.values()) if isinstance(found, dict) else str(found)
