"""Going round the table, without the division that a remainder costs."""

from catan_pz.engine.state import State
from catan_pz.kernels.rule import rule


@rule
def seat_after(s: State, p: int, k: int) -> int:
    """The seat k places (fewer than there are players) clockwise from p."""
    q = p + k
    n = int(s.num_players)
    return q - n if q >= n else q


@rule
def places_from(s: State, viewer: int, p: int) -> int:
    """Places clockwise from the viewer to p."""
    k = p - viewer
    return k + int(s.num_players) if k < 0 else k
