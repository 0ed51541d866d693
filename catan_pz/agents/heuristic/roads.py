"""Roads: which one is next towards a vertex, and which makes the longest road longer."""

from catan_pz.actions import BUILD_ROAD
from catan_pz.agents.heuristic.features import others_buildings, own_roads
from catan_pz.agents.heuristic.spots import Reach, first_road_to
from catan_pz.board.topology import EDGE_VERTICES, EDGES_PER_WORD
from catan_pz.engine import bits
from catan_pz.engine.awards import longest_trail
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Int8Array
from catan_pz.observation import encode
from catan_pz.terms import NUM_EDGES


@kernel
def trail_with(obs: Int8Array, e: int) -> int:
    """Roads in the longest continuous road through an edge, once it is built."""
    own_0, own_1 = own_roads(obs, 0), own_roads(obs, 1)
    if e < EDGES_PER_WORD:
        own_0 |= bits.edge_bit(e)
    else:
        own_1 |= bits.edge_bit(e)
    barred = others_buildings(obs)
    longest = 0
    for word in range(2):
        edges = own_0 if word == 0 else own_1
        while edges != 0:
            k = bits.first(edges) + EDGES_PER_WORD * word
            longest = max(longest, longest_trail(own_0, own_1, EDGE_VERTICES[k, 0], barred))
            longest = max(longest, longest_trail(own_0, own_1, EDGE_VERTICES[k, 1], barred))
            edges &= edges - 1
    return longest


@kernel
def longest_road_edge(obs: Int8Array, mask: Int8Array) -> int:
    """A legal road that makes the longest one longer, or -1."""
    best, chosen = int(obs[encode.ROAD_LENGTH]), -1
    for e in range(NUM_EDGES):
        if mask[BUILD_ROAD + e] != 0:
            length = trail_with(obs, e)
            if length > best:
                best, chosen = length, e
    return chosen


@kernel
def road_towards(reach: Reach, v: int, away: int) -> int:
    """The road to build first towards a spot."""
    return first_road_to(v, away, reach[0], reach[1], reach[2], reach[3], reach[4])
