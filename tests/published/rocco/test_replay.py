import numpy as np
import pytest

pytest.importorskip("torch", reason="takes the extra `train`")

from catan_pz.published.rocco.replay import OpenDecisions, ReplayMemory


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
