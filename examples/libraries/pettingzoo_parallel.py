"""PettingZoo's parallel interface: PPO in which every agent learns, by one network in all seats.

    python examples/libraries/pettingzoo_parallel.py --help

`catan_v0.parallel_env` is PettingZoo's turn-based conversion: each step takes an action of every
agent, and that of the agent to move counts. Whole games are played, so that each decision's return
is known, but for the ends of truncated games. It ends when the 95 % interval of the games won
against random players lies above chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical
from trial import Trial, TrialArgs, run_trial

from catan_pz import catan_v0
from catan_pz.agents.logits import LogitsAgent
from catan_pz.rewards import PointsGained
from catan_pz.rules import Rules
from catan_pz.training.console import run_program
from catan_pz.training.options import Coefficient, Count, Share, parse


@dataclass(frozen=True, kw_only=True)
class Args(TrialArgs):
    """Options of the algorithm."""

    players: int = 2
    """players, all of whom learn"""
    max_turns: Count = 1000
    """turns after which a game is truncated"""
    games: Count = 16
    """games between two updates, played side by side"""
    minibatch: Count = 512
    """decisions in a minibatch"""
    epochs: Count = 4
    """passes over the decisions of an update"""
    learning_rate: Coefficient = 5e-4
    """learning rate of Adam"""
    gamma: Share = 0.997
    """discount of a decision of the same agent"""
    gae_lambda: Share = 0.95
    """weight of later estimates in an advantage"""


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


class Play:
    """A game, with each agent's actions and rewards."""

    def __init__(self, env: Any, seed: int) -> None:
        self.env = env
        self.seen, _ = env.reset(seed=seed)
        self.steps: dict[str, list[list[Any]]] = {agent: [] for agent in env.agents}
        self.is_truncated = False

    def mover(self) -> str:
        """The agent whose mask isn't all zeros."""
        return next(agent for agent in self.seen if self.seen[agent]["action_mask"].any())

    def step(self, action: int, log_probability: float, value: float) -> None:
        """Play the mover's action; what everybody gets goes to their last decisions."""
        agent = self.mover()
        mask = self.seen[agent]["action_mask"]
        kept = self.seen[agent]["observation"], mask, action, log_probability, value, 0.0
        self.steps[agent].append([*kept])
        actions = dict.fromkeys(self.env.agents, action)
        self.seen, rewards, _, truncated, _ = self.env.step(actions)
        self.is_truncated = any(truncated.values())
        for other, reward in rewards.items():
            if self.steps[other]:
                self.steps[other][-1][-1] += reward


def play_games(envs: list[Any], learner: Learner, seed: int) -> list[Play]:
    """Play one game in each environment, all movers by one forward pass."""
    plays = [Play(env, seed + i) for i, env in enumerate(envs)]
    while active := [play for play in plays if play.env.agents]:
        seen = [play.seen[play.mover()] for play in active]
        observations = torch.from_numpy(np.stack([one["observation"] for one in seen]))
        masks = torch.from_numpy(np.stack([one["action_mask"] for one in seen])).bool()
        with torch.no_grad():
            policy = learner.policy(observations, masks)
            actions, values = policy.sample(), learner.critic(observations)[:, 0]
        chosen = actions.tolist(), policy.log_prob(actions).tolist(), values.tolist()
        for play, *choice in zip(active, *chosen, strict=True):
            play.step(*choice)
    return plays


def decisions_of(plays: list[Play], args: Args) -> list[torch.Tensor]:
    """(K, ...) observations, masks, actions, log-probabilities, advantages and targets.

    Of a truncated game each agent's last decision is left out: what follows it isn't known, and its
    value is the estimate for the decision before.
    """
    rows = []
    for play in plays:
        for steps in play.steps.values():
            later = following = 0.0
            if play.is_truncated and steps:
                following = steps.pop()[-2]
            for *kept, value, reward in reversed(steps):
                later = reward + args.gamma * (following + args.gae_lambda * later) - value
                following = value
                rows.append((*kept, later, later + value))
    columns = [torch.from_numpy(np.stack(part)) for part in zip(*rows, strict=True)]
    return [columns[0], columns[1].bool(), columns[2], *(part.float() for part in columns[3:])]


def update(learner: Learner, optimizer: Any, batch: list[torch.Tensor], args: Args) -> None:
    """Epochs of minibatches over (K, ...) decisions."""
    for _ in range(args.epochs):
        for rows in torch.randperm(len(batch[0])).split(args.minibatch):
            observations, masks, actions, before, advantage, targets = (x[rows] for x in batch)
            policy = learner.policy(observations, masks)
            ratio = (policy.log_prob(actions) - before).exp()
            advantage = (advantage - advantage.mean()) / (advantage.std(correction=0) + 1e-8)
            gain = torch.min(advantage * ratio, advantage * ratio.clamp(0.8, 1.2)).mean()
            error = (learner.critic(observations)[:, 0] - targets).square().mean()
            optimizer.zero_grad()
            (0.5 * error - gain - 0.005 * policy.entropy().mean()).backward()
            nn.utils.clip_grad_norm_(learner.parameters(), 0.5)
            optimizer.step()


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train, and print the learner's win rate."""
    args = parse(Args, arguments, __doc__ or "")
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rules = Rules(
        num_players=args.players, trading=False, skip_forced=True, max_turns=args.max_turns
    )
    reward = PointsGained(point=0.1, win=1.0)
    envs = [catan_v0.parallel_env(rules=rules, reward=reward) for _ in range(args.games)]
    inputs = envs[0].observation_space("player_0")["observation"].shape[0]
    learner = Learner(inputs, rules.num_actions)
    optimizer = torch.optim.Adam(learner.parameters(), lr=args.learning_rate, eps=1e-5)

    @torch.no_grad()
    def logits(observations: Any) -> torch.Tensor:
        return learner.actor(torch.from_numpy(observations))

    def train(trial: Trial) -> None:
        decisions, seed = 0, args.seed
        while not trial.is_over(decisions):
            batch = decisions_of(play_games(envs, learner, seed), args)
            update(learner, optimizer, batch, args)
            decisions += len(batch[0])
            seed += args.games

    return run_trial(args, rules, LogitsAgent(logits), train)


if __name__ == "__main__":
    run_program(main)
