import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="takes the extra `train`")
pytest.importorskip("tyro", reason="takes the extra `train`")

from catan_pz.observation.segments import SIZE
from tests.examples.programs import load

ReplayBuffer = load("train_dqn").ReplayBuffer


class Filled:
    """A buffer with random rows, as games would give them, and a list of all rows ever added."""

    def __init__(self, steps, games=3, n=3, capacity=60, ends=0.2, cut=0.05):
        self.buffer = ReplayBuffer(capacity, games, 13, n, 0.9, seed=1)
        rng = np.random.default_rng(0)
        self.rows = []
        for t in range(steps):
            done = rng.random(games) < ends
            row = {
                "observations": np.full((games, SIZE), 0, np.int8),
                "masks": np.packbits(rng.random((games, 13)) < 0.4, axis=1),
                "actions": rng.integers(13, size=games),
                "rewards": rng.normal(size=games).astype(np.float32),
                "done": done,
                "truncated": done & (rng.random(games) < cut / ends),
            }
            row["observations"][:, 0] = np.arange(games)
            row["observations"][:, 1:3] = (t % 100, t // 100)
            self.buffer.add(**row)
            self.rows.append(row)


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("steps", [12, 20, 57, 130])
def test_samples_are_what_was_added(n, steps):
    filled = Filled(steps, n=n)
    sample = filled.buffer.sample(400)
    seen = set()
    for k in range(400):
        game, low, high = sample["observations"][k, :3].tolist()
        t = low + 100 * high
        seen.add((t, game))
        assert max(0, steps - 20) <= t < steps - n
        assert sample["actions"][k] == filled.rows[t]["actions"][game]
        total, discount = 0.0, 0.9**n
        for j in range(n):
            row = filled.rows[t + j]
            assert not row["truncated"][game]
            total += 0.9**j * row["rewards"][game]
            if row["done"][game]:
                discount = 0.0
                break
        assert sample["returns"][k] == pytest.approx(total, abs=1e-5)
        assert sample["discounts"][k] == pytest.approx(discount)
        assert sample["next_observations"][k, :3].tolist() == [
            game,
            *((t + n) % 100, (t + n) // 100),
        ]
        mask = np.unpackbits(filled.rows[t + n]["masks"][game], count=13)
        assert (sample["next_masks"][k] == mask).all()
    assert len(seen) > 0.7 * sum(
        not any(
            filled.rows[t + j]["truncated"][g]
            and not any(filled.rows[t + i]["done"][g] for i in range(j))
            for j in range(n)
        )
        for t in range(max(0, steps - 20), steps - n)
        for g in range(3)
    )


def test_a_buffer_continues_from_its_state():
    one, other = Filled(50), Filled(3)
    other.buffer.set_state(one.buffer.get_state())
    for _ in range(3):
        first, second = one.buffer.sample(20), other.buffer.sample(20)
        assert all((first[name] == second[name]).all() for name in first)
