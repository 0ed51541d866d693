"""Each seat's win probability where a simulation ends: compiled rules."""

from catan_pz.agents.value.network import write_values
from catan_pz.engine.state import State
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Float32Array, Float64Array
from catan_pz.terms import Phase

DELAY = 1e-4
"""Win probability that a turn is worth: between two ways to win, the quicker is chosen."""


@kernel
def write_win_probabilities(
    s: State,
    viewer: int,
    since: int,
    net: Float32Array,
    work: Float32Array,
    win_probabilities: Float64Array,
) -> None:
    """Each seat's win probability, (P,): what is so when the game is finished, else the value.

    Each turn between turn `since` and the end costs the winner `DELAY`.
    """
    write_values(s, viewer, net, work, win_probabilities)
    if s.phase == Phase.OVER:
        win_probabilities[int(s.winner)] -= DELAY * min(1000, int(s.turn) - since)
