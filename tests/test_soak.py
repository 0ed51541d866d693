"""Random runs of every way to play: short ones by default, ten million decisions with -m slow."""

import pytest

from tests import soak

SLOW = pytest.mark.slow
NEEDS = {"sb3": "stable_baselines3", "torchrl": "torchrl"}
SHORT = [x if x in ("raw_env", "batch") else pytest.param(x, marks=SLOW) for x in soak.RUNS]


@pytest.mark.parametrize("name", SHORT)
def test_a_short_run_breaks_no_rule(name: str) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], exc_type=ImportError)
    run = soak.RUNS[name]()
    assert soak.soak(run, 20_000)[0] >= 20_000
    assert run.checked > 8


@SLOW
def test_memory_does_not_grow() -> None:
    run = soak.RUNS["batch_threads"]()
    soak.soak(run, soak.DECISIONS)
    assert run.ended > 500
    assert run.checked > 50


def test_a_broken_state_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    run = soak.Single()
    run.play()
    run.game.games["bank"][0, 0] -= 1
    with pytest.raises(AssertionError, match="breaks the rules"):
        run.check()
    monkeypatch.setattr(soak, "CHECKED", 64)
    batch = soak.batch(games=4)
    batch.play()
    batch.check()
    batch.batch.games["points"][2, 1] += 1
    with pytest.raises(AssertionError, match="game 2, begun from seed 3, breaks the rules"):
        batch.check()
