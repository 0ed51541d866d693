"""What the learner trains with: games side by side, memories, the network and its target."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="takes the extra `train`")

import torch
from rocco_learning import EpisodeGames, QNetwork, ReplayMemory

from catan_pz.published.rocco.networks import Architecture
from catan_pz.rules import Rules

RULES = Rules.make("rocco", max_turns=30)


def made(both_seats=True):
    return EpisodeGames(RULES, 3, 5, both_seats=both_seats)


def test_a_seat_sees_its_own_observation():
    games = made()
    rows = np.arange(3)
    for _ in range(40):
        for seat in (0, 1):
            units, masks = games.seen_by(rows, np.full(3, seat))
            for i in range(3):
                game = games.batch.game(i)
                np.testing.assert_array_equal(units[i], game.observe(seat))
                expected = game.mask if game.player == seat else np.zeros_like(game.mask)
                np.testing.assert_array_equal(masks[i], expected)
        games.batch.step(games.batch.sample())
        games.count()


def test_a_memory_keeps_the_last_decisions():
    memory = ReplayMemory(5, 3, 2)
    for k in (np.arange(2), np.arange(2, 3), np.arange(3, 8)):
        states = np.tile(k[:, None], 3)
        legal = np.stack([k % 2 == 0, k >= 0], axis=1)
        following = {"next_state": states + 1, "next_legal": legal, "ended": k == 7}
        memory.add(state=states, choice=k, reward=k / 2, **following)
    sample = memory.sample(5, np.random.default_rng(0))
    assert sorted(sample["choice"].tolist()) == [3, 4, 5, 6, 7]
    assert (sample["reward"] == sample["choice"] / 2).all()
    assert (sample["next_state"][:, 0] == sample["choice"] + 1).all()
    assert (sample["next_legal"][:, 0] == (sample["choice"] % 2 == 0)).all()


def test_the_target_network_takes_over_a_share():
    rng = np.random.default_rng(1)
    network = QNetwork(Architecture("ff", 2), rng, learning_rate=0.1, tau=0.25)
    before = network.online["dense_bias_2"].clone()
    assert torch.equal(network.target["dense_bias_2"], before)
    q_values = network.q_values(torch.ones(4, 675, dtype=torch.int8))
    network.update(-q_values.mean(), q_values)
    after = network.online["dense_bias_2"]
    assert (after > before).all()
    torch.testing.assert_close(network.target["dense_bias_2"], 0.75 * before + 0.25 * after)
