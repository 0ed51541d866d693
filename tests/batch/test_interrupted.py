"""Exceptions anywhere in a call on a batch: it goes on as its twin does, or asks for a reset."""

import subprocess
import sys

import numba
import numpy as np
import pytest

from catan_pz.agents.base import BatchAgent
from catan_pz.batch.cpu import CpuBatch
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.env.self_play_rollout import SelfPlayRollout
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from tests.batch import interrupted
from tests.batch.interrupted import PLAYERS, Steps

pytestmark = pytest.mark.skipif(
    numba.config.DISABLE_JIT, reason="a compiled call is whole, an interpreted one isn't"
)
ASKS = r"call reset\(\) first"


@pytest.mark.parametrize("name", PLAYERS)
def test_an_exception_at_any_opcode(name: str) -> None:
    report, _ = interrupted.disturb_at_opcodes(name, first=1 + len(name), stride=97)
    assert report.broken_off > 5


@pytest.mark.slow  # at other moments each time; the opcodes above are the same ones
def test_exceptions_of_signals_and_of_other_threads() -> None:
    command = [sys.executable, "-m", "tests.batch.interrupted", "--exceptions", "80"]
    done = subprocess.run(command, check=False, timeout=600, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "no game differs" in done.stdout


def test_a_game_that_differs_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def half_a_step(batch: CpuBatch, *_arguments: object) -> None:
        batch.games["points"][0] += 1

    pair = interrupted.Pair(Steps)
    monkeypatch.setattr(pair.player.batch, "play_random", half_a_step)
    monkeypatch.setattr(pair.player, "play", lambda: half_a_step(pair.player.batch))
    with pytest.raises(AssertionError, match="plays other games"):
        pair.disturb(lambda _call: False)


class Interrupted(BatchAgent):
    """An opponent that is interrupted at its first decisions."""

    name = "interrupted"

    def act_batch(self, views):
        raise KeyboardInterrupt


def test_a_learners_batch_asks_for_a_reset_after_half_a_step() -> None:
    batch = SingleLearnerBatch(4, seed=1, opponents=Interrupted(), trading=False)
    batch.step(batch.sample())
    with pytest.raises(KeyboardInterrupt):
        batch.step(batch.sample())
    for call in (batch.sample, batch.get_state, lambda: batch.step(np.zeros(4, np.int64))):
        with pytest.raises(RuntimeError, match=ASKS):
            call()
    batch.reset(1)
    fresh = SingleLearnerBatch(4, seed=1, opponents=Interrupted(), trading=False)
    assert batch.games.tobytes() == fresh.games.tobytes()
    batch.step(batch.sample())


def test_a_batch_that_is_stepped_inside_of_its_step_refuses() -> None:
    def reward(terms, _games):
        batch.play_random()
        return np.zeros(terms.shape[:2])

    batch = CpuBatch(4, seed=1, reward=reward, trading=False)
    with pytest.raises(RuntimeError, match=ASKS):
        batch.play_random()


def test_an_illegal_action_needs_no_reset() -> None:
    batch = SelfPlayBatch(4, seed=1, trading=False)
    with pytest.raises(ValueError, match="game 0"):
        batch.step(np.full(4, 251))
    batch.step(batch.sample())
    assert batch.steps == 1


def test_self_play_asks_for_a_reset_where_its_sums_would_be_wrong() -> None:
    def reward(terms, _games):
        raise KeyError("mine")

    batch = SelfPlayBatch(4, seed=1, trading=False, reward=reward)
    with pytest.raises(KeyError, match="mine"):
        batch.step(batch.sample())
    with pytest.raises(RuntimeError, match=ASKS):
        batch.step(batch.sample())


def test_a_rollout_notices_steps_that_it_has_not_recorded() -> None:
    batch = SelfPlayBatch(4, seed=1, trading=False)
    rollout = SelfPlayRollout(batch, 2)
    values = np.zeros(4, np.float32)
    rollout.step(batch.sample(), values)
    batch.step(batch.sample())
    with pytest.raises(RuntimeError, match=r"call clear\(\) first"):
        rollout.step(batch.sample(), values)
    rollout.clear()
    for _ in range(2):
        rollout.step(batch.sample(), values)
    batch.reset(1)
    with pytest.raises(RuntimeError, match=r"call clear\(\) first"):
        rollout.finish(values)
