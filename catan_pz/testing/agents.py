"""Checks of a player program: legal, settled by its seed, blind to what is hidden."""

from copy import deepcopy
from typing import Any

import numpy as np

from catan_pz.agents.base import Agent
from catan_pz.agents.random import RandomAgent
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.registry import as_agent
from catan_pz.agents.table import Table
from catan_pz.belief import Belief
from catan_pz.checks import as_action, check_count, check_seed
from catan_pz.game.game import Game
from catan_pz.game.view import View
from catan_pz.rules import Rules
from catan_pz.testing.batch import AgentError, check_batch_agent, worded

REPEATS = 4
"""How often a choice is asked for again before it counts as settled."""


def check_agent(
    agent: Agent | str,
    rules: Rules | str | None = None,
    *,
    games: int = 4,
    seed: int = 0,
    **options: Any,
) -> None:
    """Check that an agent plays as agents must. Returns nothing if it does.

    It plays games against random players, each seat in turn, and is looked at in every
    decision with a choice:

    - what it chooses is a legal action;
    - it chooses the same when asked again, and when the game is played again: all randomness
      comes from `Agent.random`, and nothing is left over from another game;
    - it chooses the same when all that its seat can't know is drawn anew from the exact belief;
    - it leaves the view as it is.

    For a stateless agent, such as a `BatchAgent`, `check_batch_agent` follows.

    Args:
        agent: the agent, or the name of one. It must allow `copy.deepcopy`.
        rules: a `Rules`, a preset's name, or None for the base game.
        games: games to play. Each choice is asked for up to three times more.
        seed: of the first game; further ones follow from it.
        **options: single options of `Rules`; a small `max_turns` saves time.
    """
    agent = as_agent(agent)
    rules = Rules.make(rules, **options)
    seed = check_seed(seed)
    for number in range(check_count("games", games)):
        where = _Place(agent, rules, number % rules.num_players, (seed + number) % 2**64)
        pairs = zip(where.play(looked_at=True), where.play(looked_at=False), strict=False)
        for k, (one, other) in enumerate(pairs):
            if one != other:
                raise AgentError(
                    f"{where}, decision {k}: {worded(one, rules)}, but {worded(other, rules)} when "
                    "the same game is played again. All randomness must come from `Agent.random`, "
                    "and `reset` must create anew whatever a game changes"
                )
    if agent.stateless:
        check_batch_agent(agent, rules, seed=seed)


class _Place:
    """A seat of one game, in which an agent is looked at."""

    def __init__(self, agent: Agent, rules: Rules, seat: int, seed: int) -> None:
        self.agent, self.rules, self.seat, self.seed = agent, rules, seat, seed

    def __str__(self) -> str:
        return f"agent {self.agent.name!r}, game of seed {self.seed}, seat {self.seat}"

    def play(self, looked_at: bool) -> list[int]:
        """Play the game to its end; the agent's choices."""
        game = Game(self.rules, self.seed)
        seats: list[Agent | None] = [RandomAgent() for _ in range(self.rules.num_players)]
        seats[self.seat] = self.agent
        belief = Belief(self.seat, game.state)
        game.listeners.append(belief.listen)
        chosen: list[int] = []
        with Table(game, seats, seat_seeds(self.seed, self.rules.num_players)) as table:
            player = table.agents[self.seat]
            assert player is not None
            while not (game.is_over or game.is_truncated):
                if game.player != self.seat:
                    table.step()
                    continue
                spot = f"{self}, decision {len(chosen)} ({game.phase.name.lower()})"
                view = table.view(self.seat)
                if looked_at and int(view.mask.sum()) > 1:
                    action = self._look(spot, game, belief, player, view)
                else:
                    action = self._ask(spot, player, view)
                chosen.append(action)
                game.step(action)
        return chosen

    def _ask(self, spot: str, player: Agent, view: View) -> int:
        """A choice, checked for what can be seen of it alone."""
        before = view.observation.tobytes(), view.mask.tobytes()
        given = player.act(view)
        try:
            action = as_action(given)
        except TypeError as error:
            raise AgentError(f"{spot}: {error}") from None
        if (view.observation.tobytes(), view.mask.tobytes()) != before:
            raise AgentError(f"{spot}: it changed its view; copy what is to be written to")
        if not (0 <= action < len(view.mask) and view.mask[action]):
            raise AgentError(f"{spot}: {worded(action, self.rules)} is not legal")
        return action

    def _look(self, spot: str, game: Game, belief: Belief, player: Agent, view: View) -> int:
        """A choice, compared with those of copies, made with other hidden cards in the game."""
        # A copy holds copies of whatever the player holds, of the game as well; so the player
        # itself is the one who chooses while the hidden cards are others.
        copies = [deepcopy(player) for _ in range(2)]
        first = self._ask(spot, copies[0], self._fresh(view))
        truth = game.games.copy()
        rng = np.random.default_rng([self.seed, int(view.observation.sum()) & 0xFFFF, first])
        game.games[0] = belief.resample(game.state, rng)[0]
        try:
            blind = self._ask(spot, player, self._fresh(view))
        finally:
            game.games[0] = truth[0]
        if blind == first:
            return first
        told = f"{spot}: {worded(first, self.rules)}, but"
        for _ in range(REPEATS):
            again = self._ask(spot, deepcopy(copies[1]), self._fresh(view))
            if again != first:
                raise AgentError(
                    f"{told} {worded(again, self.rules)} when asked again. All randomness must "
                    "come from `Agent.random`"
                )
        raise AgentError(
            f"{told} {worded(blind, self.rules)} when cards that its seat can't see are others. It "
            "must choose by its view alone"
        )

    @staticmethod
    def _fresh(view: View) -> View:
        return View(view.observation.copy(), view.mask.copy(), view._resampler)
