"""The tables of the board against the board worked out from coordinates alone."""

import itertools
from collections import Counter

import numpy as np
import pytest

from catan_pz.board import topology
from catan_pz.terms import HARBOR_EDGES
from tests import reference_board as reference

pytestmark = pytest.mark.purepython


def members(row):
    return {int(x) for x in row if x >= 0}


def bits(words, per_word=64):
    return {
        w * per_word + k for w, word in enumerate(words) for k in range(64) if int(word) >> k & 1
    }


def test_numbering_is_row_by_row():
    """Hexes row by row, left to right; vertices and edges sorted by (y, x)."""
    assert [tuple(p) for p in topology.HEX_POINTS] == reference.HEXES
    assert [tuple(p) for p in topology.VERTEX_POINTS] == reference.VERTICES
    assert [tuple(p) for p in topology.EDGE_POINTS] == reference.EDGES


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (topology.HEX_VERTICES, reference.HEX_VERTICES),
        (topology.HEX_EDGES, reference.HEX_EDGES),
        (topology.EDGE_VERTICES, reference.ENDS),
        (topology.VERTEX_HEXES, reference.VERTEX_HEXES),
        (topology.VERTEX_EDGES, reference.VERTEX_EDGES),
        (topology.VERTEX_NEIGHBORS, reference.NEIGHBORS),
    ],
    ids=["hex vertices", "hex edges", "edge ends", "vertex hexes", "vertex edges", "neighbors"],
)
def test_tables_list_what_touches(table, expected):
    assert [members(row) for row in table] == expected
    assert [sum(row >= 0) for row in table] == [len(e) for e in expected]


def test_degrees():
    """Six corners and sides a hex; 24 vertices with three hexes, 12 with two, 18 with one."""
    assert {len(e) for e in reference.HEX_VERTICES} == {len(e) for e in reference.HEX_EDGES} == {6}
    assert Counter(len(h) for h in reference.VERTEX_HEXES) == {3: 24, 2: 12, 1: 18}
    assert Counter(len(e) for e in reference.VERTEX_EDGES) == {3: 36, 2: 18}
    sides = Counter(e for edges in reference.HEX_EDGES for e in edges)
    assert Counter(sides.values()) == {2: 42, 1: 30}  # 30 edges lie on the coast


def test_harbors_lie_on_the_edges_listed():
    points = [(10, 0), (7, 3), (1, 5), (-5, 5), (-8, 2), (-8, -2), (-5, -5), (1, -5), (7, -3)]
    assert [tuple(topology.EDGE_POINTS[e]) for e in HARBOR_EDGES] == points
    assert list(HARBOR_EDGES) == reference.HARBOR_EDGES
    sides = Counter(e for edges in reference.HEX_EDGES for e in edges)
    assert all(sides[e] == 1 for e in HARBOR_EDGES)


def test_harbors_serve_the_ends_of_their_edges():
    served = [v for e in HARBOR_EDGES for v in reference.ENDS[e]]
    assert len(set(served)) == 18
    for b, e in enumerate(HARBOR_EDGES):
        assert set(topology.HARBOR_VERTICES[b]) == reference.ENDS[e]
        assert all(topology.VERTEX_HARBOR[v] == b for v in reference.ENDS[e])
    assert sum(topology.VERTEX_HARBOR >= 0) == 18


def test_harbors_lie_evenly_around_the_coast():
    """Along the 30 coastal edges the gaps between harbors are 3, 3, 4 again and again."""
    sides = Counter(e for edges in reference.HEX_EDGES for e in edges)
    coast = {e for e, n in sides.items() if n == 1}
    order, here = [0], max(reference.ENDS[0])
    while len(order) < 30:
        (ahead,) = (reference.VERTEX_EDGES[here] & coast) - {order[-1]}
        (here,) = reference.ENDS[ahead] - {here}
        order.append(ahead)
    places = sorted(order.index(e) for e in HARBOR_EDGES)
    gaps = [b - a for a, b in zip(places, [*places[1:], places[0] + 30], strict=True)]
    assert sorted(gaps) == [3] * 6 + [4] * 3
    assert gaps == gaps[3:] + gaps[:3]


def test_hex_neighbors():
    for h, row in enumerate(topology.HEX_NEIGHBORS):
        beside = {
            k for k in range(19) if k != h and reference.HEX_EDGES[h] & reference.HEX_EDGES[k]
        }
        assert members(row) == beside


def test_sets_spell_their_tables():
    for h in range(19):
        assert bits([topology.HEX_VERTEX_SET[h]]) == reference.HEX_VERTICES[h]
    for v in range(54):
        assert bits([topology.VERTEX_SURROUNDINGS[v]]) == {v} | reference.NEIGHBORS[v]
        words = [int(word) for word in topology.VERTEX_EDGE_SET[v]]
        assert all(word < 1 << topology.EDGES_PER_WORD for word in words)
        assert bits(words, topology.EDGES_PER_WORD) == reference.VERTEX_EDGES[v]


def test_the_way_back_along_an_edge():
    for v in range(54):
        for k in range(3):
            e, w = topology.VERTEX_EDGES[v, k], topology.VERTEX_NEIGHBORS[v, k]
            if e < 0:
                assert topology.RETURN_SLOT[v, k] == w == -1
                continue
            back = topology.RETURN_SLOT[v, k]
            assert topology.VERTEX_EDGES[w, back] == e
            assert topology.VERTEX_NEIGHBORS[w, back] == v


def test_spirals_run_counter_clockwise_inwards():
    """From each corner along the coast, then the inner ring, then the middle."""
    corners = set()
    for spiral in topology.SPIRALS:
        order = [int(h) for h in spiral]
        assert sorted(order) == list(range(19))
        corners.add(order[0])
        for here, ahead in itertools.pairwise(order):
            assert reference.HEX_EDGES[here] & reference.HEX_EDGES[ahead]
        for ring in (order[:12], order[12:18]):
            for here, ahead in zip(ring, [*ring[1:], ring[0]], strict=True):
                (x, y), (to_x, to_y) = reference.HEXES[here], reference.HEXES[ahead]
                assert x * -to_y + y * to_x > 0  # a turn to the left, as y grows downwards
        assert order[18] == 9
    assert corners == {0, 2, 7, 11, 16, 18}


def test_tables_are_constant():
    tables = [t for t in vars(topology).values() if isinstance(t, np.ndarray)]
    assert len(tables) > 10
    assert all(t.dtype == np.int64 and not t.flags.writeable for t in tables)
