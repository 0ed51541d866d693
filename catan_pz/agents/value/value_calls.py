"""The value's calls from Python, compiled on first use; the first of `games` is the position."""

import numpy as np

from catan_pz.agents.value.choice import worth_of_action
from catan_pz.agents.value.features import write_position
from catan_pz.agents.value.network import Workspace, write_values
from catan_pz.engine.state import States
from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import Float32Array, Float64Array, Int64Array


@entry
def judge(
    games: States, actions: Int64Array, seed: np.uint64, w: Workspace, worths: Float64Array
) -> None:
    """Write what each of some actions (K,) is worth to the seat to move, (K,)."""
    for k in range(actions.shape[0]):
        worths[k] = worth_of_action(games, actions[k], seed, w)


@entry
def estimate(games: States, viewer: int, w: Workspace) -> None:
    """Write each seat's win probability, as a viewer knows the game, into `values`."""
    write_values(games[0], viewer, w)


@entry
def describe(games: States, viewer: int, features: Float32Array) -> None:
    """Write the features of a position, (P * F + C)."""
    write_position(games[0], viewer, features)
