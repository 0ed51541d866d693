"""The interface of executors, and the one that plays in this process."""

import math
from collections.abc import Generator, Iterator, Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from catan_pz.agents.base import Agent
from catan_pz.agents.programs.agent import end_programs
from catan_pz.arena.batched_games import play_games
from catan_pz.arena.entrants import Entrant
from catan_pz.arena.games import Monitor, play_game, play_gathered, warm_up
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame

Way = Literal["batched", "gathered", "single"]
"""All games in one batch, side by side with their decisions gathered, or one by one."""


class Task(NamedTuple):
    """Games that one worker plays in one way."""

    games: tuple[ScheduledGame, ...]
    way: Way


def make_tasks(
    config: MatchConfig, entrants: Sequence[Entrant], games: Sequence[ScheduledGame], workers: int
) -> list[Task]:
    """Cut games into tasks: parts of equal size for the workers, and single games.

    Games between batched agents are batched, unless the time of each decision is limited. Where
    others of the agents have a batcher, decisions are gathered.
    """
    played: dict[Way, list[ScheduledGame]] = {"batched": [], "gathered": [], "single": []}
    for game in games:
        played[_way_of(config, [entrants[k] for k in game.seats])].append(game)
    tasks = []
    for way, own in played.items():
        size = 1 if way == "single" else max(1, math.ceil(len(own) / workers))
        tasks += [Task(tuple(own[k : k + size]), way) for k in range(0, len(own), size)]
    return tasks


def _way_of(config: MatchConfig, seated: Sequence[Entrant]) -> Way:
    if config.seconds_per_decision is not None:
        return "single"
    if all(entrant.is_batched for entrant in seated):
        return "batched"
    if all(entrant.is_batched or entrant.has_batcher for entrant in seated):
        return "gathered"
    return "single"


def play_task(
    config: MatchConfig, task: Task, agents: Sequence[Agent], monitor: Monitor | None = None
) -> Iterator[GameResult]:
    """Play the games of a task; yield each result as its game ends."""
    if config.play is not None:
        for game in task.games:
            yield config.play(config, game, agents)
    elif task.way == "batched":
        yield from play_games(config, task.games, agents)
    elif task.way == "gathered":
        yield from play_gathered(config, task.games, agents)
    else:
        for game in task.games:
            yield from play_game(config, game, agents, monitor)


@runtime_checkable
class Executor(Protocol):
    """Plays the games of a match: in this process, in others, or on other machines.

    A worker makes its agents by `Entrant.make` and plays a task by `play_task`. `config`,
    `tasks` and each `GameResult` can be pickled, and so can `entrants` unless they were given
    as local functions. A game's result depends neither on the worker nor on the order of tasks.
    """

    @property
    def workers(self) -> int:
        """Tasks that are played at the same time; batched games are cut into as many tasks."""

    def run(
        self, config: MatchConfig, entrants: Sequence[Entrant], tasks: Sequence[Task]
    ) -> Generator[GameResult, None, None]:
        """Play all tasks; yield the result of each game as it ends, in any order.

        Closing the generator ends the workers and drops the games that are not finished.
        """


class InlineExecutor:
    """Plays one task after the other in this process.

    Agents may be anything, local functions included. With a limit of time a late answer
    forfeits its game, but an agent that never answers stops the match.
    """

    workers = 1

    def run(
        self, config: MatchConfig, entrants: Sequence[Entrant], tasks: Sequence[Task]
    ) -> Generator[GameResult, None, None]:
        """Play all tasks, as `Executor.run`."""
        if not tasks:
            return
        agents = [entrant.make(config.seconds_per_decision) for entrant in entrants]
        try:
            for agent in agents:
                warm_up(config, agent)
            for task in tasks:
                yield from play_task(config, task, agents)
        finally:
            end_programs(agents)
