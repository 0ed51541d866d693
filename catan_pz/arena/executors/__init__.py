"""Executors play the games of a match: in this process, in several, or on a cluster."""

from collections.abc import Callable
from typing import Final

from catan_pz.arena.executors.base import Executor, InlineExecutor, Task, make_tasks, play_task
from catan_pz.arena.executors.processes import ProcessExecutor
from catan_pz.arena.executors.ray_executor import RayExecutor
from catan_pz.checks import check_count, not_possible

__all__ = [
    "Executor",
    "InlineExecutor",
    "ProcessExecutor",
    "RayExecutor",
    "Task",
    "make_executor",
    "make_tasks",
    "play_task",
]

EXECUTORS: Final[dict[str, Callable[[int | None], Executor]]] = {
    "inline": lambda _workers: InlineExecutor(),
    "processes": lambda workers: ProcessExecutor(workers or 1),
    "ray": RayExecutor,
}
"""Makers of executors from a number of workers; None for the usual number."""


def make_executor(
    given: str | Executor | None, workers: int | None, seconds_per_decision: float | None
) -> Executor:
    """The executor that the options of a match ask for; see `MatchOptions`."""
    count = None if workers is None else check_count("workers", workers)
    if given is None:
        given = "inline" if count in (None, 1) and seconds_per_decision is None else "processes"
    if isinstance(given, str) and given in EXECUTORS:
        given = EXECUTORS[given](count)
    elif isinstance(given, str) or not isinstance(given, Executor):
        allowed = f"one of {list(EXECUTORS)}, or a catan_pz.arena.Executor"
        raise not_possible("executor", given, allowed)
    check_count("workers", given.workers)
    if count not in (None, given.workers):
        raise not_possible("workers", workers, f"None, as the executor has {given.workers}")
    return given
