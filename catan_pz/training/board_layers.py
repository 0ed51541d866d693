"""The board network in torch, to be trained.

Letters: K games, N numbers of an observation, W size of an embedding, D dense units, A actions.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from catan_pz.agents import board_network
from catan_pz.observation.segments import SIZE
from catan_pz.terms import NUM_EDGES, NUM_HEXES, NUM_VERTICES
from catan_pz.training import board_kernels


class BoardLayers(nn.Module):
    """The network, of the sizes W, D and A; a separate value has two dense layers of its own."""

    def __init__(self, width: int, dense: int, actions: int, separate_value: bool = False) -> None:
        super().__init__()
        self.value: nn.Module | None = None
        if separate_value:
            layers = nn.Linear(SIZE, dense), nn.ReLU(), nn.Linear(dense, dense), nn.ReLU()
            self.value = nn.Sequential(*layers)
        self.latent_dim_pi, self.latent_dim_vf = actions, dense
        self.layers = nn.ParameterDict()
        for name, shape in board_network.shapes(width, dense, actions).items():
            array = torch.zeros(shape)
            if len(shape) == 2:
                nn.init.kaiming_uniform_(array.T, nonlinearity="relu")
            if name in ("dense_head", "vertex_head", "edge_head", "hex_head"):
                array *= 0.1
            self.layers[name] = nn.Parameter(array)
        self._arithmetic = _InTorch()

    def _evaluate(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        theirs = features.device.type != "cpu" or torch.is_autocast_enabled("cpu")
        places = None if theirs or torch.compiler.is_compiling() else _compiled
        return board_network.evaluate(self.layers, self._arithmetic, features, places)

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(K, A) logits or Q-values, and (K, D) features for a value head."""
        outputs, seen = self._evaluate(features)
        return outputs, seen if self.value is None else self.value(features)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        """(K, A)."""
        return self._evaluate(features)[0]

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        """(K, D)."""
        return self._evaluate(features)[1] if self.value is None else self.value(features)


class _InTorch(nn.Module):
    """What `board_network.InNumPy` asks for."""

    def __init__(self) -> None:
        super().__init__()
        for name, matrix in board_network.adjacency().items():
            self.register_buffer(name, torch.tensor(matrix), persistent=False)

    def gathered(self, name: str, what: torch.Tensor) -> torch.Tensor:
        return cast(torch.Tensor, getattr(self, name)) @ what

    def affine(self, x: torch.Tensor, weight: torch.Tensor, plus: torch.Tensor) -> torch.Tensor:
        return torch.addmm(plus, x, weight)

    def affine_of(
        self, parts: list[torch.Tensor], weight: torch.Tensor, plus: torch.Tensor
    ) -> torch.Tensor:
        for part, its in zip(parts, weight.split([x.shape[1] for x in parts]), strict=True):
            plus = torch.addmm(plus, part, its)
        return plus

    def split(self, x: torch.Tensor, sizes: tuple[int, ...]) -> Sequence[torch.Tensor]:
        return x.split([*sizes, x.shape[1] - sum(sizes)], 1)

    def relu(self, x: torch.Tensor) -> torch.Tensor:
        return x.relu_()

    def join(self, parts: list[torch.Tensor], axis: int) -> torch.Tensor:
        return torch.cat(parts, axis)


def _compiled(
    layer: Mapping[str, torch.Tensor], _: Any, x: torch.Tensor, context: torch.Tensor
) -> tuple[list[torch.Tensor], torch.Tensor, torch.Tensor, torch.Tensor]:
    """`board_network.at_places` by compiled code, on a CPU."""
    with_context = torch.cat([layer[f"{name}_context"] for name in _WITH_CONTEXT], 1)
    biases = torch.cat([layer[f"{name}_bias"] for name in _SHARED])
    width = len(biases) // len(_SHARED)
    first = torch.addmm(biases[: 3 * width], context, with_context)
    shared = torch.cat([first, biases[3 * width :].expand(len(x), -1)], 1)
    weights = [layer[name] for name in board_kernels.WEIGHTS]
    flat = torch.cat([weight.flatten() for weight in weights])
    with torch.no_grad():
        turned = torch.cat([weight.T.flatten() for weight in weights])
    out = _AtPlaces.apply(x, shared, flat, turned)
    sizes = 4 * width, 2 * NUM_VERTICES, NUM_EDGES, NUM_HEXES
    pooled, at_vertex, at_edge, at_hex = out.split(sizes, 1)
    vertices = at_vertex.reshape(-1, NUM_VERTICES, 2) + layer["vertex_head_bias"]
    edges, hexes = at_edge + layer["edge_head_bias"], at_hex + layer["hex_head_bias"]
    return [pooled], vertices.swapaxes(0, 1), edges.T, hexes.T


_WITH_CONTEXT: Final = "vertex_1", "vertex_2", "hex"
_SHARED: Final = *_WITH_CONTEXT, "edge_1", "edge_2"

_SPARE: Final[dict[int, list[NDArray[np.float32]]]] = defaultdict(list)
"""Workspaces by width, to be used again: new memory would cost about what its use does."""


class _AtPlaces(torch.autograd.Function):
    """Runs the program for a block of games after the other."""

    @staticmethod
    def forward(
        ctx: Any, x: torch.Tensor, shared: torch.Tensor, flat: torch.Tensor, turned: torch.Tensor
    ) -> torch.Tensor:
        ctx.width = width = shared.shape[1] // len(_SHARED)
        program, spare = board_kernels.program(width), _SPARE[width]
        out = torch.empty(len(x), program.rows - program.out)
        given = [one.detach().contiguous().numpy() for one in (flat, x, shared, out)]
        ctx.works = []
        for game in range(0, len(x), board_kernels.LANES):
            work = spare.pop() if spare else board_kernels.workspace(width)
            board_kernels.run_forward(program, *given, game, work)
            (ctx.works if ctx.needs_input_grad[1] else spare).append(work)
        ctx.save_for_backward(turned)
        return out

    @staticmethod
    def backward(ctx: Any, d_out: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (turned,) = ctx.saved_tensors
        program, spare = board_kernels.program(ctx.width), _SPARE[ctx.width]
        d_flat = torch.zeros(len(turned), board_kernels.LANES)
        d_shared = torch.empty(len(d_out), len(_SHARED) * ctx.width)
        d_work = board_kernels.workspace(ctx.width)
        given, read = d_out.contiguous().numpy(), turned.numpy()
        taken = d_work, d_flat.numpy(), d_shared.numpy()
        for k, work in enumerate(ctx.works):
            game = k * board_kernels.LANES
            board_kernels.run_back(program, read, work, given, game, *taken)
        spare += ctx.works
        ctx.works = []
        return None, d_shared, d_flat.sum(1), None
