import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="takes the extra `train`")
pytest.importorskip("tyro", reason="takes the extra `train`")

import torch

from catan_pz.observation.segments import SIZE
from tests.examples.programs import load

# Networks as small as these are slower on several threads.
torch.set_num_threads(1)


@pytest.fixture(scope="module")
def program():
    return load("train_dqn")


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
            best += int((actions == np.where(masks, values, -np.inf).argmax(axis=1)).sum())
            games.step(actions)
        assert (best == 320) != explores


def test_exploration_samples_legal_actions_uniformly(program):
    model, games = learner(program)
    games.reset()
    legal = np.flatnonzero(games.action_masks()[0])
    drawn = [int(model._sample_action(10**9, None, 8)[0][0]) for _ in range(60 * len(legal))]
    counts = np.bincount(drawn, minlength=252)[legal]
    assert counts.sum() == len(drawn)
    assert counts.min() > 25
    assert counts.max() < 110


@pytest.mark.parametrize("double", [True, False])
def test_the_target_bootstraps_from_legal_actions_alone(program, monkeypatch, double):
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
    values = torch.full((252,), 100.0)
    values[3], values[7] = 2.0, 1.0
    target_values = torch.full((252,), 1000.0)
    target_values[3], target_values[7] = 5.0, 6.0
    for net, given in ((model.q_net, values), (model.q_net_target, target_values)):
        with torch.no_grad():
            for parameter in net.parameters():
                parameter.zero_()
            list(net.parameters())[-1].copy_(given)
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
    logger = type("Log", (), {"record": lambda _, tag, value: recorded.update({tag: value})})
    monkeypatch.setattr(model, "_logger", logger(), raising=False)
    losses = []
    for _ in range(30):
        model.train(4, 8)
        losses.append(recorded["train/loss"])
    assert losses[-1] < 0.05 * losses[0]
    assert recorded["train/n_updates"] == 120
