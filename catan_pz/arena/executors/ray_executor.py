"""Games played on the nodes of a Ray cluster.

Each node has an actor with a worker process of its own: an agent that ends or blocks its process
forfeits its game, as it does in the processes of one machine. An actor that ends by itself has
lost its node, and nobody forfeits for that.
"""

import os
import pickle
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
from catan_pz.files import whole_file

_ALLOWED: Final = (
    '"HOST:PORT" of a cluster, "auto" for the one of this machine, "local" for a new one'
)
_ANSWER_SECONDS: Final = 10.0
"""How long the head of a cluster has to take up a connection."""


def connect(address: str | None = None, num_cpus: int | None = None) -> Any:
    """The module `ray`, connected to a cluster; a connection that there is already stays.

    Args:
        address: "HOST:PORT" of the cluster's head; "auto" for the cluster that this machine
            belongs to; "local" for a new one in this machine alone; None for that of the
            variable RAY_ADDRESS, or of this machine if it belongs to one, or a new one.
        num_cpus: of a new cluster; None for those of the machine.

    Raises:
        ImportError: if Ray isn't installed; says how to get it.
        ValueError: if the address is none.
        ConnectionError: if there is no cluster.
        RuntimeError: if the cluster has another version of Ray or Python.
    """
    ray = _import_ray()
    if ray.is_initialized():
        return ray
    asked = address or os.environ.get("RAY_ADDRESS") or None
    if asked not in (None, "auto", "local"):
        _check_answers(asked)
    is_new = asked == "local" or (asked is None and not _is_running(ray))
    options: dict[str, Any] = {"logging_level": "WARNING"}
    if is_new:
        options |= {"num_cpus": num_cpus, "include_dashboard": False}
    try:
        ray.init("local" if is_new else (asked or "auto"), **options)
    except ConnectionError as error:
        raise ConnectionError(_no_cluster(asked)) from error
    except RuntimeError as error:
        if "Version mismatch" not in str(error):
            raise
        ray.shutdown()
        raise RuntimeError(_versions(str(error))) from error
    return ray


def _import_ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise ImportError("playing on a cluster needs Ray: pip install 'catan-pz[ray]'") from error
    return ray


def _is_running(ray: Any) -> bool:
    """Whether this machine belongs to a cluster."""
    from ray._private.services import canonicalize_bootstrap_address

    return canonicalize_bootstrap_address(None, None) is not None


def _check_answers(address: str) -> None:
    """Refuse an address where nobody listens: Ray itself would end the process."""
    host, sign, port = address.rpartition(":")
    if "://" in address or not sign or not port.isdecimal() or int(port) > 65535:
        raise not_possible("option address", address, _ALLOWED)
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER_SECONDS).close()
    except OSError as error:
        raise ConnectionError(f"{_no_cluster(address)} ({error.strerror or error})") from error


def _no_cluster(address: str | None) -> str:
    if address in (None, "auto"):
        return "no Ray cluster runs on this machine: `ray start --head` starts one"
    return f"no Ray cluster answers at {address}"


def _versions(message: str) -> str:
    """One line from the lines in which Ray tells of versions."""
    words = " ".join(message.split())
    return f"Ray's versions don't fit; install the same on every node. {words}"


_DOUBT_SECONDS: Final = 3.0
"""A node that shuts down may end an agent's process before the actor's own: a forfeit for that
waits as long, and counts if the actor is still there."""

_CERTAIN: Final = ("error:", "illegal:", "nonsense:", "time:")
"""How reasons of forfeits begin that no end of a node can bring about."""


class RayHost:
    """Plays the tasks of a match, one after the other, in a process of this node."""

    def __init__(self, arguments: WorkerArguments) -> None:
        config = arguments.config
        self._records = None
        if config.records is not None:
            self._records = tempfile.TemporaryDirectory()
            config = replace(config, records=Path(self._records.name))
        self._config = config
        self._entrants = arguments.entrants
        self._pool = Pool(replace(arguments, config=config))
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
    is_checked: bool = False
    is_closing: bool = False
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
        worker = _Worker(self._host.remote(self._arguments))
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
                folder = self._arguments.config.records
                assert folder is not None
                with whole_file(record_path(folder, result.number)) as draft:
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
