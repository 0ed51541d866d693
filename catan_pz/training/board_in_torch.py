"""The board network in torch operations, for GPUs; `agents.board_program` describes it.

Letters: K games, N numbers of an observation, A actions, H hexes, V vertices, E edges, B harbors, W
size of an embedding, D units of the dense layers, n numbers of a place. Places are the outer axis:
a tensor (V * K, W) has the embeddings of the first vertex in all games, then of the second one.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import torch

from catan_pz.actions import BUILD_CITY, BUILD_ROAD, MOVE_ROBBER
from catan_pz.agents.board_program import ELSEWHERE, LEVELS, OF_HEX
from catan_pz.board.topology import HARBOR_VERTICES
from catan_pz.observation.segments import PLACES
from catan_pz.terms import MAX_PLAYERS, NUM_EDGES, NUM_HEXES, NUM_RESOURCES, NUM_VERTICES


def evaluate(
    layer: Mapping[str, torch.Tensor], touching: Mapping[str, torch.Tensor], x: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The forward pass in torch operations: (K, A) logits or Q-values, and (K, D) features.

    Args:
        layer: its arrays, as in `shapes`.
        touching: the matrices of `adjacency`.
        x: (K, N) scaled observations.
    """
    hand = x[:, PLACES["own_hand"]]
    levels = [(hand - (level - 0.1)).clip(0, 0.1) * 10 for level in LEVELS]
    everything = torch.cat([x[:, ELSEWHERE:], _yields(x).sum(0) * 0.1, *levels], 1)
    context = _affine(everything, layer["context"], layer["context_bias"]).relu_()
    pooled, at_vertex, at_edge, at_hex = _at_places(layer, touching, x, context)
    parts = [everything, *pooled]
    d, weights = layer["dense_1_bias"], layer["dense_1"].split([part.shape[1] for part in parts])
    for part, weight in zip(parts, weights, strict=True):
        d = _affine(part, weight, d)
    d = _affine(d.relu_(), layer["dense_2"], layer["dense_2_bias"]).relu_()
    dense = _affine(d, layer["dense_head"], layer["dense_head_bias"])
    pieces = dense.split([*_PIECES, dense.shape[1] - sum(_PIECES)], 1)
    return torch.cat(_by_action(pieces, at_vertex, at_edge, at_hex), 1), d


def _affine(x: torch.Tensor, weight: torch.Tensor, plus: torch.Tensor) -> torch.Tensor:
    return torch.addmm(plus, x, weight)


def _placed(x: torch.Tensor, name: str, places: int) -> torch.Tensor:  # (places, K, n)
    return x[:, PLACES[name]].reshape(len(x), places, -1).swapaxes(0, 1)


def _yields(x: torch.Tensor) -> torch.Tensor:
    """(H, K, R) pips of each hex, in the column of its resource."""
    terrain, pips = _placed(x, "hex_terrain", NUM_HEXES), _placed(x, "hex_pips", NUM_HEXES)
    return terrain[:, :, :NUM_RESOURCES] * pips


def _at_places(
    layer: Mapping[str, torch.Tensor],
    touching: Mapping[str, torch.Tensor],
    x: torch.Tensor,
    context: torch.Tensor,
) -> tuple[list[torch.Tensor], torch.Tensor, torch.Tensor, torch.Tensor]:
    """The layers of places, which take the global context (K, 2 W).

    Returns the pooled features, (K, 3 W) and (K, W) of vertices and edges, and the outputs at each
    place, (V * K, 2), (E * K, 1) and (H * K, 1).
    """
    games, width = len(x), len(layer["vertex_1_bias"])

    def around(name: str, what: torch.Tensor) -> torch.Tensor:
        """(rows * K, n) sums over neighbors, from (columns, K, n) or (columns * K, n)."""
        size = what.shape[-1]
        flat = what.reshape(-1, games * size)
        return (touching[name] @ flat).reshape(-1, size)

    def everywhere(at_places: torch.Tensor, shared: torch.Tensor) -> torch.Tensor:
        """(places * K, W) with the context of each game, (K, W), added to all its places."""
        return (at_places.reshape(-1, games * width) + shared.reshape(-1)).reshape(-1, width)

    terrain = _placed(x, "hex_terrain", NUM_HEXES)
    pips, robber = _placed(x, "hex_pips", NUM_HEXES), _placed(x, "hex_robber", NUM_HEXES)
    building, road = _placed(x, "vertex_building", NUM_VERTICES), _placed(x, "edge_road", NUM_EDGES)
    vertex = [
        around("vertex_hexes", torch.cat([_yields(x), pips * robber], 2)),
        around("vertex_harbors", _placed(x, "harbor", len(HARBOR_VERTICES))),
        building.reshape(-1, MAX_PLAYERS),
        around("vertex_vertices", building),
        around("vertex_edges", road),
    ]
    shared = _affine(context, layer["vertex_1_context"], layer["vertex_1_bias"])
    v = everywhere(torch.cat(vertex, 1) @ layer["vertex_1"], shared).relu_()
    e = around("edge_vertices", v @ layer["edge_1_vertex"])
    roads = _affine(road.reshape(-1, MAX_PLAYERS), layer["edge_1"], layer["edge_1_bias"])
    e = (roads + e).relu_()
    shared = _affine(context, layer["vertex_2_context"], layer["vertex_2_bias"])
    w = _affine(around("vertex_edges", e), layer["vertex_2_edge"], v @ layer["vertex_2"])
    w = everywhere(w, shared).relu_()
    # Each of an edge's two ends contributes half of the bias.
    ends = _affine(w, layer["edge_2_vertex"], layer["edge_2_bias"] * 0.5)
    e = _affine(e, layer["edge_2"], around("edge_vertices", ends)).relu_()
    number = _placed(x, "hex_number_token", NUM_HEXES)
    h = torch.cat([terrain, pips, robber, number], 2).reshape(-1, OF_HEX) @ layer["hex"]
    h = _affine(around("hex_vertices", w), layer["hex_vertex"], h)
    h = everywhere(h, _affine(context, layer["hex_context"], layer["hex_bias"])).relu_()

    own, others = building[:, :, :1], building[:, :, 1:].sum(2)[:, :, None]
    weights = torch.cat([own, others, 0 * own + 0.1], 2).swapaxes(0, 1).swapaxes(1, 2)
    at_vertices = w.reshape(NUM_VERTICES, games, width).swapaxes(0, 1)
    of_vertices = (weights @ at_vertices).reshape(games, 3 * width)
    of_edges = e.reshape(NUM_EDGES, games, width).sum(0) * 0.1
    at_vertex = _affine(w, layer["vertex_head"], layer["vertex_head_bias"])
    at_edge = _affine(e, layer["edge_head"], layer["edge_head_bias"])
    at_hex = _affine(h, layer["hex_head"], layer["hex_head_bias"])
    return [of_vertices, of_edges], at_vertex, at_edge, at_hex


_PIECES: Final = (
    *(BUILD_ROAD, 1, NUM_EDGES - 1, 1, NUM_VERTICES - 1, 1, NUM_VERTICES - 1),
    *(MOVE_ROBBER - BUILD_CITY - NUM_VERTICES, 1, NUM_HEXES - 1),
)
"""Columns of the dense head: actions without a place, and one for each kind with places."""


def _by_action(
    pieces: Sequence[torch.Tensor],
    at_vertex: torch.Tensor,
    at_edge: torch.Tensor,
    at_hex: torch.Tensor,
) -> list[torch.Tensor]:
    """The parts of the outputs, in the order of the actions: (K, n) tensors, A wide in total.

    One output of the dense head per kind of action is a bias shared by all its places.
    """
    first, road, _, settlement, _, city, _, between, robber, _, last = pieces
    buildings = at_vertex.reshape(NUM_VERTICES, -1, 2)
    return [
        first,
        road + at_edge.reshape(NUM_EDGES, -1).T,
        settlement + buildings[:, :, 0].T,
        city + buildings[:, :, 1].T,
        between,
        robber + at_hex.reshape(NUM_HEXES, -1).T,
        last,
    ]
