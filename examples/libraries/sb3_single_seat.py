"""sb3-contrib: MaskablePPO on one game after the other, `SingleSeatEnv`.

    python examples/libraries/sb3_single_seat.py --help

MaskablePPO asks each environment for its `action_masks()`, which `SingleSeatEnv` has. One learner
against random players, in a seat drawn for each game. It ends when the 95 % interval of the games
won lies above chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv
from trial import Trial, TrialArgs, run_trial

from catan_pz.env.single_seat import SingleSeatEnv
from catan_pz.env.vector.sb3 import PolicyOpponent
from catan_pz.rewards import PointsGained
from catan_pz.rules import Rules
from catan_pz.training.console import run_program
from catan_pz.training.options import Coefficient, Count, check_minibatches, parse


@dataclass(frozen=True, kw_only=True)
class Args(TrialArgs):
    """Options; those of the algorithm are named as in Stable-Baselines3."""

    players: int = 2
    """players, the learner included"""
    num_envs: Count = 32
    """games played side by side"""
    n_steps: Count = 64
    """decisions of each game between two updates"""
    batch_size: Count = 512
    """decisions in a minibatch"""
    learning_rate: Coefficient = 5e-4
    """learning rate of Adam"""


class UntilAboveChance(BaseCallback):
    """Ends the training when the trial is over; where all decisions are used up, learning ends it.

    A rollout that a callback breaks off isn't learned from.
    """

    def __init__(self, trial: Trial, frames: int) -> None:
        super().__init__()
        self._trial, self._frames = trial, frames

    def _on_step(self) -> bool:
        is_over = self._trial.is_over(self.num_timesteps)
        return not is_over or self.num_timesteps >= self._frames


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train, and print the learner's win rate."""
    args = parse(Args, arguments, __doc__ or "")
    check_minibatches(args.batch_size, args.num_envs * args.n_steps)
    torch.set_num_threads(1)
    # The checks cost as much as the network, and fail on rounding with large masks.
    torch.distributions.Distribution.set_default_validate_args(False)
    rules = Rules(num_players=args.players, trading=False, skip_forced=True)
    reward = PointsGained(point=0.1, win=1.0)

    def make_env() -> SingleSeatEnv:
        return SingleSeatEnv(rules=rules, seat="random", reward=reward)

    games = DummyVecEnv([make_env] * args.num_envs)
    model = MaskablePPO(
        "MlpPolicy",
        games,
        n_steps=args.n_steps,
        batch_size=args.batch_size,
        n_epochs=4,
        learning_rate=args.learning_rate,
        gamma=0.997,
        ent_coef=0.005,
        policy_kwargs={"net_arch": [128, 128]},
        seed=args.seed,
        device="cpu",
    )

    def train(trial: Trial) -> None:
        model.learn(args.frames, callback=UntilAboveChance(trial, args.frames))

    return run_trial(args, rules, PolicyOpponent(model), train)


if __name__ == "__main__":
    run_program(main)
