"""Observation spaces."""

from typing import Any

import numpy as np
from gymnasium import spaces

from catan_pz.encoders import Encoder, as_encoder, load


def observation_space(encoder: Encoder) -> spaces.Space[Any]:
    """The space of an encoder's output: a Box, or a Dict of them by segment name."""
    boxes: dict[str, spaces.Space[Any]] = {
        segment.name: spaces.Box(
            segment.low, segment.high, segment.shape, np.dtype(segment.dtype).type
        )
        for segment in encoder.segments
    }
    return spaces.Dict(boxes) if encoder.is_dict else next(iter(boxes.values()))


def encoder_of_space(space: spaces.Space[Any], observation: Encoder | str | None = None) -> Encoder:
    """The encoder of the observations, of a space, that a learner was trained on.

    `observation` is the encoder or its name; None for the one of "flat", "dict" and "units" that
    has the space.
    """
    if observation is None:
        for name in ("flat", "dict", "units"):
            if observation_space(load(name)) == space:
                return load(name)
        raise ValueError(f"observation must name the encoder of the space {space}")
    encoder = as_encoder(observation)
    if observation_space(encoder) != space:
        raise ValueError(
            f"observation={observation!r} doesn't fit: the learner has the space "
            f"{space}, the encoder gives {observation_space(encoder)}"
        )
    return encoder
