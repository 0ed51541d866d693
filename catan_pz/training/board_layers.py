"""The board network as a torch module, for training.

Letters: K games, N numbers of an observation, W size of an embedding, D dense units, A actions.
"""

from collections import defaultdict
from functools import cache
from typing import Any, Final, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from catan_pz.agents.board_kernels import BLOCK, run_forward
from catan_pz.agents.board_program import adjacency, layout, program, shapes, views
from catan_pz.kernels.thread_pool import make_thread_pool
from catan_pz.observation.segments import SIZE
from catan_pz.training.board_gradients import GAMES, run_back, turn
from catan_pz.training.board_in_torch import evaluate


class BoardLayers(nn.Module):
    """The network of sizes W, D and A; a separate value function has its own two dense layers.

    Attributes:
        threads: number of threads for the games on a CPU; None for torch's number.
    """

    threads: int | None = None

    def __init__(self, width: int, dense: int, actions: int, separate_value: bool = False) -> None:
        super().__init__()
        self.sizes = width, dense, actions, separate_value
        self.latent_dim_pi, self.latent_dim_vf = actions, dense
        self._shapes, self._counts = layout(*self.sizes)
        self.weights = nn.Parameter(torch.zeros(sum(self._counts)))
        with torch.no_grad():
            self._begin()
        for name, matrix in adjacency().items():
            self.register_buffer(name, torch.tensor(matrix), persistent=False)

    def _begin(self) -> None:
        arrays = self._arrays()
        width, dense, actions, separate_value = self.sizes
        if separate_value:
            for name, inputs in (("value_1", SIZE), ("value_2", dense)):
                linear = nn.Linear(inputs, dense)
                arrays[name].copy_(linear.weight.T)
                arrays[f"{name}_bias"].copy_(linear.bias)
        for name, shape in shapes(width, dense, actions).items():
            if len(shape) == 2:
                array = torch.zeros(shape)
                nn.init.kaiming_uniform_(array.T, nonlinearity="relu")
                smaller = name in ("dense_head", "vertex_head", "edge_head", "hex_head")
                arrays[name].copy_(array * 0.1 if smaller else array)

    def _arrays(self) -> dict[str, torch.Tensor]:
        """Views of the weights by name."""
        return views(self._shapes, self.weights.split(self._counts))

    @property
    def layers(self) -> dict[str, torch.Tensor]:
        """The policy's arrays, views of the weights, by their names in `board_program.shapes`."""
        arrays = self._arrays()
        return {name: arrays[name] for name in shapes(*self.sizes[:3])}

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(K, A) logits or Q-values, and (K, D) features for a value head."""
        theirs = features.device.type != "cpu" or torch.is_autocast_enabled("cpu")
        if not theirs and not torch.compiler.is_compiling():
            threads = self.threads or torch.get_num_threads()
            return cast(Any, _Compiled.apply(features, self.weights, self.sizes, threads))
        arrays = self._arrays()
        outputs, seen = evaluate(arrays, dict(self.named_buffers()), features)
        if self.sizes[-1]:
            seen = features
            for name in ("value_1", "value_2"):
                seen = torch.addmm(arrays[f"{name}_bias"], seen, arrays[name]).relu()
        return outputs, seen

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        """(K, A)."""
        return self(features)[0]

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        """(K, D)."""
        return self(features)[1]


_SPARE: Final[dict[int, list[NDArray[np.float32]]]] = defaultdict(list)
"""Reusable memory by size per game: allocating memory costs about as much as using it."""


def _memory(games: int, numbers: int) -> NDArray[np.float32]:
    """(at least K, n), from the spare memory; too small blocks are dropped."""
    spare = _SPARE[numbers]
    while spare:
        found = spare.pop()
        if len(found) >= games:
            return found
    return np.empty((games, numbers), np.float32)


@cache
def make_pool(threads: int) -> Any:
    """A pool of threads that share the games."""
    return make_thread_pool(threads, threads, 1)


class _Compiled(torch.autograd.Function):
    """The network in compiled code, on a CPU."""

    @staticmethod
    def forward(
        ctx: Any, x: torch.Tensor, weights: torch.Tensor, sizes: tuple[Any, ...], threads: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        do = program(*sizes)
        ctx.program, ctx.threads = do, threads
        ctx.save_for_backward(weights)
        out, latent = torch.empty(len(x), sizes[2]), torch.empty(len(x), sizes[1])
        needed = len(x) if ctx.needs_input_grad[1] else 0
        ctx.kept = _memory(needed, do.kept) if needed else np.empty((0, do.kept), np.float32)
        works = np.empty((threads, BLOCK * do.size), np.float32)
        games, *given = (t.detach().contiguous().numpy() for t in (x, weights, out, latent))
        make_pool(threads).run(run_forward, games, threads, do, *given, works, ctx.kept[:needed])
        return out, latent

    @staticmethod
    def backward(
        ctx: Any, d_out: torch.Tensor, d_latent: torch.Tensor
    ) -> tuple[torch.Tensor | None, ...]:
        do, threads = ctx.program, ctx.threads
        turned = np.zeros(do.turned, np.float32)
        turn(do, ctx.saved_tensors[0].detach().numpy(), turned)
        parts = -(-len(d_out) // GAMES)
        d_weights = torch.empty(parts, len(ctx.saved_tensors[0]))
        works = np.empty((threads, BLOCK * do.size), np.float32)
        games, latent = d_out.contiguous().numpy(), d_latent.contiguous().numpy()
        given = threads, do, turned, latent, ctx.kept, works, d_weights.numpy()
        make_pool(threads).run(run_back, games, *given)
        _SPARE[do.kept].append(ctx.kept)
        del ctx.kept
        return None, d_weights.sum(0), None, None
