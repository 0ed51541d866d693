"""Tianshou: its PPO, collector and buffer on `SingleSeatEnv`.

    python examples/libraries/tianshou_ppo.py --help

Tianshou's value-based algorithms look for `obs.mask` and leave illegal actions out; its actors
don't, so that the one here fills their logits. It ends when the 95 % interval of the games won
against random players lies above chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.utils.net.common import AbstractDiscreteActor
from tianshou.utils.torch_utils import policy_within_training_step, torch_train_mode
from torch import nn
from torch.distributions import Categorical
from trial import Trial, TrialArgs, run_trial

from catan_pz.agents.logits import LogitsAgent
from catan_pz.checks import check_count
from catan_pz.env.single_seat import SingleSeatEnv
from catan_pz.rewards import PointsGained
from catan_pz.rules import Rules
from catan_pz.training.console import run_program
from catan_pz.training.options import Coefficient, Count, Share, parse


@dataclass(frozen=True, kw_only=True)
class Args(TrialArgs):
    """Options of the algorithm."""

    players: int = 2
    """players, the learner included"""
    num_envs: Count = 32
    """games played side by side"""
    steps: Count = 64
    """decisions of each game between two updates"""
    minibatch: Count = 512
    """decisions in a minibatch"""
    epochs: Count = 4
    """passes over the decisions of an update"""
    learning_rate: Coefficient = 5e-4
    """learning rate of Adam"""
    gamma: Share = 0.997
    """discount of a decision"""


class WithMask(gymnasium.ObservationWrapper):
    """Observations as Tianshou names them: `obs` and `mask`."""

    def __init__(self, env: SingleSeatEnv) -> None:
        super().__init__(env)
        mask = spaces.MultiBinary(int(env.action_space.n))
        self.observation_space = spaces.Dict({"obs": env.observation_space, "mask": mask})

    def observation(self, observation: Any) -> dict[str, Any]:
        """The observation with the mask beside it."""
        return {"obs": observation, "mask": self.env.action_masks()}


def layers(inputs: int, outputs: int) -> nn.Sequential:
    """Two hidden layers of 128 units."""
    sizes = nn.Linear(inputs, 128), nn.Linear(128, 128), nn.Linear(128, outputs)
    return nn.Sequential(sizes[0], nn.Tanh(), sizes[1], nn.Tanh(), sizes[2])


class MaskedActor(AbstractDiscreteActor):
    """Logits of the legal actions; the others get -1e9."""

    def __init__(self, network: nn.Module, outputs: int) -> None:
        super().__init__(outputs)
        self.network = network

    def get_preprocess_net(self) -> Any:
        """No network before this one."""
        return nn.Identity()

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[Any, Any]:
        """(K, A) logits of a batch with `obs` and `mask`."""
        masks = torch.as_tensor(obs.mask, dtype=torch.bool)
        # All zeros where a game is over: the value is asked for there, and no action.
        legal = masks | ~masks.any(1, keepdim=True)
        logits = self.network(torch.as_tensor(obs.obs, dtype=torch.float32))
        return logits.masked_fill(~legal, -1e9), state


class Critic(nn.Module):
    """Value of the observations."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, obs: Any, **_: Any) -> torch.Tensor:
        """(K, 1) values of a batch with `obs` and `mask`."""
        return self.network(torch.as_tensor(obs.obs, dtype=torch.float32))


def make_algorithm(env: WithMask, network: nn.Module, critic: nn.Module, args: Args) -> PPO:
    """Tianshou's PPO with the masked actor."""
    policy = ProbabilisticActorPolicy(
        actor=MaskedActor(network, int(env.action_space.n)),
        dist_fn=lambda logits: Categorical(logits=logits, validate_args=False),
        action_space=env.action_space,
        action_scaling=False,
        action_bound_method=None,
    )
    return PPO(
        policy=policy,
        critic=Critic(critic),
        optim=AdamOptimizerFactory(lr=args.learning_rate, eps=1e-5),
        ent_coef=0.005,
        max_grad_norm=0.5,
        max_batchsize=4096,
        gamma=args.gamma,
    )


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train, and print the learner's win rate."""
    args = parse(Args, arguments, __doc__ or "")
    check_count("minibatch", args.minibatch, least=2)  # advantages have a deviation
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)  # noqa: NPY002 (Tianshou shuffles minibatches by it)
    rules = Rules(num_players=args.players, trading=False, skip_forced=True)

    def make_env() -> WithMask:
        reward = PointsGained(point=0.1, win=1.0)
        return WithMask(SingleSeatEnv(rules=rules, seat="random", reward=reward))

    envs = DummyVectorEnv([make_env] * args.num_envs)
    envs.seed(args.seed)
    env = make_env()
    inputs = env.observation_space["obs"].shape[0]
    network = layers(inputs, rules.num_actions)
    algorithm = make_algorithm(env, network, layers(inputs, 1), args)
    batch = args.num_envs * args.steps
    buffer = VectorReplayBuffer(batch, args.num_envs)
    collector = Collector[CollectStats](algorithm, envs, buffer)

    @torch.no_grad()
    def logits(observations: Any) -> torch.Tensor:
        return network(torch.from_numpy(observations))

    def train(trial: Trial) -> None:
        collector.reset()
        decisions = 0
        while not trial.is_over(decisions):
            with policy_within_training_step(algorithm.policy):
                decisions += collector.collect(n_step=batch).n_collected_steps
                with torch_train_mode(algorithm):
                    algorithm.update(buffer, batch_size=args.minibatch, repeat=args.epochs)
            collector.reset_buffer(keep_statistics=True)

    return run_trial(args, rules, LogitsAgent(logits), train)


if __name__ == "__main__":
    run_program(main)
