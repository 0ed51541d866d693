"""The observation space of one game among many."""

from typing import Any, Final

import numpy as np
from gymnasium import spaces

from catan_pz.env.spaces import observation_space
from catan_pz.observation.segments import SIZE

OBSERVATIONS: Final = ("flat", "units")
NAMED_TOO: Final = ("flat", "dict", "units")


def single_observation_space(observation: str) -> spaces.Space[Any]:
    """float32 in [0, 1], (N,) or named segments, for "flat" or "dict"; (N,) int8 for "units"."""
    if observation in ("flat", "dict"):
        return observation_space(observation)
    return spaces.Box(-128, 127, (SIZE,), np.int8)
