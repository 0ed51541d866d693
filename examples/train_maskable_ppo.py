"""MaskablePPO of sb3-contrib on many games of Catan at once, with a league of past selves.

    python examples/train_maskable_ppo.py --help
    python examples/train_maskable_ppo.py --players 4 --frames 10000000 --out runs/ppo-4p
    python examples/train_maskable_ppo.py --opponents random,league:3 --out runs/ppo-league
    python examples/train_maskable_ppo.py --opponents random,league:3 --out runs/ppo-league --resume
    python examples/train_maskable_ppo.py --players 2 --expert heuristic --out runs/ppo-2p

How the data flows: a `CatanVecEnv` plays `--num-envs` games and hands out (B, N) int8
observations and (B, A) action masks; the seats of the others are played inside. MaskablePPO
samples legal actions for `--n-steps` decisions of each game, computes advantages (GAE), and makes
`--n-epochs` passes over these decisions in minibatches. With `--expert` it first imitates an
agent: behaviour cloning on `--demonstrations` decisions. Between updates, a
`catan_pz.training.run.Run` evaluates, logs, adds snapshots to the league and writes checkpoints.

The output folder holds `checkpoint.json` with the last two checkpoints, `model.npz` (the policy
alone, played without torch), `curve.csv` and `curve.png`, TensorBoard's `logs`, the `league` and
`result.json`. Ctrl-C and SIGTERM finish the update and save. `--resume` continues from the last
checkpoint and computes the same numbers as a training that never stopped.

Sources: Schulman et al., "Proximal Policy Optimization Algorithms", 2017; Huang and Ontañón, "A
Closer Look at Invalid Action Masking in Policy Gradient Algorithms", 2022; the league after
H. Charlesworth, "Learning to Play Settlers of Catan with Deep Reinforcement Learning", 2022.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

# NumPy plays the exported policy in evaluations: on products this small threads only cost time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # torch's idle threads give way

from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import LinearSchedule

from catan_pz.env.vector.sb3 import CatanVecEnv
from catan_pz.training.board_ppo import BoardPPO
from catan_pz.training.console import RESUMABLE, run_program
from catan_pz.training.imitation import imitate
from catan_pz.training.league import make_opponents
from catan_pz.training.options import (
    Coefficient,
    Count,
    Positive,
    Share,
    check_minibatches,
    command_line,
    parse,
    set_up,
)
from catan_pz.training.policies import BoardPolicy, NetworkArgs, policy_of
from catan_pz.training.sb3 import SB3Learner, make_games, train_learner


@dataclass(frozen=True, kw_only=True)
class Args(NetworkArgs):
    """Options; those of the algorithm are named as in Stable-Baselines3."""

    out: str = "runs/maskable_ppo"
    """output folder"""

    expert: str = ""
    """agent to imitate before the training: heuristic"""
    demonstrations: Count = 300_000
    """decisions of the expert to imitate, 1 kB of memory each"""
    imitation_epochs: Count = 2
    """passes over the demonstrations"""
    imitation_learning_rate: Coefficient = 2e-3
    """learning rate of the imitation at its start; it falls to 0"""
    imitation_batch_size: Count = 256
    """demonstrations in a minibatch"""

    n_steps: Count = 32
    """decisions of each game between two updates"""
    batch_size: Count = 512
    """decisions in a minibatch"""
    n_epochs: Count = 2
    """passes over the decisions of an update"""
    learning_rate: Coefficient = 1e-3
    """learning rate of Adam at the start"""
    learning_rate_end_factor: Share = 0.1
    """share of the learning rate left at the end; it falls linearly"""
    gamma: Share = 0.997
    """discount of a decision"""
    gae_lambda: Share = 0.95
    """lambda of generalized advantage estimation"""
    clip_range: Positive = 0.2
    """clipping of the probability ratio"""
    ent_coef: Coefficient = 0.005
    """coefficient of the entropy bonus"""
    separate_value_network: bool = True
    """the value has its own layers beside a board network"""


def make_model(args: Args, games: CatanVecEnv) -> MaskablePPO:
    """A fresh learner."""
    policy, policy_kwargs = policy_of(args, BoardPolicy, separate_value=args.separate_value_network)
    end = args.learning_rate_end_factor
    in_units = args.network == "board" and args.observation == "units"
    learner = BoardPPO if in_units else MaskablePPO  # the same, its updates compiled
    return learner(
        policy,
        games,
        learning_rate=LinearSchedule(args.learning_rate, args.learning_rate * end, 1),
        n_steps=args.n_steps,
        batch_size=args.batch_size,
        n_epochs=args.n_epochs,
        gamma=args.gamma,
        gae_lambda=args.gae_lambda,
        clip_range=args.clip_range,
        ent_coef=args.ent_coef,
        policy_kwargs=policy_kwargs,
        seed=args.seed,
        device=args.device,
    )


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train; return the content of `result.json`."""
    args = parse(Args, arguments, __doc__ or "")
    check_minibatches(args.batch_size, args.num_envs * args.n_steps)
    set_up(args)
    league = make_opponents(args)
    games = make_games(args, league)
    model = make_model(args, games)
    pretrain = partial(
        imitate,
        model,
        games,
        args.expert,
        reward=args.make_reward(),
        demonstrations=args.demonstrations,
        seed=args.seed,
        epochs=args.imitation_epochs,
        batch_size=args.imitation_batch_size,
        learning_rate=args.imitation_learning_rate,
    )
    return train_learner(
        args,
        SB3Learner(model, games, league, args.league_every),
        algorithm="MaskablePPO (sb3-contrib)",
        command=command_line(args, "examples/train_maskable_ppo.py"),
        evaluations=args.eval_against,
        pretrain=pretrain if args.expert else None,
    )


if __name__ == "__main__":
    run_program(main, stopped=RESUMABLE)
