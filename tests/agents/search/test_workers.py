"""Threads of a search: all results in order, and none at work after an exception."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from catan_pz.agents.search import workers
from catan_pz.agents.search.workers import in_threads


def test_results_come_in_order() -> None:
    assert in_threads(lambda k: (time.sleep(0.01 * (3 - k)), k)[1], 3) == [0, 1, 2]


def test_what_a_call_raises_comes_after_the_others_have_ended() -> None:
    ended, begun = [], threading.Barrier(3)

    def work(k: int) -> None:
        begun.wait(timeout=60)
        if k == 0:
            raise KeyError(k)
        time.sleep(0.05)
        ended.append(k)

    with pytest.raises(KeyError):
        in_threads(work, 3)
    assert sorted(ended) == [1, 2]


def test_a_second_interruption_waits_too(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(ThreadPoolExecutor):
        interruptions = 2

        def shutdown(self, *arguments, **options) -> None:
            if Interrupted.interruptions > 0:
                Interrupted.interruptions -= 1
                raise KeyboardInterrupt
            super().shutdown(*arguments, **options)

    monkeypatch.setattr(workers, "ThreadPoolExecutor", Interrupted)
    ended, begun = [], threading.Barrier(2)

    def work(k: int) -> None:
        begun.wait(timeout=60)
        if k == 0:
            raise KeyError(k)
        time.sleep(0.05)
        ended.append(k)

    with pytest.raises(KeyboardInterrupt):
        in_threads(work, 2)
    assert ended == [1]
