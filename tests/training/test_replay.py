import numpy as np
import pytest

pytest.importorskip("torch", reason="takes the extra `train`")

from catan_pz.observation.segments import SIZE
from catan_pz.training.replay import OpenDecisions, ReplayBuffer, ReplayMemory


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


def test_a_memory_keeps_the_last_decisions():
    memory = ReplayMemory(5, 3, 2)
    for k in (np.arange(2), np.arange(2, 3), np.arange(3, 8)):
        states = np.tile(k[:, None], 3)
        memory.add(
            state=states,
            choice=k,
            reward=k / 2,
            next_state=states + 1,
            next_legal=np.stack([k % 2 == 0, k >= 0], axis=1),
            ended=k == 7,
        )
    sample = memory.sample(5, np.random.default_rng(0))
    assert sorted(sample["choice"].tolist()) == [3, 4, 5, 6, 7]
    assert (sample["reward"] == sample["choice"] / 2).all()
    assert (sample["next_state"][:, 0] == sample["choice"] + 1).all()
    assert (sample["next_legal"][:, 0] == (sample["choice"] % 2 == 0)).all()
    other = ReplayMemory(5, 3, 2)
    other.set_state(memory.get_state())
    again = other.sample(5, np.random.default_rng(0))
    assert all((again[name] == sample[name]).all() for name in sample)


def test_a_memory_that_is_not_full_comes_back():
    memory, other = ReplayMemory(50, 1, 1), ReplayMemory(50, 1, 1)
    row = {name: np.ones((2, *array.shape[1:])) for name, array in memory.arrays.items()}
    memory.add(**row)
    other.set_state(memory.get_state())
    assert other.added == 2
    other.add(**row)
    assert other.arrays["state"].sum() == 4


def test_last_decisions_wait_in_their_places():
    """A seat's first turn has a place of its own, and comes first."""
    last = OpenDecisions(3, 2)

    def opened(games, seats, first, choice):
        k = np.array(choice)
        states = np.tile(k[:, None], 2)
        given = (np.array(games), np.array(seats), np.array(first))
        last.open(*given, state=states, choice=k, reward=k / 2)

    opened([0, 2], [1, 0], [False, True], [5, 6])
    opened([2], [0], [False], [7])
    of, decisions = last.close(np.array([2, 1, 0]), np.array([0, 0, 0]))
    assert of.tolist() == [0, 0]
    assert decisions["choice"].tolist() == [6, 7]
    assert decisions["state"].tolist() == [[6, 6], [7, 7]]
    assert decisions["reward"].tolist() == [3, 3.5]
    of, _ = last.close(np.array([2]), np.array([0]))
    assert not len(of)
    of, decisions = last.close(np.array([1, 0]), np.array([1, 1]))
    assert (of.tolist(), decisions["choice"].tolist()) == ([1], [5])
