"""Calls from Python on the compiled heuristic player."""

from catan_pz.agents.heuristic.choose import action_by_weights, evolved_action
from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import ConstInt64Array, Int8Matrix, Int64Array, UInt64Array


@entry
def choose_heuristic(
    observations: Int8Matrix,
    masks: Int8Matrix,
    random_bits: UInt64Array,
    weights: ConstInt64Array,
    actions: Int64Array,
) -> None:
    """Choose in each game as `HeuristicAgent` does."""
    for i in range(masks.shape[0]):
        actions[i] = action_by_weights(observations[i], masks[i], random_bits[i], weights)


@entry
def choose_evolved(
    observations: Int8Matrix, masks: Int8Matrix, random_bits: UInt64Array, actions: Int64Array
) -> None:
    """Choose in each game as `EvolvedAgent` does."""
    for i in range(masks.shape[0]):
        actions[i] = evolved_action(observations[i], masks[i], random_bits[i])
