"""One run of the forward search: its rewards, values, and random numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from catan_pz.agents.random_stream import nth_numbers, uniforms
from catan_pz.published.charlesworth.candidates import Node
from catan_pz.published.charlesworth.choices import NUM_SLOTS


@dataclass
class SearchRun:
    """One run from the root.

    Attributes:
        path: nodes with the candidate taken at each, and the number of the own decision.
        seed: of the stream of the run's random numbers.
        rewards: got after each own decision, until the next.
        values: of the own decisions after the first, as the critic has them; the last is that of
            what would have followed, unless the game ended.
        ended: whether the game ended in the run.
        taken: joint actions that were chosen in it, by any seat.
    """

    path: list[tuple[Node, int, int]]
    seed: int = 0
    rewards: list[float] = field(default_factory=lambda: [0.0])
    values: list[float] = field(default_factory=list)
    ended: bool = False
    taken: int = 0

    def add(self, value: float) -> None:
        """The run is at an own decision, whose value this is."""
        self.values.append(value)
        self.rewards.append(0.0)

    def returns(self, gamma: float, gae_lambda: float) -> list[float]:
        """What each own decision was worth: its reward, then the lambda-return of the rest.

        The last value stands for what would have followed; nothing follows the end of a game.
        """
        values = [*self.values, 0.0] if self.ended else self.values
        rewards = self.rewards if self.ended else self.rewards[:-1]
        following, found = values[-1], []
        for reward, value in zip(rewards[::-1], values[::-1], strict=True):
            found.append(reward + gamma * following)
            # The lambda-return from here on mixes in the critic's value of the next decision.
            following = reward + gamma * ((1 - gae_lambda) * value + gae_lambda * following)
        return found[::-1]


def next_uniforms(runs: Sequence[SearchRun]) -> NDArray[np.float64]:
    """(k, S) the next numbers in [0, 1) of each run, which hang on no other run."""
    seeds = np.array([run.seed for run in runs], np.uint64)
    taken = np.array([run.taken for run in runs])
    for run in runs:
        run.taken += 1
    bits = nth_numbers(seeds[:, None], taken[:, None] * NUM_SLOTS + np.arange(NUM_SLOTS))
    return uniforms(bits)
