"""Matches: balance, pairing, and the same games however they are played."""

import itertools
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz import RandomAgent, Rules, arena
from catan_pz.actions import ROLL
from catan_pz.arena import batched_games
from catan_pz.arena.batched_games import play_games
from catan_pz.arena.executors import Task, play_task
from catan_pz.arena.games import play_game
from catan_pz.arena.records import record_path
from catan_pz.arena.schedule import MatchConfig, Schedule
from catan_pz.game.record import GameRecord
from tests.arena.players import QUICK, Alone, Builder, Capricious, Way, played_alike
from tests.arena.players import Counter as Counting

PLAYERS = {"eager": Builder(), "idle": Builder(eager=False), "random": RandomAgent()}
RULE_SETS: tuple[dict[str, Any], ...] = (
    {"trading": False, "victory_points": 4},
    {"num_players": 3, "victory_points": 4, "offer_form": "both", "max_turns": 60},
    {"rules": "one_v_one", "victory_points": 5},
    {"num_players": 3, "trading": False, "skip_forced": True, "victory_points": 4},
    {"num_players": 2, "trading": False, "dice": ((6, 6), (1, 2)), "victory_points": 4},
)


def schedule_for(rules: Rules) -> Schedule:
    lineups = {2: ((0, 1), (1, 2)), 3: ((0, 1, 2),), 4: ((0, 1, 1, 2),)}
    return Schedule(lineups[rules.num_players], {2: 8, 3: 12, 4: 24}[rules.num_players])


@pytest.mark.parametrize("options", RULE_SETS)
def test_batches_play_the_same_games(
    options: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batched_games, "SMALL", 1)
    monkeypatch.setattr(batched_games, "FIRST_COUNT", 2)  # more rolls are drawn on the way
    rules = Rules.make(**options)
    scheduled = list(schedule_for(rules).games())
    players = list(PLAYERS.values())
    alone = [Alone(player) for player in players]
    ways: dict[str, Way] = {
        "single": lambda config: play_task(config, Task(tuple(scheduled), "single"), players),
        "alone": lambda config: play_task(config, Task(tuple(scheduled), "single"), alone),
        "wide": lambda config: play_games(config, scheduled, players, 1024),
        "narrow": lambda config: play_games(config, scheduled, players, 7),
    }
    config = MatchConfig(tuple(PLAYERS), rules, 5)
    results = played_alike(ways, config, scheduled, tmp_path)
    assert len({game.winner for game in results}) > 1
    assert len({game.points for game in results}) > 3


@pytest.mark.purepython
def test_agents_fail_identically_in_batches() -> None:
    rules = Rules(num_players=2, **QUICK)
    scheduled = list(Schedule(((0, 1),), 20).games())
    config = MatchConfig(("capricious", "eager"), rules, 8)
    players = [Capricious(), Builder()]
    single = [one for game in scheduled for one in play_game(config, game, players)]
    together = sorted(play_games(config, scheduled, players, 6), key=lambda game: game.number)
    assert together == single
    reasons = {game.reason.split(":")[0] for game in single if game.end == "forfeit"}
    assert reasons == {"error", "illegal"}
    assert any(game.end == "victory" for game in single)


def rolls_of(record: GameRecord) -> list[Any]:
    return [d.outcome for d in record.decisions if d.action == ROLL]


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 3, "trading": False, "victory_points": 4},
        {"rules": "one_v_one", "victory_points": 5},
    ],
)
def test_games_of_a_seed_share_board_deck_and_dice(options: dict, tmp_path: Path) -> None:
    players = [("a", Builder()), ("b", "random"), ("c", Builder(eager=False))]
    result = arena.play_tournament(players, 11, seed=3, records=tmp_path, progress=False, **options)
    blocks = defaultdict(list)
    for game in result.games:
        record = GameRecord.load(record_path(tmp_path, game.number))
        blocks[game.block].append((game, record))
        *_, last = record.replay()
        assert (last.winner, last.turn) == (game.winner, game.turns)
        assert tuple(last.points) == game.points
        assert record.names == list(game.seats)
    for played in blocks.values():
        assert len({game.seats for game, _ in played}) == len(played)
        for name in ("board", "deck", "robber", "rng"):
            assert len({str(record.start[name]) for _, record in played}) == 1
        for (_, one), (_, other) in itertools.pairwise(played):
            same = min(len(rolls_of(one)), len(rolls_of(other)))
            assert rolls_of(one)[:same] == rolls_of(other)[:same]
            assert same > 10
    boards = {str(played[0][1].start["board"]) for played in blocks.values()}
    assert len(boards) == len(blocks) > 1


def test_seats_are_balanced() -> None:
    result = arena.play_match([("b", Builder()), *["random"] * 3], 40, seed=1, **QUICK)
    assert len(result.games) == 40
    for p in range(4):
        assert Counter(game.seats[p] for game in result.games) == {"b": 10, "random": 30}
    assert Counter(game.block for game in result.games) == dict.fromkeys(range(10), 4)
    seats = result.win_rates_by_seat("b")
    assert np.mean(seats) == pytest.approx(result.win_rate("b"))


def test_agents_are_compared_in_the_same_seats() -> None:
    matches = [
        arena.play_match([player, *["random"] * 3], 80, seed=6, **QUICK)
        for player in (("eager", Builder()), ("idle", Builder(eager=False)))
    ]
    found = arena.compare(*matches)
    eager, idle = (m.win_rate(name) for m, name in zip(matches, ("eager", "idle"), strict=True))
    assert (found.first, found.second, found.pairs, found.blocks) == ("eager", "idle", 80, 20)
    assert found.difference == pytest.approx(eager - idle)
    assert found.both + found.only_first == eager * 80
    assert found.difference > 0.1
    assert found.interval is not None
    assert found.interval[0] > 0
    assert found.p_value < 0.01
    back = arena.compare(*reversed(matches))
    assert back.difference == -found.difference
    assert back.interval == pytest.approx((-found.interval[1], -found.interval[0]))


@pytest.mark.purepython
def test_comparison_needs_the_same_seeds_and_one_change() -> None:
    one = arena.play_match([("a", Builder()), "random"], 4, seed=1, **QUICK)
    with pytest.raises(ValueError, match="different seeds or rules"):
        arena.compare(one, replace(one, seed=2))
    with pytest.raises(ValueError, match=r"differ by \[\] and \[\]"):
        arena.compare(one, one)
    with pytest.raises(ValueError, match="no two line-ups differ by"):
        arena.compare(one, one, names=("a", "random"))


def test_a_tournament_plays_all_line_ups_on_the_same_seeds() -> None:
    players = [("a", Builder()), ("b", "random"), ("c", Builder(eager=False))]
    result = arena.play_tournament(players, 20, num_players=2, seed=2, **QUICK)
    assert [result.lineup_names(k) for k in range(3)] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert len(result.games) == 60
    assert result.played == ("a", "b", "c")
    part = result.only(["c", "a"])
    assert {frozenset(game.seats) for game in part.games} == {frozenset("ac")}
    ends = part.ends()
    assert part.win_rate("a") + part.win_rate("c") == pytest.approx(ends["victory"] / 20)
    assert ends["truncated"] == 20 - ends["victory"]
    # In a's place b plays against c, in b's place a: 20 games and their twins.
    assert arena.compare(result, result, names=("a", "b")).pairs == 20
    alone = arena.play_match(players[:2], 20, seed=2, **QUICK)
    again = [(g.block, g.seats, g.winner, g.points) for g in result.only("ab").games]
    assert [(g.block, g.seats, g.winner, g.points) for g in alone.games] == again
    assert arena.rate(result)[0].name == "a"


@pytest.mark.purepython
def test_names_that_did_not_play() -> None:
    result = arena.play_match(["random"] * 2, 1, seed=1, **QUICK)
    assert len(result.games) == 1  # the only seating
    with pytest.raises(ValueError, match=r"name must be one of \['random'\], got 'x'"):
        result.win_rate("x")
    assert result.block_interval("random") is None  # a single block
    with pytest.raises(ValueError, match="line-up must be one of"):
        result.only(["x"])


@pytest.mark.purepython
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"executor": "cloud"}, r"executor must be one of \['inl"),
        ({"seed": -1}, "seed.*-1"),
        ({"seconds_per_decision": 0}, "seconds_per_decision.*0"),
        ({"agents": "random"}, "agents must be a list"),
        ({"agents": ["random"]}, r"agents must be 4 .*\['random'\]"),
        ({"rules": Rules(num_players=3)}, "agents.* 3 of them"),
        ({"agents": [3, "random"]}, "agent must be an Agent.* 3"),
        ({"agents": [dict, "random"]}, "which is no Agent"),
        ({"agents": [("", "random"), "random"]}, "name must be a word, got ''"),
        ({"agents": [("a", "random"), ("a", Builder())]}, "two different agents have the name 'a'"),
        ({"true_state": ["x"]}, "true_state must be names among .*'x'"),
    ],
)
def test_invalid_options(change: dict, message: str) -> None:
    options: dict[str, Any] = {"agents": ["random", "random"], "games": 1} | change
    with pytest.raises(ValueError, match=message):
        arena.play_match(**options)


@pytest.mark.purepython
@pytest.mark.parametrize(
    ("agents", "lineups", "message"),
    [
        (["random"], None, "two or more different ones"),
        (["random", Builder()], [("random", "Builder")], "line-up.* 4 of the names"),
        (["random", Builder()], [], "lineups.* one or more"),
        (["random", Builder()], [["random"] * 4, ["random"] * 4], "lineups.* given once"),
    ],
)
def test_invalid_tournaments(agents: list, lineups: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        arena.play_tournament(agents, 1, lineups=lineups)


@pytest.mark.purepython
def test_agents_can_be_given_in_many_ways() -> None:
    agents = ["random", RandomAgent(), ("mine", Counting), ("made", lambda: Builder(eager=False))]
    result = arena.play_match(agents, 4, seed=1, **QUICK)
    assert result.names == ("random", "mine", "made")
    assert result.games[0].seats == ("random", "random", "mine", "made")


def test_a_match_without_a_seed_draws_one_and_keeps_it(tmp_path: Path) -> None:
    drawn = [arena.play_match(["random"] * 2, 1, **QUICK).seed for _ in range(2)]
    assert drawn[0] != drawn[1]
    kept = tmp_path / "games.jsonl"
    first = arena.play_match(["random"] * 2, 1, results=kept, **QUICK)
    assert arena.play_match(["random"] * 2, 1, results=kept, **QUICK) == first
    assert arena.play_match(["random"] * 2, 1, seed=first.seed, **QUICK) == first
    with pytest.raises(ValueError, match="seed is"):
        arena.play_match(["random"] * 2, 1, seed=first.seed ^ 1, results=kept, **QUICK)
