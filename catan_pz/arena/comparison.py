"""Paired comparison of two players, on the same seeds and in the same seats."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catan_pz.arena.results import Result
from catan_pz.arena.statistics import (
    LEVEL,
    Interval,
    check_level,
    least_variance,
    mcnemar,
    mean_interval,
)


@dataclass(frozen=True)
class Comparison:
    """Two players compared in the same seats, on the same seeds, against the same others.

    Attributes:
        pairs: number of games compared, each with its twin.
        blocks: number of their seeds.
        both, only_first, only_second, neither: pairs by the players who won their game.
        difference: win rate of the first minus that of the second.
        interval: interval of the difference, by blocks (Student's t on the means of blocks, with a
            least variance); None for a single block.
        p_value: McNemar's exact test, two-sided, which assumes independent pairs.
    """

    first: str
    second: str
    pairs: int
    blocks: int
    both: int
    only_first: int
    only_second: int
    neither: int
    difference: float
    interval: Interval | None
    level: float
    p_value: float

    def __str__(self) -> str:
        ends = "no interval"
        if self.interval is not None:
            low, high = (100 * end for end in self.interval)
            ends = f"{100 * self.level:g} % interval {low:+.1f} to {high:+.1f}"
        return (
            f"{self.first} against {self.second}, {self.pairs:,} pairs of games: win rates "
            f"differ by {100 * self.difference:+.1f} percentage points ({ends}); "
            f"p = {self.p_value:.2g} (McNemar)"
        )


def compare(
    first: Result, second: Result, level: float = LEVEL, *, names: tuple[str, str] | None = None
) -> Comparison:
    """Compare two players by matches on the same seeds that differ only in them.

    Each game is paired with its twin: the same seed and seats, but the second player has the first
    one's seat.

    Args:
        first: a result with the first player.
        second: a result with the second player in the first one's seat, of the same seed and
            rules. May be the same result, such as that of a tournament.
        level: confidence level.
        names: names of the two; optional if each result has one line-up.
    """
    if (first.seed, first.rules) != (second.seed, second.rules):
        raise ValueError("results of different seeds or rules can't be compared game by game")
    one, two = names or _different_names(first, second)
    twins = {(game.block, game.seats): game for game in second.games}
    blocks: list[int] = []
    won: list[tuple[bool, bool]] = []
    for game in first.games:
        for p, name in enumerate(game.seats):
            other = (*game.seats[:p], two, *game.seats[p + 1 :])
            twin = twins.get((game.block, other)) if name == one != two else None
            if twin is not None:
                blocks.append(game.block)
                won.append((game.winner == p, twin.winner == p))
    if not won:
        raise ValueError(f"no two line-ups differ by {one!r} and {two!r} alone")
    return compare_pairs((one, two), blocks, won, level)


def _different_names(first: Result, second: Result) -> tuple[str, str]:
    """The one name only in the first result's line-up, and its counterpart."""
    lineups = [{tuple(sorted(game.seats)) for game in result.games} for result in (first, second)]
    if any(len(found) != 1 for found in lineups):
        raise ValueError("a result has several line-ups or none: give names=(first, second)")
    one, two = (Counter(*found) for found in lineups)
    only_first, only_second = list((one - two).elements()), list((two - one).elements())
    if len(only_first) != 1:
        raise ValueError(
            f"line-ups must differ by one player each; they differ by {only_first} and "
            f"{only_second}"
        )
    return only_first[0], only_second[0]


def compare_pairs(
    names: tuple[str, str], blocks: Sequence[int], won: Sequence[tuple[bool, bool]], level: float
) -> Comparison:
    """Compare two players by G pairs of games: the block of each, and each player's wins."""
    wins = np.array(won, bool)
    differences: NDArray[np.int64] = wins[:, 0].astype(np.int64) - wins[:, 1]
    _, block = np.unique(np.asarray(blocks), return_inverse=True)
    sums = np.bincount(block, differences)
    sizes = np.bincount(block)
    difference = float(differences.mean())
    # If blocks have different sizes, this is the linearised ratio of the two sums.
    values = difference + (sums - difference * sizes) / sizes.mean()
    only_first = int((wins[:, 0] & ~wins[:, 1]).sum())
    only_second = int((wins[:, 1] & ~wins[:, 0]).sum())
    both = int(wins.all(axis=1).sum())
    least = least_variance(only_first, only_second, len(wins), len(sizes))
    interval = None
    if len(sizes) > 1:
        low, high = mean_interval(values, level, least)
        interval = max(-1.0, low), min(1.0, high)
    return Comparison(
        first=names[0],
        second=names[1],
        pairs=len(wins),
        blocks=len(sizes),
        both=both,
        only_first=only_first,
        only_second=only_second,
        neither=len(wins) - both - only_first - only_second,
        difference=difference,
        interval=interval,
        level=check_level(level),
        p_value=mcnemar(only_first, only_second),
    )
