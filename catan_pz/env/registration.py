"""Puts the environments on the lists of PettingZoo and Gymnasium, where these have one."""

from typing import Final

import gymnasium
import pettingzoo

AEC_ID: Final = "catan/catan-v0"
SINGLE_SEAT_ID: Final = "catan_pz/SingleSeat-v0"


def register_all() -> None:
    """Register `catan/catan-v0` (PettingZoo 1.27 on) and `catan_pz/SingleSeat-v0`."""
    known = getattr(pettingzoo, "aec_registry", None)
    register = getattr(pettingzoo, "register", None)
    if known is not None and register is not None and AEC_ID not in known:
        register("aec", AEC_ID, "catan_pz.catan_v0:env")
    if SINGLE_SEAT_ID not in gymnasium.registry:
        gymnasium.register(SINGLE_SEAT_ID, "catan_pz.env.single_seat:SingleSeatEnv")
