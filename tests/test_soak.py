"""Random runs of every way to play: short ones by default, ten million decisions with -m slow."""

import pytest

from tests import soak
from tests.soak import RUNS, Batch, Run, SingleGame

SLOW = pytest.mark.slow
NEEDS = {"sb3": "stable_baselines3", "torchrl": "torchrl"}


def make(name: str) -> Run:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], exc_type=ImportError)
    try:
        return RUNS[name]()
    except ImportError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    "name",
    [name if name in ("raw_env", "batch") else pytest.param(name, marks=SLOW) for name in RUNS],
)
def test_a_short_run_breaks_no_rule(name: str) -> None:
    report = soak.soak(make(name), 20_000)
    assert report.decisions >= 20_000
    assert report.checked > 8


@pytest.mark.slow
def test_memory_does_not_grow() -> None:
    report = soak.soak(make("batch_threads"), soak.DECISIONS)
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
