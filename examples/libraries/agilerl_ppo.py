"""AgileRL: its PPO and rollouts on `gymnasium.vector`, `CatanVectorEnv`.

    python examples/libraries/agilerl_ppo.py --help

AgileRL looks for masks in the infos, where `CatanVectorEnv` has them, so that no wrapper is needed.
Its advantages (2.58.0) end one decision too early: the last reward of a game, that of a win,
reaches no decision before the last, and what is learned comes from the points. One learner against
random players, in a seat drawn for each game. It ends when the 95 % interval of the games won lies
above chance.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # AgileRL's own, while it is imported
    from agilerl.algorithms import PPO
    from agilerl.rollouts.on_policy import collect_rollouts

from trial import Trial, TrialArgs, run_trial

from catan_pz.agents.logits import LogitsAgent
from catan_pz.env.vector.gymnasium import CatanVectorEnv
from catan_pz.rewards import PointsGained
from catan_pz.rules import Rules
from catan_pz.training.console import run_program
from catan_pz.training.options import Coefficient, Count, parse


@dataclass(frozen=True, kw_only=True)
class Args(TrialArgs):
    """Options; those of the algorithm are named as in AgileRL."""

    players: int = 2
    """players, the learner included"""
    num_envs: Count = 64
    """games played side by side"""
    steps: Count = 32
    """decisions of each game between two updates"""
    batch_size: Count = 512
    """decisions in a minibatch"""
    lr: Coefficient = 5e-4
    """learning rate of Adam"""


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train, and print the learner's win rate."""
    args = parse(Args, arguments, __doc__ or "")
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", r"TensorDict\.to_module", FutureWarning)  # AgileRL's use
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)  # noqa: NPY002 (AgileRL's PPO shuffles by it)
    # The checks cost as much as the network, and fail on rounding with large masks.
    torch.distributions.Distribution.set_default_validate_args(False)
    rules = Rules(num_players=args.players, trading=False, skip_forced=True)
    reward = PointsGained(point=0.1, win=1.0)
    envs = CatanVectorEnv(args.num_envs, rules, seat="random", reward=reward)
    layers = {"hidden_size": [128], "activation": "Tanh"}
    learner = PPO(
        envs.single_observation_space,
        envs.single_action_space,
        net_config={"latent_dim": 128, "encoder_config": layers, "head_config": layers},
        batch_size=args.batch_size,
        lr=args.lr,
        learn_step=args.num_envs * args.steps,
        gamma=0.997,
        ent_coef=0.005,
        update_epochs=4,
        num_envs=args.num_envs,
    )

    @torch.no_grad()
    def logits(observations: Any) -> torch.Tensor:
        actor = learner.actor
        return actor.head_net.wrapped(actor.extract_features(torch.from_numpy(observations)))

    def train(trial: Trial) -> None:
        observations, infos = envs.reset(seed=args.seed)
        nothing = np.zeros(args.num_envs)
        last = observations, nothing, nothing.copy(), infos
        decisions = 0
        while not trial.is_over(decisions):
            names = "last_obs", "last_done", "last_scores", "last_info"
            going_on = dict(zip(names, last, strict=True))
            _, *last = collect_rollouts(learner, envs, args.steps, **going_on)
            learner.learn()
            decisions += args.num_envs * args.steps

    return run_trial(args, rules, LogitsAgent(logits), train)


if __name__ == "__main__":
    run_program(main)
