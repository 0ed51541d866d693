"""Candidates of a search, chosen by upper confidence bounds, and the runs that try them.

Letters: S slots of a joint action, k runs.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import NO_ACTION
from catan_pz.agents.random_stream import nth_numbers, uniforms
from catan_pz.published.charlesworth import choices as ch
from catan_pz.published.charlesworth.choices import COLUMN, NUM_SLOTS, Choices, Situations, mask_of
from catan_pz.published.charlesworth.games import Policy, single_actions
from catan_pz.published.factored import UNUSED

DRAWS: Final = 12
"""Samples of a kind at a time, of which the different ones may become candidates."""

MOST_OFFERS: Final = 3

_ORDER: Final = (
    *(ch.SETTLEMENT, ch.CITY, ch.ROBBER, ch.STEAL, ch.DISCARD, ch.RESPOND),
    *(ch.ROAD, ch.PLAY, ch.EXCHANGE, ch.PROPOSE),
)
"""Kinds of which further candidates are taken, in this order, after one of each kind."""


def candidates(
    policy: Policy,
    units: NDArray[np.int8],
    mask: NDArray[np.int8],
    rng: np.random.Generator,
    most: int,
) -> Choices:
    """(candidates, S) different joint actions of one decision, at least one of each legal kind.

    Args:
        policy: samples them.
        units: (N,) observation.
        mask: (A,) legal actions.
        rng: where the samples come from.
        most: how many at most, where there are no more kinds; in the set-up there is one for
            each place of a settlement.
    """
    found = Situations.of(units[None], mask[None])
    kinds = np.flatnonzero(mask_of("kind", found, _none())[0])
    if len(kinds) == 1 and kinds[0] == ch.SETTLEMENT:
        return _all_settlements(found)
    by_kind = _samples(policy, units, mask, kinds.tolist(), rng, most)
    chosen = [own[0] for own in by_kind.values()]
    for kind in _ORDER:
        own = by_kind.get(kind, [])[1:]
        chosen += own[: max(0, most - len(chosen))]
    return np.array(chosen)


def own_first(
    policy: Policy,
    units: NDArray[np.int8],
    mask: NDArray[np.int8],
    rng: np.random.Generator,
    rows: Choices,
) -> Choices:
    """Candidates (n, S) behind the policy's own choice, which may be one of them.

    Args:
        policy: samples its choice.
        units: (N,) observation.
        mask: (A,) legal actions.
        rng: where the sample comes from.
        rows: the candidates.
    """
    own = policy.decide(units[None], mask[None], rng.random((1, ch.NUM_SLOTS))).choices
    return np.array(_different(np.concatenate([own, rows])))


def _samples(
    policy: Policy,
    units: NDArray[np.int8],
    mask: NDArray[np.int8],
    kinds: list[int],
    rng: np.random.Generator,
    most: int,
) -> dict[int, list[NDArray[np.int8]]]:
    """Different joint actions of each kind, as many in all as there may be, or as there are.

    Actions that were drawn are left out when others are drawn; offers are drawn only once.
    """
    by_kind: dict[int, list[NDArray[np.int8]]] = {kind: [] for kind in kinds}
    legal = mask.copy()
    while kinds and sum(map(len, by_kind.values())) < most:
        rows = np.repeat(kinds, DRAWS)
        drawn = policy.decide(
            np.repeat(units[None], len(rows), axis=0),
            np.repeat(legal[None], len(rows), axis=0),
            rng.random((len(rows), ch.NUM_SLOTS)),
            kinds=rows,
        ).choices
        for kind in kinds:
            own = by_kind[kind] + _different(drawn[rows == kind])
            by_kind[kind] = own[: MOST_OFFERS if kind == ch.PROPOSE else None]
        single = single_actions(drawn)
        legal[single[single != NO_ACTION]] = 0
        left = mask_of("kind", Situations.of(units[None], legal[None]), _none())[0]
        kinds = [kind for kind in kinds if left[kind] and kind != ch.PROPOSE]
    return by_kind


def _none() -> Choices:
    return np.full((1, ch.NUM_SLOTS), UNUSED, np.int8)


def _all_settlements(found: Situations) -> Choices:
    first = _none()
    first[0, 0] = ch.SETTLEMENT
    corners = np.flatnonzero(mask_of("corner", found, first)[0])
    rows = np.repeat(first, len(corners), axis=0)
    rows[:, COLUMN["corner"]] = corners
    return rows


def _different(rows: Choices) -> list[NDArray[np.int8]]:
    """Rows of which no two are played by the same actions, in their order."""
    offers = rows.copy()
    for picks in (ch.GIVE, ch.GET):
        offers[:, picks].sort(axis=1)
    found: dict[int | bytes, NDArray[np.int8]] = {}
    for row, offer, action in zip(rows, offers, single_actions(rows).tolist(), strict=True):
        found.setdefault(offer.tobytes() if action == NO_ACTION else action, row)
    return list(found.values())


class Spread:
    """The standard deviation of the last 500 values, at least 1."""

    def __init__(self) -> None:
        self._values: deque[float] = deque(maxlen=500)

    def add(self, value: float) -> None:
        """Add a value."""
        self._values.append(value)

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return max(1.0, float(np.std(self._values))) if self._values else 1.0


@dataclass
class Node:
    """A decision of the searcher with its candidates, chosen by upper confidence bounds.

    Runs that have begun and not yet ended count as visits; the mean of none is 0. After Liu et
    al., "Watch the Unobserved: A Simple Approach to Parallelizing Monte Carlo Tree Search", 2020.

    Attributes:
        rows: (n, S) the candidates.
        finished: (n,) runs that have ended.
        running: (n,) runs that have not.
        total: (n,) sum of the values of those that have ended.
        squares: (n,) sum of the squares of these values.
    """

    rows: Choices
    finished: NDArray[np.int64] = field(init=False)
    running: NDArray[np.int64] = field(init=False)
    total: NDArray[np.float64] = field(init=False)
    squares: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        self.finished = np.zeros(len(self.rows), np.int64)
        self.running = np.zeros(len(self.rows), np.int64)
        self.total = np.zeros(len(self.rows))
        self.squares = np.zeros(len(self.rows))

    @property
    def means(self) -> NDArray[np.float64]:
        """(n,) mean value of each candidate, -inf for those without a finished run."""
        visited = self.finished > 0
        return np.where(visited, self.total / np.maximum(self.finished, 1), -np.inf)

    @property
    def visits(self) -> NDArray[np.int64]:
        """(n,) runs of each candidate, running ones included."""
        return self.finished + self.running

    def begin(self, exploration: float, deviation: float) -> int:
        """The candidate of the next run, which counts as running."""
        visits = self.visits
        bonus = np.sqrt(2 * np.log(self.finished.sum() + 2) / np.maximum(visits, 1))
        means = np.where(self.finished > 0, self.means, 0.0)
        scores = np.where(visits == 0, np.inf, means + exploration * deviation * bonus)
        chosen = int(scores.argmax())
        self.running[chosen] += 1
        return chosen

    def end(self, candidate: int, value: float) -> None:
        """A run of a candidate has ended with a value."""
        self.running[candidate] -= 1
        self.finished[candidate] += 1
        self.total[candidate] += value
        self.squares[candidate] += value * value

    def better_than_first(self, margin: float) -> int:
        """The candidate with the best mean among those that are clearly better than the first.

        Args:
            margin: standard errors by which a mean must exceed that of the first candidate.

        Returns:
            Its index, 0 where none is.
        """
        finished, spare = self.finished, self.finished.sum() - np.count_nonzero(self.finished)
        if finished[0] == 0 or spare == 0:
            return 0
        visited = np.maximum(finished, 1)
        within = (self.squares - self.total**2 / visited).sum() / spare
        errors = np.sqrt(max(within, 0.0) * (1 / visited + 1 / visited[0]))
        means = self.means
        clear = means - means[0] > margin * errors
        return int(np.where(clear, means, -np.inf).argmax()) if clear.any() else 0


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
