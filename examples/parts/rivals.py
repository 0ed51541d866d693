"""Rivals of a learner in self-play: past selves and named agents, matched by win rate.

Letters: B games, K decisions, N numbers of an observation, A actions, P players, R rivals.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from catan_pz.agents.base import Agent, Views
from catan_pz.agents.network import Model
from catan_pz.checks import not_possible
from catan_pz.rules import Rules
from catan_pz.training.league import PastSelves, load_stateless
from catan_pz.training.self_play_network import SelfPlayNetwork

LEARNER: Final = -1
"""In place of a rival: the learner plays all seats itself."""

SeedsOf = Callable[[NDArray[np.intp]], NDArray[np.uint64]]
"""Gives the seeds (K,) of the seats to move in games (K,), one for all decisions of a seat."""

_MEMORY: Final = 200.0
"""Games against a rival after which one counts for a third as much."""

_PRIOR: Final = 4.0
"""Games at chance level that each rival is taken to have played."""

_LEAST: Final = 0.02
"""Weight of a rival that never wins."""


class Rivals:
    """The players of the other seats in each game: the learner itself, past selves or agents.

    In a share of the games one seat is the learner's and all others are one rival's. A rival
    that begins a game is drawn with the square of its win rate for a weight, so that games are
    spent where there is something to learn. Source of the idea: Vinyals et al., "Grandmaster
    level in StarCraft II using multi-agent reinforcement learning", 2019.

    Args:
        past: the past selves.
        network: one like the learner's, that past selves are loaded into.
        others: names of agents that play beside past selves.
        num_games: B.
        rules: of the games.
        share: of the games that have rivals, from 0 to 1.
        seed: of all draws.

    Attributes:
        names: (R,) of those that can be drawn now, the agents first.
        rival: (B,) int64 tensor, the place in `names` of each game's rival, or `LEARNER`.
        seat: (B,) int64 tensor, the learner's seat where there is a rival.
        base: what the policies of learner and past selves rest on.
    """

    def __init__(
        self,
        past: PastSelves,
        network: SelfPlayNetwork,
        others: Sequence[str],
        num_games: int,
        rules: Rules,
        *,
        share: float,
        seed: int = 0,
    ) -> None:
        self.past, self._network, self._device = past, network, network.scales.device
        self.base = network.base
        self._seed = seed
        self._chance = 1 / rules.num_players
        self._agents: dict[str, Agent] = {
            name: load_stateless("opponents", name, rules) for name in others
        }
        if len(self._agents) < len(others):
            raise not_possible("opponents", ",".join(others), "each agent once")
        self._policies: dict[str, Any] = {}
        self.names: list[str] = list(others)
        slots = torch.arange(num_games, device=self._device)
        self._has_rival = slots < round(share * num_games)
        self.rival = torch.full((num_games,), LEARNER, device=self._device)
        self.seat = slots % rules.num_players
        self._won, self._games = self._zeros(), self._zeros()
        self.begin(0)
        self._draw(self._has_rival)

    def _zeros(self) -> torch.Tensor:
        return torch.zeros(len(self.names), device=self._device)

    def begin(self, number: int) -> None:
        """A round begins; all that is drawn in it follows from its number."""
        self._rng = np.random.default_rng([self._seed, 0x51BA1, number])
        self._random = torch.Generator(self._device).manual_seed(int(self._rng.integers(2**63)))

    @property
    def win_rates(self) -> torch.Tensor:
        """(R,) the learner's against each, recent games first; chance level before any."""
        return (self._won + _PRIOR * self._chance) / (self._games + _PRIOR)

    def _draw(self, where: torch.Tensor) -> None:
        """Draw a rival for some games, (B,) bool."""
        if self.names:
            weights = (1 - self.win_rates).square() + _LEAST
            drawn = weights.multinomial(len(where), replacement=True, generator=self._random)
            self.rival = torch.where(where, drawn, self.rival)

    def learns(self, players: torch.Tensor) -> torch.Tensor:
        """(B,) whether the learner decides, by the seats to move."""
        return (self.rival == LEARNER) | (players == self.seat)

    def count(self, winners: torch.Tensor, ended: torch.Tensor) -> None:
        """Count games that ended with a winner, and draw rivals for the next ones.

        Args:
            winners: (B,) seats.
            ended: (B,) bool.
        """
        if not self.names:
            return
        counted = ended & (self.rival != LEARNER)
        rival, shape = self.rival.clamp(min=0), self._games
        games = torch.zeros_like(shape).index_add_(0, rival, counted.float())
        won = counted & (winners == self.seat)
        keep = (1 - 1 / _MEMORY) ** games
        self._won = self._won * keep + torch.zeros_like(shape).index_add_(0, rival, won.float())
        self._games = self._games * keep + games
        self._draw(ended & self._has_rival)

    @torch.no_grad()
    def act(
        self, units: torch.Tensor, mask: torch.Tensor, where: torch.Tensor, seeds: SeedsOf
    ) -> torch.Tensor:
        """(B,) actions, of the rivals where they decide, and of no meaning elsewhere.

        Args:
            units: (B, N) int8 observations.
            mask: (B, A) 1 for each legal action, `BASES_CHOICE` for the base's.
            where: (B,) bool, where rivals decide.
            seeds: of the seats to move.
        """
        actions = torch.zeros(len(where), dtype=torch.int64, device=self._device)
        for k, name in enumerate(self.names):
            rows = (where & (self.rival == k)).nonzero()[:, 0]
            if not len(rows):
                continue
            if name in self._agents:
                streams = seeds(rows.cpu().numpy())
                actions[rows] = self._ask(self._agents[name], units[rows], mask[rows], streams)
            else:
                policy = self._policies[name]
                log_probabilities = self._network.log_probabilities(units[rows], mask[rows], policy)
                actions[rows] = sampled(log_probabilities, self._random)
        return actions

    def _ask(
        self, agent: Agent, units: torch.Tensor, mask: torch.Tensor, seeds: NDArray[np.uint64]
    ) -> torch.Tensor:
        bits = self._rng.integers(2**64, size=len(units), dtype=np.uint64)
        views = Views(units.cpu().numpy(), mask.clamp(max=1).cpu().numpy(), seeds, bits)
        return torch.as_tensor(agent.act_batch(views).astype(np.int64), device=self._device)

    def add(self, name: str, model: Model) -> None:
        """Add a past self, and choose again which ones play."""
        self.past.add(name, lambda path: model.save(path, "float32"))
        self._replace([*self._agents, *sorted(set(self.past.draw(self._rng)))])

    def _replace(self, names: list[str]) -> None:
        """Set the drawn opponents; games with removed ones continue with others."""
        before, won, games = self.names, self._won, self._games
        moved = [names.index(name) if name in names else LEARNER for name in before]
        self.rival = torch.tensor([*moved, LEARNER], device=self._device)[self.rival]
        self.names = names
        self._won, self._games = self._zeros(), self._zeros()
        for k, place in enumerate(moved):
            if place != LEARNER:
                self._won[place], self._games[place] = won[k], games[k]
        self._load()
        self._draw(self._has_rival & (self.rival == LEARNER))

    def _load(self) -> None:
        """Load the past selves that play, from their files."""
        self._policies = {}
        for name in self.names:
            if name not in self._agents:
                self._policies[name] = self._network.policy_of(Model.read(self.past.path(name)))

    def get_state(self) -> dict[str, Any]:
        """The state that rivals in the same folder continue from, between two rounds."""
        return {
            "pool": self.past.pool,
            "names": self.names,
            "tally": [self._won.tolist(), self._games.tolist()],
            "rival": self.rival.tolist(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave.

        Raises:
            ValueError: if a past self that plays is missing or damaged.
        """
        self.past.pool, self.names = list(state["pool"]), list(state["names"])
        self._won, self._games = torch.tensor(state["tally"], device=self._device)
        self.rival = torch.tensor(state["rival"], device=self._device)
        self._load()


def sampled(log_probabilities: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """(K,) actions drawn by log-probabilities (K, A)."""
    noise = torch.empty_like(log_probabilities).exponential_(generator=generator)
    return (log_probabilities.exp() / noise).argmax(1)
