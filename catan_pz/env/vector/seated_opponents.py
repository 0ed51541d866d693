"""The opponents of a batch with one learner a game: who plays where, and what they choose."""

from collections.abc import Callable, Collection, Iterator

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.base import Agent, SeatResult
from catan_pz.agents.hosting import SeatedCopies, blamed
from catan_pz.agents.random_stream import SeatSeeds, nth_numbers
from catan_pz.agents.registry import Opponents, as_opponents
from catan_pz.agents.views import Views
from catan_pz.game.arguments import integers
from catan_pz.rules import Rules


def check_served(agent: Agent, given: object) -> None:
    """Refuse an opponent that asks for what batches don't have.

    Args:
        agent: the opponent.
        given: what the error names as the option.
    """
    if agent.needs_belief:
        raise ValueError(
            f"option opponents={given!r}: agent {agent.name!r} needs a belief, which "
            "batches don't keep; allowed: agents without `needs_belief`"
        )
    if agent.needs_events:
        raise ValueError(
            f"option opponents={given!r}: agent {agent.name!r} observes events, which "
            "batches don't write; allowed: agents without `observe`"
        )


class SeatedOpponents:
    """The opponents in B games, by their place from the learner's left.

    Args:
        num_games: B.
        rules: of all games.
        result: gives the result of a game for a seat.

    Attributes:
        agents: of each place, None for random players.
        decisions: (B, P) int64, how often each seat has been asked in its game.
    """

    def __init__(
        self, num_games: int, rules: Rules, result: Callable[[int, int], SeatResult]
    ) -> None:
        self.agents: list[Agent | None] = []
        self.decisions = np.zeros((num_games, rules.num_players), np.int64)
        self._rules = rules
        self._result = result
        self._all_games = range(num_games)
        self._copies = SeatedCopies(rules)
        self._seeds = SeatSeeds(num_games, rules.num_players)

    def checked(self, given: Opponents) -> list[Agent | None]:
        """The agents of each place."""
        agents = as_opponents(given, self._rules.num_players - 1)
        for agent in agents:
            if agent is None:
                continue
            check_served(agent, given)
            agent.check_rules(self._rules)
        return agents

    def replace(self, agents: list[Agent | None]) -> None:
        """Dismiss all copies, and let these play from their next decision on."""
        self.leave()
        self.agents = agents

    @property
    def random_places(self) -> int:
        """Places of random players, one bit each; the learner has bit 0."""
        return sum(1 << place for place, agent in enumerate(self.agents, 1) if agent is None)

    @property
    def names(self) -> list[str]:
        """Names of the agents that have copies in a game, which may keep something of it."""
        return self._copies.names

    def leave(self, games: Collection[int] | None = None) -> None:
        """Dismiss the copies in some games, or in all."""
        self._copies.leave(self._all_games if games is None else games, self._result)

    def forget(self, games: NDArray[np.intp]) -> None:
        """Start the random streams anew in games that are over, and dismiss the copies there."""
        self.decisions[games] = 0
        self.leave(set(games.tolist()))

    def choices(
        self,
        rows: NDArray[np.intp],
        seats: NDArray[np.int8],
        learners: NDArray[np.int8],
        seeds: NDArray[np.uint64],
        observation: NDArray[np.int8],
        mask: NDArray[np.int8],
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.int64]]]:
        """Ask each agent once for all games in which it is to move.

        Args:
            rows: (K,) games in which an opponent is to move.
            seats: (K,) the seat that is to move in each.
            learners: (B,) the learner's seat in each game.
            seeds: (B,) of the games.
            observation: (B, N) what the seat to move sees in each.
            mask: (B, A) its legal actions.

        Yields:
            Some of the games, and the action chosen in each, which may be any integer.
        """
        places = (seats - learners[rows]) % self._rules.num_players
        for agent in {id(agent): agent for agent in self.agents if agent is not None}.values():
            own = np.isin(places, [k for k, one in enumerate(self.agents, 1) if one is agent])
            if not own.any():
                continue
            asked, asked_seats = rows[own], seats[own]
            streams = self._seeds.of(seeds, asked, asked_seats)
            random_bits = nth_numbers(streams, self.decisions[asked, asked_seats])
            self.decisions[asked, asked_seats] += 1
            seated = self._copies.rows(asked, asked_seats, streams)
            views = Views(observation[asked], mask[asked], streams, random_bits, seated)
            with blamed(agent):
                given = agent.act_batch(views)
            yield asked, integers(given, len(asked), f"actions of opponent {agent!r}")
