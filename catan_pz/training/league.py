"""Opponents of a learner: a league of its past selves, and other agents beside them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from catan_pz.agents.base import Agent
from catan_pz.agents.mixture import Mixture
from catan_pz.agents.network import Model, NetworkAgent
from catan_pz.agents.specs import as_value, split_specs
from catan_pz.checks import check_count, check_number, not_possible
from catan_pz.env.vector.seated_opponents import check_served
from catan_pz.training.options import TrainingArgs

_RECENT: Final = 0.1


class League(Mixture):
    """A mixture of agents and of snapshots of a learner.

    A few snapshots of the pool play at a time. They are sampled again whenever one is added,
    alternately a recent one and any. Each takes one forward pass a round, whatever the number of
    games. Snapshots are model files: what plays is what was written, so a resumed training meets
    the very same opponents. Source of the idea: H. Charlesworth, "Learning to Play Settlers of
    Catan with Deep Reinforcement Learning", 2022.

    Args:
        folder: where snapshots are written.
        others: agents that play beside them, or their names.
        weights: sampling weight of each of these.
        share: sampling weight of the snapshots together; 0 for none.
        size: snapshots in the pool; the oldest is dropped first.
        active: how many of them play at a time.
        seed: of the sampling from the pool.

    Attributes:
        pool: names of the snapshots, oldest first.
        playing: names of those that play.

    Raises:
        ValueError: names the option, its value and what is allowed.
    """

    name = "league"

    def __init__(
        self,
        folder: Path | str,
        others: Sequence[Agent | str] = (),
        weights: Sequence[float] = (),
        *,
        share: float = 1.0,
        size: int = 50,
        active: int = 4,
        seed: int = 0,
    ) -> None:
        for option, value in (("size", size), ("active", active)):
            check_count(option, value)
        check_number("option share", share, least=0)
        if share == 0 and not any(weights):
            raise not_possible("option share", share, "a number above 0 without other opponents")
        # Before the first snapshot only the others play, or random players.
        alone = [] if any(weights) else ["random"]
        super().__init__([*others, *alone], [*weights, *[1.0] * len(alone)])
        self.folder = Path(folder)
        self.share, self.size, self.active = share, size, active
        self._others = list(zip(self.members, weights, strict=False))
        self.pool: list[str] = []
        self.playing: list[str] = []
        self._rng = np.random.default_rng([seed, 0x1EA60E])
        self._loaded: dict[str, NetworkAgent] = {}

    def add(self, name: str, model: Model) -> None:
        """Add a snapshot to the pool, and sample again which ones play."""
        self.folder.mkdir(parents=True, exist_ok=True)
        model.save(self.folder / f"{name}.npz")
        self.pool = [*self.pool, name][-self.size :]
        self._loaded.pop(name, None)
        self._sample()

    def _sample(self) -> None:
        self.playing = [self.pool[k] for k in places(self._rng, len(self.pool), self.active)]
        self._seat()

    def _seat(self) -> None:
        before, self._loaded = self._loaded, {}
        for name in self.playing:
            loaded = before.get(name) or self._loaded.get(name)
            self._loaded[name] = loaded or NetworkAgent(self.folder / f"{name}.npz")
        if self.playing:
            others = [agent for agent, _ in self._others]
            weights = [weight for _, weight in self._others]
            mixed = Mixture(
                [*others, *(self._loaded[name] for name in self.playing)],
                [*weights, *[self.share / self.active] * self.active],
            )
            self.members, self.weights = mixed.members, mixed.weights

    def get_state(self) -> dict[str, Any]:
        """The state that a league in the same folder continues from; JSON values."""
        return {
            "pool": list(self.pool),
            "playing": list(self.playing),
            "rng": json.dumps(self._rng.bit_generator.state),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave.

        Raises:
            ValueError: if a snapshot that plays is missing or damaged.
        """
        self.pool, self.playing = list(state["pool"]), list(state["playing"])
        self._rng.bit_generator.state = json.loads(state["rng"])
        self._loaded.clear()
        try:
            self._seat()
        except FileNotFoundError as error:
            raise ValueError(f"league: the snapshot {error.filename} is missing") from error


def places(rng: np.random.Generator, count: int, active: int) -> list[int]:
    """Places in a pool of snapshots, oldest first: alternately a recent one and any.

    Args:
        rng: samples them.
        count: snapshots in the pool, one or more.
        active: how many places to sample.
    """
    chosen = []
    for k in range(active):
        if k % 2 == 0:
            chosen.append(max(0, count - 1 - int(rng.exponential(_RECENT * count))))
        else:
            chosen.append(int(rng.integers(count)))
    return chosen


def parse_weights(text: str) -> dict[str, float]:
    """Agents with weights, such as "random,league:3"; 1 where no weight is given.

    Agents may have options: "heuristic,rocco:model=a.npz:0.5".

    Raises:
        ValueError: for a negative weight, an agent that stands there twice, or none that plays.
    """
    weights: dict[str, float] = {}
    for spec in split_specs(text):
        name, _, given = spec.rpartition(":")
        weight = as_value(given)
        if not name or isinstance(weight, bool) or not isinstance(weight, int | float):
            name, weight = spec, 1
        if not 0 <= weight < float("inf"):
            raise not_possible(f"option opponents: {name} weight", given, "a number from 0")
        if name in weights:
            raise not_possible("option opponents", text, f"{name} once")
        weights[name] = float(weight)
    if not any(weights.values()):
        raise not_possible("option opponents", text, "agents, one of them with a weight above 0")
    return weights


def make_opponents(args: TrainingArgs) -> League | None:
    """The opponents of a training, or None for random ones, whom compiled code plays.

    Raises:
        ValueError: names the option, its value and what is allowed.
    """
    weights = parse_weights(args.opponents)
    if set(weights) == {"random"}:
        return None
    share = weights.pop("league", 0.0)
    league = League(
        Path(args.out) / "league",
        list(weights),
        list(weights.values()),
        share=share,
        size=args.league_size,
        active=args.league_members,
        seed=args.seed,
    )
    for name, agent in zip(weights, league.members, strict=False):
        check_served(agent, name)
    return league
