"""The cross-dimensional network and its baseline, for NumPy arrays and torch tensors.

Planes on the brick grid and scalars go through the layers side by side. In each layer the planes
get the scalars as constant planes, and the scalars get mean and variance of the planes. Letters:
K decisions, C planes, S scalars, n cells, O outputs, L choices.

Source: Q. Gendre and T. Kaneko, "Playing Catan with Cross-dimensional Neural Network", 2020.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.board.topology import EDGE_POINTS, HEX_POINTS, VERTEX_POINTS
from catan_pz.checks import check_choice, check_count
from catan_pz.encoders import load
from catan_pz.encoders.arrays import Array, Constant, gather, join, merge
from catan_pz.encoders.planes import HEIGHT, WIDTH
from catan_pz.published.gendre.choices import BUILDING, NUM_CHOICES, NUM_PLANE_CHOICES, ROAD

NETWORKS: Final = ("xdim", "xdim_res", "cnn_res")
KERNEL: Final = (3, 5)
"""Height and width."""

SLOPE: Final = 0.2
"""Slope of the leaky ReLU below zero."""

NUM_ACTION_PLANES: Final = 5
"""Robber without stealing, robber with it, road, settlement, city."""

_GRID: Final = HEIGHT * WIDTH


def _cells(points: NDArray[np.int64]) -> NDArray[np.int64]:
    return (points[:, 1] + HEIGHT // 2) * WIDTH + points[:, 0] + WIDTH // 2


_POINTS: Final = tuple(map(_cells, (HEX_POINTS, EDGE_POINTS, VERTEX_POINTS)))
CELLS: Final = np.sort(np.concatenate(_POINTS))
"""(145,) the cells that are hexes, edges or vertices."""

_MASK: Final = Constant(np.isin(np.arange(_GRID), CELLS).astype(np.float32))


def _neighbors() -> NDArray[np.int64]:
    """(145 * 15,) the indices in `CELLS` of the kernel's cells around each, 145 for void ones."""
    grid = np.full((HEIGHT, WIDTH), len(CELLS))
    grid.flat[CELLS] = np.arange(len(CELLS))
    place = np.pad(grid, ((1, 1), (2, 2)), constant_values=len(CELLS))
    rows, columns = np.divmod(CELLS, WIDTH)
    seen = [place[rows + y, columns + x] for y in range(KERNEL[0]) for x in range(KERNEL[1])]
    return np.array(seen).T.ravel()


_NEIGHBORS: Final = _neighbors()

_TAPS_OF_CELLS: Final = Constant((_NEIGHBORS.reshape(len(CELLS), -1) < len(CELLS)).T.astype(float))
"""(15, 145) for each center cell, 1 where a kernel weight lies on a real cell."""


_TAPS_OF_GRID: Final = Constant(_TAPS_OF_CELLS.values @ (CELLS[:, None] == np.arange(_GRID)))


def _choices(cells: int, place: Any) -> Constant:
    """(218,) the index of the logit of each board choice in (5, cells) planes."""
    hexes, edges, vertices = (place(points) for points in _POINTS)
    table = np.empty(NUM_PLANE_CHOICES, np.int64)
    table[0:ROAD:2], table[1:ROAD:2] = hexes, cells + hexes
    table[ROAD:BUILDING] = 2 * cells + edges
    table[BUILDING::2], table[BUILDING + 1 :: 2] = 3 * cells + vertices, 4 * cells + vertices
    return Constant(table)


_OF_GRID: Final = _choices(_GRID, lambda cells: cells)
_OF_CELLS: Final = _choices(len(CELLS), lambda cells: np.searchsorted(CELLS, cells))

Weights = Mapping[str, Array]


@dataclass(frozen=True)
class GendreNetwork:
    """A network without its weights.

    It is "xdim", "xdim_res" (residual connections, added before the activation) or "cnn_res"
    (convolutions only, scalars as constant planes). The encoder also determines its choices.
    """

    network: str = "xdim_res"
    layers: int = 8  # before the heads
    planes: int = 0  # C of each layer; 0 for the paper's 15, or 40 for "cnn_res"
    scalars: int = 40  # S of each layer
    encoder: str = "gendre"  # or "gendre_table"

    def __post_init__(self) -> None:
        check_choice("network", self.network, NETWORKS)
        check_choice("encoder", self.encoder, tuple(NUM_CHOICES))
        check_count("layers", self.layers, most=1000)
        check_count("planes", self.planes, least=0)
        check_count("scalars", self.scalars)
        if not self.planes:
            object.__setattr__(self, "planes", 15 if self.is_crossed else 40)

    @property
    def is_crossed(self) -> bool:
        """Whether scalars go through the layers besides the planes."""
        return self.network != "cnn_res"

    @property
    def num_choices(self) -> int:
        """L, the number of choices."""
        return NUM_CHOICES[self.encoder]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of all weights and biases, by name."""
        shapes: dict[str, tuple[int, ...]] = {}
        planes, scalars = (segment.shape[0] for segment in load(self.encoder).segments)
        if not self.is_crossed:
            planes += scalars
        outputs = self.num_choices - NUM_PLANE_CHOICES + 1  # without a place, then the value
        sizes = {str(k): (self.planes, self.scalars) for k in range(self.layers)}
        sizes["head"] = NUM_ACTION_PLANES, outputs
        for k, (out_planes, out_scalars) in sizes.items():
            shapes[f"plane_{k}"] = (out_planes, planes, *KERNEL)
            shapes[f"plane_bias_{k}"] = (out_planes,)
            if self.is_crossed:
                shapes |= {
                    f"inflate_{k}": (scalars, out_planes),
                    f"scalar_{k}": (scalars, out_scalars),
                    f"deflate_{k}": (2 * planes, out_scalars),
                    f"scalar_bias_{k}": (out_scalars,),
                }
            elif k == "head":
                shapes |= {"scalar_head": (planes, outputs), "scalar_bias_head": (outputs,)}
            planes, scalars = out_planes, out_scalars
        return shapes

    @property
    def parameters(self) -> int:
        """The number of weights and biases."""
        return sum(map(prod, self.shapes.values()))

    def initial(self, rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
        """Initial weights by Glorot's method; biases are zero."""
        arrays: dict[str, NDArray[np.float32]] = {}
        for name, shape in self.shapes.items():
            fans = sum(shape[:2]) * prod(shape[2:])
            most = (6 / fans) ** 0.5
            drawn = rng.uniform(-most, most, shape) if len(shape) > 1 else np.zeros(shape)
            arrays[name] = drawn.astype(np.float32)
        return arrays

    def evaluate(self, weights: Weights, planes: Array, scalars: Array) -> tuple[Array, Array]:
        """Logits (K, L) of all choices, and values (K,) in [-1, 1].

        Planes (K, C, 11, 21) and scalars (K, S) are the encoder's; weights are of the same kind.
        """
        x, s = planes.reshape(*planes.shape[:2], _GRID), scalars
        if isinstance(x, np.ndarray):  # NumPy arrays keep real cells only, tensors the whole grid
            x = x[..., CELLS]
        for k in range(self.layers):
            y, t = self._sums(str(k), weights, x, s)
            if self.network != "xdim" and k:
                y, t = y + x, (t + s if t is not None else t)
            x = _masked(_activated(y, k))
            s = s if t is None else _activated(t, k)
        y, t = self._sums("head", weights, x, s)
        if t is None:
            t = x.sum(-1) * (1 / len(CELLS)) @ weights["scalar_head"] + weights["scalar_bias_head"]
        of_places = gather(merge(y), _OF_CELLS if isinstance(y, np.ndarray) else _OF_GRID)
        return join([of_places, t[:, :-1]]), _activated(t[:, -1], 0)

    def _sums(self, k: str, weights: Weights, x: Array, s: Array) -> tuple[Array, Array | None]:
        """Pre-activations of a layer for planes (K, C, n), and for scalars (K, S) if it has any."""
        kernels, bias = weights[f"plane_{k}"], weights[f"plane_bias_{k}"]
        y = _convolved(x, kernels[:, : x.shape[1]])
        if not self.is_crossed:
            y = y + bias[:, None]
            if k == "0":  # scalars enter as constant planes
                y = y + _convolved_constants(s, kernels[:, x.shape[1] :])
            return y, None
        y = y + (s @ weights[f"inflate_{k}"] + bias)[..., None]
        mean = x.sum(-1) * (1 / len(CELLS))
        variance = (x * x).sum(-1) * (1 / len(CELLS)) - mean * mean
        t = join([mean, variance]) @ weights[f"deflate_{k}"] + weights[f"scalar_bias_{k}"]
        return y, t + s @ weights[f"scalar_{k}"]


def _masked(x: Array) -> Array:
    """Planes (K, C, n) with zeros in void cells."""
    if isinstance(x, np.ndarray):
        return x
    mask = _MASK.beside(x)[:, None].expand(-1, x.shape[1])
    return x * mask.contiguous().T  # in the memory format of convolutions


def _convolved(x: Array, kernels: Array) -> Array:
    """(K, O, n) convolution of planes (K, C, n) with kernels (O, C, 3, 5)."""
    if isinstance(x, np.ndarray):
        by_cell = np.zeros((len(x), len(CELLS) + 1, x.shape[1]), np.float32)
        by_cell[:, :-1] = x.swapaxes(1, 2)
        seen = by_cell.take(_NEIGHBORS, axis=1).reshape(len(x) * len(CELLS), -1)
        out = seen @ kernels.transpose(2, 3, 1, 0).reshape(seen.shape[1], -1)
        return np.ascontiguousarray(out.reshape(len(x), len(CELLS), -1).swapaxes(1, 2))
    from torch import channels_last
    from torch.nn.functional import conv2d

    # A CPU convolves faster in this memory format.
    grid = x.reshape(*x.shape[:2], HEIGHT, WIDTH).contiguous(memory_format=channels_last)
    grid = conv2d(grid, kernels, padding=(1, 2))
    return grid.reshape(*grid.shape[:2], _GRID)


def _convolved_constants(s: Array, kernels: Array) -> Array:
    """(K, O, n) convolution of planes with the scalars (K, S) in all real cells."""
    taps = _TAPS_OF_CELLS if isinstance(s, np.ndarray) else _TAPS_OF_GRID
    by_scalar = kernels.reshape(*kernels.shape[:2], -1).swapaxes(0, 1)
    of_cells = by_scalar @ taps.beside(s)  # (S, O, n)
    flat = of_cells.swapaxes(1, 2).reshape(len(of_cells), -1)
    return (s @ flat).reshape(len(s), -1, len(kernels)).swapaxes(1, 2)


def _activated(x: Array, layer: int) -> Array:
    """Activation of a layer: tanh and leaky ReLU alternate."""
    if layer % 2 == 0:
        return np.tanh(x) if isinstance(x, np.ndarray) else x.tanh()
    if isinstance(x, np.ndarray):
        return np.maximum(x, np.float32(SLOPE) * x)
    from torch.nn.functional import leaky_relu

    return leaky_relu(x, SLOPE)
