"""One game between agents."""

from collections.abc import Sequence
from copy import copy
from functools import partial

import numpy as np

from catan_pz.agents.base import Agent
from catan_pz.belief import Belief
from catan_pz.checks import as_action
from catan_pz.runtime.game import Game, IllegalActionError
from catan_pz.runtime.view import View, view_of


def resampled(belief: Belief, game: Game, rng: np.random.Generator) -> Game:
    """A game drawn from what a belief about another one leaves open."""
    return Game.from_games(belief.resample(game.state, rng), game.rules)


class Table:
    """Hosts a game between agents: shows each what its seat may know, and plays its choices.

    For agents with `needs_belief` a `Belief` follows the game from here on; it is exact if
    the game has only begun.

    Args:
        game: the game, also in its middle.
        agents: one for each seat, None for a seat that is played from outside. Copies sit
            down, so that one object may be given for several seats and tables.
        seeds: for each seat the seed of the agent's draws; `draws.seat_seeds` makes some.

    Attributes:
        game: the game.
        agents: the copies that play, by seat.

    Raises:
        ValueError: for another number of agents or seeds than there are seats, or a seed that
            is not possible.
    """

    def __init__(self, game: Game, agents: Sequence[Agent | None], seeds: Sequence[int]) -> None:
        count = game.rules.num_players
        for name, given in (("agents", agents), ("seeds", seeds)):
            if len(given) != count:
                raise ValueError(f"there are {len(given)} {name}; allowed: {count}, one a seat")
        self.game = game
        self.agents: list[Agent | None] = []
        self._beliefs: dict[int, Belief] = {}
        for seat, (agent, seed) in enumerate(zip(agents, seeds, strict=True)):
            own = copy(agent)
            self.agents.append(own)
            if own is not None:
                own.reset(seat, game.rules, seed)
                if own.needs_belief:
                    self._beliefs[seat] = belief = Belief(seat, game.state)
                    game.listeners.append(belief.listen)

    def view(self, seat: int) -> View:
        """What a seat may know now."""
        if seat not in self._beliefs:
            return view_of(self.game, seat)
        return view_of(self.game, seat, partial(resampled, self._beliefs[seat], self.game))

    def decide(self) -> int:
        """The choice of the agent that is to move; the game is left as it is.

        Raises:
            RuntimeError: if the game is finished, or no agent plays the seat to move.
            IllegalActionError: if the choice isn't legal; names the agent.
            TypeError: if it is no integer.
        """
        game = self.game
        seat = game.player
        agent = self.agents[seat]
        if agent is None or game.is_over or game.is_truncated:
            raise RuntimeError("no agent is to move" if agent is None else "the game is finished")
        view = self.view(seat)
        action = as_action(agent.act(view, view.mask))
        try:
            game.check(action)
        except IllegalActionError as error:
            raise IllegalActionError(f"agent {agent.name!r} in seat {seat}: {error}") from None
        return action

    def step(self) -> int:
        """Play the choice of the agent that is to move, and return it.

        Raises:
            RuntimeError, IllegalActionError, TypeError: as `decide`.
        """
        action = self.decide()
        self.game.step(action)
        return action

    def play(self) -> int | None:
        """Play to the end; the winner, or None where the turns allowed are over.

        Raises:
            RuntimeError, IllegalActionError, TypeError: as `decide`.
        """
        while not (self.game.is_over or self.game.is_truncated):
            self.step()
        return self.game.winner

    def leave(self) -> None:
        """Stop following the game."""
        listening = [belief.listen for belief in self._beliefs.values()]
        self.game.listeners = [one for one in self.game.listeners if one not in listening]
        self._beliefs.clear()
