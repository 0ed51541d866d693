"""Ladders: entrants play the most informative games until all ratings are precise.

A ladder is played in rounds. Each selects blocks of games one by one, always the line-up that most
reduces the variance per game of the ratings that aren't precise yet (A-optimal design, by the
Fisher information of the rating model; V. V. Fedorov, Theory of Optimal Experiments, 1972). Each
round is a file of results, from which a ladder continues.
"""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations_with_replacement, count
from math import inf
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from catan_pz.agents.random_stream import one_way_seed
from catan_pz.arena.entrants import AgentSpec, as_entrants
from catan_pz.arena.match import MatchOptions, play_schedule
from catan_pz.arena.ratings import ELO, VIRTUAL_GAMES, Rating, ratings_of
from catan_pz.arena.results import Result, result_of_drawn_seats
from catan_pz.arena.results_file import found_lineups
from catan_pz.arena.schedule import Lineup, Schedule, seatings
from catan_pz.checks import check_count, check_number, check_seed, not_possible
from catan_pz.files import read_text
from catan_pz.rules import Rules

GROWTH: Final = 4
"""A round has at most two blocks per entrant, or a block for every four played before."""

RECORDED: Final = 2
"""Recorded games per round."""

ROBOTS: Final = ("jsettlers:smart", "jsettlers:fast")
"""Entrants that play at their own tables, with all seats but one."""

TABLE_GAMES: Final = 40
"""A round at such tables, of one agent against robots of one kind."""

PlayAtTable = Callable[[AgentSpec, str, Path], Result]
"""Plays or continues a round of an agent against `ROBOTS` of a kind, in a file."""


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """A ladder, as its file describes it.

    Attributes:
        folder: its folder, beside the file.
        entrants: agents as named for `catan_pz.agents.load`, or `ROBOTS`, by their names in the
            ladder.
        rules: rules of its games.
        precision: half the width of each 95 % interval, in Elo points, at which it ends.
        games: most games; the last round is completed.
        seed: None to draw one for each round.
        seconds: time limit of a decision; a longer one forfeits the game.
    """

    folder: Path
    entrants: Mapping[str, str]
    rules: Rules
    precision: float = 20
    games: int = 20_000
    seed: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        check_number("precision", self.precision, above=0)
        check_count("games", self.games)
        if self.seed is not None:
            check_seed(self.seed)
        if self.seconds is not None:
            check_number("seconds", self.seconds, above=0)
        given = self.entrants
        if not isinstance(given, dict) or len(given) < 2 or {*map(type, given.values())} != {str}:
            allowed = 'two or more lines such as search = "search:simulations=100"'
            raise not_possible("entrants", given, allowed)
        for spec in (robots := [x for x in given.values() if x.startswith("jsettlers:")]):
            if spec not in ROBOTS or robots.count(spec) > 1 or len(robots) == len(given):
                allowed = f"one of {', '.join(ROBOTS)}, each once and not without others"
                raise not_possible("entrant", spec, allowed)

    @classmethod
    def read(cls, path: Path) -> Self:
        """The ladder of a TOML file."""
        try:
            given = tomllib.loads(read_text(path))
            known = [field.name for field in fields(cls) if field.name != "folder"]
            for name in given:
                if name not in known:
                    raise not_possible("an entry", name, f"one of {', '.join(known)}", known)
            if "entrants" not in given:
                raise ValueError('there are no [entrants], lines such as search = "search"')
            rules = given.pop("rules", {})
            made = Rules.preset(rules) if isinstance(rules, str) else Rules.from_dict(rules)
            return cls(folder=path.with_suffix(""), rules=made, **given)
        except ValueError as error:  # also for invalid TOML
            raise ValueError(f"{path}: {error}") from error

    @cached_property
    def robots(self) -> dict[str, str]:
        """Kinds of those entrants that are `ROBOTS`, with their names."""
        return {spec: name for name, spec in self.entrants.items() if spec in ROBOTS}

    def play(
        self,
        agents: Sequence[AgentSpec],
        match: MatchOptions,
        play_at_table: PlayAtTable | None = None,
    ) -> Iterator["Standing"]:
        """Play the remaining rounds; yield the standing before each one, and at the end.

        `agents` are pairs of names and agents, one per entrant except `ROBOTS`; options of `match`
        that name files are set here.
        """
        named = {entrant.name: entrant for entrant in as_entrants(agents)[0]}
        done: list[Result] = []
        for number in count(1):
            path = self.folder / f"round-{number:03}.jsonl"
            lineups = found_lineups(path)
            if lineups is None:
                standing = Standing.of(self, done)
                if done:
                    yield standing
                if standing.is_over:
                    return
                lineups = [[standing.names[k] for k in one] for one in standing.next_lineups()]
            seated = {self.robots.get(name, name) for one in lineups for name in one}
            for name in seated - named.keys() - set(self.robots.values()):
                raise ValueError(
                    f"{path} has games of {name!r}: enter it again, or begin another ladder"
                )
            played = [name for name in named if name in seated]
            spec = next((x for x, name in self.robots.items() if name in seated), None)
            if spec is not None:
                assert play_at_table is not None
                (name,) = played
                there = play_at_table((name, named[name].source), spec, path)
                done.append(_with_robots(there, name, self.robots[spec]))
                continue
            indices = tuple(tuple(sorted(map(played.index, one))) for one in lineups)
            seed = self.seed
            done.append(
                play_schedule(
                    [named[name] for name in played],
                    Schedule(indices, 1, apart=True),
                    self.rules,
                    None if seed is None else one_way_seed(seed, number, "catan-pz ladder"),
                    replace(
                        match,
                        results=path,
                        records=path.with_suffix(""),
                        most_records=RECORDED,
                        seconds_per_decision=self.seconds,
                    ),
                )
            )


def _with_robots(result: Result, agent: str, robots: str) -> Result:
    """Games of one agent, with all others under their robots' name in the ladder."""
    games = [
        replace(game, seats=tuple(name if name == agent else robots for name in game.seats))
        for game in result.games
    ]
    return replace(result, games=tuple(games))


@dataclass(frozen=True)
class Standing:
    """The standing of a ladder: all its games and their ratings."""

    ladder: Ladder
    result: Result

    @classmethod
    def of(cls, ladder: Ladder, rounds: Sequence[Result]) -> Self:
        """The standing after some rounds."""
        games, blocks = [], 0
        for one in rounds:
            games += [replace(game, block=blocks + game.block) for game in one.games]
            blocks += len(one.lineups)
        numbered = [replace(game, number=k) for k, game in enumerate(games)]
        seed = ladder.seed if ladder.seed is not None or not rounds else rounds[0].seed
        names = tuple(ladder.entrants)
        return cls(ladder, result_of_drawn_seats(names, ladder.rules, seed or 0, numbered))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the entrants."""
        return self.result.names

    @cached_property
    def ratings(self) -> list[Rating]:
        """The ratings, the strongest first; none if some never met the others."""
        return ratings_of(self.result)

    @cached_property
    def precision(self) -> dict[str, float]:
        """Half the width of each entrant's interval; infinite if an end is open."""
        found = {rating.name: rating.half_width for rating in self.ratings}
        return {name: found.get(name, inf) for name in self.names}

    @property
    def is_precise(self) -> bool:
        """Whether all ratings are as precise as required."""
        return max(self.precision.values()) <= self.ladder.precision

    @property
    def is_over(self) -> bool:
        """Whether the ladder is finished."""
        return self.is_precise or len(self.result.games) >= self.ladder.games

    def next_lineups(self) -> list[Lineup]:
        """The line-ups of the next round, one per block.

        Or a single one with robots, which have their own tables, if half of the most informative
        games are played there.
        """
        players, k = self.ladder.rules.num_players, len(self.names)
        rated = {rating.name: rating.rating / ELO for rating in self.ratings}
        strengths = np.array([rated.get(name, 0.0) for name in self.names])
        widths = np.array([self.precision[name] for name in self.names])
        robots = {self.names.index(name) for name in self.ladder.robots.values()}
        lineups = [
            x
            for x in combinations_with_replacement(range(k), players)
            if len({*x}) > 1 and _is_possible(Counter(x), robots)
        ]
        sizes = [len(seatings(lineup)) for lineup in lineups]
        copies = np.array([[lineup.count(one) for one in range(k)] for lineup in lineups])
        odds = copies * np.exp(strengths - strengths.max())
        chances = odds / odds.sum(axis=1, keepdims=True)  # (L, K) probabilities of winning

        def information(row: int) -> Any:
            return np.diag(chances[row]) - np.outer(chances[row], chances[row])

        # (K, K) information of the games so far, with the prior of the ratings.
        known = np.eye(k) * VIRTUAL_GAMES / 4
        index = {lineup: row for row, lineup in enumerate(lineups)}
        games = np.bincount(
            [index[self.result.lineups[game.lineup]] for game in self.result.games],
            minlength=len(lineups),
        )
        for row in games.nonzero()[0].tolist():
            known += games[row] * information(row)
        centred = np.eye(k) - 1 / k
        # Variances at which the round ends; precise ratings don't count.
        variances = (centred @ np.linalg.inv(known) @ centred).diagonal()
        shares = self.ladder.precision / widths
        goal = np.where(shares < 1, variances * shares**2, np.inf)
        chosen: list[Lineup] = []
        for _ in range(max(2 * k, round(sum(games / sizes)) // GROWTH)):
            covariance = np.linalg.inv(known)
            is_open = (centred @ covariance @ centred).diagonal() > goal
            if not is_open.any():
                break
            wanted = centred * is_open @ centred
            slope = covariance @ wanted @ covariance
            gain = chances @ slope.diagonal() - ((chances @ slope) * chances).sum(axis=1)
            best = int(gain.argmax())
            known += sizes[best] * information(best)
            chosen.append(lineups[best])
        at_tables = [lineup for lineup in chosen if robots.intersection(lineup)]
        if 2 * len(at_tables) < len(chosen):
            return sorted(lineup for lineup in chosen if not robots.intersection(lineup))
        return [Counter(at_tables).most_common(1)[0][0]]


def _is_possible(lineup: Counter[int], robots: AbstractSet[int]) -> bool:
    """Whether it has no robots, or all except one are robots of one kind."""
    there = robots & lineup.keys()
    return not there or (len(there) == 1 and lineup[min(there)] == lineup.total() - 1)
