"""The schedule of games: line-ups, seatings, and the seeds that pair them.

A block is one seed, with one board, deck, sequence of dice and set of random streams. It is
played once in every distinct seating of every line-up. Games are numbered block by block.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, TypeVar

from catan_pz.agents.random_stream import one_way_seed
from catan_pz.rules import Rules

T = TypeVar("T")

Lineup = tuple[int, ...]
"""The players of a game, in any seats: indices into the list of entrants, increasing."""


@dataclass(frozen=True, slots=True)
class ScheduledGame:
    """A scheduled game: its index, that of its line-up, number of the seed."""

    number: int
    lineup: int
    block: int
    seats: tuple[int, ...]  # (P,) the entrant in each seat, as indices into the list of entrants


def spread(numbers: Sequence[int], most: int | None) -> list[int]:
    """At most `most` numbers of games, evenly spread; None for all of them."""
    count = len(numbers) if most is None else min(most, len(numbers))
    return [numbers[k * len(numbers) // count] for k in range(count)]


def seatings(lineup: Sequence[T]) -> list[tuple[T, ...]]:
    """All distinct orders of a line-up, in lexicographic order.

    Each entrant has each seat equally often, and each neighbor equally often.
    """
    return sorted(set(permutations(lineup)))


def even_lineups(num_entrants: int, num_players: int) -> list[Lineup]:
    """Every line-up with numbers of copies as equal as possible.

    With enough entrants these are all combinations of different ones. With fewer, each plays in
    every line-up, and the remaining seats go to each combination of them in turn.
    """
    copies, left = divmod(num_players, num_entrants)
    everyone = tuple(range(num_entrants)) * copies
    return [tuple(sorted(everyone + more)) for more in combinations(range(num_entrants), left)]


def block_seed(seed: int, block: int) -> int:
    """The seed of the games of a block, from 0 to 2**64 - 1.

    Neither the match's seed nor those of other blocks can be computed from it.
    """
    return one_way_seed(seed, block, "catan-pz block")


@dataclass(frozen=True)
class Schedule:
    """All games of a match or tournament: some of each line-up, the last block completed.

    Line-ups play on the same seeds, or each on separate seeds; then one may be given several
    times.
    """

    lineups: tuple[Lineup, ...]
    games_per_lineup: int
    apart: bool = False

    def games(self) -> Iterator[ScheduledGame]:
        """The games in order of their numbers."""
        orders = [seatings(lineup) for lineup in self.lineups]
        blocks = [-(-self.games_per_lineup // len(order)) for order in orders]
        number = 0
        for block in range(max(blocks)):
            for lineup, order in enumerate(orders):
                if block < blocks[lineup]:
                    seed = block * len(orders) + lineup if self.apart else block
                    for seats in order:
                        yield ScheduledGame(number, lineup, seed, seats)
                        number += 1


@dataclass(frozen=True)
class MatchConfig:
    """Settings of a match, the same for every game and every process that plays one.

    At an external table `play` plays a game: it gets these settings, the `ScheduledGame` and the
    agents, and returns the `GameResult`.
    """

    names: tuple[str, ...]  # of the entrants
    rules: Rules
    seed: int
    seconds_per_decision: float | None = None  # a longer one forfeits the game
    records: Path | None = None  # folder for recorded games
    true_state: tuple[int, ...] = ()  # entrants that get the true state of games
    recorded: frozenset[int] | None = None  # numbers of recorded games; None for all
    play: Callable[..., Any] | None = None

    def records_game(self, number: int) -> bool:
        """Whether a game is recorded."""
        return self.records is not None and (self.recorded is None or number in self.recorded)

    def names_of(self, scheduled: ScheduledGame) -> tuple[str, ...]:
        """(P,) names of the players of a game, by seat."""
        return tuple(self.names[k] for k in scheduled.seats)

    def seed_of(self, scheduled: ScheduledGame) -> int:
        """The seed of a game, from 0 to 2**64 - 1."""
        return block_seed(self.seed, scheduled.block)
