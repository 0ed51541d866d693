"""Tasks: the games of a match, cut into what one worker plays in one go."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from catan_pz.agents.base import Agent
from catan_pz.arena.batched_games import play_games
from catan_pz.arena.entrants import Entrant
from catan_pz.arena.gathered_games import play_gathered
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.arena.single_game import Monitor, play_game

Way = Literal["batched", "gathered", "single"]
"""All games in one batch, at the same time with their agents' decisions gathered, or in turn."""


@dataclass(frozen=True)
class Task:
    """Games that one worker plays.

    Attributes:
        games: the games.
        way: how they are played.
    """

    games: tuple[ScheduledGame, ...]
    way: Way


def make_tasks(
    config: MatchConfig,
    entrants: Sequence[Entrant],
    games: Sequence[ScheduledGame],
    workers: int,
) -> list[Task]:
    """Cut games into tasks: parts of equal size for the workers, and single games.

    Games between batched agents are batched, unless the time of each decision is limited. Where
    others of the agents have a batcher, decisions are gathered.

    Args:
        config: of the match.
        entrants: who plays.
        games: the games still to be played.
        workers: tasks that will be played at the same time.
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
    """How a game between these entrants is played."""
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
    """Play the games of a task; yield each result as its game ends.

    Args:
        config: of the match.
        task: the games.
        agents: one for each entrant.
        monitor: called for games that are played in turn.
    """
    if task.way == "batched":
        yield from play_games(config, task.games, agents)
        return
    if task.way == "gathered":
        yield from play_gathered(config, task.games, agents)
        return
    for game in task.games:
        yield from play_game(config, game, agents, monitor)
