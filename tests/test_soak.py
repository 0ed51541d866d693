"""Random runs of every way to play: short ones by default, ten million decisions with -m slow."""

from mmap import mmap

import numpy as np
import pytest

from tests import soak
from tests.soak import RUNS, Batch, Run, SingleGame

NEEDS = {"sb3": "stable_baselines3", "torchrl": "torchrl"}


def make(name: str) -> Run:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], exc_type=ImportError)
    try:
        return RUNS[name]()
    except ImportError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", RUNS)
def test_a_short_run_breaks_no_rule(name: str) -> None:
    report = soak.soak(make(name), 20_000)
    assert report.decisions >= 20_000
    assert report.checked > 8


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_long_run_breaks_no_rule_and_takes_no_more_memory(name: str) -> None:
    report = soak.soak(make(name), soak.DECISIONS)
    assert report.ended > 500
    assert report.checked > 50


def test_a_broken_state_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    run = SingleGame()
    run.play()
    run.game.games["bank"][0, 0] -= 1
    with pytest.raises(AssertionError, match="breaks the rules"):
        run.check()
    monkeypatch.setattr(soak, "CHECKED", 64)
    batch = Batch(4)
    batch.play()
    batch.check()
    batch.batch.games["points"][2, 1] += 1
    with pytest.raises(AssertionError, match="game 2, begun from seed 3, breaks the rules"):
        batch.check()


@pytest.mark.parametrize(("each", "grows"), [(2**18, False), (2**20, True)])
def test_memory_that_grows_is_noticed(
    monkeypatch: pytest.MonkeyPatch, each: int, grows: bool
) -> None:
    taken = iter(range(2**28, 2**30, each))
    monkeypatch.setattr(soak, "resident", lambda: next(taken))
    if grows:
        with pytest.raises(AssertionError, match="memory has grown by 12,582,912 bytes"):
            soak.soak(SingleGame(), 10_000)
    else:
        assert soak.soak(SingleGame(), 10_000).growth == 12 * each


@pytest.mark.skipif(soak.resident() is None, reason="this system doesn't tell")
def test_memory_taken_is_seen() -> None:
    before = soak.resident()
    kept = np.frombuffer(mmap(-1, 2**26), np.int8)  # not from memory that was freed
    kept[:] = 1
    after = soak.resident()
    assert before is not None
    assert after is not None
    assert after - before > 0.9 * kept.nbytes
