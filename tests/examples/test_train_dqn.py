from types import SimpleNamespace

import numpy as np
import pytest
import torch

from catan_pz.observation.segments import SIZE

PROGRAM = "train_dqn"


def learner(program, **options):
    small = {"num_envs": 8, "width": 8, "buffer_size": 400, "learning_starts": 40}
    args = program.Args(players=2, **small, **options)
    games = program.make_games(args, None)
    return program.make_model(args, games), games


def test_choices_are_legal_and_greedy_where_it_does_not_explore(program):
    model, games = learner(program)
    games.reset()
    model.num_timesteps = 10**6
    for rate, explores in ((0.0, False), (1.0, True)):
        model.exploration_rate = rate
        best = 0
        for _ in range(40):
            masks = games.action_masks().copy()
            with torch.no_grad():
                values = model.q_net(torch.as_tensor(games.batch.observation.copy())).numpy()
            actions, _ = model._sample_action(0, None, 8)
            assert masks[np.arange(8), actions].all()
            legal = np.where(masks, values, -np.inf)
            best += int((actions == legal.argmax(axis=1)).sum())
            games.step(actions)
        assert (best == 320) != explores


@pytest.mark.parametrize("double", [True, False])
def test_the_target_bootstraps_from_legal_actions_alone(program, double):
    """Illegal actions are given the highest values: they must not count."""
    model, _ = learner(program, double=double, network="dense")
    legal = np.zeros((5, 252), np.bool_)
    legal[:, [3, 7]] = True
    sample = {
        "returns": np.full(5, 0.5, np.float32),
        "discounts": np.array([0.9, 0.9, 0.9, 0.0, 0.0], np.float32),
        "next_observations": np.zeros((5, SIZE), np.int8),
        "next_masks": legal,
    }
    for net, given in ((model.q_net, (2.0, 1.0)), (model.q_net_target, (5.0, 6.0))):
        with torch.no_grad():
            for parameter in net.parameters():
                parameter.zero_()
            list(net.parameters())[-1].fill_(1000)[[3, 7]] = torch.tensor(given)
    value = 5.0 if double else 6.0
    targets = model.targets(sample).tolist()
    assert targets == pytest.approx([*[0.5 + 0.9 * value] * 3, 0.5, 0.5])


def test_an_update_moves_the_taken_q_values_towards_their_targets(program, monkeypatch):
    model, games = learner(program, network="dense", learning_rate=0.01)
    observations = games.batch.observation.copy()
    sample = {
        "observations": observations,
        "actions": games.batch.mask.argmax(axis=1),
        "returns": np.linspace(-1, 1, 8, dtype=np.float32),
        "discounts": np.zeros(8, np.float32),
        "next_observations": observations,
        "next_masks": games.action_masks(),
    }
    monkeypatch.setattr(model.buffer, "sample", lambda count: sample)
    recorded = {}
    logger = SimpleNamespace(record=recorded.__setitem__)
    monkeypatch.setattr(model, "_logger", logger, raising=False)
    losses = []
    for _ in range(30):
        model.train(4, 8)
        losses.append(recorded["train/loss"])
    assert losses[-1] < 0.05 * losses[0]
    assert recorded["train/n_updates"] == 120


class Filled:
    """A buffer with random rows, as games would give them, and a list of all rows ever added."""

    def __init__(self, program, steps, n, games=3, ends=0.2, cut=0.05):
        args = program.Args(num_envs=games, n_steps=n, gamma=0.9, buffer_size=60)
        self.buffer = program.ReplayBuffer(args, 13)
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


@pytest.mark.parametrize(("steps", "n"), [(12, 3), (20, 1), (130, 3)])
def test_samples_are_what_was_added(program, steps, n):
    filled = Filled(program, steps, n)
    sample = filled.buffer.sample(200)
    for k in range(200):
        game, low, high = sample["observations"][k, :3].tolist()
        t = low + 100 * high
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
        later = [game, (t + n) % 100, (t + n) // 100]
        assert sample["next_observations"][k, :3].tolist() == later
        mask = np.unpackbits(filled.rows[t + n]["masks"][game], count=13)
        assert (sample["next_masks"][k] == mask).all()
