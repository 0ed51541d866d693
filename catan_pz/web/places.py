"""The places of a board as the page of a study gets them."""

from typing import Any

from catan_pz.play.controls import edge_area, hex_area, vertex_area
from catan_pz.render.geometry import HEX_POSITIONS, VERTEX_POSITIONS
from catan_pz.render.places import edge_words, hex_words, vertex_words
from catan_pz.render.view import TableView
from catan_pz.terms import NUM_EDGES
from catan_pz.web.table import area_json


def places_json(view: TableView) -> list[dict[str, Any]]:
    """All vertices, edges and hexes with their areas and words, upper things first."""
    vertices = [
        {"name": f"vertex {v}", "area": area_json(vertex_area(v)), "words": vertex_words(view, v)}
        for v in range(len(VERTEX_POSITIONS))
    ]
    edges = [
        {"name": f"edge {e}", "area": area_json(edge_area(e)), "words": edge_words(view, e)}
        for e in range(NUM_EDGES)
    ]
    hexes = [
        {"name": f"hex {h}", "area": area_json(hex_area(h)), "words": hex_words(view, h)}
        for h in range(len(HEX_POSITIONS))
    ]
    return [*vertices, *edges, *hexes]
