"""The pool of past selves: who is drawn how often, what is kept, what comes back."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="takes the extra `train`")

from catan_pz.training.past_selves import PastSelves, draw_probabilities  # noqa: E402


def test_half_of_the_draws_are_uniform_and_half_favor_the_recent():
    # Rising: 1/10, 2/10, 3/10, 4/10.
    assert draw_probabilities(4).tolist() == pytest.approx(
        [0.125 + 0.05, 0.125 + 0.1, 0.125 + 0.15, 0.125 + 0.2]
    )
    # Over the last two alone: 1/3, 2/3.
    assert draw_probabilities(4, recent=2).tolist() == pytest.approx(
        [0.125, 0.125, 0.125 + 1 / 6, 0.125 + 1 / 3]
    )
    assert draw_probabilities(1).tolist() == [1]
    assert draw_probabilities(1000).sum() == pytest.approx(1)


def weights(value):
    return {"bias": torch.full((3,), float(value), requires_grad=True)}


def test_the_oldest_is_dropped_and_the_rest_comes_back(tmp_path):
    pool = PastSelves(tmp_path, size=3, seed=1)
    for k in range(5):
        pool.add(f"{k:03d}", weights(k))
    assert pool.pool == ["002", "003", "004"]
    loaded = pool.load(["004", "002", "004"])
    assert list(loaded) == ["004", "002"]
    assert loaded["002"]["bias"].tolist() == [2, 2, 2]
    assert not loaded["002"]["bias"].requires_grad
    assert pool.load(["002"])["002"] is loaded["002"]


def test_it_goes_on_from_its_state(tmp_path):
    pool = PastSelves(tmp_path, size=10, seed=1)
    for k in range(4):
        pool.add(str(k), weights(k))
    state = pool.get_state()
    other = PastSelves(tmp_path, size=10, seed=2)
    other.set_state(state)
    assert other.draw(50) == pool.draw(50)
    drawn = np.bincount([int(name) for name in other.draw(20_000)], minlength=4) / 20_000
    np.testing.assert_allclose(drawn, draw_probabilities(4), atol=0.02)
    (tmp_path / "3.npz").unlink()
    with pytest.raises(ValueError, match=r"snapshot .*3\.npz is missing"):
        other.load(["3"])


def test_a_damaged_snapshot_is_named(tmp_path):
    pool = PastSelves(tmp_path, size=10, seed=1)
    pool.add("one", weights(1))
    path = tmp_path / "one.npz"
    content = path.read_bytes()
    path.write_bytes(content[:50])
    with pytest.raises(ValueError, match=r"the snapshot .*one\.npz is damaged: it is no whole"):
        pool.load(["one"])
    np.savez(path, bias=np.array(["text"]))
    with pytest.raises(ValueError, match=r"the snapshot .*one\.npz is damaged"):
        pool.load(["one"])
