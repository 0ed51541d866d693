"""TorchRL: its collector, GAE and PPO loss on `CatanTorchRLEnv`.

    python examples/libraries/torchrl_ppo.py --help

One learner against random players, in a seat drawn for each game. `MaskedCategorical` takes the
mask from the tensordict. It ends when the 95 % interval of the games won lies above chance.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from tensordict.nn import InteractionType, TensorDictModule
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # TorchRL's own, while it is imported
    from torchrl.collectors import Collector

from trial import Trial, TrialArgs, run_trial

from catan_pz.agents.logits import LogitsAgent
from catan_pz.env.vector.torchrl import CatanTorchRLEnv
from catan_pz.rewards import PointsGained
from catan_pz.rules import Rules
from catan_pz.training.console import run_program
from catan_pz.training.options import Coefficient, Count, Share, parse


@dataclass(frozen=True, kw_only=True)
class Args(TrialArgs):
    """Options of the algorithm."""

    players: int = 2
    """players, the learner included"""
    num_envs: Count = 64
    """games played side by side"""
    steps: Count = 32
    """decisions of each game between two updates"""
    minibatch: Count = 512
    """decisions in a minibatch"""
    epochs: Count = 4
    """passes over the decisions of an update"""
    learning_rate: Coefficient = 5e-4
    """learning rate of Adam"""
    gamma: Share = 0.997
    """discount of a decision"""


def make_actor(env: CatanTorchRLEnv, network: MLP) -> ProbabilisticActor:
    """The policy: logits from the observation, and the mask."""
    return ProbabilisticActor(
        TensorDictModule(network, in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        default_interaction_type=InteractionType.RANDOM,
        spec=env.action_spec,
    )


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train, and print the learner's win rate."""
    args = parse(Args, arguments, __doc__ or "")
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    # The checks cost as much as the network, and fail on rounding with large masks.
    torch.distributions.Distribution.set_default_validate_args(False)
    rules = Rules(num_players=args.players, trading=False, skip_forced=True)
    reward = PointsGained(point=0.1, win=1.0)
    env = CatanTorchRLEnv(args.num_envs, rules, seat="random", reward=reward, seed=args.seed)
    inputs = env.observation_spec["observation"].shape[-1]
    shape = {"num_cells": [128, 128], "activation_class": torch.nn.Tanh}
    network = MLP(in_features=inputs, out_features=rules.num_actions, **shape)
    actor = make_actor(env, network)
    critic = ValueOperator(MLP(in_features=inputs, out_features=1, **shape))
    advantage = GAE(gamma=args.gamma, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.005, normalize_advantage=True)
    optimizer = torch.optim.Adam(loss.parameters(), lr=args.learning_rate, eps=1e-5)

    def update(data: Any) -> None:
        for _ in range(args.epochs):
            with torch.no_grad():
                advantage(data)
            flat = data.reshape(-1)
            for rows in torch.randperm(len(flat)).split(args.minibatch):
                losses = loss(flat[rows])
                optimizer.zero_grad()
                sum(value for name, value in losses.items() if name.startswith("loss_")).backward()
                torch.nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()

    def train(trial: Trial) -> None:
        batch = args.num_envs * args.steps
        collector = Collector(
            env,
            actor,
            frames_per_batch=batch,
            total_frames=-1,
            auto_register_policy_transforms=False,
        )
        try:
            for k, data in enumerate(collector, 1):
                update(data)
                if trial.is_over(k * batch):
                    break
        finally:
            collector.shutdown()

    @torch.no_grad()
    def logits(observations: Any) -> torch.Tensor:
        return network(torch.from_numpy(observations))

    return run_trial(args, rules, LogitsAgent(logits), train)


if __name__ == "__main__":
    run_program(main)
