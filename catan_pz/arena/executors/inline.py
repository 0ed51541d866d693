"""Games played in the process of the caller."""

from collections.abc import Generator, Sequence

from catan_pz.agents.programs.agent import end_programs
from catan_pz.arena.entrants import Entrant
from catan_pz.arena.executors.tasks import Task, play_task
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig
from catan_pz.arena.single_game import warm_up


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
