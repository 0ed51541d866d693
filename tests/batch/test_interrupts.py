"""A batch whose call was interrupted asks for a reset, and is as new after it."""

import copy
import os
import pickle
import signal
import subprocess
import sys
from contextlib import suppress
from typing import Any

import numba
import numpy as np
import pytest

from catan_pz.agents.base import BatchAgent
from catan_pz.batch.cpu import CpuBatch
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.env.vector.single_learner import SingleLearnerBatch

ASKS = r"call reset\(\) first"


class LateError(Exception):
    """What a signal's handler raises."""


def play_until_interrupted(batch: Any) -> None:
    def ring(_signal: int, frame: Any) -> None:
        if "catan_pz" in frame.f_code.co_filename:  # a __del__ of numba's would swallow it
            raise LateError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    try:
        for _ in range(10**6):
            batch.step(batch.sample())
        raise AssertionError("no signal came")
    except LateError:
        return
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers")
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="a step takes too long")
@pytest.mark.parametrize("kind", [CpuBatch, SingleLearnerBatch, SelfPlayBatch])
def test_a_signal_in_the_middle_of_play(kind: Any) -> None:
    batch, fresh = (kind(500, seed=7, threads=2, trading=False) for _ in range(2))
    batch.step(batch.sample())  # compiles
    for _ in range(3):
        play_until_interrupted(batch)
        with suppress(RuntimeError):  # asks for a reset, but between two steps
            batch.step(batch.sample())
        batch.reset(7)
    for _ in range(20):
        for one in (batch, fresh):
            one.step(one.sample())
    (left, right) = (getattr(one, "batch", one) for one in (batch, fresh))
    assert left.games.tobytes() == right.games.tobytes()
    assert (batch.reward == fresh.reward).all()


class Interrupted(BatchAgent):
    name = "interrupted"

    def act_batch(self, views):
        raise KeyboardInterrupt


def test_each_call_after_an_interrupted_step_asks_for_a_reset() -> None:
    batch = SingleLearnerBatch(4, seed=1, opponents=Interrupted(), trading=False)
    batch.step(batch.sample())
    with pytest.raises(KeyboardInterrupt):
        batch.step(batch.sample())
    for call in (batch.sample, batch.get_state, lambda: batch.step(np.zeros(4, np.int64))):
        with pytest.raises(RuntimeError, match=ASKS):
            call()
    batch.reset(1)
    batch.step(batch.sample())


def test_self_play_needs_a_reset_where_its_sums_would_be_wrong_and_not_else() -> None:
    def reward(terms, _games):
        batch.batch.play_random()  # inside of a step

    batch = SelfPlayBatch(4, seed=1, trading=False, reward=reward)
    with pytest.raises(ValueError, match="game 0"):
        batch.step(np.full(4, 251))
    for _ in range(2):
        with pytest.raises(RuntimeError, match=ASKS):
            batch.step(batch.sample())


def test_a_batch_is_neither_copied_nor_pickled() -> None:
    for batch in (CpuBatch(2, trading=False), SingleLearnerBatch(2, trading=False)):
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=r"a \w+Batch can't be copied or pickled"):
                way(batch)


FORKED = """
import os
from catan_pz.batch.cpu import CpuBatch

batch, alone = (CpuBatch(512, threads=threads, seed=1, trading=False) for threads in (2, 1))
batch.play_random(3)
child = os.fork()
batch.play_random(3)
alone.play_random(6)
assert batch.games.tobytes() == alone.games.tobytes()
if child != 0:
    assert os.waitstatus_to_exitcode(os.wait()[1]) == 0
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_has_no_threads_and_does_all_itself() -> None:
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], check=True, timeout=120)
