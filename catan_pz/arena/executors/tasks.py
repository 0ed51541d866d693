"""Tasks: the games of a match, cut into what one worker plays in one go."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from catan_pz.agents.base import Agent
from catan_pz.arena.batched_games import play_games
from catan_pz.arena.config import MatchConfig
from catan_pz.arena.entrants import Entrant
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import ScheduledGame
from catan_pz.arena.single_game import Monitor, play_game


@dataclass(frozen=True)
class Task:
    """Games that one worker plays.

    Attributes:
        games: the games.
        batched: whether they are played at the same time, by agents that decide in batches.
    """

    games: tuple[ScheduledGame, ...]
    batched: bool


def make_tasks(
    config: MatchConfig,
    entrants: Sequence[Entrant],
    games: Sequence[ScheduledGame],
    workers: int,
) -> list[Task]:
    """Cut games into tasks: batches of equal size for the workers, and single games.

    Games between batched agents are batched, unless the time of each decision is limited.

    Args:
        config: of the match.
        entrants: who plays.
        games: the games still to be played.
        workers: tasks that will be played at the same time.
    """
    untimed = config.seconds_per_decision is None
    batched: list[ScheduledGame] = []
    single: list[ScheduledGame] = []
    for game in games:
        together = untimed and all(entrants[k].is_batched for k in game.seats)
        (batched if together else single).append(game)
    size = max(1, math.ceil(len(batched) / workers))
    tasks = [Task(tuple(batched[k : k + size]), True) for k in range(0, len(batched), size)]
    return tasks + [Task((game,), False) for game in single]


def play_task(
    config: MatchConfig, task: Task, agents: Sequence[Agent], monitor: Monitor | None = None
) -> Iterator[GameResult]:
    """Play the games of a task; yield each result as its game ends.

    Args:
        config: of the match.
        task: the games.
        agents: one for each entrant.
        monitor: called for games that are not batched.
    """
    if task.batched:
        yield from play_games(config, task.games, agents)
        return
    for game in task.games:
        yield from play_game(config, game, agents, monitor)
