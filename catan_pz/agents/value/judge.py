"""Positions and actions judged by a network, with the scratch that this takes."""

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.value import value_calls
from catan_pz.agents.value.net import ValueNet
from catan_pz.agents.value.network import SCRATCH_SIZE
from catan_pz.engine.deal import NO_SCRIPT
from catan_pz.engine.state import STATE, as_games
from catan_pz.observation.segments import SIZE
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS


class Judge:
    """Estimates win probabilities in games of some rules.

    Args:
        rules: of the games.
        net: the network.
    """

    def __init__(self, rules: Rules, net: ValueNet) -> None:
        self._seats, self._net = rules.num_players, net.weights
        self._spare = as_games(np.zeros(1, STATE))
        self._work = np.zeros(SCRATCH_SIZE, np.float32)
        self._values = np.zeros(2 * MAX_PLAYERS)
        self._obs, self._mask = np.zeros(SIZE, np.int8), np.zeros(rules.num_actions, np.int8)

    def worths(
        self, games: np.ndarray, actions: NDArray[np.int64], seed: int
    ) -> NDArray[np.float64]:
        """(K,) what actions are worth to the seat to move, the mean over some games.

        Args:
            games: (D,) `STATE`, the position as it may be.
            actions: (K,) legal actions; those that compose an offer are worth what the position is.
            seed: random bits of the players that play the set-up on.
        """
        total, of_game = np.zeros(len(actions)), np.zeros(len(actions))
        for k in range(len(games)):
            value_calls.judge(
                as_games(games[k : k + 1]),
                self._spare,
                actions,
                np.uint64(seed),
                self._net,
                self._work,
                self._values,
                NO_SCRIPT,
                self._obs,
                self._mask,
                of_game,
            )
            total += of_game
        return total / len(games)

    def win_probabilities(self, games: np.ndarray, viewer: int) -> NDArray[np.float64]:
        """(P,) of each seat as a viewer knows the position, the mean over some games (D,)."""
        total = np.zeros(MAX_PLAYERS)
        for k in range(len(games)):
            value_calls.estimate(
                as_games(games[k : k + 1]), viewer, self._net, self._work, self._values
            )
            total += self._values[:MAX_PLAYERS]
        return total[: self._seats] / len(games)
