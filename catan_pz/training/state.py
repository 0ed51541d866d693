"""The state of a Stable-Baselines3 learner and its games, for checkpoints.

A learner that continues from it computes the same numbers, on a CPU, as one that never stopped.
"""

from collections import deque
from typing import Any, Protocol, runtime_checkable

import numpy as np
import torch

from catan_pz.training.checkpoints import pack_arrays, unpack_arrays


@runtime_checkable
class HasExtraState(Protocol):
    """A learner with state beyond that of Stable-Baselines3, such as a replay buffer."""

    def get_extra_state(self) -> dict[str, Any]:
        """Values that `torch.load(weights_only=True)` can read back."""

    def set_extra_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_extra_state` gave."""


def get_state(model: Any, games: Any) -> dict[str, Any]:
    """Everything that the rest of the training depends on, but for the run's own counters.

    Args:
        model: a learner of Stable-Baselines3.
        games: its `CatanVecEnv`.
    """
    starts = model._last_episode_starts
    return {
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "games": pack_arrays(games.get_state()),
        "episode_starts": None if starts is None else torch.as_tensor(starts.copy()),
        "episodes": [dict(episode) for episode in model.ep_info_buffer or ()],
        "num_timesteps": model.num_timesteps,
        "n_updates": model._n_updates,
        "extra": model.get_extra_state() if isinstance(model, HasExtraState) else None,
        "random": _get_random_state(model.device),
    }


def set_state(model: Any, games: Any, state: dict[str, Any]) -> None:
    """Continue from what `get_state` gave for a learner and games with the same options."""
    model.policy.load_state_dict(state["policy"])
    model.policy.optimizer.load_state_dict(state["optimizer"])
    model._last_obs = games.set_state(unpack_arrays(state["games"]))
    starts = state["episode_starts"]
    model._last_episode_starts = None if starts is None else starts.numpy()
    model.ep_info_buffer = deque(state["episodes"], maxlen=model._stats_window_size)
    model.ep_success_buffer = deque(maxlen=model._stats_window_size)
    model.num_timesteps = state["num_timesteps"]
    model._n_updates = state["n_updates"]
    if isinstance(model, HasExtraState):
        model.set_extra_state(state["extra"])
    _set_random_state(state["random"], model.device)


# Stable-Baselines3 samples from the global generator of NumPy.
def _get_random_state(device: torch.device) -> dict[str, Any]:
    kind, keys, position, has_gauss, gauss = np.random.get_state()  # noqa: NPY002
    keys = torch.as_tensor(np.asarray(keys).astype(np.int64))
    return {
        "numpy": [kind, keys, position, has_gauss, gauss],
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state() if device.type == "cuda" else None,
    }


def _set_random_state(state: dict[str, Any], device: torch.device) -> None:
    kind, keys, position, has_gauss, gauss = state["numpy"]
    np.random.set_state(  # noqa: NPY002
        (kind, keys.numpy().astype(np.uint32), position, has_gauss, gauss)
    )
    torch.set_rng_state(state["torch"])
    if state["cuda"] is not None and device.type == "cuda":
        torch.cuda.set_rng_state(state["cuda"])
