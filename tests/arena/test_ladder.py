"""Ladders: which games are played, ratings, and resuming."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz.arena import MatchOptions, load_results, rate
from catan_pz.arena.ladder import Ladder, Standing
from catan_pz.arena.ratings import ELO
from catan_pz.arena.results import GameResult, Result, result_of_drawn_seats
from catan_pz.arena.results_file import DRAWN_SEATS, FORMAT, results_file
from catan_pz.rules import Rules
from tests.arena.players import QUICK, Builder, Failing

RULES = Rules.make(num_players=2, **QUICK)
AGENTS: list[tuple[str, Any]] = [
    ("eager", Builder()),
    ("random", "random"),
    ("weighted", "weighted"),
]
PAIRS = [(0, 1), (0, 2), (1, 2)]


def ladder(folder: Path, **options: Any) -> Ladder:
    entrants = {name: name for name, _ in AGENTS}
    given = {"precision": 110, "games": 200, "seed": 3, "rules": RULES}
    return Ladder(folder=folder, **{"entrants": entrants} | given | options)


def last(made: Ladder, agents: Any = AGENTS, **options: Any) -> Standing:
    """Where a ladder ends."""
    *_, standing = made.play(agents, MatchOptions(progress=False, **options))
    return standing


def variance(standing: Standing, more: tuple[str, ...]) -> float:
    """Of all ratings by the information of the games and of one block more, summed up."""
    t = np.array([{r.name: r.rating / ELO for r in standing.ratings}[n] for n in standing.names])
    information = np.eye(len(t)) / 4
    for seats in [*(game.seats for game in standing.result.games), more, more]:
        odds = np.array([seats.count(name) for name in standing.names]) * np.exp(t)
        p = odds / odds.sum()
        information += np.diag(p) - np.outer(p, p)
    centred = np.eye(len(t)) - 1 / len(t)
    return float(np.trace(centred @ np.linalg.inv(information) @ centred))


def test_the_next_block_tells_most() -> None:
    # Two have met often and are even; the third has met the second alone, and mostly lost.
    pairs = [("eager", "random"), ("random", "eager")] * 60
    pairs += [("random", "weighted")] * 12 + [("weighted", "random")] * 3
    made, games = ladder(Path("nowhere"), precision=30), []
    for block, seats in enumerate(pairs):
        end: Any = (0, "victory", None, "", 9, (3, 0), (9, 9), (0.0, 0.0))
        won = GameResult(0, 0, block, seats, *end)
        games += [won, replace(won, seats=seats[::-1], winner=1)]
    names = tuple(made.entrants)
    standing = Standing.of(made, [result_of_drawn_seats(names, RULES, 3, games)])
    after = {pair: variance(standing, (names[pair[0]], names[pair[1]])) for pair in PAIRS}
    assert min(after, key=after.__getitem__) in standing.next_lineups()
    assert (0, 1) not in standing.next_lineups()


def test_a_ladder_ends_when_its_ratings_are_precise(tmp_path: Path) -> None:
    made = ladder(tmp_path / "rough", precision=200)
    rough, fine = last(made), last(ladder(tmp_path / "fine"))
    for standing in (rough, fine):
        assert standing.is_precise
        assert max(one.half_width for one in standing.ratings) <= standing.ladder.precision
    assert len(rough.result.games) < len(fine.result.games) < 200
    few = last(ladder(tmp_path / "few", precision=1, games=50))
    assert not few.is_precise
    assert 50 <= len(few.result.games) < 80  # the last round is completed


def test_ratings_are_those_of_the_arena_for_all_games_together(tmp_path: Path) -> None:
    standing = last(ladder(tmp_path))
    rounds = [load_results(path) for path in sorted(tmp_path.glob("round-*.jsonl"))]
    assert len(rounds) > 1
    games = [(game.seats, game.winner) for one in rounds for game in one.games]
    assert [(game.seats, game.winner) for game in standing.result.games] == games
    assert standing.ratings == rate(standing.result)
    # Each block of each round has a seed of its own, so that none is counted as one with another.
    assert set(Counter(game.block for game in standing.result.games).values()) == {2}


def test_a_ladder_that_was_killed_goes_on_to_the_same_ratings(tmp_path: Path) -> None:
    whole = last(ladder(tmp_path / "whole"))
    last(ladder(tmp_path / "killed"))
    *kept, torn = sorted((tmp_path / "killed").glob("round-*.jsonl"))
    lines = torn.read_bytes().split(b"\n")
    torn.write_bytes(b"\n".join([*lines[:4], lines[4][:20]]))  # in the middle of a line
    assert kept
    again = last(ladder(tmp_path / "killed"), workers=2)
    assert again.result == whole.result
    assert again.ratings == whole.ratings
    torn.write_bytes(lines[0][:30])  # even before the first game
    assert last(ladder(tmp_path / "killed")).ratings == whole.ratings


def test_entrants_join_and_keep_what_was_played(tmp_path: Path) -> None:
    before = last(ladder(tmp_path, precision=200))
    files = {path: path.read_bytes() for path in tmp_path.glob("round-*.jsonl")}
    entrants = dict.fromkeys(("eager", "random", "weighted", "failing"), "")
    made = ladder(tmp_path, precision=200, entrants=entrants)
    with pytest.warns(match="failing forfeited"):
        after = last(made, [*AGENTS, ("failing", Failing(14))])
    assert all(path.read_bytes() == content for path, content in files.items())
    kept = after.result.games[: len(before.result.games)]
    assert [game.turns for game in kept] == [game.turns for game in before.result.games]
    assert {rating.name for rating in after.ratings} == set(entrants)
    with pytest.raises(ValueError, match=r"round-\d+.jsonl has games of 'failing': enter it again"):
        last(ladder(tmp_path))
    with pytest.raises(ValueError, match="holds another match"):
        last(made, [("eager", Builder(eager=False)), *AGENTS[1:], ("failing", Failing(14))])


def at_table(agent: Any, robots: str, path: Path) -> Result:
    """Twelve games, the agent's share of them won by chance."""
    names = [agent[0], "smart", "fast", "third party"]
    header = {"format": FORMAT, "seating": DRAWN_SEATS, "table": "JSettlers", "seed": 1}
    header |= {"against": robots.partition(":")[2], "rules": RULES.to_dict()}
    header |= {"agents": [{"name": name} for name in names]}
    random = np.random.default_rng(int(path.stem[-3:]))
    with results_file(path, header, None) as file:
        for number in range(len(file.games), 12):
            seats = (agent[0], "smart") if number % 2 else ("smart", agent[0])
            end: Any = ("victory", None, "", 9, (1, 1), (1, 1), (1, 1))
            file.add(GameResult(number, 0, number, seats, int(random.integers(2)), *end))
    return load_results(path)


def test_robots_that_sit_at_tables_of_their_own_are_met_there(tmp_path: Path) -> None:
    entrants = {"eager": "eager", "random": "random", "JSettlers": "jsettlers:smart"}
    options: dict[str, Any] = {"entrants": entrants, "precision": 90}
    rounds: list[tuple[str, str, str]] = []

    def play() -> Standing:
        def noted(agent: Any, robots: str, path: Path) -> Result:
            rounds.append((agent[0], robots, path.name))
            return at_table(agent, robots, path)

        made = ladder(tmp_path, **options)
        *_, standing = made.play(AGENTS[:2], MatchOptions(progress=False), noted)
        return standing

    standing = play()
    met = Counter(tuple(sorted(game.seats)) for game in standing.result.games)
    assert {name for name, _, _ in rounds} == {"eager", "random"}
    assert {robots for _, robots, _ in rounds} == {"jsettlers:smart"}
    assert len({name for _, _, name in rounds}) == len(rounds) > 2
    assert met["JSettlers", "eager"] + met["JSettlers", "random"] == 12 * len(rounds)
    assert set(met) == {("JSettlers", "eager"), ("JSettlers", "random"), ("eager", "random")}
    assert standing.is_precise
    last_file = tmp_path / rounds[-1][2]
    lines = last_file.read_bytes().splitlines(keepends=True)
    last_file.write_bytes(b"".join(lines[:5]))
    rounds.clear()
    assert len(play().result.games) == len(standing.result.games)
    with pytest.raises(ValueError, match="entrant must be one of jsettlers:smart, jsettlers:fast"):
        ladder(tmp_path, entrants=entrants | {"mixed": "jsettlers:mixed"})
