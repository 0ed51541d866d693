"""PPO in one file, in CleanRL's style, on `gymnasium.vector`: `CatanVectorEnv`.

    python examples/libraries/cleanrl_ppo.py --help

One learner against random players, in a seat drawn for each game. The masks lie in the infos. It
ends when the 95 % interval of the games won lies above chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.distributions import Categorical
from trial import Trial, TrialArgs, run_trial

from catan_pz.agents.logits import LogitsAgent
from catan_pz.env.vector.gymnasium import CatanVectorEnv
from catan_pz.rewards import PointsGained
from catan_pz.rules import Rules
from catan_pz.training.console import run_program
from catan_pz.training.options import (
    Coefficient,
    Count,
    Positive,
    Share,
    check_minibatches,
    parse,
)


@dataclass(frozen=True, kw_only=True)
class Args(TrialArgs):
    """Options; those of the algorithm are named as in CleanRL."""

    players: int = 2
    """players, the learner included"""
    num_envs: Count = 64
    """games played side by side"""
    num_steps: Count = 32
    """decisions of each game between two updates"""
    minibatch_size: Count = 512
    """decisions in a minibatch"""
    update_epochs: Count = 4
    """passes over the decisions of an update"""
    learning_rate: Coefficient = 5e-4
    """learning rate of Adam"""
    gamma: Share = 0.997
    """discount of a decision"""
    gae_lambda: Share = 0.95
    """weight of later estimates in an advantage"""
    clip_coef: Positive = 0.2
    """clipping of the probability ratio"""
    ent_coef: Coefficient = 0.005
    """coefficient of the entropy bonus"""
    vf_coef: Coefficient = 0.5
    """coefficient of the value's loss"""
    max_grad_norm: Positive = 0.5
    """norm at which gradients are clipped"""


class Learner(nn.Module):
    """Policy and value, two hidden layers each."""

    def __init__(self, inputs: int, actions: int, width: int = 128) -> None:
        super().__init__()

        def layers(outputs: int) -> nn.Sequential:
            first, second = nn.Linear(inputs, width), nn.Linear(width, width)
            return nn.Sequential(first, nn.Tanh(), second, nn.Tanh(), nn.Linear(width, outputs))

        self.actor, self.critic = layers(actions), layers(1)

    def policy(self, observations: torch.Tensor, masks: torch.Tensor) -> Categorical:
        """Distribution over the legal actions."""
        logits = self.actor(observations).masked_fill(~masks, -1e9)
        return Categorical(logits=logits, validate_args=False)


def collect(envs: CatanVectorEnv, learner: Learner, seen: Any, args: Args) -> tuple[Any, ...]:
    """Play `num_steps` decisions in each game; (T, B) tensors by name, and the next observation."""
    steps: list[tuple[torch.Tensor, ...]] = []
    for _ in range(args.num_steps):
        observations, masks = seen
        policy = learner.policy(observations, masks)
        actions = policy.sample()
        values = learner.critic(observations)[:, 0]
        played = observations, masks, actions, policy.log_prob(actions), values
        following, rewards, terminated, truncated, infos = envs.step(actions.numpy())
        ends = torch.from_numpy(terminated | truncated).float()
        rewards = torch.from_numpy(rewards).float()
        for i in truncated.nonzero()[0]:  # what would have followed is estimated
            rewards[i] += args.gamma * learner.critic(torch.from_numpy(infos["final_obs"][i]))[0]
        steps.append((*played, rewards, ends))
        seen = torch.from_numpy(following), torch.from_numpy(infos["action_mask"]).bool()
    return *(torch.stack(part) for part in zip(*steps, strict=True)), seen


def advantages(rewards: Any, ends: Any, values: Any, last: Any, args: Args) -> torch.Tensor:
    """(T, B) generalized advantage estimates."""
    estimates, later = torch.zeros_like(rewards), torch.zeros_like(last)
    for t in reversed(range(len(rewards))):
        goes_on = 1 - ends[t]
        error = rewards[t] + args.gamma * last * goes_on - values[t]
        later = error + args.gamma * args.gae_lambda * later * goes_on
        estimates[t], last = later, values[t]
    return estimates


def update(learner: Learner, optimizer: Any, batch: tuple[torch.Tensor, ...], args: Args) -> None:
    """Epochs of minibatches over (K, ...) decisions."""
    for _ in range(args.update_epochs):
        for rows in torch.randperm(len(batch[0])).split(args.minibatch_size):
            observations, masks, actions, before, advantage, targets = (x[rows] for x in batch)
            policy = learner.policy(observations, masks)
            ratio = (policy.log_prob(actions) - before).exp()
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
            gain = torch.min(advantage * ratio, advantage * clipped).mean()
            error = (learner.critic(observations)[:, 0] - targets).square().mean()
            bonus = args.ent_coef * policy.entropy().mean()
            optimizer.zero_grad()
            (args.vf_coef * error - gain - bonus).backward()
            nn.utils.clip_grad_norm_(learner.parameters(), args.max_grad_norm)
            optimizer.step()


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train, and print the learner's win rate."""
    args = parse(Args, arguments, __doc__ or "")
    check_minibatches(args.minibatch_size, args.num_envs * args.num_steps, "minibatch_size")
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rules = Rules(num_players=args.players, trading=False, skip_forced=True)
    reward = PointsGained(point=0.1, win=1.0)
    envs = CatanVectorEnv(args.num_envs, rules, seat="random", reward=reward)
    learner = Learner(envs.single_observation_space.shape[0], rules.num_actions)
    optimizer = torch.optim.Adam(learner.parameters(), lr=args.learning_rate, eps=1e-5)

    @torch.no_grad()
    def logits(observations: Any) -> torch.Tensor:
        return learner.actor(torch.from_numpy(observations))

    def train(trial: Trial) -> None:
        observations, infos = envs.reset(seed=args.seed)
        seen = torch.from_numpy(observations), torch.from_numpy(infos["action_mask"]).bool()
        decisions = 0
        while not trial.is_over(decisions):
            with torch.no_grad():
                *steps, rewards, ends, seen = collect(envs, learner, seen, args)
                last = learner.critic(seen[0])[:, 0]
                gains = advantages(rewards, ends, steps[-1], last, args)
            batch = *steps[:-1], gains, gains + steps[-1]
            update(learner, optimizer, tuple(part.flatten(0, 1) for part in batch), args)
            decisions += args.num_envs * args.num_steps

    return run_trial(args, rules, LogitsAgent(logits), train)


if __name__ == "__main__":
    run_program(main)
