"""The seam between a match and the place where its games are played."""

from collections.abc import Generator, Sequence
from typing import Protocol, runtime_checkable

from catan_pz.arena.entrants import Entrant
from catan_pz.arena.executors.tasks import Task
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig


@runtime_checkable
class Executor(Protocol):
    """Plays the games of a match: in this process, in others, or on other machines.

    A worker makes its agents by `Entrant.make` and plays a task by `tasks.play_task`. All that
    it needs is plain data: `config`, `tasks` and each `GameResult` can be pickled, and so can
    `entrants` unless they were given as local functions. A game's result depends neither on
    the worker nor on the order of the tasks.
    """

    @property
    def workers(self) -> int:
        """Tasks that are played at the same time; batched games are cut into as many tasks."""

    def run(
        self, config: MatchConfig, entrants: Sequence[Entrant], tasks: Sequence[Task]
    ) -> Generator[GameResult, None, None]:
        """Play all tasks; yield the result of each game as it ends, in any order.

        Closing the generator ends the workers and drops the games that are not finished.

        Args:
            config: of the match.
            entrants: who plays, in the order of `config.names`.
            tasks: the games, each of them in one task.
        """
