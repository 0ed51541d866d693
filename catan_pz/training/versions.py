"""Versions of a learner's weights: those in play, which are never too old, and past selves."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from catan_pz.agents.network import Model
from catan_pz.checks import check_count
from catan_pz.training.actor_critic import ActorCritic, Weights, policy_weights
from catan_pz.training.league import places


class Versions:
    """Version u is what the network is after u updates; round r is played with r - `max_lag`.

    So every round has its version fixed beforehand, whatever the speed of those who play it, and
    is learned from with weights that are `max_lag` updates newer at most. Each `every` versions
    one is kept in a file as a past self, for the league.

    Args:
        folder: of the league's files.
        network: the learner's; what it is now is version 0.
        max_lag: from 0.
        every: versions between two past selves.
        size: past selves in the pool; the oldest is dropped first.
        active: how many of them play in a round.
        seed: of their choice.

    Attributes:
        newest: the number of the newest version.

    Raises:
        ValueError: names the option, its value and what is allowed.
    """

    def __init__(
        self,
        folder: Path,
        network: ActorCritic,
        *,
        max_lag: int,
        every: int,
        size: int,
        active: int,
        seed: int,
    ) -> None:
        self.max_lag = check_count("max_lag", max_lag, least=0)
        self.newest = 0
        self._folder, self._network = folder, network
        self._every, self._size, self._active, self._seed = every, size, active, seed
        self._kept: dict[int, Weights] = {0: network.weights()}

    def add(self) -> None:
        """Keep what the network is now as the next version."""
        self.newest += 1
        self._kept[self.newest] = self._network.weights()
        for version in [v for v in self._kept if v < self.newest - self.max_lag]:
            del self._kept[version]

    def number_for(self, round_number: int) -> int:
        """The version that a round is played with."""
        return max(0, round_number - self.max_lag)

    def weights_for(self, round_number: int) -> Weights:
        """The weights that a round is played with."""
        return self._kept[self.number_for(round_number)]

    def league_for(self, round_number: int) -> list[Weights]:
        """Policies of the past selves that play in a round, as their files have them."""
        pool = self._pool(self.number_for(round_number))
        if not pool:
            return []
        rng = np.random.default_rng([self._seed, round_number])
        chosen = [pool[k] for k in places(rng, len(pool), self._active)]
        return [policy_weights(Model.read(self._path(version))) for version in chosen]

    def _pool(self, version: int) -> list[int]:
        """Past selves once there is some version, oldest first."""
        return list(range(self._every, version + 1, self._every))[-self._size :]

    def _path(self, version: int) -> Path:
        return self._folder / f"{version:08d}.npz"

    def write_past_self(self, export: Any) -> None:
        """Write the file of the newest version, if it is to be a past self.

        Args:
            export: makes a `Model` of what the network is now.
        """
        if self.newest in self._pool(self.newest):
            self._folder.mkdir(parents=True, exist_ok=True)
            export().save(self._path(self.newest), "float32")

    @property
    def files(self) -> list[str]:
        """Names of the files that rounds to come may need, without their ending."""
        versions = range(self.number_for(self.newest), self.newest + 1)
        needed = {past for version in versions for past in self._pool(version)}
        return [self._path(version).stem for version in sorted(needed)]

    def get_state(self) -> dict[str, dict[str, torch.Tensor]]:
        """What `torch.load(weights_only=True)` can read back; the files are no part of it."""
        return {
            str(version): {name: torch.tensor(array) for name, array in weights.items()}
            for version, weights in self._kept.items()
        }

    def set_state(self, state: Mapping[str, Mapping[str, torch.Tensor]]) -> None:
        """Continue from what `get_state` gave; the network becomes the newest version."""
        self._kept = {
            int(version): {name: array.numpy() for name, array in weights.items()}
            for version, weights in state.items()
        }
        self.newest = max(self._kept)
        self._network.set_weights(self._kept[self.newest])
