"""Candidates of a search: joint actions, tried by confidence bounds, in sampled games.

Letters: S slots of a joint action, n candidates.
"""

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import NO_ACTION
from catan_pz.belief import bounds_of, resampling
from catan_pz.engine.violations import Violation
from catan_pz.game.game import Game
from catan_pz.game.view import View
from catan_pz.published.charlesworth import choices as ch
from catan_pz.published.charlesworth.choices import COLUMN, Choices, Situations, mask_of
from catan_pz.published.charlesworth.games import Policy, single_actions
from catan_pz.published.factored import UNUSED
from catan_pz.rules import Rules
from catan_pz.terms import BANK_PER_RESOURCE, DECK_SIZE, NUM_CARD_KINDS, NUM_RESOURCES

DRAWS: Final = 12
"""Samples of a kind at a time; the different ones may become candidates."""

MOST_OFFERS: Final = 3
"""The most offers among the candidates."""

_ORDER: Final = (
    *(ch.SETTLEMENT, ch.CITY, ch.ROBBER, ch.STEAL, ch.DISCARD, ch.RESPOND),
    *(ch.ROAD, ch.PLAY, ch.EXCHANGE, ch.PROPOSE),
)
"""Kinds of further candidates, in this order, after one of each kind."""

_TRIES: Final = 100
"""Draws by the source's method before the belief's draw is used."""


def candidates(
    policy: Policy,
    units: NDArray[np.int8],
    mask: NDArray[np.int8],
    rng: np.random.Generator,
    most: int,
) -> Choices:
    """(n, S) different joint actions of one decision, (N,) and (A,), sampled from a policy.

    There are up to `most`, but at least one of each legal kind; in set-up one per settlement.
    """
    none = np.full((1, ch.NUM_SLOTS), UNUSED, np.int8)
    found = Situations.of(units[None], mask[None])
    kinds = np.flatnonzero(mask_of("kind", found, none)[0]).tolist()
    if kinds == [ch.SETTLEMENT]:
        none[0, 0] = ch.SETTLEMENT
        corners = np.flatnonzero(mask_of("corner", found, none)[0])
        rows = np.repeat(none, len(corners), axis=0)
        rows[:, COLUMN["corner"]] = corners
        return rows
    by_kind: dict[int, list[NDArray[np.int8]]] = {kind: [] for kind in kinds}
    legal = mask.copy()
    while kinds and sum(map(len, by_kind.values())) < most:
        asked = np.repeat(kinds, DRAWS)
        many = np.zeros(len(asked), np.int64)
        uniforms = rng.random((len(asked), ch.NUM_SLOTS))
        drawn = policy.decide(units[None][many], legal[None][many], uniforms, kinds=asked).choices
        for kind in kinds:
            own = by_kind[kind] + different(drawn[asked == kind])
            by_kind[kind] = own[: MOST_OFFERS if kind == ch.PROPOSE else None]
        single = single_actions(drawn)
        legal[single[single != NO_ACTION]] = 0
        left = mask_of("kind", Situations.of(units[None], legal[None]), none)[0]
        kinds = [kind for kind in kinds if left[kind] and kind != ch.PROPOSE]
    chosen = [own[0] for own in by_kind.values()]
    for kind in _ORDER:
        further = by_kind.get(kind, [])[1:]
        chosen += further[: max(0, most - len(chosen))]
    return np.array(chosen)


def different(rows: Choices) -> list[NDArray[np.int8]]:
    """The rows that are played by different actions, in order."""
    offers = rows.copy()
    for picks in (ch.GIVE, ch.GET):
        offers[:, picks].sort(axis=1)
    found: dict[int | bytes, NDArray[np.int8]] = {}
    for row, offer, action in zip(rows, offers, single_actions(rows).tolist(), strict=True):
        found.setdefault(offer.tobytes() if action == NO_ACTION else action, row)
    return list(found.values())


class Node:
    """A decision of the searcher with its candidates, chosen by upper confidence bounds.

    Unfinished runs count as visits; the mean of no runs is 0. After Liu et al., "Watch the
    Unobserved: A Simple Approach to Parallelizing Monte Carlo Tree Search", 2020.
    """

    def __init__(self, rows: Choices) -> None:
        self.rows = rows  # (n, S) the candidates
        self.finished, self.running = np.zeros((2, len(rows)), np.int64)  # (n,) runs of each
        # (n,) sums of the values of finished runs, and of their squares.
        self.total, self.squares = np.zeros((2, len(rows)))

    @property
    def means(self) -> NDArray[np.float64]:
        """(n,) mean value of each candidate, -inf for those without a finished run."""
        visited = self.finished > 0
        return np.where(visited, self.total / np.maximum(self.finished, 1), -np.inf)

    def begin(self, exploration: float, deviation: float) -> int:
        """Choose the candidate of the next run, and count it as running."""
        visits = self.finished + self.running
        bonus = np.sqrt(2 * np.log(self.finished.sum() + 2) / np.maximum(visits, 1))
        means = np.where(self.finished > 0, self.means, 0.0)
        scores = np.where(visits == 0, np.inf, means + exploration * deviation * bonus)
        chosen = int(scores.argmax())
        self.running[chosen] += 1
        return chosen

    def end(self, candidate: int, value: float) -> None:
        """Record the value of a finished run of a candidate."""
        self.running[candidate] -= 1
        self.finished[candidate] += 1
        self.total[candidate] += value
        self.squares[candidate] += value * value

    def better_than_first(self, margin: float) -> int:
        """The best mean among those `margin` standard errors above the first's; 0 if none is."""
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
    """One run of a candidate.

    `rewards` are those after each own decision, until the next. `values` are those of the own
    decisions after the first; the last is the bootstrap value, unless the game ended.
    """

    candidate: int
    seed: int = 0  # of the run's random numbers
    rewards: list[float] = field(default_factory=lambda: [0.0])
    values: list[float] = field(default_factory=list)
    ended: bool = False  # whether the game ended in the run
    taken: int = 0  # joint actions chosen in it, by any seat

    def add(self, value: float) -> None:
        """Add an own decision with its value."""
        self.values.append(value)
        self.rewards.append(0.0)

    def worth(self, gamma: float, gae_lambda: float) -> float:
        """The first reward plus the lambda-return of the rest; the end of the game has value 0."""
        values = [*self.values, 0.0] if self.ended else self.values
        rewards = self.rewards if self.ended else self.rewards[:-1]
        following = values[-1]
        for reward, value in zip(rewards[:0:-1], values[:0:-1], strict=True):
            # From here on the lambda-return mixes in the critic's value of the next decision.
            following = reward + gamma * ((1 - gae_lambda) * value + gae_lambda * following)
        return rewards[0] + gamma * following


def shuffled(view: View, seat: int, rules: Rules, rng: np.random.Generator) -> Game:
    """A full game that is possible for the seat, sampled by the source's method.

    Such hands are possible, but not distributed as the observations imply. If hands and bank
    needn't add up, the belief's draw is used.
    """
    drawn = view.resample(rng)
    if drawn.validate() != Violation.NONE:
        return drawn
    for _ in range(_TRIES):
        games = drawn.games.copy()
        if not _deal_hands(games[0], seat, rng):
            continue
        _deal_cards(games[0], seat, rng)
        resampling.settle(games, seat)
        game = Game.from_games(games, rules)
        if game.validate() == Violation.NONE:
            return game
    return drawn


def _deal_hands(record: Any, seat: int, rng: np.random.Generator) -> bool:
    """Write hands, and bounds of all observers that allow them; return False on failure.

    The opponents get the fewest cards that they can hold, and the rest one by one at random.
    """
    hands, most = bounds_of(record, seat)
    n = len(hands)
    sizes = record["hand_size"][:n].astype(np.int64)
    left = BANK_PER_RESOURCE - record["bank"].astype(np.int64) - hands.sum(0)
    for r in rng.permutation(np.repeat(np.arange(NUM_RESOURCES), left)):
        room = np.flatnonzero((hands[:, r] < most[:, r]) & (hands.sum(1) < sizes))
        if not len(room):
            return False
        hands[rng.choice(room), r] += 1
    for o in range(n):
        least, most = bounds_of(record, o)
        record["below"][o, :n] = hands - (least if o == seat else np.minimum(least, hands))
        record["above"][o, :n] = (most if o == seat else np.maximum(most, hands)) - hands
        record["below"][o, o] = record["above"][o, o] = 0
    record["hand"][:n] = hands
    return True


def _deal_cards(record: Any, seat: int, rng: np.random.Generator) -> None:
    """Shuffle the development cards of the others and the deck together."""
    others = [p for p in range(int(record["num_players"])) if p != seat]
    held = [int(record["cards"][p].sum()) for p in others]
    start = DECK_SIZE - int(record["deck_left"])
    kinds = np.bincount(record["deck"][start:].astype(np.int64), minlength=NUM_CARD_KINDS)
    kinds = kinds + record["cards"][others].sum(0)
    cards = rng.permutation(np.repeat(np.arange(NUM_CARD_KINDS), kinds))
    for p, own in zip(others, np.split(cards, np.cumsum(held)), strict=False):
        record["cards"][p] = np.bincount(own, minlength=NUM_CARD_KINDS)
        if p == record["turn_player"]:
            new = int(record["new_cards"].sum())
            record["new_cards"] = np.bincount(own[:new], minlength=NUM_CARD_KINDS)
    record["deck"][start:] = cards[sum(held) :]
