"""The board network in torch, to be trained.

Letters: K games, N numbers of an observation, W size of an embedding, D dense units, A actions.
"""

from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from catan_pz.agents import board_network
from catan_pz.observation.segments import SIZE


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
        return board_network.evaluate(self.layers, self._arithmetic, features)

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
        matrices = board_network.adjacency().items()
        self.sums = nn.ModuleDict({name: _SumOfWhatTouches(matrix) for name, matrix in matrices})

    def gathered(self, name: str, what: torch.Tensor) -> torch.Tensor:
        return self.sums[name](what)

    def affine(self, x: torch.Tensor, weight: torch.Tensor, plus: torch.Tensor) -> torch.Tensor:
        return torch.addmm(plus, x, weight)

    def relu(self, x: torch.Tensor) -> torch.Tensor:
        return x.relu_()

    def join(self, parts: list[torch.Tensor], axis: int) -> torch.Tensor:
        return torch.cat(parts, axis)


class _SumOfWhatTouches(nn.Module):
    """The product of a matrix of zeros and ones with others; on a CPU without the zeros."""

    def __init__(self, matrix: NDArray[np.float32]) -> None:
        super().__init__()
        self.register_buffer("matrix", torch.tensor(matrix), persistent=False)
        for name, one in (("there", matrix), ("back", matrix.T)):
            rows, columns = one.nonzero()
            starts = rows.searchsorted(np.arange(len(one)))
            self.register_buffer(f"{name}_columns", torch.tensor(columns), persistent=False)
            self.register_buffer(f"{name}_starts", torch.tensor(starts), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.device.type != "cpu":
            return cast(torch.Tensor, self.matrix) @ x
        there, back = (self.there_columns, self.there_starts), (self.back_columns, self.back_starts)
        return _SumOfRows.apply(x, *there, *back)


class _SumOfRows(torch.autograd.Function):
    """Sums of listed rows; the gradient is such a sum too, by the lists of the way back."""

    @staticmethod
    def forward(
        ctx: Any,
        x: torch.Tensor,
        columns: torch.Tensor,
        starts: torch.Tensor,
        back_columns: torch.Tensor,
        back_starts: torch.Tensor,
    ) -> torch.Tensor:
        ctx.back = back_columns, back_starts
        return nn.functional.embedding_bag(columns, x, starts, mode="sum")

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        columns, starts = ctx.back
        given = gradient.contiguous()
        sums = nn.functional.embedding_bag(columns, given, starts, mode="sum")
        return sums, None, None, None, None
