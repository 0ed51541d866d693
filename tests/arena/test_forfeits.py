"""Agents that fail forfeit their game, with the reason, and the match continues."""

import os
import signal
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from catan_pz import arena
from catan_pz.agents.base import Agent
from catan_pz.agents.views import Views
from catan_pz.arena.executors import worker
from catan_pz.arena.forfeits import forfeit_winner
from catan_pz.arena.records import record_path
from catan_pz.arena.results import GameResult, Result
from catan_pz.game.record import GameRecord
from tests.arena.players import (
    QUICK,
    Abandoning,
    Builder,
    Deaf,
    Failing,
    Fainting,
    Fatal,
    Hanging,
    Illegal,
    Leaving,
    Lingering,
    Raising,
    Slow,
    Staring,
    Sulking,
    Unready,
    Wordy,
)

NEVER = 10**9


def forfeits(result: Result) -> list[GameResult]:
    return [game for game in result.games if game.end == "forfeit"]


def check(result: Result, reason: str) -> None:
    """All forfeits are of the first entrant, and won by the best other."""
    lost = forfeits(result)
    assert len(lost) > 2
    for game in lost:
        assert game.offender is not None
        assert game.seats[game.offender] == result.names[0]
        assert game.reason.startswith(reason)
        assert "\n" not in game.reason
        assert game.winner == forfeit_winner(game.points, game.offender)
        assert sum(game.decisions) > 0
    assert result.tally(result.names[0]).forfeits == len(lost)
    assert result.ends()["forfeit"] == len(lost)
    assert all(game.reason == "" for game in result.games if game.end != "forfeit")


@pytest.mark.purepython
@pytest.mark.parametrize(
    ("player", "reason"),
    [
        (Raising(), "error: ZeroDivisionError: two lines"),
        (Leaving(), "error: SystemExit: 3"),
        (Illegal(), "illegal: phase "),
        (Wordy(), "illegal: action 'roll' is of type str; actions are integers"),
    ],
)
def test_failing_agents_forfeit(player: Agent, reason: str) -> None:
    result = arena.play_match([player, "random"], 8, seed=1, **QUICK)
    assert len(result.games) == 8
    check(result, reason)
    for game in forfeits(result):
        assert game.decisions[game.offender or 0] == 10


def test_forfeits_are_warned_of() -> None:
    with pytest.warns(arena.ForfeitWarning) as told:
        result = arena.play_match([Raising(), "random"], 8, seed=1, **QUICK)
    name, lost = result.names[0], forfeits(result)
    start = f"{name} forfeited {len(lost)} of 8 games, the first because: error: ZeroDivisionError"
    assert [str(one.message)[: len(start)] for one in told] == [start]
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arena.play_match(["random", "random"], 2, seed=1, **QUICK)


class Bare:
    """Can be made an array, and nothing else."""

    def __init__(self, chosen: NDArray[np.int64]) -> None:
        self.chosen = chosen

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[np.int64]:
        return self.chosen


class Answering(Builder):
    """Gives its choices in another form."""

    def __init__(self, form: Callable[[NDArray[np.int64]], Any]) -> None:
        super().__init__()
        self.form = form

    def act_batch(self, views: Views) -> Any:
        return self.form(super().act_batch(views))


@pytest.mark.purepython
@pytest.mark.parametrize(
    ("form", "reason"),
    [
        (Bare, "error: TypeError: 'Bare' object is not subscriptable"),
        (lambda chosen: chosen + 0.7, "illegal: action "),
        (lambda _chosen: None, "error: ValueError: act_batch gave None for one game, must give a"),
        (lambda _chosen: [[1], []], "error: ValueError: act_batch gave [[1], []] for one game"),
    ],
    ids=["no list", "floats", "None", "lists"],
)
def test_answers_of_batches_are_integers(form: Any, reason: str) -> None:
    players = [("answering", Answering(form)), "random"]
    result = arena.play_match(players, 4, seed=1, **QUICK)
    check(result, reason)
    assert len(forfeits(result)) == 4
    single = arena.play_match(
        players, 4, seed=1, seconds_per_decision=60, executor="inline", **QUICK
    )
    assert single == result


@pytest.mark.purepython
def test_interruptions_are_no_forfeits(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Failing, mask: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(Raising, "fail", fail)
    with pytest.raises(KeyboardInterrupt):
        arena.play_match([Raising(), "random"], 8, seed=1, **QUICK)


@pytest.mark.purepython
def test_an_agent_that_fails_in_reset() -> None:
    result = arena.play_match([Unready(), "random", "random"], 6, seed=1, **QUICK)
    assert [game.reason for game in result.games] == ["error: OSError: no file of weights"] * 6
    # Without points, who follows the offender wins: everyone else as often as any other.
    for game in result.games:
        assert game.offender is not None
        assert game.winner == (game.offender + 1) % 3
        assert game.decisions == (0, 0, 0)
    assert result.win_rate("random") == 0.5
    assert result.win_rate("Unready") == 0


@pytest.mark.purepython
def test_an_agent_that_fails_when_it_hears_events() -> None:
    result = arena.play_match([Deaf(), "random"], 4, seed=1, **QUICK)
    check(result, "error: UnicodeError: what was that?")
    assert len(forfeits(result)) == 4


@pytest.mark.purepython
def test_what_an_agent_raises_after_a_game_is_a_warning() -> None:
    with pytest.warns(UserWarning, match="RuntimeError: not fair, raised by agent 'Sulking' in"):
        result = arena.play_match([Sulking(), "random"], 2, seed=1, **QUICK)
    assert not forfeits(result)


@pytest.mark.purepython
def test_who_wins_a_forfeited_game() -> None:
    assert forfeit_winner([9, 2, 4, 3], 0) == 2
    assert forfeit_winner([5, 5, 5, 2], 1) == 2
    assert forfeit_winner([5, 5, 5, 2], 2) == 0
    assert forfeit_winner([0, 0], 1) == 0


@pytest.mark.purepython
def test_late_answers() -> None:
    result = arena.play_match(
        [("slow", Slow(8)), "random"], 4, seed=2, seconds_per_decision=0.8, **QUICK
    )
    check(result, "time: a decision took more than 0.8 s")
    (one, *_) = forfeits(result)
    assert one.seconds[one.offender or 0] > 1


def test_agents_that_never_answer(tmp_path: Path) -> None:
    players: list[Any] = [("hanging", Hanging(8)), "random"]
    result = arena.play_match(
        players, 4, seed=3, seconds_per_decision=0.8, records=tmp_path, **QUICK
    )
    assert len(result.games) == 4
    check(result, "time: a decision took more than 0.8 s")
    for game in forfeits(result):
        record = GameRecord.load(record_path(tmp_path, game.number))
        assert record.result["end"] == "unfinished"
        assert tuple(record.result["points"]) == game.points
        *_, last = record.replay()
        assert last.player == game.offender
        assert sum(game.decisions) == len(record.decisions) + 1
        assert game.seconds[last.player] > 0.8


def test_batched_agents_that_end_their_process(tmp_path: Path) -> None:
    told = arena.play_match([("fatal", Builder()), "random"], 6, seed=3, **QUICK)
    result = arena.play_match(
        [("fatal", Fatal()), "random"], 6, seed=3, workers=2, records=tmp_path, **QUICK
    )
    reasons = [game.reason for game in forfeits(result)]
    assert reasons == ["died: the process ended in a decision (exit code 7)"] * len(reasons)
    assert 0 < len(reasons) < 6
    check(result, reasons[0])
    others = [game for game in result.games if game.end != "forfeit"]
    assert others == [game for game in told.games if game.number in {one.number for one in others}]
    assert len(list(tmp_path.iterdir())) == 6


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks there")
def test_what_a_dead_agent_has_started_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pids"
    try:
        result = arena.play_match(
            [("abandoning", Abandoning(6, str(path))), "random"],
            2,
            seed=3,
            executor="processes",
            **QUICK,
        )
    finally:
        for pid in path.read_text().split():
            os.kill(int(pid), signal.SIGKILL)  # they still run
    assert [game.reason for game in result.games] == [
        "died: the process ended in a decision (exit code 7)"
    ] * 2


def test_an_agent_that_hangs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "WARM_UP_SECONDS", 0.5)
    result = arena.play_match(
        [("hangs", Hanging(1)), "random"], 2, seed=3, seconds_per_decision=0.2, **QUICK
    )
    assert {game.reason for game in result.games} == {"time: a decision took more than 0.2 s"}


def test_agents_that_hang_when_they_are_told_something() -> None:
    result = arena.play_match(
        [("staring", Staring()), "random"], 2, seed=3, seconds_per_decision=3, **QUICK
    )
    assert {game.reason for game in result.games} == {"time: observe() took more than 3 s"}
    for game in result.games:
        assert game.seats[game.offender or 0] == "staring"
        assert game.decisions[game.offender or 0] == 10


@pytest.mark.parametrize(
    ("player", "warning"),
    [
        (Lingering(), r"time: end\(\) took more than 3 s, at the end of a game"),
        (Fainting(), r"died: the process ended in end\(\) \(exit code 9\), at the end of a game"),
    ],
    ids=["hangs", "dies"],
)
def test_agents_that_fail_at_the_end_change_no_result(player: Agent, warning: str) -> None:
    told = arena.play_match([("player", Slow(NEVER)), "random"], 2, seed=3, **QUICK)
    with pytest.warns(UserWarning, match=warning):
        result = arena.play_match(
            [("player", player), "random"], 2, seed=3, seconds_per_decision=3, **QUICK
        )
    assert result == told
