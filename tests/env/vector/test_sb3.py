import pickle

import numpy as np
import pytest

sb3 = pytest.importorskip("stable_baselines3", reason="takes the extra `train`")
sb3_contrib = pytest.importorskip("sb3_contrib", reason="takes the extra `train`")

import torch  # noqa: E402
from sb3_contrib.common.maskable.evaluation import evaluate_policy  # noqa: E402
from sb3_contrib.common.maskable.utils import (  # noqa: E402
    get_action_masks,
    is_masking_supported,
)
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.vec_env import VecMonitor  # noqa: E402

from catan_pz import IllegalActionError  # noqa: E402
from catan_pz.env.vector.sb3 import CatanVecEnv, PolicyOpponent, ScaleUnits  # noqa: E402
from catan_pz.env.vector.single_learner import SingleLearnerBatch  # noqa: E402
from tests.views import views_of  # noqa: E402

QUICK = {"num_players": 2, "trading": False, "max_turns": 40, "victory_points": 4}


def learner(env, **arguments):
    return sb3_contrib.MaskablePPO(
        "MlpPolicy", env, n_steps=16, batch_size=64, n_epochs=1, seed=0, device="cpu", **arguments
    )


def test_steps_are_those_of_the_core_and_infos_tell_the_ends():
    env = CatanVecEnv(8, seat="random", seed=1, **QUICK)
    batch = SingleLearnerBatch(8, seat="random", seed=1, observation="flat", **QUICK)
    seen, ends = env.reset(), []
    for _ in range(120):
        assert seen.dtype == np.float32
        assert (seen == batch.seen).all()
        masks = get_action_masks(env)
        assert masks.dtype == np.bool_
        assert (masks == batch.mask).all()
        actions = env.sample().copy()
        batch.step(actions)
        seen, reward, done, infos = env.step(actions)
        assert (reward.dtype, done.dtype) == (np.float32, np.bool_)
        assert (reward == batch.reward).all()
        assert (done == batch.done).all()
        assert [bool(info) for info in infos] == done.tolist()
        for i in np.flatnonzero(done):
            told = {name: values[i] for name, values in batch.ends.items()}
            assert (infos[i].pop("terminal_observation") == batch.final_seen([i])[0]).all()
            episode, total = infos[i].pop("episode"), told.pop("return")
            assert (episode["r"], episode["l"]) == (total, told["decisions"])
            ends.append(infos[i].pop("TimeLimit.truncated"))
            assert ends[-1] == batch.truncated[i]
            assert infos[i] == told
    assert set(ends) == {True, False}


def test_arrays_of_the_step_before_stay():
    lasting = CatanVecEnv(3, seed=5, trading=False, copy=True)
    env = CatanVecEnv(3, seed=5, trading=False)
    seen, kept = env.reset(), [lasting.reset()]
    for _ in range(5):
        before = seen.copy()
        actions = env.sample().copy()
        new = env.step(actions)[0]
        kept.append(lasting.step(actions)[0])
        assert (seen == before).all()
        assert (kept[-2] == before).all()
        seen = new


def test_attributes_and_methods_of_the_games():
    env = CatanVecEnv(4, seat=2, seed=1, trading=False)
    env.reset()
    assert is_masking_supported(env)
    assert env.render_mode is None
    assert env.get_attr("render_mode") == [None] * 4
    assert env.get_attr("seat", indices=[1, 2]) == [2, 2]
    assert env.get_attr("game", indices=3)[0].player == 2
    masks = env.env_method("action_masks")
    assert masks.shape == (4, 252)
    assert (env.env_method("action_masks", indices=[2]) == masks[2:3]).all()
    assert (env.get_attr("action_masks", indices=1)[0]() == masks[1]).all()
    assert env.env_is_wrapped(Monitor) == [True] * 4
    assert env.env_is_wrapped(VecMonitor, indices=0) == [False]
    assert not env.has_attr("money")
    with pytest.raises(AttributeError):
        env.set_attr("opponents", None, indices=0)
    env.set_attr("opponents", None)
    env.set_options({"state": {}})
    with pytest.raises(ValueError, match="reset: unknown option 'state'; it has none"):
        env.reset()
    with pytest.raises(IllegalActionError, match="game 0"):
        env.step(np.zeros(4, int))
    env.close()


def test_maskable_ppo_learns_on_it_and_plays_against_itself():
    env = CatanVecEnv(8, seat="random", seed=1, observation="units", **QUICK)
    model = learner(env, policy_kwargs={"features_extractor_class": ScaleUnits})
    before = [p.detach().clone() for p in model.policy.parameters()]
    model.learn(512)
    assert any(
        not torch.equal(*pair) for pair in zip(before, model.policy.parameters(), strict=True)
    )
    assert len(model.ep_info_buffer) > 0
    env.set_attr("opponents", PolicyOpponent(model))
    model.learn(128)
    rewards, _ = evaluate_policy(model, env, 4, return_episode_rewards=True, warn=True)
    assert set(rewards) <= {-1.0, 0.0, 1.0}


def test_a_policy_chooses_by_the_draws_alone():
    env = CatanVecEnv(64, seat="random", seed=1, **QUICK)
    model = learner(env)
    policy = PolicyOpponent(model)
    env.reset()
    for _ in range(20):
        env.step(env.sample())
    seen, masks = env.batch.observation, env.batch.mask
    draws = np.random.default_rng(0).integers(2**64, size=64, dtype=np.uint64)
    chosen = policy.act_batch(views_of(seen, masks, draws))
    assert masks[np.arange(64), chosen].all()
    for same in (policy, pickle.loads(pickle.dumps(policy))):  # as it is sent to a worker
        assert (same.act_batch(views_of(seen, masks, draws)) == chosen).all()
    many = np.arange(4000, dtype=np.uint64) * np.uint64(2**64 // 4000)
    one = np.repeat(seen[:1], 4000, axis=0), np.repeat(masks[:1], 4000, axis=0)
    drawn = np.bincount(policy.act_batch(views_of(*one, many)), minlength=masks.shape[1]) / 4000
    np.testing.assert_allclose(drawn, policy.probabilities(seen[:1], masks[:1])[0], atol=2e-3)
    best = PolicyOpponent(model, deterministic=True).act_batch(views_of(seen, masks, draws))
    assert (best == policy.probabilities(seen, masks).argmax(axis=1)).all()
