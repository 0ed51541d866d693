"""A Q-network that learns: its weights, those of its target network, and their optimizer."""

from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

Weights = dict[str, torch.Tensor]


class QArchitecture(Protocol):
    """What a network is without its weights."""

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of all weights, by name."""

    def initial(self, rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
        """Weights to begin with."""

    def q_values(self, weights: Any, states: Any) -> Any:
        """(B, Q) for states (B, N)."""


class QNetwork:
    """A network and a target network that follows it slowly.

    All weights of a network lie in one vector and their gradients in another, so that a step of the
    optimizer is one operation.

    Args:
        architecture: of both.
        rng: draws the weights to begin with.
        learning_rate: of AdamW.
        tau: share of the network that the target network takes over at each update.
        device: of the weights.

    Attributes:
        online: weights of the network by name, without gradients.
        target: weights of the target network by name.
    """

    def __init__(
        self,
        architecture: QArchitecture,
        rng: np.random.Generator,
        *,
        learning_rate: float,
        tau: float,
        device: str = "cpu",
    ) -> None:
        self.architecture, self.tau = architecture, tau
        initial = [weights.ravel() for weights in architecture.initial(rng).values()]
        self._online = torch.tensor(np.concatenate(initial), device=device)
        self._online.grad = self._gradient = torch.zeros_like(self._online)
        self._target = self._online.clone()
        self.online, self.target = self._named(self._online), self._named(self._target)
        self._learned = self._named(self._online)
        for name, gradient in self._named(self._gradient).items():
            self._learned[name].requires_grad_().grad = gradient
        self._optimizer = torch.optim.AdamW([self._online], lr=learning_rate, fused=True)
        self._losses: list[float] = []
        self._q_means: list[float] = []

    def _named(self, vector: torch.Tensor) -> Weights:
        """Views of a vector by the names of the weights."""
        shapes = self.architecture.shapes
        parts = vector.split([int(np.prod(shape)) for shape in shapes.values()])
        return {name: w.view(shapes[name]) for name, w in zip(shapes, parts, strict=True)}

    def q_values(self, states: torch.Tensor, weights: Weights | None = None) -> torch.Tensor:
        """(B, Q) for states (B, N): of the network with gradients, or by given weights."""
        weights = self._learned if weights is None else weights
        values: torch.Tensor = self.architecture.q_values(weights, states.float())
        return values

    def update(self, loss: torch.Tensor, q_values: torch.Tensor) -> None:
        """One step of the optimizer; the target network follows.

        Args:
            loss: with gradients.
            q_values: of the minibatch, for the figures.
        """
        self._losses.append(loss.item())
        self._q_means.append(q_values.mean().item())
        self._gradient.zero_()
        loss.backward()
        self._optimizer.step()
        self._target.lerp_(self._online, self.tau)

    def figures(self) -> dict[str, float | None]:
        """Updates since the last call, and the means of their losses and Q-values, if any."""
        figures = {
            "updates": len(self._losses),
            "loss": float(np.mean(self._losses)) if self._losses else None,
            "q": float(np.mean(self._q_means)) if self._q_means else None,
        }
        self._losses.clear()
        self._q_means.clear()
        return figures

    def get_state(self) -> dict[str, Any]:
        """Everything that further updates depend on, for `torch.save`."""
        return {
            "online": self._online,
            "target": self._target,
            "optimizer": self._optimizer.state_dict(),
            "figures": [list(self._losses), list(self._q_means)],
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""
        self._online.copy_(state["online"])
        self._target.copy_(state["target"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._losses, self._q_means = state["figures"]
