"""Calls on the rewards of batches in which every seat learns, compiled on first use."""

from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import BoolArray, Float32Matrix, Int8Array, Int64Matrix

NO_STEP = -1
"""The last step of a seat that has not decided in a game."""


@entry
def begin_decisions(
    players: Int8Array,
    begun: BoolArray,
    step: int,
    rewards: Float32Matrix,
    last_steps: Int64Matrix,
) -> None:
    """Start the sum of rewards of every seat that has just decided, and of all in a new game.

    Args:
        players: (B,) the seats that decided.
        begun: (B,) whether it was the first decision of a game.
        step: the number of the step.
        rewards: (B, P) sums since the own last decision; set to zero where they start.
        last_steps: (B, P) steps of the last decisions, NO_STEP before the first of a game.
    """
    for i in range(players.shape[0]):
        if begun[i]:
            for p in range(rewards.shape[1]):
                rewards[i, p] = 0
                last_steps[i, p] = NO_STEP
        p = int(players[i])
        rewards[i, p] = 0
        last_steps[i, p] = step
