"""Results of games and matches: plain data, win rates and their intervals."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from catan_pz.arena import statistics
from catan_pz.arena.forfeits import MAX_REASON_LENGTH
from catan_pz.arena.schedule import Lineup, seatings
from catan_pz.arena.statistics import LEVEL, Interval
from catan_pz.checks import not_possible
from catan_pz.names import LONGEST, labels, markdown, shown
from catan_pz.rules import Rules

VICTORY: Final = "victory"
TRUNCATED: Final = "truncated"
FORFEIT: Final = "forfeit"
End = Literal["victory", "truncated", "forfeit"]
"""Ends of games."""


@dataclass(frozen=True)
class GameResult:
    """The result of one game. All tuples are by seat, shape (P,).

    Attributes:
        number: its index in the schedule.
        lineup: index of its line-up.
        block: number of the seed.
        seats: names of the players.
        winner: a seat, or None.
        end: "victory", "truncated" (by the turn limit) or "forfeit".
        offender: the seat that forfeited the game, or None.
        reason: reason of the forfeit.
        turns: turns of all players together.
        points: points at the end, hidden ones included.
        decisions: decisions of each.
        seconds: total time for the decisions of each; ignored by ==.
        reports: result of `Agent.report` of each; empty if there are none; ignored by ==.
    """

    number: int
    lineup: int
    block: int
    seats: tuple[str, ...]
    winner: int | None
    end: End
    offender: int | None
    reason: str
    turns: int
    points: tuple[int, ...]
    decisions: tuple[int, ...]
    seconds: tuple[float, ...] = field(compare=False)
    reports: tuple[dict[str, float], ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class Tally:
    """Totals and means of one entrant: seats that it played, and those that it won."""

    name: str
    seats: int  # 2 in a game with two copies of it
    won: int
    points: float  # mean at the end
    decisions: float  # mean number in a game
    milliseconds: float  # mean time of a decision
    forfeits: int  # games that it forfeited


@dataclass(frozen=True, repr=False)
class Result:
    """The games of a match or tournament, in complete blocks and in order of their numbers.

    Line-ups are indices into the names of the entrants.
    """

    names: tuple[str, ...]
    lineups: tuple[Lineup, ...]
    rules: Rules
    seed: int
    games: tuple[GameResult, ...]

    def __repr__(self) -> str:
        return f"<Result of {len(self.games):,} games between {', '.join(self.names)}>"

    def __str__(self) -> str:
        """The table of win rates."""
        return win_rates(self.labelled()) if self.games else repr(self)

    def labelled(self, longest: int = LONGEST) -> "Result":
        """A copy with names and reasons of forfeits for display in tables and plots."""
        label = labels(self.names, longest)
        games = tuple(
            replace(
                game,
                seats=tuple(label[name] for name in game.seats),
                reason=shown(game.reason, MAX_REASON_LENGTH),
            )
            for game in self.games
        )
        return replace(self, names=tuple(label.values()), games=games)

    def lineup_names(self, lineup: int) -> tuple[str, ...]:
        """Names of those in a line-up."""
        return tuple(self.names[k] for k in self.lineups[lineup])

    def only(self, lineup: Iterable[str]) -> "Result":
        """The games of one line-up, named in any order."""
        wanted = Counter(lineup)
        for k in range(len(self.lineups)):
            if Counter(self.lineup_names(k)) == wanted:
                games = tuple(game for game in self.games if game.lineup == k)
                return Result(self.names, self.lineups, self.rules, self.seed, games)
        known = [self.lineup_names(k) for k in range(len(self.lineups))]
        raise not_possible("line-up", sorted(wanted.elements()), f"one of {known}")

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

    def _check_name(self, name: str) -> None:
        if name not in self.names:
            raise not_possible("name", name, f"one of {list(self.names)}")

    def _column(self, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        self._check_name(name)
        played, won = self._by_block
        k = self.names.index(name)
        there = played[:, k] > 0
        if not there.any():
            raise ValueError(f"{name!r} played no game of this result")
        return played[there, k], won[there, k]

    def win_rate(self, name: str) -> float:
        """Share of an entrant's seats that won; truncated games are not won."""
        played, won = self._column(name)
        return float(won.sum() / played.sum())

    def interval(self, name: str, level: float = LEVEL) -> Interval:
        """Wilson's interval of a win rate, which assumes independent games."""
        played, won = self._column(name)
        z = statistics.normal_quantile(level)
        return statistics.wilson(float(won.sum()), float(played.sum()), z)

    def block_interval(self, name: str, level: float = LEVEL) -> Interval | None:
        """An interval of a win rate that is valid if games of one seed are correlated.

        It is Wilson's interval for the effective number of games; None for a single block.
        """
        played, won = self._column(name)
        return statistics.wilson_by_blocks(won, played, level) if len(won) > 1 else None

    def tally(self, name: str) -> Tally:
        """Totals and means of one entrant."""
        played, won = self._column(name)
        rows = [
            (game.points[p], game.decisions[p], game.seconds[p])
            for game in self.games
            for p, who in enumerate(game.seats)
            if who == name
        ]
        points, decisions, seconds = np.array(rows, float).sum(axis=0)
        seats = int(played.sum())
        offenders = (g.seats[g.offender] for g in self.games if g.offender is not None)
        return Tally(
            name=name,
            seats=seats,
            won=int(won.sum()),
            points=float(points / seats),
            decisions=float(decisions / seats),
            milliseconds=float(1000 * seconds / decisions) if decisions else 0.0,
            forfeits=sum(offender == name for offender in offenders),
        )

    def reported(self, name: str) -> dict[str, float]:
        """Totals of an entrant's figures from `Agent.report`."""
        totals: Counter[str] = Counter()
        for game in self.games:
            for who, report in zip(game.seats, game.reports, strict=False):
                if who == name:
                    totals.update(report)
        return dict(totals)

    def win_rates_by_seat(self, name: str) -> list[float | None]:
        """Win rate in each seat, None if the entrant never had it."""
        self._check_name(name)
        found: list[float | None] = []
        for p in range(self.rules.num_players):
            wins = [game.winner == p for game in self.games if game.seats[p] == name]
            found.append(sum(wins) / len(wins) if wins else None)
        return found

    @property
    def played(self) -> tuple[str, ...]:
        """Names of the players, in the order of `names`."""
        there = {name for game in self.games for name in game.seats}
        return tuple(name for name in self.names if name in there)

    def ends(self) -> dict[str, int]:
        """The number of games ended by victory, by the turn limit, and by forfeit."""
        count = Counter(game.end for game in self.games)
        return {end: count[end] for end in get_args(End)}


def percent(rate: float | None) -> str:
    """A rate in percent."""
    return "" if rate is None else f"{100 * rate:.1f} %"


def percents(interval: Interval | None) -> str:
    """An interval of a rate in percent."""
    return "" if interval is None else f"{100 * interval[0]:.1f} to {100 * interval[1]:.1f} %"


def table(titles: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """A Markdown table."""
    titles = list(titles)
    lines = [titles, ["---"] * len(titles), *rows]
    cells = ([markdown(str(cell)) for cell in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def win_rates(result: Result) -> str:
    """A table of win rates, with their intervals."""
    titles = ["agent", "seats", "won", "win rate", "95 % (Wilson)", "95 % by seeds", "points"]
    titles += ["decisions a game", "ms a decision", "forfeits"]
    rows = []
    for name in sorted(result.played, key=lambda name: -result.win_rate(name)):
        tally, rate = result.tally(name), percent(result.win_rate(name))
        try:
            by_seeds = percents(result.block_interval(name))
        except ImportError:
            by_seeds = "needs scipy"
        means = f"{tally.points:.2f}", f"{tally.decisions:,.1f}", f"{tally.milliseconds:.3g}"
        counts = f"{tally.seats:,}", f"{tally.won:,}"
        intervals = percents(result.interval(name)), by_seeds
        rows.append([name, *counts, rate, *intervals, *means, tally.forfeits])
    return table(titles, rows)


def result_of_drawn_seats(
    names: tuple[str, ...], rules: Rules, seed: int, games: Iterable[GameResult]
) -> Result:
    """The result of all games of a match with external line-ups and seats."""
    ordered = sorted(games, key=lambda game: game.number)
    found = [tuple(sorted(names.index(name) for name in game.seats)) for game in ordered]
    lineups = tuple(sorted(set(found)))
    numbered = (
        replace(game, lineup=lineups.index(lineup))
        for game, lineup in zip(ordered, found, strict=True)
    )
    return Result(names, lineups, rules, seed, tuple(numbered))


def result_of_complete_blocks(
    names: tuple[str, ...],
    lineups: tuple[Lineup, ...],
    rules: Rules,
    seed: int,
    games: Iterable[GameResult],
) -> Result:
    """A result without the games of incomplete blocks, so that seats are balanced."""
    ordered = sorted(games, key=lambda game: game.number)
    sizes = [len(seatings(lineup)) for lineup in lineups]
    count = Counter((game.block, game.lineup) for game in ordered)
    complete = [g for g in ordered if count[g.block, g.lineup] == sizes[g.lineup]]
    return Result(names, lineups, rules, seed, tuple(complete))
