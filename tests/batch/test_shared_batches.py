"""Several threads on one batch, and processes forked while one of them is at work."""

import os
import subprocess
import sys
import threading

import numba
import numpy as np
import pytest

from catan_pz.batch.cpu import CpuBatch
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from tests.batch.interrupted import PythonThreads, Steps

pytestmark = pytest.mark.skipif(
    numba.config.DISABLE_JIT, reason="threads share compiled calls alone"
)
PLAYERS = {"packed": Steps, "python": PythonThreads}


def call_from_three_threads(call) -> None:
    """Call ten times from each of three threads."""
    raised = []

    def work() -> None:
        try:
            for _ in range(10):
                call()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
        assert not thread.is_alive()
    assert raised == []


@pytest.mark.parametrize("kind", PLAYERS)
def test_threads_take_turns(kind: str) -> None:
    batch = PLAYERS[kind]().batch
    alone = CpuBatch(batch.num_games, batch.rules, seed=1)
    call_from_three_threads(batch.play_random)
    alone.play_random(30)
    assert batch.games.tobytes() == alone.games.tobytes()
    assert batch.mask.tobytes() == alone.mask.tobytes()


def test_threads_take_turns_at_a_learners_batch() -> None:
    batch = SingleLearnerBatch(150, seed=1, threads=2, trading=False)
    alone = SingleLearnerBatch(150, seed=1, trading=False)
    call_from_three_threads(batch.sample)
    drawn = batch.sample().tolist()
    for _ in range(30):
        alone.sample()
    assert drawn == alone.sample().tolist()


FORKS = """
import os, signal, sys, threading, time
from tests.batch.test_shared_batches import PLAYERS

player, alone = PLAYERS[sys.argv[1]](), PLAYERS[sys.argv[1]]()
alone.reset(7)
alone.batch.play_random(3)
batch, over = player.batch, threading.Event()

def work():
    while not over.is_set():
        batch.play_random()

def play_in_child():
    try:
        batch.play_random()
    except RuntimeError as error:
        assert "call reset() first" in str(error), error
    batch.reset(7)
    batch.play_random(3)
    assert alone.digest() == player.digest()

thread = threading.Thread(target=work)
thread.start()
for _ in range(6):
    time.sleep(0.01)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # ends a process that hangs
        code = 1
        try:
            play_in_child()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
over.set()
thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize("kind", PLAYERS)
def test_a_fork_while_another_thread_steps(kind: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORKS, kind]
    subprocess.run(command, check=True, timeout=600)


def test_a_fork_that_broke_a_step_in_two_asks_for_a_reset() -> None:
    batch = CpuBatch(4, seed=1, trading=False)
    held, over = threading.Event(), threading.Event()

    def hold() -> None:
        with batch._turn:
            held.set()
            over.wait(timeout=60)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(timeout=60)
    batch.after_fork()  # as in a forked process
    over.set()
    thread.join()
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        batch.step(np.zeros(4, np.int64))
    batch.reset(1)
    batch.step(batch.sample())
