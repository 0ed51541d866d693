"""Where a Ray cluster plays games: an actor with a worker process of its own.

An agent that ends or blocks its process forfeits its game, as it does in the processes of one
machine. An actor that ends by itself has lost its node, and nobody forfeits for that.
"""

import pickle
import platform
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from catan_pz import __version__
from catan_pz.arena.entrants import Entrant
from catan_pz.arena.executors.pool import Pool
from catan_pz.arena.executors.tasks import Task
from catan_pz.arena.executors.worker import WorkerArguments
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig
from catan_pz.arena.single_game import record_path

_DOUBT_SECONDS: Final = 3.0
"""A node that shuts down may end an agent's process before the actor's own: a forfeit for that
waits as long, and counts if the actor is still there."""

_CERTAIN: Final = ("error:", "illegal:", "nonsense:", "time:")
"""How reasons of forfeits begin that no end of a node can bring about."""


@dataclass(frozen=True)
class Pickled:
    """Entrants on their way to a process: unpickled there and nowhere before.

    Attributes:
        content: what `ray.cloudpickle` gave, local functions included.
    """

    content: bytes

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return pickle.loads, (self.content,)


class RayHost:
    """Plays the tasks of a match, one after the other, in a process of this node.

    Args:
        config: of the match.
        entrants: who plays.
    """

    def __init__(self, config: MatchConfig, entrants: bytes) -> None:
        self._records = None
        if config.records is not None:
            self._records = tempfile.TemporaryDirectory()
            config = replace(config, records=Path(self._records.name))
        self._config = config
        self._entrants = entrants
        # The process unpickles them; this one only hands them on.
        pickled = cast(tuple[Entrant, ...], Pickled(entrants))
        self._pool = Pool(WorkerArguments(config, pickled))
        self._playing: Iterator[list[GameResult]] = iter(())

    def check(self) -> tuple[str, str, str]:
        """Node, version of the package, and what keeps it from making the agents, or "".

        To be called before the first task.
        """
        try:
            pickle.loads(self._entrants)
        except Exception as error:
            return platform.node(), __version__, f"{type(error).__name__}: {error}"
        return platform.node(), __version__, ""

    def proceed(self, task: Task | None = None) -> list[tuple[GameResult, bytes | None]]:
        """Results that came in next, each with its record, if any; none when the task is done.

        Args:
            task: to begin with; None to go on with the one before.
        """
        if task is not None:
            self._playing = self._pool.run([task], 1)
        results = next(self._playing, [])
        if not all(result.reason.startswith(_CERTAIN) for result in results if result.reason):
            time.sleep(_DOUBT_SECONDS)
        return [(result, self._record(result.number)) for result in results]

    def _record(self, number: int) -> bytes | None:
        if not self._config.records_game(number):
            return None
        assert self._config.records is not None
        path = record_path(self._config.records, number)
        content = path.read_bytes()
        path.unlink()
        return content

    def close(self) -> None:
        """End the process."""
        self._pool.close()
        if self._records is not None:
            self._records.cleanup()
