import functools

import numpy as np
import pytest

pytest.importorskip("ray.rllib", reason="takes RLlib", exc_type=ImportError)

import ray
import torch
from gymnasium import spaces
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env

from catan_pz import catan_v0
from catan_pz.env.rllib.module import ILLEGAL, MaskedModule, RandomModule, joined
from catan_pz.env.rllib.runner import CatanEnvRunner
from catan_pz.rules import Rules

# RLlib warns of matters of its own.
pytestmark = [pytest.mark.libraries, pytest.mark.filterwarnings("ignore")]

RULES = Rules(num_players=3, trading=False, victory_points=3, max_turns=40)
STEPS, GAMES = 120, 5


def mapping(agent, episode, *, learner):
    return "learner" if agent in learner else "random"


def make_config(learner, observation="flat", seed=1):
    games = {"rules": RULES, "reward": "points_gained", "observation": observation}
    register_env("catan_test", lambda _: PettingZooEnv(catan_v0.env(**games)))
    modules = {
        "learner": RLModuleSpec(module_class=MaskedModule, model_config={"width": 8, "depth": 1}),
        "random": RLModuleSpec(module_class=RandomModule),
    }
    return (
        PPOConfig()
        .environment(
            "catan_test", env_config=games | {"num_games": GAMES}, disable_env_checking=True
        )
        .env_runners(
            env_runner_cls=CatanEnvRunner, num_env_runners=0, rollout_fragment_length=STEPS
        )
        .multi_agent(
            policies=set(modules),
            policy_mapping_fn=functools.partial(mapping, learner=learner),
            policies_to_train=["learner"],
        )
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=modules))
        .debugging(seed=seed, log_level="ERROR")
    )


def make_runner(learner, observation="flat", seed=1):
    config = make_config(learner, observation, seed)
    return CatanEnvRunner(config=config, worker_index=0)


def test_an_episode_is_a_stretch_of_one_seats_decisions():
    runner = make_runner(["player_0", "player_1", "player_2"])
    episodes = runner.sample()
    runner.stop()
    steps = sum(len(one) for one in episodes)
    ended = [one for one in episodes if one.is_terminated]
    assert ended
    # In each game the last decisions of all seats but one are left out, and a truncated game's.
    assert steps > 0.8 * STEPS * GAMES
    for one in episodes:
        seen = one.get_observations()
        assert len(seen["observation"]) == len(one) + 1
        masks = seen["action_mask"][:-1]
        actions = one.get_actions()
        assert masks[np.arange(len(one)), actions].all()
        logits = one.get_extra_model_outputs(Columns.ACTION_DIST_INPUTS)
        assert (logits[masks == 0] == ILLEGAL).all()
        chosen = torch.from_numpy(logits).log_softmax(1)[torch.arange(len(one)), actions]
        assert np.allclose(one.get_extra_model_outputs(Columns.ACTION_LOGP), chosen, atol=1e-5)
        assert one.module_id == "learner"
        if not one.is_terminated:
            assert seen["action_mask"][-1].any()


def test_the_same_seed_gives_the_same_sample():
    samples = []
    for _ in range(2):
        runner = make_runner(["player_0"])
        episodes = [*runner.sample(), *runner.sample()]
        samples.append(
            [(one.id_, one.get_actions().tolist(), one.get_return()) for one in episodes]
        )
        runner.stop()
    assert samples[0] == samples[1]


def test_rllibs_own_evaluation_counts_games():
    config = make_config(["player_0"]).evaluation(
        evaluation_interval=1,
        evaluation_duration=3,
        evaluation_duration_unit="episodes",
        evaluation_config={"explore": False},
    )
    algorithm = config.build_algo()
    try:
        found = algorithm.evaluate()["env_runners"]
    finally:
        algorithm.stop()
        ray.shutdown()
    assert found["num_episodes"] >= 3


def test_what_is_not_trained_is_left_out():
    runner = make_runner(["player_1"])
    episodes = runner.sample()
    assert {one.agent_id for one in episodes} == {"player_1"}
    assert {one.module_id for one in episodes} == {"learner"}
    metrics = runner.get_metrics()
    assert metrics["num_env_steps_sampled"].peek() == STEPS * GAMES
    assert set(metrics["won"]) == {"learner", "random"}
    runner.stop()


@pytest.mark.parametrize("observation", ["flat", "dict"])
def test_the_module_gives_illegal_actions_no_chance(observation):
    env = catan_v0.env(rules=RULES, observation=observation)
    env.reset(seed=1)
    space = env.observation_space("player_0")
    module = MaskedModule(
        observation_space=space, action_space=env.action_space("player_0"), model_config={}
    )
    seen = env.observe("player_0")
    one = {
        "observation": torch.utils._pytree.tree_map(
            lambda part: torch.from_numpy(part[None]), seen["observation"]
        ),
        "action_mask": torch.from_numpy(seen["action_mask"][None]),
    }
    assert joined(one["observation"]).shape == (1, spaces.flatdim(space["observation"]))
    logits = module.forward_inference({Columns.OBS: one})[Columns.ACTION_DIST_INPUTS][0]
    assert ((logits > ILLEGAL).numpy() == seen["action_mask"].astype(bool)).all()
    assert module.compute_values({Columns.OBS: one}).shape == (1,)
