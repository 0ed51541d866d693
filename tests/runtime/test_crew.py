"""Threads that take calls: results, errors, sleep and the end."""

import gc
import threading
import time

import pytest

from catan_pz.runtime import crew
from catan_pz.runtime.cpu import CpuBatch


@pytest.fixture
def worker():
    worker = crew.Worker()
    yield worker
    worker.stop()


def test_calls_run_in_another_thread(worker: crew.Worker) -> None:
    for _ in range(100):
        worker.ask(threading.get_ident)
        assert worker.result() != threading.get_ident()


@pytest.mark.parametrize("looks", [0, 10])
def test_a_worker_that_fell_asleep_is_woken(looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "LOOKS_BEFORE_SLEEP", looks)
    worker = crew.Worker()
    for k in range(20):
        if k % 5 == 0:
            time.sleep(0.02)
        worker.ask(lambda k=k: k * k)
        if k % 5 == 1:
            time.sleep(0.02)  # it is done before it is asked
        assert worker.result() == k * k
    worker.stop()


def test_a_slow_call_is_waited_for(worker: crew.Worker) -> None:
    worker.ask(lambda: time.sleep(0.05) or "done")
    assert worker.result() == "done"


def test_errors_are_raised_where_the_result_is_asked_for(worker: crew.Worker) -> None:
    worker.ask(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        worker.result()
    worker.ask(lambda: 5)
    assert worker.result() == 5


def wait_for_the_end_of(threads: set[threading.Thread]) -> None:
    for thread in threads:
        thread.join(timeout=10)
        assert not thread.is_alive()


def test_a_batch_that_is_closed_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    batch = CpuBatch(1024, trading=False, seed=1, threads=3)
    threads = set(threading.enumerate()) - before
    assert len(threads) == 2
    batch.close()
    batch.close()
    wait_for_the_end_of(threads)
    batch.play_random(2)  # on one thread now


def test_a_batch_that_is_forgotten_leaves_no_thread() -> None:
    before = set(threading.enumerate())
    batch = CpuBatch(512, trading=False, seed=1, threads=2)
    batch.play_random(2)
    threads = set(threading.enumerate()) - before
    del batch
    gc.collect()
    wait_for_the_end_of(threads)
