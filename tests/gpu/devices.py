"""The available GPU, or numba's simulator, with suitable sizes for each."""

from dataclasses import dataclass

import numpy as np
from numba import config


@dataclass(frozen=True)
class Device:
    """The device of batches, and the size of their runs."""

    name: str
    parity_games: int
    parity_steps: int
    soak_games: int
    sizes: tuple[int, ...]
    seconds: float

    @property
    def is_simulated(self) -> bool:
        return self.name == "simulator"


def find_device() -> Device | str:
    """The device of batches on CUDA, or the reason why there is none."""
    if config.ENABLE_CUDASIM:
        from tests.batch.simulated import let_kernels_stage_records

        np.seterr(over="ignore")
        let_kernels_stage_records()
        return Device("simulator", 3, 12, 4, (2, 4), 0.05)
    try:
        from catan_pz.batch.cuda_device import open_device

        open_device()
    except (ImportError, RuntimeError) as error:
        return str(error)
    import torch

    name = torch.cuda.get_device_name()
    return Device(name, 10_000, 500, 65_536, (16_384, 131_072, 1_048_576), 1.0)
