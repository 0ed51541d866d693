"""Games played in processes of this machine."""

import pickle
from collections.abc import Generator, Sequence
from contextlib import closing

from catan_pz.arena.entrants import Entrant
from catan_pz.arena.executors.pool import Pool
from catan_pz.arena.executors.tasks import Task
from catan_pz.arena.executors.worker import WorkerArguments
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig
from catan_pz.checks import check_count


class ProcessExecutor:
    """Plays tasks in processes, which it replaces when an agent ends or blocks one.

    Agents must be given as names, functions of a module, or objects that can be pickled, and
    a script that plays needs `if __name__ == "__main__":`.

    Args:
        workers: processes.

    Attributes:
        workers: the same.

    Raises:
        ValueError: for a number of workers that is not possible.
    """

    def __init__(self, workers: int = 1) -> None:
        self.workers = check_count("workers", workers)

    def run(
        self, config: MatchConfig, entrants: Sequence[Entrant], tasks: Sequence[Task]
    ) -> Generator[GameResult, None, None]:
        """Play all tasks, as `Executor.run`.

        Raises:
            ValueError: names an entrant that can't be sent to another process.
            RuntimeError: if a worker ends by itself, other than in an agent's decision.
        """
        _check_picklable(entrants)
        with closing(Pool(WorkerArguments(config, tuple(entrants)))) as pool:
            for results in pool.run(tasks, min(self.workers, len(tasks))):
                yield from results


def _check_picklable(entrants: Sequence[Entrant]) -> None:
    for entrant in entrants:
        try:
            pickle.dumps(entrant)
        except Exception as error:
            raise ValueError(
                f"agent {entrant.name!r} can't be sent to a worker process ({error}); give "
                "a name or a function of a module that makes it, or play with "
                'executor="inline"'
            ) from error
