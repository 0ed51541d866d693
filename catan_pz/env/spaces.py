"""Observation and action spaces."""

import numpy as np
from gymnasium import spaces

from catan_pz.observation.global_state import GLOBAL_SIZE
from catan_pz.observation.segments import SEGMENTS, SIZE


def _box(shape: tuple[int, ...]) -> spaces.Box:
    return spaces.Box(0.0, 1.0, shape, np.float32)


def observation_space(observation: str) -> spaces.Space[object]:
    """The space of what a seat sees, in [0, 1]: one float32 vector (N,), or its segments.

    Args:
        observation: "flat" or "dict".
    """
    if observation == "flat":
        return _box((SIZE,))
    return spaces.Dict({segment.name: _box(segment.shape) for segment in SEGMENTS})


def masked_space(observation: str, num_actions: int) -> spaces.Dict:
    """The observation with the int8 mask (A,) of legal actions beside it."""
    return spaces.Dict(
        {
            "observation": observation_space(observation),
            "action_mask": spaces.Box(0, 1, (num_actions,), np.int8),
        }
    )


def state_space() -> spaces.Box:
    """The space of the full-information vector (M,)."""
    return _box((GLOBAL_SIZE,))
