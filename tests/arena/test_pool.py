"""Worker processes that play one task after the other."""

import time
from contextlib import closing

import pytest

from catan_pz.agents.programs.agent import START_SECONDS
from catan_pz.arena.entrants import as_entrants
from catan_pz.arena.executors.base import Task
from catan_pz.arena.executors.processes import Pool, worker_arguments
from catan_pz.arena.executors.worker import LOG_BYTES, NONE, DecisionLog, Worker
from catan_pz.arena.forfeits import ACT, RESET
from catan_pz.arena.schedule import MatchConfig, Schedule
from catan_pz.rules import Rules
from tests.arena.players import QUICK, Counter, Dying, Tardy


def test_processes_stay_for_the_next_task() -> None:
    entrants, _ = as_entrants([("counter", Counter), ("dying", Dying(9))])
    config = MatchConfig(("counter", "dying"), Rules.make(None, num_players=2, **QUICK), 7)
    games = list(Schedule(((0, 0), (0, 1)), 2).games())
    with closing(Pool(worker_arguments(config, entrants))) as pool:
        ends = []
        for game in games:
            (results,) = list(pool.run([Task((game,), way="single")], 1))
            (result,) = results
            assert result.number == game.number
            ends.append(result.reason.partition(":")[0])
        assert list(pool.run([], 1)) == []
    assert ends == ["", "died", "died", ""]


def allowed(agent: str, call: str) -> float:
    """Seconds of a call in a match with an agent, by a limit of two seconds."""
    entrants, _ = as_entrants([agent, "random"])
    rules = Rules.make(None, num_players=2, **QUICK)
    config = MatchConfig((agent, "random"), rules, 7, seconds_per_decision=2.0)
    worker = Worker.__new__(Worker)
    worker.arguments = worker_arguments(config, entrants)
    worker.log = DecisionLog(bytearray(LOG_BYTES))
    worker.log.start_game(0)
    worker.log.begin(0, call)
    return worker.seconds_allowed


def test_programs_are_given_all_of_their_time_to_start() -> None:
    assert allowed("exec:bot", ACT) == allowed("heuristic", ACT) == 2.0
    assert allowed("exec:bot", RESET) > 2 * START_SECONDS > allowed("heuristic", RESET)


def test_an_agent_that_returns_while_its_process_is_ended_ends_no_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is late at the end of a game whose result is there; nobody is called any more."""
    kill = Worker.kill

    def kill_late(worker: Worker) -> None:
        while worker.log.asked != NONE:
            time.sleep(0.05)
        kill(worker)

    monkeypatch.setattr(Worker, "kill", kill_late)
    entrants, _ = as_entrants([("tardy", Tardy), ("counter", Counter)])
    rules = Rules.make(None, num_players=2, **QUICK)
    config = MatchConfig(("tardy", "counter"), rules, 7, seconds_per_decision=0.2)
    games = list(Schedule(((0, 1),), 2).games())
    tasks = [Task((game,), way="single") for game in games]
    with closing(Pool(worker_arguments(config, entrants))) as pool:
        found = [result for results in pool.run(tasks, 1) for result in results]
    assert [result.number for result in found] == [game.number for game in games]
