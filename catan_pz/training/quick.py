"""A short MaskablePPO training of a small board network, as `catan-pz train` runs it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from stable_baselines3.common.utils import LinearSchedule

from catan_pz.agents.base import Agent
from catan_pz.env.vector.sb3 import CatanVecEnv
from catan_pz.rewards import REWARDS
from catan_pz.rules import Rules
from catan_pz.training.board_ppo import BoardPPO
from catan_pz.training.imitation import imitate
from catan_pz.training.options import Count, FrameArgs, set_up
from catan_pz.training.policies import BoardPolicy
from catan_pz.training.sb3 import SB3Learner, train_learner


@dataclass(frozen=True, kw_only=True)
class QuickArgs(FrameArgs):
    """Options of the run, its games and its expert."""

    rules: dict[str, Any]
    """rules of the games, in the form of `Rules.to_dict`"""
    against: str
    """names of the agents in the other seats; for the curve and for resuming"""
    reward: str
    """name in `catan_pz.rewards.REWARDS`"""
    expert: str = ""
    """name of the agent to imitate first; "" for none"""
    demonstrations: Count = 100_000
    """decisions of the expert to imitate"""


def train(
    args: QuickArgs, opponents: Sequence[Agent | None], names: Sequence[str], command: str
) -> dict[str, Any]:
    """Train and evaluate against the same agents in the other seats.

    The agents are (P - 1,) from the learner's left, None for random ones, with their names for the
    evaluations; the command line is for the model card.
    """
    rules = Rules.from_dict(args.rules)
    set_up(args)
    torch.set_num_threads(1)  # its own work is too small for more
    games = CatanVecEnv(
        args.num_envs,
        rules,
        seat="random",
        opponents=None if set(opponents) == {None} else list(opponents),
        observation="units",
        reward=args.reward,
        seed=args.seed,
    )
    model = BoardPPO(
        BoardPolicy,
        games,
        learning_rate=LinearSchedule(1e-3, 0, 1),
        n_steps=32,
        batch_size=min(256, 32 * args.num_envs),
        n_epochs=2,
        gamma=0.99,
        gae_lambda=0.9,
        ent_coef=0.005,
        policy_kwargs={"width": 16, "dense": 64},
        seed=args.seed,
        device=args.device,
    )
    model.policy.mlp_extractor.threads = args.threads

    def pretrain() -> None:
        reward, count = REWARDS[args.reward](), args.demonstrations
        imitate(model, games, args.expert, reward=reward, demonstrations=count, seed=args.seed)

    seats = [name if agent is None else agent for name, agent in zip(names, opponents, strict=True)]
    result = train_learner(
        args,
        SB3Learner(model, games),
        algorithm="MaskablePPO (sb3-contrib)",
        command=command,
        evaluations={args.against: seats},
        pretrain=pretrain if args.expert else None,
    )
    if result["frames"] < args.frames:
        raise KeyboardInterrupt
    return result
