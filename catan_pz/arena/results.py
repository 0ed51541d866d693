"""What games of the arena bring, and what follows from them."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from catan_pz.arena import ratings, statistics
from catan_pz.arena.schedule import Fixture, Lineup, Schedule, seatings
from catan_pz.arena.statistics import Comparison, Interval
from catan_pz.rules import Rules

VICTORY: Final = "victory"
TRUNCATED: Final = "truncated"
FORFEIT: Final = "forfeit"


@dataclass(frozen=True)
class GameResult:
    """One game. All tuples go by seat, shape (P,).

    Attributes:
        number: its place in the schedule.
        lineup: place of its line-up in the list of line-ups.
        block: number of the seed.
        seats: names of who sat there.
        winner: a seat, or None.
        end: "victory", "truncated" (turns allowed were over) or "forfeit".
        offender: the seat that forfeited the game, or None.
        reason: of the forfeit.
        turns: turns of all players together.
        points: at the end, hidden ones included.
        decisions: how often each was asked.
        seconds: that each took for its decisions; no part of comparisons by ==.
    """

    number: int
    lineup: int
    block: int
    seats: tuple[str, ...]
    winner: int | None
    end: str
    offender: int | None
    reason: str
    turns: int
    points: tuple[int, ...]
    decisions: tuple[int, ...]
    seconds: tuple[float, ...] = field(compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The game as JSON values."""
        data = dict(vars(self))
        data["seconds"] = [round(s, 6) for s in self.seconds]
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """A game from JSON values.

        Raises:
            ValueError: if entries are missing, unknown or of another kind.
        """
        try:
            rows = {name: tuple(data[name]) for name in ("seats", "points", "decisions", "seconds")}
            game = cls(**(data | rows))
        except (KeyError, TypeError) as error:
            raise ValueError(f"no result of a game: {error}") from error
        if game.end not in (VICTORY, TRUNCATED, FORFEIT) or len(set(map(len, rows.values()))) != 1:
            raise ValueError(f"no result of a game: end {game.end!r}, seats {game.seats}")
        return game

    def is_of(self, fixture: Fixture, names: Sequence[str]) -> bool:
        """Whether this is the result of a game of the schedule."""
        return (self.number, self.lineup, self.block, self.seats) == (
            fixture.number,
            fixture.lineup,
            fixture.block,
            tuple(names[k] for k in fixture.seats),
        )


@dataclass(frozen=True)
class Tally:
    """What one entrant achieved.

    Attributes:
        name: of the entrant.
        seats: seats that it played; two in a game with two copies of it.
        won: of these.
        points: mean at the end.
        decisions: mean number in a game.
        milliseconds: mean time of a decision.
        forfeits: games that it forfeited.
    """

    name: str
    seats: int
    won: int
    points: float
    decisions: float
    milliseconds: float
    forfeits: int


@dataclass(frozen=True)
class Result:
    """The games of a match or tournament, whole blocks of them, and what follows.

    Attributes:
        names: of the entrants.
        lineups: line-ups, as places in the list of names.
        rules: the rules of all games.
        seed: the seed of the match.
        games: the games, in order of their numbers.
    """

    names: tuple[str, ...]
    lineups: tuple[Lineup, ...]
    rules: Rules
    seed: int
    games: tuple[GameResult, ...]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Result":
        """Read a file of results, whose match need not be finished.

        Games of blocks that aren't complete are left out, so that seats stay balanced.

        Raises:
            ValueError: names the line that is wrong.
        """
        from catan_pz.arena.store import load

        return load(path)

    def lineup_names(self, lineup: int) -> tuple[str, ...]:
        """Names of those in a line-up."""
        return tuple(self.names[k] for k in self.lineups[lineup])

    def only(self, lineup: Iterable[str]) -> "Result":
        """The games of one line-up, named in any order.

        Raises:
            ValueError: if it didn't play.
        """
        wanted = Counter(lineup)
        for k in range(len(self.lineups)):
            if Counter(self.lineup_names(k)) == wanted:
                games = tuple(game for game in self.games if game.lineup == k)
                return Result(self.names, self.lineups, self.rules, self.seed, games)
        known = [self.lineup_names(k) for k in range(len(self.lineups))]
        raise ValueError(f"line-up {sorted(wanted.elements())} didn't play; allowed: {known}")

    @cached_property
    def _by_block(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(B, K) seats that each entrant played in each block, and those that it won."""
        blocks = sorted({game.block for game in self.games})
        row = {block: k for k, block in enumerate(blocks)}
        column = {name: k for k, name in enumerate(self.names)}
        played = np.zeros((len(blocks), len(self.names)), np.int64)
        won = np.zeros_like(played)
        for game in self.games:
            for name in game.seats:
                played[row[game.block], column[name]] += 1
            if game.winner is not None:
                won[row[game.block], column[game.seats[game.winner]]] += 1
        return played, won

    def _column(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        if name not in self.names:
            raise ValueError(f"name={name!r} is not possible; allowed: {list(self.names)}")
        played, won = self._by_block
        k = self.names.index(name)
        there = played[:, k] > 0
        if not there.any():
            raise ValueError(f"{name!r} played no game of this result")
        return played[there, k], won[there, k]

    def win_rate(self, name: str) -> float:
        """Share of the seats played by an entrant that won; truncated games are not won.

        Raises:
            ValueError: for a name that didn't play.
        """
        played, won = self._column(name)
        return float(won.sum() / played.sum())

    def interval(self, name: str, level: float = 0.95, *, by: str = "games") -> Interval:
        """A confidence interval of a win rate.

        Args:
            name: of the entrant.
            level: confidence level.
            by: "games" for Wilson's interval, which takes games for independent, or "blocks"
                for one that holds as well where games of one seed resemble each other.

        Raises:
            ValueError: for a name that didn't play, or a single block with "blocks".
        """
        played, won = self._column(name)
        if by not in ("games", "blocks"):
            raise ValueError(f"option by={by!r} is not possible; allowed: 'games' or 'blocks'")
        if by == "blocks":
            return statistics.wilson_by_blocks(won, played, level)
        z = statistics.normal_quantile(level)
        return statistics.wilson(float(won.sum()), float(played.sum()), z)

    def tally(self, name: str) -> Tally:
        """Figures of one entrant.

        Raises:
            ValueError: for a name that didn't play.
        """
        played, won = self._column(name)
        rows = [
            (game.points[p], game.decisions[p], game.seconds[p])
            for game in self.games
            for p, who in enumerate(game.seats)
            if who == name
        ]
        points, decisions, seconds = np.array(rows, float).sum(axis=0)
        seats = int(played.sum())
        offences = (g.seats[g.offender] for g in self.games if g.offender is not None)
        return Tally(
            name=name,
            seats=seats,
            won=int(won.sum()),
            points=float(points / seats),
            decisions=float(decisions / seats),
            milliseconds=float(1000 * seconds / decisions) if decisions else 0.0,
            forfeits=sum(offender == name for offender in offences),
        )

    def win_rates_by_seat(self, name: str) -> list[float | None]:
        """Win rate in each seat, None where the entrant never sat there."""
        found: list[float | None] = []
        for p in range(self.rules.num_players):
            wins = [game.winner == p for game in self.games if game.seats[p] == name]
            found.append(sum(wins) / len(wins) if wins else None)
        return found

    @property
    def played(self) -> tuple[str, ...]:
        """Names of those who played, in the order of `names`."""
        there = {name for game in self.games for name in game.seats}
        return tuple(name for name in self.names if name in there)

    def ends(self) -> dict[str, int]:
        """How many games ended by victory, by the limit of turns, and by forfeit."""
        count = Counter(game.end for game in self.games)
        return {end: count[end] for end in (VICTORY, TRUNCATED, FORFEIT)}

    def ratings(self, level: float = 0.95, resamples: int = 500) -> list[ratings.Rating]:
        """Ratings by Luce's choice model, the strongest first; truncated games say nothing.

        Raises:
            ValueError: if some entrants never met the others.
        """
        names = self.played
        column = {self.names.index(name): k for k, name in enumerate(names)}
        used = sorted({game.lineup for game in self.games})
        lineups = np.zeros((len(used), len(names)), np.int64)
        for row, lineup in enumerate(used):
            for entrant in self.lineups[lineup]:
                lineups[row, column[entrant]] += 1
        blocks = sorted({game.block for game in self.games})
        place = {block: k for k, block in enumerate(blocks)}
        wins = np.zeros((len(blocks), *lineups.shape), np.int64)
        for game in self.games:
            if game.winner is not None:
                k = names.index(game.seats[game.winner])
                wins[place[game.block], used.index(game.lineup), k] += 1
        return ratings.rate(names, lineups, wins, level=level, resamples=resamples)

    def compare(self, first: str, second: str, level: float = 0.95) -> Comparison:
        """Compare two entrants in line-ups that differ by the one or the other alone.

        Each game is paired with its twin: the same seed and seats, but the second sits where
        the first sat.

        Raises:
            ValueError: if there are no two such line-ups.
        """
        return compare(self, self, level, names=(first, second))

    def to_markdown(self) -> str:
        """The result as a page of Markdown."""
        from catan_pz.arena.report import markdown

        return markdown(self)

    def to_csv(self) -> str:
        """One line a game."""
        from catan_pz.arena.report import csv_of

        return csv_of(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the result whole or not at all, in the form that the file's name asks for.

        Args:
            path: ends with .md, .csv, .png or .svg (the last two are plots).

        Raises:
            ValueError: for any other ending.
            ImportError: where plots lack matplotlib.
        """
        from catan_pz.arena.report import save

        return save(self, path)


def compare(
    first: Result,
    second: Result,
    level: float = 0.95,
    *,
    names: tuple[str, str] | None = None,
) -> Comparison:
    """Compare two players by matches on the same seeds that differ by them alone.

    Args:
        first: a result with the first player.
        second: a result with the second in its place, of the same seed and rules. May be the
            same result.
        level: confidence level.
        names: of the two; found where each result has one line-up.

    Raises:
        ValueError: if seeds or rules differ, or no two line-ups fit.
    """
    if (first.seed, first.rules) != (second.seed, second.rules):
        raise ValueError("results of different seeds or rules can't be compared game by game")
    names = names or _challengers(first, second)
    if names[0] == names[1]:
        raise ValueError(f"names={names!r} is not possible; allowed: two different names")
    twins = {(game.block, game.seats): game for game in second.games}
    blocks: list[int] = []
    won: list[tuple[bool, bool]] = []
    for game in first.games:
        for p, name in enumerate(game.seats):
            other = (*game.seats[:p], names[1], *game.seats[p + 1 :])
            twin = twins.get((game.block, other)) if name == names[0] else None
            if twin is not None:
                blocks.append(game.block)
                won.append((game.winner == p, twin.winner == p))
    if not won:
        raise ValueError(f"no two line-ups differ by {names[0]!r} and {names[1]!r} alone")
    return statistics.compare_pairs(names, blocks, won, level)


def _challengers(first: Result, second: Result) -> tuple[str, str]:
    """Who is in the line-up of one result, but not in that of the other."""
    lineups = [{tuple(sorted(game.seats)) for game in result.games} for result in (first, second)]
    if any(len(found) != 1 for found in lineups):
        raise ValueError("a result has several line-ups or none: give names=(first, second)")
    one, two = (Counter(*found) for found in lineups)
    gone, come = list((one - two).elements()), list((two - one).elements())
    if len(gone) != 1:
        raise ValueError(f"line-ups differ by {gone} and {come}; allowed: by one player each")
    return gone[0], come[0]


def complete(
    names: tuple[str, ...],
    schedule: Schedule,
    rules: Rules,
    seed: int,
    games: Iterable[GameResult],
) -> Result:
    """A result of those games that belong to complete blocks."""
    ordered = sorted(games, key=lambda game: game.number)
    there = Counter((game.block, game.lineup) for game in ordered)
    sizes = [len(seatings(lineup)) for lineup in schedule.lineups]
    whole = [g for g in ordered if there[g.block, g.lineup] == sizes[g.lineup]]
    return Result(names, schedule.lineups, rules, seed, tuple(whole))
