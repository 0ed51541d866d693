"""Threads of a search: all results in order, and none at work after an exception."""

import threading
import time

import pytest

from catan_pz.agents.search.workers import in_threads


class FirstRaises:
    """Calls that begin together: the first raises, the others end later."""

    def __init__(self, calls: int) -> None:
        self.ended: list[int] = []
        self._begun = threading.Barrier(calls)

    def __call__(self, k: int) -> None:
        self._begun.wait(timeout=60)
        if k == 0:
            raise KeyError(k)
        time.sleep(0.05)
        self.ended.append(k)


def test_what_a_call_raises_comes_after_the_others_have_ended() -> None:
    work = FirstRaises(3)
    with pytest.raises(KeyError):
        in_threads(work, 3)
    assert sorted(work.ended) == [1, 2]
