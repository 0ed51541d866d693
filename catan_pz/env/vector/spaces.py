"""The observation space of one game among many."""

from typing import Any, Final

import numpy as np
from gymnasium import spaces

from catan_pz.env.spaces import observation_space
from catan_pz.observation.segments import SIZE

OBSERVATIONS: Final = ("flat", "units")


def single_observation_space(observation: str) -> spaces.Space[Any]:
    """(N,) float32 in [0, 1] for "flat", int8 in natural units for "units"."""
    if observation == "flat":
        return observation_space("flat")
    return spaces.Box(-128, 127, (SIZE,), np.int8)
