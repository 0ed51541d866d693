"""Places of the board in words, for those who hear them and for hints."""

from catan_pz.board.topology import EDGE_VERTICES, HEX_EDGES, VERTEX_HARBOR, VERTEX_HEXES
from catan_pz.render.view import TableView

_HEXES_OF_EDGE = {
    edge: tuple(h for h, edges in enumerate(HEX_EDGES.tolist()) if edge in edges)
    for edge in range(len(EDGE_VERTICES))
}


def hex_words(view: TableView, hex_id: int) -> str:
    """A hex by its number token and terrain: "6 forest", "desert"."""
    token = view.tokens[hex_id]
    return f"{token} {view.terrains[hex_id]}" if token else view.terrains[hex_id]


def vertex_words(view: TableView, vertex: int) -> str:
    """A vertex by the hexes around it and its harbor: "6 forest, 8 hills, wool harbor"."""
    parts = [hex_words(view, h) for h in VERTEX_HEXES[vertex].tolist() if h >= 0]
    harbor = int(VERTEX_HARBOR[vertex])
    if harbor >= 0:
        _, resource = view.harbors[harbor]
        parts.append(f"{resource or '3:1'} harbor")
    return ", ".join(parts)


def edge_words(view: TableView, edge: int) -> str:
    """An edge by the hexes beside it: "6 forest, 8 hills", "6 forest, sea"."""
    parts = [hex_words(view, h) for h in _HEXES_OF_EDGE[edge]]
    return ", ".join(parts if len(parts) > 1 else [*parts, "sea"])
