import importlib.util
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="takes the extra `train`")

import torch

from catan_pz.observation.segments import SIZE

EXAMPLE = Path(__file__).parents[2] / "examples" / "train_dqn.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("train_dqn", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Story:
    """Random rows as games would give them, and all that was told, forever."""

    def __init__(self, example, steps, games=3, n=3, decisions=60, ends=0.2, cut=0.05):
        self.replay = example.Replay(decisions, games, 13, n, 0.9, seed=1)
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
            self.replay.add(**row)
            self.rows.append(row)


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("steps", [12, 20, 57, 130])
def test_what_is_drawn_is_what_happened(example, n, steps):
    story = Story(example, steps, n=n)
    drawn = story.replay.sample(400)
    seen = set()
    for k in range(400):
        game, low, high = drawn["observations"][k, :3].tolist()
        t = low + 100 * high
        seen.add((t, game))
        assert max(0, steps - 20) <= t < steps - n
        assert drawn["actions"][k] == story.rows[t]["actions"][game]
        total, discount = 0.0, 0.9**n
        for j in range(n):
            row = story.rows[t + j]
            assert not row["truncated"][game]
            total += 0.9**j * row["rewards"][game]
            if row["done"][game]:
                discount = 0.0
                break
        assert drawn["returns"][k] == pytest.approx(total, abs=1e-5)
        assert drawn["discounts"][k] == pytest.approx(discount)
        assert drawn["next_observations"][k, :3].tolist() == [
            game,
            *((t + n) % 100, (t + n) // 100),
        ]
        mask = np.unpackbits(story.rows[t + n]["masks"][game], count=13)
        assert (drawn["next_masks"][k] == mask).all()
    assert len(seen) > 0.7 * sum(
        not any(
            story.rows[t + j]["truncated"][g]
            and not any(story.rows[t + i]["done"][g] for i in range(j))
            for j in range(n)
        )
        for t in range(max(0, steps - 20), steps - n)
        for g in range(3)
    )


def test_a_replay_goes_on_from_its_state(example):
    one, other = Story(example, 50), Story(example, 3)
    other.replay.set_state(one.replay.get_state())
    for _ in range(3):
        first, second = one.replay.sample(20), other.replay.sample(20)
        assert all((first[name] == second[name]).all() for name in first)


def learner(example, *arguments):
    options = example.parse_options(
        ["--players=2", "--games=8", "--width=8", "--replay=400", "--warmup=40", *arguments]
    )
    games = example.make_games(options, None, example.Timers())
    return example.make_model(options, games), games


def test_choices_are_legal_and_greedy_where_it_does_not_explore(example):
    model, games = learner(example)
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


def test_exploration_draws_legal_actions_alike(example):
    model, games = learner(example)
    games.reset()
    legal = np.flatnonzero(games.action_masks()[0])
    drawn = [int(model._sample_action(10**9, None, 8)[0][0]) for _ in range(60 * len(legal))]
    counts = np.bincount(drawn, minlength=252)[legal]
    assert counts.sum() == len(drawn)
    assert counts.min() > 25
    assert counts.max() < 110


@pytest.mark.parametrize("double", [True, False])
def test_the_target_bootstraps_from_legal_actions_alone(example, monkeypatch, double):
    """Illegal actions are given the highest values: they must not count."""
    chosen = "--double" if double else "--no-double"
    model, _ = learner(example, chosen, "--rate=0", "--network=dense")
    legal = np.zeros((5, 252), np.bool_)
    legal[:, [3, 7]] = True
    drawn = {
        "observations": np.zeros((5, SIZE), np.int8),
        "actions": np.full(5, 7),
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
    targets = []

    def loss(own, target):
        targets.append(target)
        return (own - target).abs().mean()

    monkeypatch.setattr(model.kept, "sample", lambda count: drawn)
    monkeypatch.setattr(example.torch.nn.functional, "smooth_l1_loss", loss)
    monkeypatch.setattr(
        model, "_logger", type("Log", (), {"record": lambda *_: None})(), raising=False
    )
    model.train(1, 5)
    value = 5.0 if double else 6.0
    assert targets[0].tolist() == pytest.approx([*[0.5 + 0.9 * value] * 3, 0.5, 0.5])
