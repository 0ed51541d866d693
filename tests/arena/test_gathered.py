"""Games whose decisions are gathered by batchers: the same games, and the same failures."""

from pathlib import Path
from typing import Any

import pytest

from catan_pz import RandomAgent, Rules
from catan_pz.agents.base import Agent
from catan_pz.arena import executors
from catan_pz.arena.entrants import as_entrants
from catan_pz.arena.executors import Task, play_task
from catan_pz.arena.games import play_gathered
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig, Schedule
from catan_pz.game.view import View
from tests.arena.players import QUICK, Builder, Counter, Deaf, Way, played_alike

LINGERING = 3


class SlowBatcher:
    """Gives a decision back at the third time that it is asked, and only a few at a time."""

    def __init__(self, sizes: list[int]) -> None:
        self._sizes = sizes
        self._lying: list[tuple[int, Agent, View, int]] = []
        self._time = 0

    def submit(self, key: int, own: Agent, view: View) -> None:
        self._lying.append((key, own, view, self._time))

    def collect(self) -> list[tuple[int, int]]:
        self._time += 1
        self._sizes.append(len(self._lying))
        ready = [one for one in self._lying if one[3] <= self._time - LINGERING][:4]
        self._lying = [one for one in self._lying if one not in ready]
        return [(key, own.act(view)) for key, own, view, _ in ready]


class Patient(Counter):
    """Plays at random, with a batcher; no two copies share anything but a list of sizes."""

    has_batcher = True

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def batcher(self) -> SlowBatcher:
        return SlowBatcher(self.sizes)


class RaisingInBatcher(Patient):
    """Fails from its twelfth decision on; a batcher doesn't tell which of its copies did."""

    def act(self, view: View) -> int:
        action = super().act(view)
        if self.asked >= 12:
            raise ZeroDivisionError("two\nlines")
        return action


class Inventive(Patient):
    def batcher(self) -> SlowBatcher:
        batcher = SlowBatcher([])
        batcher.collect = lambda: [(-1, 0)]  # type: ignore[method-assign]
        return batcher


def both_ways(agents: list[Agent], tmp_path: Path, games: int = 12) -> list[GameResult]:
    """The results, which must be the same in turn and gathered."""
    scheduled = list(Schedule(((0, 1),), games).games())
    ways: dict[str, Way] = {
        "single": lambda config: play_task(config, Task(tuple(scheduled), "single"), agents),
        "wide": lambda config: play_gathered(config, scheduled, agents),
        "narrow": lambda config: play_gathered(config, scheduled, agents, width=3),
    }
    config = MatchConfig(("first", "second"), Rules(num_players=2, **QUICK), 4)
    return played_alike(ways, config, scheduled, tmp_path)


@pytest.mark.purepython
@pytest.mark.parametrize("opponent", [RandomAgent(), Counter(), Patient()])
def test_gathered_games_are_the_same(opponent: Agent, tmp_path: Path) -> None:
    agent = Patient()
    results = both_ways([agent, opponent], tmp_path)
    assert len({game.points for game in results}) > 2
    assert max(agent.sizes) > 4


@pytest.mark.purepython
@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (RaisingInBatcher(), "error: ZeroDivisionError: two lines"),
        (Inventive(), ""),
        (type("DeafInBatcher", (Deaf, Patient), {})(), "error: UnicodeError: what was that?"),
    ],
)
def test_failures_are_the_same(agent: Agent, reason: str, tmp_path: Path) -> None:
    results = both_ways([agent, Builder()], tmp_path)
    reasons = {game.reason for game in results if game.end == "forfeit"}
    assert reasons == ({reason} if reason else set())


@pytest.mark.purepython
def test_all_copies_leave_when_games_are_broken_off(tmp_path: Path) -> None:
    closed = []

    class Leaving(Patient):
        def close(self) -> None:
            closed.append(self)

    config = MatchConfig(("a", "b"), Rules(num_players=2, **QUICK), 1)
    scheduled = list(Schedule(((0, 1),), 8).games())
    games = play_gathered(config, scheduled, [Leaving(), RandomAgent()])
    next(games)
    games.close()
    assert len(closed) == 8


@pytest.mark.parametrize(
    ("given", "limit", "way"),
    [
        ([("p", Patient), "random"], None, "gathered"),
        ([("p", Patient), ("q", Patient)], None, "gathered"),
        ([("p", Patient), ("c", Counter)], None, "single"),
        ([("p", Patient), "random"], 5.0, "single"),
        (["random", ("b", Builder())], None, "batched"),
    ],
)
def test_which_games_are_gathered(given: list[Any], limit: float | None, way: str) -> None:
    entrants, _ = as_entrants(given)
    games = list(Schedule(((0, 1),), 6).games())
    config = MatchConfig(("a", "b"), Rules(num_players=2), 0, seconds_per_decision=limit)
    tasks = executors.make_tasks(config, entrants, games, 2)
    assert {task.way for task in tasks} == {way}
    assert [len(task.games) for task in tasks] == ([1] * 6 if way == "single" else [3, 3])
    isolated, _ = as_entrants(given, isolate=True)
    tasks = executors.make_tasks(config, isolated, games, 2)
    assert {task.way for task in tasks} == {"single"}
