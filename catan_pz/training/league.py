"""Past selves of a learner, and leagues of past selves and other agents as opponents."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from catan_pz import agents
from catan_pz.agents.base import Agent
from catan_pz.agents.mixture import Mixture
from catan_pz.agents.network import Model, NetworkAgent
from catan_pz.agents.registry import as_value, split_specs
from catan_pz.checks import check_count, check_number, not_possible, quoted
from catan_pz.env.vector.single_learner import check_served
from catan_pz.rules import Rules
from catan_pz.training.options import TrainingArgs

_RECENT: Final = 0.1


class PastSelves:
    """Snapshots of a learner in a folder, of which `active` play at a time.

    `pool` lists their names, oldest first; above `size` the oldest is dropped.
    """

    def __init__(self, folder: Path | str, size: int = 50, active: int = 4) -> None:
        self.size, self.active = check_count("size", size), check_count("active", active)
        self.folder = Path(folder)
        self.pool: list[str] = []

    def add(self, name: str, save: Callable[[Path], object]) -> None:
        """Add a snapshot, written to a file by `save`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        save(self.folder / f"{name}.npz")
        self.pool = [*self.pool, name][-self.size :]

    def draw(self, rng: np.random.Generator) -> list[str]:
        """Draw the names of the snapshots that play: alternately a recent one and any."""
        count = len(self.pool)
        chosen = []
        for k in range(self.active if count else 0):
            if k % 2 == 0:
                place = max(0, count - 1 - int(rng.exponential(_RECENT * count)))
            else:
                place = int(rng.integers(count))
            chosen.append(self.pool[place])
        return chosen

    def path(self, name: str) -> Path:
        """The file of a snapshot."""
        path = self.folder / f"{name}.npz"
        if not path.exists():
            raise ValueError(f"league: the snapshot {path} is missing")
        return path


class League(Mixture):
    """A mixture of agents and snapshots of a learner.

    The active snapshots are sampled again whenever one is added. Each takes one forward pass per
    round, whatever the number of games. They are loaded from their model files, so a resumed
    training has exactly the same opponents. Source of the idea: H. Charlesworth, "Learning to
    Play Settlers of Catan with Deep Reinforcement Learning", 2022.

    Args:
        past: the pool of snapshots.
        others: other agents in the mixture, or their names.
        weights: sampling weight of each of these.
        share: sampling weight of the snapshots together; 0 for none.
        seed: of the sampling from the pool.
    """

    name = "league"

    def __init__(
        self,
        past: PastSelves,
        others: Sequence[Agent | str] = (),
        weights: Sequence[float] = (),
        *,
        share: float = 1.0,
        seed: int = 0,
    ) -> None:
        check_number("share", share, least=0)
        if share == 0 and not any(weights):
            raise not_possible("share", share, "a number above 0 without other opponents")
        # Before the first snapshot only the other agents play, or random players.
        alone = [] if any(weights) else ["random"]
        super().__init__([*others, *alone], [*weights, *[1.0] * len(alone)])
        self.past, self.share = past, share
        self._others, self._weights = self.members[: len(weights)], list(weights)
        self.playing: list[str] = []
        self._rng = np.random.default_rng([seed, 0x1EA60E])

    def add(self, name: str, model: Model) -> None:
        """Add a snapshot to the pool, and sample the active ones again."""
        self.past.add(name, model.save)
        self.playing = self.past.draw(self._rng)
        self._seat()

    def _seat(self) -> None:
        if self.playing:
            loaded = {name: NetworkAgent(self.past.path(name)) for name in set(self.playing)}
            active = self.past.active
            mixed = Mixture(
                [*self._others, *(loaded[name] for name in self.playing)],
                [*self._weights, *[self.share / active] * active],
            )
            self.members, self.weights = mixed.members, mixed.weights

    def get_state(self) -> dict[str, Any]:
        """The state for a league in the same folder to continue from; JSON values."""
        return {
            "pool": list(self.past.pool),
            "playing": list(self.playing),
            "rng": json.dumps(self._rng.bit_generator.state),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from a result of `get_state`."""
        self.past.pool, self.playing = list(state["pool"]), list(state["playing"])
        self._rng.bit_generator.state = json.loads(state["rng"])
        self._seat()


def parse_weights(text: str) -> dict[str, float]:
    """Parse agents with weights, such as "random,league:3"; the default weight is 1.

    Agents may have options: "heuristic,rocco:model=a.npz:0.5".
    """
    weights: dict[str, float] = {}
    for spec in split_specs(text):
        name, _, given = spec.rpartition(":")
        weight = as_value(given)
        if not name or isinstance(weight, bool) or not isinstance(weight, int | float):
            name, weight = spec, 1
        if not 0 <= weight < float("inf"):
            raise not_possible(f"opponents: {name} weight", given, "a number from 0")
        if name in weights:
            raise not_possible("opponents", text, f"{name} once")
        weights[name] = float(weight)
    if not any(weights.values()):
        raise not_possible("opponents", text, "agents, one of them with a weight above 0")
    return weights


def make_opponents(args: TrainingArgs) -> League | None:
    """The opponents of a training, or None for random ones, which compiled code plays."""
    weights = parse_weights(args.opponents)
    if set(weights) == {"random"}:
        return None
    share = weights.pop("league", 0.0)
    league = League(
        PastSelves(Path(args.out) / "league", args.league_size, args.league_members),
        list(weights),
        list(weights.values()),
        share=share,
        seed=args.seed,
    )
    for name, agent in zip(weights, league.members, strict=False):
        check_served(agent, name)
    return league


def load_stateless(option: str, name: str, rules: Rules) -> Agent:
    """The agent of an option, which must be stateless and able to play these rules."""
    agent = agents.load(name)
    if not agent.stateless:
        raise not_possible(option, name, "stateless agents")
    try:
        agent.check_rules(rules)
    except ValueError as error:
        raise ValueError(f"{option}={quoted(name)}: {error}") from None
    return agent
