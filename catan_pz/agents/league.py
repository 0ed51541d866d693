"""Opponents for a learner: past selves, and others beside them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from catan_pz.agents.batch import BatchAgent
from catan_pz.agents.mixture import Mixture
from catan_pz.agents.network import Model, NetworkAgent

_RECENT: Final = 0.1


class League(Mixture):
    """A mixture of agents and of snapshots that a learner leaves as it goes on.

    Some snapshots of the pool play at a time; each time one is added these are drawn anew, by
    turns a recent one and any. Each is one forward pass a round, whatever the number of games.
    Snapshots are model files: what plays is what was written, so that a training that goes on
    from a checkpoint meets the very same opponents. Source of the idea: H. Charlesworth,
    "Learning to Play Settlers of Catan with Deep Reinforcement Learning", 2022.

    Args:
        folder: where snapshots are written.
        others: agents that play beside them, or their names.
        weights: how often each of these is drawn, in proportion.
        share: how often a snapshot is drawn, on the same scale; 0 for never.
        size: snapshots in the pool; the oldest leaves first.
        active: how many of them play at a time.
        seed: of the draws from the pool.

    Attributes:
        pool: names of the snapshots, oldest first.
        playing: those that play.

    Raises:
        ValueError: names the option, its value and what is allowed.
    """

    name = "league"

    def __init__(
        self,
        folder: Path | str,
        others: Sequence[BatchAgent | str] = (),
        weights: Sequence[float] = (),
        *,
        share: float = 1.0,
        size: int = 50,
        active: int = 4,
        seed: int = 0,
    ) -> None:
        for option, value in (("size", size), ("active", active)):
            if value < 1:
                raise ValueError(
                    f"option {option}={value!r} is not possible; allowed: an int from 1"
                )
        if share < 0 or (share == 0 and not others):
            raise ValueError(
                f"option share={share!r} is not possible; allowed: a number from 0, above it "
                "without other opponents"
            )
        # Until the first snapshot is there, the others play, or random players.
        super().__init__(others or ["random"], weights if others else None)
        self.folder = Path(folder)
        self.share, self.size, self.active = share, size, active
        self._others = list(zip(self.members, weights, strict=True)) if others else []
        self.pool: list[str] = []
        self.playing: list[str] = []
        self._rng = np.random.default_rng([seed, 0x1EA60E])
        self._loaded: dict[str, NetworkAgent] = {}

    def add(self, name: str, model: Model) -> None:
        """A snapshot joins the pool, and those that play are drawn anew."""
        self.folder.mkdir(parents=True, exist_ok=True)
        model.save(self.folder / f"{name}.npz")
        self.pool = [*self.pool, name][-self.size :]
        self._loaded.pop(name, None)
        self._draw()

    def _draw(self) -> None:
        count = len(self.pool)
        self.playing = []
        for k in range(self.active):
            if k % 2 == 0:
                place = max(0, count - 1 - int(self._rng.exponential(_RECENT * count)))
            else:
                place = int(self._rng.integers(count))
            self.playing.append(self.pool[place])
        self._seat()

    def _seat(self) -> None:
        before, self._loaded = self._loaded, {}
        for name in self.playing:
            known = before.get(name) or self._loaded.get(name)
            self._loaded[name] = known or NetworkAgent(self.folder / f"{name}.npz")
        if self.playing:
            others = [agent for agent, _ in self._others]
            weights = [weight for _, weight in self._others]
            mixed = Mixture(
                [*others, *(self._loaded[name] for name in self.playing)],
                [*weights, *[self.share / self.active] * self.active],
            )
            self.members, self.weights = mixed.members, mixed.weights

    def get_state(self) -> dict[str, Any]:
        """What a league in the same folder needs to go on as this one; JSON values."""
        return {
            "pool": list(self.pool),
            "playing": list(self.playing),
            "draws": json.dumps(self._rng.bit_generator.state),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `get_state` gave.

        Raises:
            ValueError: if a snapshot that plays is missing or damaged.
        """
        self.pool, self.playing = list(state["pool"]), list(state["playing"])
        self._rng.bit_generator.state = json.loads(state["draws"])
        self._loaded.clear()
        try:
            self._seat()
        except FileNotFoundError as error:
            raise ValueError(f"league: the snapshot {error.filename} is missing") from error
