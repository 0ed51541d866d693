"""Set-up: two settlements and two roads per player, in order and then in reverse."""

from catan_pz.board.topology import VERTEX_EDGE_SET, VERTEX_HEXES
from catan_pz.engine import bits
from catan_pz.engine.building import ALL_VERTICES, empty_edges, place_road, place_settlement
from catan_pz.engine.hands import gain
from catan_pz.engine.state import State
from catan_pz.kernels.rule import rare, rule
from catan_pz.terms import Phase, Terrain


@rule
def setup_settlement_spots(s: State) -> int:
    """The vertices that satisfy the distance rule, as a set; no road is needed."""
    return ALL_VERTICES & ~s.crowded


@rule
def setup_road_spots(s: State, p: int, word: int) -> int:
    """Empty edges at p's settlement without a road, as one of the two words of an edge set."""
    without_road = s.settlements[p] & ~s.road_ends[p]
    if without_road == 0:
        return 0
    return VERTEX_EDGE_SET[bits.first(without_road), word] & empty_edges(s, word)


@rule
def gain_starting_hand(s: State, p: int, v: int) -> None:
    """One card for each producing hex at the second settlement."""
    for k in range(3):
        h = VERTEX_HEXES[v, k]
        if h >= 0 and s.terrain[h] != Terrain.DESERT:
            gain(s, p, int(s.terrain[h]), 1)


@rule
@rare
def apply_setup_settlement(s: State, p: int, v: int) -> None:
    place_settlement(s, p, v)
    if bits.count(s.settlements[p]) == 2:
        gain_starting_hand(s, p, v)
    s.phase = Phase.SETUP_ROAD


@rule
def seat_to_place(s: State, first: int, k: int) -> int:
    """The seat that places the k-th settlement, from 0, when `first` begins."""
    n = int(s.num_players)
    return (first + (k if k < n else 2 * n - 1 - k)) % n


@rule
@rare
def apply_setup_road(s: State, p: int, e: int) -> None:
    """Place a set-up road; the second round runs in reverse order."""
    place_road(s, p, e)
    placed = 0
    for q in range(s.num_players):
        placed += bits.count(s.settlements[q])
    n = int(s.num_players)
    if placed == 2 * n:
        s.phase = Phase.ROLL
        return
    first = p - (placed - 1) if placed <= n else p + placed
    s.turn_player = seat_to_place(s, first, placed)
    s.player = s.turn_player
    s.phase = Phase.SETUP_SETTLEMENT
