"""Games played on the nodes of a Ray cluster."""

import warnings
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from catan_pz import __version__
from catan_pz.arena.entrants import Entrant
from catan_pz.arena.executors.ray_cluster import connect
from catan_pz.arena.executors.ray_host import RayHost
from catan_pz.arena.executors.tasks import Task
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.arena.single_game import record_path
from catan_pz.checks import check_count
from catan_pz.files import whole_file

_NOTICE_SECONDS: Final = 60.0
"""A cluster without a free CPU is told of after this."""

_LEAST_LOSSES: Final = 5
"""Workers that may be lost, one after the other and without a result, before the match stops."""


class RayExecutor:
    """Plays tasks on all nodes of a Ray cluster, and makes up for nodes that are lost.

    Each worker is an actor that takes one CPU and plays in a process of its own, so that agents
    forfeit as with `ProcessExecutor`. The games of a worker whose node is lost are played again
    elsewhere, with the same results. Agents may be given as for `ProcessExecutor`, or as
    functions and classes of the script; what they import, and files and programs that they
    read, must be on every node. Recorded games come back to this machine.

    Args:
        workers: tasks that are played at the same time; None for one on each CPU of the cluster.
        address: "HOST:PORT" of the cluster, "auto" for that of this machine, "local" for a new
            one; None for that of the variable RAY_ADDRESS, or of this machine if there is one,
            or a new one. A connection that this process has already is used as it is.

    Attributes:
        workers: tasks that are played at the same time.

    Raises:
        ImportError, ConnectionError, RuntimeError: without Ray, without a cluster, or where
            versions don't fit.
        ValueError: for an address, or a number of workers, that is not possible.
    """

    def __init__(self, workers: int | None = None, *, address: str | None = None) -> None:
        count = None if workers is None else check_count("workers", workers)
        self._ray = connect(address, count)
        self.workers = count or max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def run(
        self, config: MatchConfig, entrants: Sequence[Entrant], tasks: Sequence[Task]
    ) -> Generator[GameResult, None, None]:
        """Play all tasks, as `Executor.run`.

        Raises:
            ValueError: names an entrant that can't be sent to another process.
            RuntimeError: if a node has another version of the package or can't make the agents,
                if workers end again and again, or if a process ends by itself, other than in
                an agent's call.
        """
        match = _Match(self._ray, config, self._pickled(entrants), tasks)
        try:
            yield from match.run(min(self.workers, len(tasks)))
        finally:
            match.close()

    def _pickled(self, entrants: Sequence[Entrant]) -> bytes:
        dumps = self._ray.cloudpickle.dumps
        for entrant in entrants:
            try:
                dumps(entrant)
            except Exception as error:
                raise ValueError(
                    f"agent {entrant.name!r} can't be sent to another machine ({error}); give a "
                    "name or a function that makes it"
                ) from error
        pickled: bytes = dumps(tuple(entrants))
        return pickled


@dataclass(eq=False)
class _Worker:
    """A `RayHost` as this process sees it."""

    actor: Any
    is_checked: bool = False
    is_closing: bool = False
    task: Task | None = None
    unfinished: dict[int, ScheduledGame] = field(default_factory=dict)


class _Match:
    """The workers of one match, and the tasks that wait for them."""

    def __init__(self, ray: Any, config: MatchConfig, entrants: bytes, tasks: Sequence[Task]):
        self._ray = ray
        self._config = config
        self._entrants = entrants
        self._waiting = deque(tasks)
        self._calls: dict[Any, _Worker] = {}
        self._host = ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")(RayHost)
        errors = ray.exceptions
        self._signs_of_loss = (
            *(errors.RayActorError, errors.ObjectLostError, errors.NodeDiedError),
            *(errors.WorkerCrashedError, errors.RpcError),
        )
        self._losses = 0
        self._has_warned = False

    def run(self, count: int) -> Iterator[GameResult]:
        """Play all tasks with some number of workers at most."""
        self._most_losses = max(_LEAST_LOSSES, 2 * count)
        for _ in range(count):
            self._start_worker()
        while self._calls and (self._waiting or self._is_playing()):
            for call in self._ready():
                yield from self._answer(call, self._calls.pop(call))

    def _is_playing(self) -> bool:
        return any(worker.task is not None for worker in self._calls.values())

    def _ready(self) -> list[Any]:
        """Calls that have come back; none after a minute without."""
        timeout = None if self._has_warned else _NOTICE_SECONDS
        ready: list[Any] = self._ray.wait(list(self._calls), timeout=timeout)[0]
        if not ready and not any(worker.is_checked for worker in self._calls.values()):
            self._has_warned = True
            free = self._ray.available_resources().get("CPU", 0)
            warnings.warn(
                f"the Ray cluster has started no worker yet: {free:g} CPUs are free on its "
                f"{len(self._ray.nodes())} nodes; waiting",
                stacklevel=2,
            )
        return ready

    def _start_worker(self) -> None:
        worker = _Worker(self._host.remote(self._config, self._entrants))
        self._calls[worker.actor.check.remote()] = worker

    def _answer(self, call: Any, worker: _Worker) -> Iterator[GameResult]:
        """Take what a worker gives, and ask it for more."""
        try:
            answer = self._ray.get(call)
        except self._signs_of_loss as error:
            self._make_up_for(worker, error)
            return
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None
        if worker.is_closing:
            self._ray.kill(worker.actor)
            return
        if not worker.is_checked:
            _check(*answer)
            worker.is_checked = True
        elif answer:
            self._losses = 0
            yield from self._results(worker, answer)
        else:
            worker.task = None
        self._ask(worker)

    def _ask(self, worker: _Worker) -> None:
        """Ask a worker for the next results, those of a new task if it has none."""
        if worker.task is not None:
            call = worker.actor.proceed.remote()
        elif self._waiting:
            worker.task = self._waiting.popleft()
            worker.unfinished = {game.number: game for game in worker.task.games}
            call = worker.actor.proceed.remote(worker.task)
        else:
            worker.is_closing = True
            call = worker.actor.close.remote()
        self._calls[call] = worker

    def _results(
        self, worker: _Worker, answer: list[tuple[GameResult, bytes | None]]
    ) -> Iterator[GameResult]:
        for result, record in answer:
            del worker.unfinished[result.number]
            if record is not None:
                assert self._config.records is not None
                with whole_file(record_path(self._config.records, result.number)) as draft:
                    draft.write_bytes(record)
            yield result

    def _make_up_for(self, worker: _Worker, error: Exception) -> None:
        """Put the games of a lost worker back, and start another one."""
        self._ray.kill(worker.actor)
        if worker.is_closing:
            return
        self._losses += 1
        if self._losses > self._most_losses:
            raise RuntimeError(
                f"{self._losses} workers on Ray ended one after the other before any game did: "
                f"{' '.join(str(error).split())}"
            ) from error
        if worker.task is not None and worker.unfinished:
            unfinished = tuple(worker.unfinished.values())
            self._waiting.appendleft(Task(unfinished, worker.task.way))
        if self._waiting:
            self._start_worker()

    def close(self) -> None:
        """End all workers."""
        for worker in self._calls.values():
            self._ray.kill(worker.actor)
        self._calls.clear()


def _check(node: str, version: str, failure: str) -> None:
    """Refuse a node that can't play the match.

    Raises:
        RuntimeError: says why.
    """
    if version != __version__:
        raise RuntimeError(
            f"node {node} has catan-pz {version}, this process {__version__}: install the same "
            "on every node"
        )
    if failure:
        raise RuntimeError(f"node {node} can't make the agents: {failure}")
