import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="takes the extra `train`")

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN
from stable_baselines3.common.torch_layers import FlattenExtractor

from catan_pz.agents.network import Model, NetworkAgent
from catan_pz.env.vector.export import exported
from catan_pz.env.vector.sb3 import CatanVecEnv, PolicyOpponent, ScaleUnits, note_training
from catan_pz.rules import Rules
from catan_pz.training.policies import BoardPolicy, BoardQPolicy, InOrder
from tests.views import views_of

QUICK = {"num_players": 2, "trading": False, "max_turns": 40, "victory_points": 4}


def play(env, steps=30):
    env.reset()
    for _ in range(steps):
        env.step(env.sample())
    return env.batch.observation, env.batch.mask


def shaken(learner):
    """Weights as after training: the last layer of a fresh policy is next to nothing."""
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in learner.policy.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.1)
    return learner


@pytest.mark.parametrize(
    ("observation", "activation"),
    [("flat", torch.nn.Tanh), ("dict", torch.nn.ReLU), ("units", torch.nn.Tanh)],
)
def test_a_policy_plays_without_torch_as_with_it(tmp_path, observation, activation):
    env = CatanVecEnv(64, seed=1, observation=observation, **QUICK)
    extractor = {"features_extractor_class": ScaleUnits} if observation == "units" else {}
    kwargs = {"net_arch": [32, 16], "activation_fn": activation, **extractor}
    policy = "MultiInputPolicy" if observation == "dict" else "MlpPolicy"
    learner = shaken(
        MaskablePPO(policy, env, n_steps=4, seed=0, device="cpu", policy_kwargs=kwargs)
    )
    seen, masks = play(env)
    model = exported(learner, env.batch.rules)
    probabilities = PolicyOpponent(learner).probabilities(seen, masks)
    draws = np.random.default_rng(1).integers(2**64, size=64, dtype=np.uint64)
    by_torch = PolicyOpponent(learner).act_batch(views_of(seen, masks, draws))
    assert (NetworkAgent(model).act_batch(views_of(seen, masks, draws)) == by_torch).all()
    for dtype, tolerance in (("float32", 1e-5), ("float16", 0.02)):
        model.save(tmp_path / "net.npz", dtype)
        agent = NetworkAgent(Model.read(tmp_path / "net.npz"))
        logits = np.where(masks, agent.model.logits(seen), -np.inf)
        own = np.exp(logits - logits.max(axis=1, keepdims=True))
        np.testing.assert_allclose(
            own / own.sum(axis=1, keepdims=True), probabilities, atol=tolerance
        )


@pytest.mark.parametrize(
    ("policy", "sizes"),
    [
        ("MlpPolicy", {"net_arch": [32, 16], "features_extractor_class": ScaleUnits}),
        (BoardQPolicy, {"width": 8, "dense": 16}),
    ],
)
def test_values_of_a_dqn_are_the_same_without_torch(policy, sizes):
    env = CatanVecEnv(32, seed=1, observation="units", **QUICK)
    learner = shaken(DQN(policy, env, buffer_size=100, seed=0, device="cpu", policy_kwargs=sizes))
    if policy is BoardQPolicy:
        target = learner.q_net_target.q_net.layers
        assert all((target[k] != x).any() for k, x in learner.q_net.q_net.layers.items())
    seen, masks = play(env)
    agent = NetworkAgent(exported(learner, env.batch.rules))
    with torch.no_grad():
        values = learner.q_net(torch.as_tensor(seen)).numpy()
    np.testing.assert_allclose(agent.model.logits(seen), values, atol=1e-5)
    best = np.where(masks, values, -np.inf).argmax(axis=1)
    assert (agent.act_batch(views_of(seen, masks, np.zeros(32, np.uint64))) == best).all()


@pytest.mark.parametrize(("observation", "separate_value"), [("dict", True), ("units", False)])
def test_a_board_policy_plays_without_torch_as_with_it(observation, separate_value):
    env = CatanVecEnv(64, seed=1, observation=observation, **QUICK)
    sizes = {"width": 8, "dense": 16, "separate_value": separate_value}
    learner = MaskablePPO(BoardPolicy, env, n_steps=4, seed=0, device="cpu", policy_kwargs=sizes)
    learner = shaken(learner)
    seen, masks = play(env)
    agent = NetworkAgent(exported(learner, env.batch.rules))
    probabilities = PolicyOpponent(learner).probabilities(seen, masks)
    np.testing.assert_allclose(agent.probabilities(seen, masks), probabilities, atol=1e-5)
    policy = learner.policy
    given, _ = policy.obs_to_tensor(env.reset())
    _, values, _ = policy.forward(given)
    assert torch.allclose(policy.predict_values(given), values)
    values.sum().backward()
    layers = policy.mlp_extractor
    with torch.no_grad():
        layers.weights.copy_(layers.weights.grad)
    pulled = any(x.any() for x in layers.layers.values())
    assert pulled == (not separate_value)


@pytest.mark.slow
def test_board_policies_learn_are_saved_and_loaded(tmp_path):
    env = CatanVecEnv(8, seed=1, observation="units", **QUICK)
    sizes = {"width": 4, "dense": 8}
    learner = MaskablePPO(BoardPolicy, env, n_steps=8, seed=0, device="cpu", policy_kwargs=sizes)
    before = exported(learner, env.batch.rules).network.arrays
    learner.learn(128)
    after = exported(learner, env.batch.rules).network.arrays
    assert all((after[name] != before[name]).any() for name in before)
    learner.save(tmp_path / "board.zip")
    loaded = exported(MaskablePPO.load(tmp_path / "board.zip"), env.batch.rules)
    for name, array in loaded.network.arrays.items():
        assert (array == after[name]).all()


@pytest.mark.parametrize(
    ("observation", "extractor", "must"),
    [
        ("units", FlattenExtractor, "ScaleUnits on <encoder 'units'>"),
        ("dict", InOrder, "FlattenExtractor or CombinedExtractor on <encoder 'dict'>"),
    ],
)
def test_features_that_would_be_others_without_torch_are_refused(observation, extractor, must):
    env = CatanVecEnv(2, seed=1, observation=observation, **QUICK)
    policy = "MultiInputPolicy" if observation == "dict" else "MlpPolicy"
    kwargs = {"features_extractor_class": extractor, "net_arch": [8]}
    dqn = DQN(policy, env, buffer_size=4, device="cpu", policy_kwargs=kwargs)
    with pytest.raises(ValueError, match=f"{extractor.__name__}, must come from {must}"):
        exported(dqn, env.batch.rules)


def test_what_was_noted_in_a_learner_counts():
    env = CatanVecEnv(2, seed=1, observation="tokens", **QUICK)
    learner = MaskablePPO(
        "MultiInputPolicy", env, n_steps=4, device="cpu", policy_kwargs={"net_arch": [8]}
    )
    note_training(learner, env.batch.rules, "tokens")
    assert exported(learner, env.batch.rules).encoder.name == "tokens"
    assert exported(learner, Rules(num_players=2, trading=False)).num_players == 2
    with pytest.raises(ValueError, match=r"rules: num_players must be 2, as in its training"):
        exported(learner, Rules(num_players=3, trading=False))
