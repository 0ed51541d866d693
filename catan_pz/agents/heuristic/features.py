"""Features read from an observation: bundles of cards, sets of vertices and edges, seats.

A bundle is one int64 with a byte for each resource, BRICK lowest, like the rows of `engine.hands`,
so bundles are added and subtracted as numbers; pips and trade rates have the same form. Sets are
those of `engine.bits`.
"""

from catan_pz.board.topology import EDGES_PER_WORD, VERTEX_HARBOR, VERTEX_HEXES
from catan_pz.engine import bits
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Int8Array
from catan_pz.observation import encode
from catan_pz.terms import GENERIC_HARBOR, MAX_PLAYERS, NUM_RESOURCES, NUM_VERTICES

KINDS_OF_HARBOR = NUM_RESOURCES + 1

BITS_PER_RESOURCE = 8
"""Bits per resource in a bundle."""

TWELFTHS = 12
"""Parts of a card, such that the bank's rates are whole numbers."""

AT_2_TO_1, AT_3_TO_1, AT_4_TO_1 = TWELFTHS // 2, TWELFTHS // 3, TWELFTHS // 4
"""Shares: twelfths of a card that the bank gives for one card, by trade rate."""


@kernel
def of(bundle: int, r: int) -> int:
    """Cards of a resource in a bundle."""
    return (bundle >> (BITS_PER_RESOURCE * r)) & ((1 << BITS_PER_RESOURCE) - 1)


@kernel
def size_of(bundle: int) -> int:
    """Cards in a bundle."""
    n = 0
    for r in range(NUM_RESOURCES):
        n += of(bundle, r)
    return n


@kernel
def some(r: int, n: int) -> int:
    """The bundle of n cards of a resource."""
    return n << (BITS_PER_RESOURCE * r)


@kernel
def bundle_at(obs: Int8Array, place: int) -> int:
    """Five numbers of the observation, from an index on, as a bundle."""
    bundle = 0
    for r in range(NUM_RESOURCES):
        bundle |= some(r, int(obs[place + r]))
    return bundle


@kernel
def hand_of(obs: Int8Array) -> int:
    """The own hand."""
    return bundle_at(obs, encode.OWN_HAND)


@kernel
def hand_limit(obs: Int8Array) -> int:
    """Most cards of a hand without a discard at a 7."""
    return 0 + int(obs[encode.DISCARD_LIMIT])  # an int64, as bundles need it


@kernel
def own_pips(obs: Int8Array) -> int:
    """The viewer's pips, by resource."""
    return bundle_at(obs, encode.PRODUCTION)


@kernel
def share_at(rate: int) -> int:
    """Twelfths of a card that the bank gives for one: 3, 4 or 6."""
    if rate == 4:
        return AT_4_TO_1
    return AT_3_TO_1 if rate == 3 else AT_2_TO_1


@kernel
def rate_of(shares: int, r: int) -> int:
    """Cards of a resource that the bank takes for one of another."""
    share = of(shares, r)
    if share == AT_4_TO_1:
        return 4
    return 3 if share == AT_3_TO_1 else 2


@kernel
def shares_of(obs: Int8Array) -> int:
    """Twelfths of a card that the bank gives the viewer for one, by resource."""
    shares = 0
    for r in range(NUM_RESOURCES):
        shares |= some(r, share_at(int(obs[encode.TRADE_RATE + r])))
    return shares


@kernel
def first_of(obs: Int8Array, place: int, count: int) -> int:
    """The first of some numbers, from an index on, that isn't zero, or -1."""
    for k in range(count):
        if obs[place + k] != 0:
            return k
    return -1


@kernel
def turn_seat(obs: Int8Array) -> int:
    """The seat whose turn it is, in places away."""
    return max(0, first_of(obs, encode.TURN_PLAYER, MAX_PLAYERS))


@kernel
def own_buildings(obs: Int8Array, least: int) -> int:
    """Vertices with an own building; with `least` 2, with a city."""
    vertices = 0
    for v in range(NUM_VERTICES):
        if obs[encode.VERTEX_BUILDING + MAX_PLAYERS * v] >= least:
            vertices |= 1 << v
    return vertices


@kernel
def others_buildings(obs: Int8Array) -> int:
    """Vertices with a building of another player."""
    vertices = 0
    for v in range(NUM_VERTICES):
        place = encode.VERTEX_BUILDING + MAX_PLAYERS * v
        if obs[place + 1] + obs[place + 2] + obs[place + 3] != 0:
            vertices |= 1 << v
    return vertices


@kernel
def own_roads(obs: Int8Array, word: int) -> int:
    """Own roads, in one of the two words of an edge set."""
    edges = 0
    for e in range(EDGES_PER_WORD):
        place = encode.EDGE_ROAD + MAX_PLAYERS * (EDGES_PER_WORD * word + e)
        edges |= int(obs[place]) << e
    return edges


@kernel
def others_roads(obs: Int8Array, word: int) -> int:
    """Roads of the other players, in one of the two words of an edge set."""
    edges = 0
    for e in range(EDGES_PER_WORD):
        place = encode.EDGE_ROAD + MAX_PLAYERS * (EDGES_PER_WORD * word + e)
        edges |= int(obs[place + 1] | obs[place + 2] | obs[place + 3]) << e
    return edges


@kernel
def allowed(mask: Int8Array, first: int, count: int) -> int:
    """Set of the legal actions among up to 56 consecutive ones."""
    members = 0
    for k in range(count):
        members |= int(mask[first + k]) << k
    return members


@kernel
def pips_at(obs: Int8Array, v: int) -> int:
    """Pips of the hexes at a vertex by resource."""
    pips = 0
    for k in range(3):
        h = VERTEX_HEXES[v, k]
        if h >= 0:
            terrain = bundle_at(obs, encode.HEX_TERRAIN + encode.NUM_TERRAINS * h)
            pips += terrain * int(obs[encode.HEX_PIPS + h])
    return pips


@kernel
def harbor_at(obs: Int8Array, v: int) -> int:
    """Kind of the harbor that serves a vertex, or -1."""
    b = VERTEX_HARBOR[v]
    return first_of(obs, encode.HARBOR + KINDS_OF_HARBOR * b, KINDS_OF_HARBOR) if b >= 0 else -1


@kernel
def shares_with(shares: int, harbor: int) -> int:
    """Shares including another harbor's, -1 for none."""
    if harbor < 0:
        return shares
    better = 0
    for r in range(NUM_RESOURCES):
        share = of(shares, r)
        if harbor == r:
            share = AT_2_TO_1
        elif harbor == GENERIC_HARBOR:
            share = max(share, AT_3_TO_1)
        better |= some(r, share)
    return better


@kernel
def has_edge(edges_0: int, edges_1: int, e: int) -> bool:
    """Whether an edge is in a set of two words."""
    edges = edges_0 if e < EDGES_PER_WORD else edges_1
    return edges & bits.edge_bit(e) != 0


@kernel
def points_to_go(obs: Int8Array) -> int:
    """Points that the viewer still needs."""
    return int(obs[encode.POINTS_TO_WIN]) - int(obs[encode.OWN_POINTS])
