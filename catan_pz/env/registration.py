"""Registers the environments with PettingZoo and Gymnasium."""

from typing import Final

import gymnasium
import pettingzoo

CATAN_ID: Final = "catan/catan-v0"
SINGLE_SEAT_ID: Final = "catan_pz/SingleSeat-v0"


def register_all() -> None:
    """Register the environments of the libraries' `make`, once.

    PettingZoo (from 1.27 on): `catan/catan-v0`, AEC and parallel. Gymnasium:
    `catan_pz/SingleSeat-v0`, one environment or, by `make_vec`, the batched one.
    """
    if hasattr(pettingzoo, "register"):
        if CATAN_ID not in pettingzoo.aec_registry:
            pettingzoo.register("aec", CATAN_ID, "catan_pz.catan_v0:env")
        if CATAN_ID not in pettingzoo.parallel_registry:
            pettingzoo.register("parallel", CATAN_ID, "catan_pz.catan_v0:parallel_env")
    if SINGLE_SEAT_ID not in gymnasium.registry:
        gymnasium.register(
            SINGLE_SEAT_ID,
            "catan_pz.env.single_seat:SingleSeatEnv",
            vector_entry_point="catan_pz.env.vector.gymnasium:CatanVectorEnv",
        )
