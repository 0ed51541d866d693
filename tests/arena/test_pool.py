"""Worker processes that play one task after the other."""

from contextlib import closing

from catan_pz.arena.config import MatchConfig
from catan_pz.arena.entrants import as_entrants
from catan_pz.arena.executors.pool import Pool
from catan_pz.arena.executors.tasks import Task
from catan_pz.arena.executors.worker import WorkerArguments
from catan_pz.arena.schedule import Schedule
from catan_pz.rules import Rules
from tests.arena.players import QUICK, Counter, Dying


def test_processes_stay_for_the_next_task() -> None:
    entrants, _ = as_entrants([("counter", Counter), ("dying", Dying(9))])
    config = MatchConfig(("counter", "dying"), Rules.make(None, num_players=2, **QUICK), 7)
    games = list(Schedule(((0, 0), (0, 1)), 2).games())
    with closing(Pool(WorkerArguments(config, tuple(entrants)))) as pool:
        ends = []
        for game in games:
            (results,) = list(pool.run([Task((game,), way="single")], 1))
            (result,) = results
            assert result.number == game.number
            ends.append(result.reason.partition(":")[0])
        assert list(pool.run([], 1)) == []
    assert ends == ["", "died", "died", ""]
