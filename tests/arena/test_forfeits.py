"""Agents that fail forfeit their game, with the reason, and the match continues."""

import os
import signal
import warnings
from collections.abc import Callable
from contextlib import closing
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from catan_pz import arena
from catan_pz.agents.base import Agent, Views
from catan_pz.agents.programs.agent import START_SECONDS
from catan_pz.arena import games
from catan_pz.arena.entrants import as_entrants
from catan_pz.arena.executors import processes
from catan_pz.arena.executors.base import Task
from catan_pz.arena.executors.processes import Pool, Worker, worker_arguments
from catan_pz.arena.executors.worker import NONE, DecisionLog
from catan_pz.arena.forfeits import ACT, RESET, forfeit_winner
from catan_pz.arena.records import record_path
from catan_pz.arena.results import GameResult, Result
from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.game.record import GameRecord
from catan_pz.rules import Rules
from tests.arena.players import (
    QUICK,
    Abandoning,
    Builder,
    Counter,
    Deaf,
    Failing,
    Fainting,
    Fatal,
    Lingering,
    Staring,
    Unready,
)


def forfeits(result: Result) -> list[GameResult]:
    return [game for game in result.games if game.end == "forfeit"]


def check(result: Result, reason: str) -> None:
    """All forfeits are of the first entrant, and won by the best other."""
    lost = forfeits(result)
    assert len(lost) > 1
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
        (Failing(), "error: ZeroDivisionError: two lines"),
        (Failing(how="leaves"), "error: SystemExit: 3"),
        (Failing(how="acts illegally"), "illegal: phase "),
        (
            Failing(how="answers in words"),
            "illegal: action must be an integer, got 'roll' of type str",
        ),
        (Deaf(), "error: UnicodeError: what was that?"),
    ],
)
def test_failing_agents_forfeit(player: Agent, reason: str) -> None:
    result = arena.play_match([player, "random"], 4, seed=1, **QUICK)
    check(result, reason)
    if isinstance(player, Failing):
        assert {game.decisions[game.offender or 0] for game in forfeits(result)} == {10}
    else:
        assert len(forfeits(result)) == 4


def test_forfeits_are_warned_of() -> None:
    with pytest.warns(arena.ForfeitWarning) as told:
        result = arena.play_match([Failing(), "random"], 4, seed=1, **QUICK)
    name, lost = result.names[0], forfeits(result)
    start = f"{name} forfeited {len(lost)} of 4 games, the first because: error: ZeroDivisionError"
    assert [str(one.message)[: len(start)] for one in told] == [start]
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arena.play_match(["random", "random"], 2, seed=1, **QUICK)


class Answering(Builder):
    def __init__(self, form: Callable[[NDArray[np.int64]], Any]) -> None:
        super().__init__()
        self.form = form

    def act_batch(self, views: Views) -> Any:
        return self.form(super().act_batch(views))


@pytest.mark.purepython
@pytest.mark.parametrize(
    ("form", "reason"),
    [
        (lambda chosen: chosen + 0.7, "illegal: action "),
        (lambda _chosen: None, "error: ValueError: act_batch gave None for one game, must give a"),
        (lambda _chosen: [[1], []], "error: ValueError: act_batch gave [[1], []] for one game"),
    ],
    ids=["floats", "None", "lists"],
)
def test_answers_of_batches_are_integers(form: Any, reason: str) -> None:
    players = [("answering", Answering(form)), "random"]
    result = arena.play_match(players, 4, seed=1, **QUICK)
    check(result, reason)
    assert len(forfeits(result)) == 4
    alone = arena.play_match(
        players, 4, seed=1, seconds_per_decision=60, executor="inline", **QUICK
    )
    assert alone == result


@pytest.mark.purepython
def test_interruptions_are_no_forfeits(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Failing, mask: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(Failing, "fail", fail)
    with pytest.raises(KeyboardInterrupt):
        arena.play_match([Failing(), "random"], 8, seed=1, **QUICK)


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
def test_who_wins_a_forfeited_game() -> None:
    assert forfeit_winner([9, 2, 4, 3], 0) == 2
    assert forfeit_winner([5, 5, 5, 2], 1) == 2
    assert forfeit_winner([5, 5, 5, 2], 2) == 0
    assert forfeit_winner([0, 0], 1) == 0


@pytest.mark.purepython
def test_late_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def take_a_while(self: Failing, mask: NDArray[np.int8]) -> int:
        now[0] += 0.9
        return int(mask.nonzero()[0][0])

    monkeypatch.setattr(games, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr(Failing, "fail", take_a_while)
    players = [("slow", Failing(8)), "random"]
    limit = {"seconds_per_decision": 0.8, "executor": "inline"}
    result = arena.play_match(players, 4, seed=2, **limit, **QUICK)
    check(result, "time: a decision took more than 0.8 s")
    assert forfeits(result)[0].seconds[forfeits(result)[0].offender or 0] == pytest.approx(0.9)


def alone(config: MatchConfig, players: list[Any]) -> tuple[Pool, list[Task]]:
    """A pool, and as a task each first game of the first player and another one."""
    entrants, _ = as_entrants(players)
    tasks = [Task((ScheduledGame(k, k, 0, (0, k)),), "single") for k in range(1, len(players))]
    return Pool(worker_arguments(config, entrants)), tasks


QUICK_DEATHS: dict[str, tuple[Any, str]] = {
    "raising": (Failing(9), "error: ZeroDivisionError: two lines"),
    "hanging": (Failing(8, "hangs"), "time: a decision took more than 3 s"),
    "fainting": (Fainting(), ""),
}
SLOW_DEATHS: dict[str, tuple[Any, str]] = {
    "staring": (Staring(), "time: observe() took more than 3 s"),
    "lingering": (Lingering(), ""),
    "hanging at once": (Failing(1, "hangs"), "time: a decision took more than 3 s"),
}
DEATH = "died: the process ended in a decision (exit code 7)"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks there")
@pytest.mark.parametrize(
    ("cases", "warning"),
    [
        (QUICK_DEATHS, r"died: the process ended in end\(\) \(exit code 9\), at the end of a game"),
        pytest.param(
            SLOW_DEATHS,
            r"time: end\(\) took more than 3 s, at the end of a game",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_agents_that_end_or_block_their_process(
    cases: dict[str, tuple[Any, str]],
    warning: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What hangs is late as soon as it says so, that no busy machine makes others late."""
    hanging = tmp_path / "hanging"
    monkeypatch.setenv("HANGING", str(hanging))
    monkeypatch.setattr(Worker, "is_overdue", property(lambda _worker: hanging.exists()))
    kill = Worker.kill

    def kill_and_forget(worker: Worker) -> None:
        kill(worker)
        hanging.unlink(missing_ok=True)

    monkeypatch.setattr(Worker, "kill", kill_and_forget)
    cases = cases | {"abandoning": (Abandoning(6, str(tmp_path / "pids")), DEATH)}
    players = [("counter", Counter), *((name, agent) for name, (agent, _) in cases.items())]
    names = tuple(name for name, _ in players)
    rules = Rules.make(None, num_players=2, **QUICK)
    config = MatchConfig(names, rules, 3, seconds_per_decision=3.0, records=tmp_path)
    pool, tasks = alone(config, players)
    with closing(pool), pytest.warns(UserWarning, match=warning) as told:
        found = list(chain.from_iterable(pool.run(tasks, 1)))
    os.kill(int((tmp_path / "pids").read_text()), signal.SIGKILL)  # it holds the pipe, and runs
    assert {game.seats[1]: game.reason for game in found} == {
        name: reason for name, (_, reason) in cases.items()
    }
    assert len(told) == 1
    for game in found:
        if game.end == "forfeit":
            record = GameRecord.load(record_path(tmp_path, game.number))
            assert record.result["end"] == "unfinished"
            assert tuple(record.result["points"]) == game.points
            waited = game.seats[1] != "staring"
            assert sum(game.decisions) == len(record.decisions) + waited
            assert game.offender == 1


@pytest.mark.slow
def test_batched_agents_that_end_their_process(tmp_path: Path) -> None:
    told = arena.play_match([("fatal", Builder()), "random"], 2, seed=28, **QUICK)
    options: dict[str, Any] = {"executor": "processes", "records": tmp_path, **QUICK}
    result = arena.play_match([("fatal", Fatal()), "random"], 2, seed=28, **options)
    (lost,) = forfeits(result)
    assert lost.reason == DEATH
    assert lost.seats[lost.offender or 0] == "fatal"
    assert result.games[1 - lost.number] == told.games[1 - lost.number]
    assert len(list(tmp_path.iterdir())) == 2


def waiting(agent: str, call: str, since: float) -> Worker:
    """A worker without a process, in a match with a limit of two seconds."""
    entrants, _ = as_entrants([agent, "random"])
    rules = Rules.make(None, num_players=2, **QUICK)
    config = MatchConfig((agent, "random"), rules, 7, seconds_per_decision=2.0)
    worker = Worker.__new__(Worker)
    worker._arguments = worker_arguments(config, entrants)
    worker.log = DecisionLog()
    worker.log.start_game(0)
    worker.log.begin(0, call)
    worker.log.since -= since
    return worker


def test_when_a_call_is_overdue() -> None:
    assert waiting("heuristic", ACT, 3.5).is_overdue
    assert not waiting("heuristic", RESET, 3.5).is_overdue
    assert waiting("heuristic", RESET, 100.0).is_overdue
    worker = waiting("heuristic", ACT, 3.5)
    worker.log.end(0, 7, 3.5)
    assert not worker.is_overdue
    assert (worker.log.asked, worker.log.actions[: worker.log.count]) == (NONE, [7])
    assert waiting("exec:bot", ACT, 0.0).seconds_allowed == 2.0
    assert waiting("exec:bot", RESET, 0.0).seconds_allowed > 2 * START_SECONDS


def test_an_agent_that_returns_while_its_process_is_ended_ends_no_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is late in a game whose result is there; nobody is called any more."""
    rules = Rules.make(None, num_players=2, **QUICK)
    config = MatchConfig(("counter", "random"), rules, 7, seconds_per_decision=60.0)
    pool, tasks = alone(config, [("counter", Counter), "random"])
    monkeypatch.setattr(processes, "GRACE_SECONDS", 0.1)
    late = [True]

    def is_overdue(worker: Worker) -> bool:
        return worker.task is not None and worker.log.asked == NONE and bool(late) and late.pop()

    monkeypatch.setattr(Worker, "is_overdue", property(is_overdue))
    with closing(pool):
        found = [result for results in pool.run(tasks, 1) for result in results]
    assert [result.number for result in found] == [1]
