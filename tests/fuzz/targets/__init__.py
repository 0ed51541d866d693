"""What is fuzzed: each target makes one input from a random source and tries it."""

from collections.abc import Callable
from random import Random
from typing import Final

from tests.fuzz.oracle import Tally
from tests.fuzz.targets import (
    batches,
    commands,
    drawing,
    environments,
    files,
    games,
    learners,
    options,
    seats,
)

Target = Callable[[Random, Tally], None]

_MODULES: Final = (
    *(games, options, batches, learners, environments, seats, drawing, files, commands),
)

TARGETS: Final[dict[str, Target]] = {
    name: target for module in _MODULES for name, target in module.TARGETS.items()
}
"""All targets by name."""

WEIGHTS: Final[dict[str, int]] = {"states": 12, "actions": 4, "records": 4, "batch_steps": 3}
"""How often a target is tried, where it isn't once in a round."""
