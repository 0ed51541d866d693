"""The three kinds of Q-network of the hierarchical player, for NumPy arrays and torch tensors.

Letters: B states, V vertices, E edges, F features, Q outputs; "..." any leading axes.

Sources: Kipf and Welling, "Semi-Supervised Classification with Graph Convolutional Networks",
2017; Schlichtkrull et al., "Modeling Relational Data with Graph Convolutional Networks", 2018.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.board.topology import EDGE_VERTICES
from catan_pz.checks import check_choice
from catan_pz.encoders.arrays import (
    Array,
    Constant,
    affine,
    contiguous,
    floats,
    gather,
    join,
    relu,
    rows,
)
from catan_pz.encoders.features import padded
from catan_pz.published.rocco.encoder import GLOBAL_FEATURES, VERTEX_FEATURES
from catan_pz.terms import NUM_EDGES, NUM_VERTICES

NETWORKS: Final = ("ff", "gcn", "rgcn")
EDGE_WEIGHTS: Final = ("none", "own")

HIDDEN: Final = 128
GRAPH_SIZES: Final = (VERTEX_FEATURES, 8, 4)
GLOBAL_SIZES: Final = (GLOBAL_FEATURES, 8, 8, 9)
RELATIONS: Final = (1, 0, -1)
"""Ownership of an edge in each relation of the RGCN: own, empty, opponent."""

_OF_VERTICES: Final = NUM_VERTICES * VERTEX_FEATURES
_STATE: Final = _OF_VERTICES + NUM_EDGES + GLOBAL_FEATURES


def _edge_table(one_way: bool) -> Constant:
    """(V, V) the edge of the message to a vertex (row) from another, E for none."""
    table = np.full((NUM_VERTICES, NUM_VERTICES), NUM_EDGES)
    start, end = EDGE_VERTICES.T
    table[end, start] = np.arange(NUM_EDGES)
    if not one_way:
        table[start, end] = np.arange(NUM_EDGES)
    return Constant(table)


_EDGE_TABLES: Final = {one_way: _edge_table(one_way) for one_way in (False, True)}
_IDENTITY: Final = Constant(np.eye(NUM_VERTICES))


def _normalised(heard: Array) -> Array:
    """(..., V, V) weights of messages with a self-loop at each vertex, normalised by degrees."""
    degree = 1 + abs(heard).sum(-1)
    both = degree[..., None] * degree[..., None, :]
    return (heard + _IDENTITY.beside(heard)) / both**0.5


_EVEN_MESSAGES: Final = {
    one_way: Constant(_normalised((table.values < NUM_EDGES).astype(np.float32)))
    for one_way, table in _EDGE_TABLES.items()
}


def _neighbours(one_way: bool) -> tuple[Constant, Constant]:
    """(3, V) the vertices that send messages to each vertex, itself for none, and their edges."""
    vertices = np.tile(np.arange(NUM_VERTICES), (3, 1))
    edges = np.full((3, NUM_VERTICES), NUM_EDGES)
    for vertex, along in enumerate(_EDGE_TABLES[one_way].values):
        heard = np.flatnonzero(along < NUM_EDGES)
        vertices[: len(heard), vertex], edges[: len(heard), vertex] = heard, along[heard]
    return Constant(vertices), Constant(edges)


_NEIGHBOURS: Final = {one_way: _neighbours(one_way) for one_way in (False, True)}
_OWNERS: Final = Constant(np.array(RELATIONS, np.float32)[:, None, None, None])


def _take(array: Array, table: Constant, axis: int) -> Array:
    """Items of an axis at the indices of a table."""
    index = table.beside(array)
    if isinstance(array, np.ndarray):
        return np.take(array, index, axis)
    return array.index_select(axis, index.flatten()).unflatten(axis, index.shape)


@dataclass(frozen=True)
class Architecture:
    """A Q-network without its weights: dense layers; "gcn" and "rgcn" have two graph layers first.

    `one_way` messages follow 72 directed edges, from the vertex with the lower number, instead of
    144. The edge weight "own" of a GCN weights messages by ownership of the edge (1, 0, -1).
    """

    network: str
    outputs: int
    one_way: bool = False
    edge_weight: str = "none"

    def __post_init__(self) -> None:
        check_choice("network", self.network, NETWORKS)
        check_choice("edge_weight", self.edge_weight, EDGE_WEIGHTS)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of all weights and biases, by name."""
        shapes: dict[str, tuple[int, ...]] = {}
        joined = _STATE
        if self.network != "ff":
            for k, (n, out) in enumerate(pairwise(GRAPH_SIZES)):
                if self.network == "rgcn":
                    shapes[f"relations_{k}"] = (len(RELATIONS), n, out)
                shapes[f"graph_{k}"] = (n, out)
                shapes[f"graph_bias_{k}"] = (out,)
            shapes |= _dense_shapes("global", GLOBAL_SIZES)
            joined = NUM_VERTICES * GRAPH_SIZES[-1] + GLOBAL_SIZES[-1]
        return shapes | _dense_shapes("dense", (joined, HIDDEN, HIDDEN, self.outputs))

    @property
    def parameters(self) -> int:
        """The number of weights and biases."""
        return sum(prod(shape) for shape in self.shapes.values())

    def initial(self, rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
        """Initial weights: those of torch's `Linear`, Glorot's for graph layers."""
        arrays = {}
        for name, shape in self.shapes.items():
            if name.startswith("graph_bias"):
                most = 0.0
            elif name.startswith(("graph", "relations")):
                most = (6 / sum(shape[-2:])) ** 0.5
            else:  # a bias has the bound of its layer's weights
                most = self.shapes[name.replace("bias", "weight")][0] ** -0.5
            arrays[name] = rng.uniform(-most, most, shape).astype(np.float32)
        return arrays

    def q_values(self, weights: Mapping[str, Array], states: Array) -> Array:
        """(..., Q) for float32 states (..., 675), with weights of the `shapes`."""
        if self.network == "ff":
            return _dense("dense", 3, weights, states)
        *lead, _ = states.shape
        states = states.reshape(-1, _STATE)
        x = rows(states[:, :_OF_VERTICES], NUM_VERTICES, VERTEX_FEATURES)
        x = contiguous(x.swapaxes(0, 2))
        messages = self._messages(states[:, _OF_VERTICES : _OF_VERTICES + NUM_EDGES])
        for k in range(len(GRAPH_SIZES) - 1):
            x = relu(self._graph_layer(k, weights, x, messages))
        x = x.swapaxes(0, 2).reshape(-1, NUM_VERTICES * GRAPH_SIZES[-1])
        rest = _dense("global", 3, weights, states[:, _OF_VERTICES + NUM_EDGES :])
        return _dense("dense", 3, weights, join([x, rest])).reshape(*lead, self.outputs)

    def _messages(self, edges: Array) -> Array:
        """Weights of the messages that vertices sum up, from edges (B, E).

        A GCN has a matrix (V, V), or one for each state (B, V, V); an RGCN has weights of three
        neighbours for each relation, (relations, 3, V, B).
        """
        if self.network == "rgcn":
            _, table = _NEIGHBOURS[self.one_way]
            along = _take(join([edges, edges[:, :1] * 0 + np.inf]).T, table, 0)
            of_relation = floats(along == _OWNERS.beside(along))
            return of_relation / of_relation.sum(1)[:, None].clip(1)
        if self.edge_weight == "none":
            return _EVEN_MESSAGES[self.one_way].beside(edges)
        return _normalised(gather(padded(edges, 1), _EDGE_TABLES[self.one_way]))

    def _graph_layer(
        self, k: int, weights: Mapping[str, Array], x: Array, messages: Array
    ) -> Array:
        """(F', V, B) from features (F, V, B): states are the last axis, which is contiguous."""
        weight = weights[f"graph_{k}"]
        if self.network == "rgcn":
            vertices, _ = _NEIGHBOURS[self.one_way]
            heard = (messages[:, None] * _take(x, vertices, 1)).sum(2)
            x = join([x[None], heard], 0)
            weight = join([weight[None], weights[f"relations_{k}"]], 0)
        elif self.edge_weight == "none":
            x = messages @ x
        else:
            x = (messages @ x.swapaxes(0, 2)).swapaxes(0, 2)
        inputs, outputs = prod(weight.shape[:-1]), weight.shape[-1]
        new = weight.reshape(inputs, outputs).T @ x.reshape(inputs, -1)
        return new.reshape(outputs, NUM_VERTICES, -1) + weights[f"graph_bias_{k}"][:, None, None]


def _dense_shapes(name: str, sizes: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {}
    for k, (n, out) in enumerate(pairwise(sizes)):
        shapes[f"{name}_weight_{k}"] = (n, out)
        shapes[f"{name}_bias_{k}"] = (out,)
    return shapes


def _dense(name: str, layers: int, weights: Mapping[str, Array], x: Array) -> Array:
    """Dense layers with a ReLU between them."""
    for k in range(layers):
        if k:
            x = relu(x)
        x = affine(x, weights[f"{name}_weight_{k}"], weights[f"{name}_bias_{k}"])
    return x
