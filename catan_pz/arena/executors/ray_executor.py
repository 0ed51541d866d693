"""Games played on the nodes of a Ray cluster.

Each worker is an actor with a process of its own: an agent that ends or blocks the process forfeits
its game, as it does with `ProcessExecutor`. An actor ends only if its node is lost, and nobody
forfeits for that.
"""

import os
import platform
import socket
import tempfile
import time
import warnings
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from catan_pz import __version__
from catan_pz.arena.entrants import Entrant
from catan_pz.arena.executors.base import Task
from catan_pz.arena.executors.processes import Pool, worker_arguments
from catan_pz.arena.executors.worker import WorkerArguments
from catan_pz.arena.records import record_path
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.checks import check_count, not_possible
from catan_pz.files import write_bytes

_ANSWER_SECONDS: Final = 10.0
"""Time for the head of a cluster to accept a connection."""

_DOUBT_SECONDS: Final = 3.0
"""A node that shuts down may end an agent's process before the actor's own: a forfeit for that
waits as long, and counts if the actor is still there."""

_CERTAIN: Final = ("error:", "illegal:", "nonsense:", "time:")
"""Beginnings of reasons of forfeits that the end of a node can't cause."""

_NOTICE_SECONDS: Final = 60.0
"""A warning comes after this if the cluster has no free CPU."""

_LEAST_LOSSES: Final = 5
"""Workers that may be lost in a row, without a result between them, before the match stops."""


def connect(address: str | None = None, num_cpus: int | None = None) -> Any:
    """The module `ray`, connected to a cluster; a connection that there is already stays.

    Args:
        address: "HOST:PORT" of the cluster's head; "auto" for the cluster that this machine
            belongs to; "local" for a new one in this machine alone; None for that of the
            variable RAY_ADDRESS, or of this machine if it belongs to one, or a new one.
        num_cpus: of a new cluster; None for those of the machine.
    """
    try:
        import ray
    except ImportError as error:
        raise ImportError("playing on a cluster needs Ray: pip install 'catan-pz[ray]'") from error
    if ray.is_initialized():
        return ray
    asked = address or os.environ.get("RAY_ADDRESS") or None
    if asked not in (None, "auto", "local"):
        _check_answers(asked)
    if asked != "local":
        try:
            ray.init(asked or "auto", logging_level="WARNING")
        except ConnectionError as error:
            if asked is not None:
                raise ConnectionError(_no_cluster(asked)) from error
        except RuntimeError:  # versions differ
            ray.shutdown()
            raise
    if not ray.is_initialized():
        ray.init("local", num_cpus=num_cpus, include_dashboard=False, logging_level="WARNING")
    return ray


def _check_answers(address: str) -> None:
    """Refuse an address where nobody listens: Ray itself would end the process."""
    host, sign, port = address.rpartition(":")
    if "://" in address or not sign or not port.isdecimal() or int(port) > 65535:
        allowed = '"HOST:PORT" of a cluster, "auto" for that of this machine, "local" for a new one'
        raise not_possible("address", address, allowed)
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER_SECONDS).close()
    except OSError as error:
        raise ConnectionError(f"{_no_cluster(address)} ({error.strerror or error})") from error


def _no_cluster(address: str) -> str:
    if address == "auto":
        return "no Ray cluster runs on this machine: `ray start --head` starts one"
    return f"no Ray cluster answers at {address}"


class RayHost:
    """Plays the tasks of a match, one after the other, in a process of this node.

    Args:
        arguments: of the process.
        version: of the package where the match was started.
    """

    def __init__(self, arguments: WorkerArguments, version: str) -> None:
        self._version = version
        self._config = arguments.config
        if self._config.records is not None:
            self._folder = tempfile.TemporaryDirectory()
            self._config = replace(self._config, records=Path(self._folder.name))
        self._pool = Pool(replace(arguments, config=self._config))
        self._playing: Iterator[list[GameResult]] = iter(())

    def proceed(self, task: Task | None = None) -> list[tuple[GameResult, bytes | None]]:
        """The next results, each with its record, if any; none when the task is done.

        Without a task the previous one goes on.
        """
        if self._version != __version__:
            raise RuntimeError(
                f"node {platform.node()} has catan-pz {__version__}, this process "
                f"{self._version}: install the same on every node"
            )
        if task is not None:
            self._playing = self._pool.run([task], 1)
        results = next(self._playing, [])
        if not all(result.reason.startswith(_CERTAIN) for result in results if result.reason):
            time.sleep(_DOUBT_SECONDS)
        return [(result, self._record(result.number)) for result in results]

    def _record(self, number: int) -> bytes | None:
        if self._config.records is None or not self._config.records_game(number):
            return None
        path = record_path(self._config.records, number)
        content = path.read_bytes()
        path.unlink()
        return content

    def close(self) -> None:
        """End the process."""
        self._pool.close()
        if self._config.records is not None:
            self._folder.cleanup()


class RayExecutor:
    """Plays tasks on all nodes of a Ray cluster, and replaces workers whose nodes are lost.

    Each worker is an actor that takes one CPU and plays in a process of its own, so that agents
    forfeit as with `ProcessExecutor`. The games of a worker whose node is lost are played again
    elsewhere, with the same results. Agents may be given as for `ProcessExecutor`, or as
    functions and classes of the script; what they import, and files and programs that they
    read, must be on every node. Recorded games come back to this machine.

    Args:
        workers: tasks that are played at the same time; None for one on each CPU of the cluster.
        address: as for `connect`.

    Raises:
        ImportError, ConnectionError, RuntimeError: without Ray, without a cluster, or where
            versions don't fit.
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
            RuntimeError: if a node has another version of the package, if workers end again and
                again, or if a process ends by itself, other than in an agent's call.
        """
        dumps = self._ray.cloudpickle.dumps
        arguments = worker_arguments(config, entrants, dumps, "another machine")
        match = _Match(self._ray, arguments, tasks)
        try:
            yield from match.run(min(self.workers, len(tasks)))
        finally:
            match.close()


@dataclass(eq=False)
class _Worker:
    """A `RayHost` as this process sees it."""

    actor: Any
    task: Task | None = None
    unfinished: dict[int, ScheduledGame] = field(default_factory=dict)


class _Match:
    """The workers of one match, and the tasks that wait for them."""

    def __init__(self, ray: Any, arguments: WorkerArguments, tasks: Sequence[Task]):
        self._ray = ray
        self._arguments = arguments
        self._waiting = deque(tasks)
        self._calls: dict[Any, _Worker] = {}
        self._host = ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")(RayHost)
        errors = ray.exceptions
        self._signs_of_loss = (
            *(errors.RayActorError, errors.ObjectLostError, errors.NodeDiedError),
            *(errors.WorkerCrashedError, errors.RpcError),
        )
        self._losses = 0
        self._notice_seconds: float | None = _NOTICE_SECONDS

    def run(self, count: int) -> Iterator[GameResult]:
        """Play all tasks with some number of workers at most."""
        most_losses = max(_LEAST_LOSSES, 2 * count)
        for _ in range(count):
            self._start_worker()
        while self._calls:
            ready = self._ray.wait(list(self._calls), timeout=self._notice_seconds)[0]
            if not ready:
                free = self._ray.available_resources().get("CPU", 0)
                warnings.warn(
                    f"the Ray cluster has started no worker yet: {free:g} CPUs are free on its "
                    f"{len(self._ray.nodes())} nodes; waiting",
                    stacklevel=2,
                )
            self._notice_seconds = None
            for call in ready:
                worker = self._calls.pop(call)
                try:
                    answer = self._ray.get(call)
                except self._signs_of_loss as error:
                    self._make_up_for(worker, error, most_losses)
                except self._ray.exceptions.RayTaskError as error:
                    raise error.cause from None
                else:
                    yield from self._take(worker, answer)

    def _start_worker(self) -> None:
        worker = _Worker(self._host.remote(self._arguments, __version__))
        self._calls[worker.actor.proceed.remote()] = worker  # comes back when it is there

    def _ask(self, worker: _Worker) -> None:
        """Ask a worker for the next results, those of a new task if it has none."""
        if worker.task is not None:
            self._calls[worker.actor.proceed.remote()] = worker
        elif self._waiting:
            worker.task = self._waiting.popleft()
            worker.unfinished = {game.number: game for game in worker.task.games}
            self._calls[worker.actor.proceed.remote(worker.task)] = worker
        else:
            worker.actor.close.remote()  # without further calls the actor ends then

    def _take(
        self, worker: _Worker, answer: list[tuple[GameResult, bytes | None]]
    ) -> Iterator[GameResult]:
        """Take the results that a worker gives, and ask it for more."""
        if answer:
            self._losses = 0
        else:
            worker.task = None
        for result, record in answer:
            del worker.unfinished[result.number]
            folder = self._arguments.config.records
            if record is not None and folder is not None:
                write_bytes(record_path(folder, result.number), record)
            yield result
        self._ask(worker)

    def _make_up_for(self, worker: _Worker, error: Exception, most_losses: int) -> None:
        """Put the games of a lost worker back, and start another one."""
        self._ray.kill(worker.actor)
        self._losses += 1
        if self._losses > most_losses:
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
