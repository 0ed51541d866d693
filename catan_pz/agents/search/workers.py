"""Calls that threads work on at the same time."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def in_threads(call: Callable[[int], T], count: int) -> list[T]:
    """`[call(0), ..., call(count - 1)]`, each in a thread of its own.

    Whatever is raised meanwhile, no thread is at work when it goes on.
    """
    pool = ThreadPoolExecutor(count)
    try:
        return list(pool.map(call, range(count)))
    finally:
        _wait_for(pool)


def _wait_for(pool: ThreadPoolExecutor) -> None:
    raised: BaseException | None = None
    while True:
        try:
            pool.shutdown()
            break
        except BaseException as error:
            raised = error
    if raised is not None:
        raise raised
