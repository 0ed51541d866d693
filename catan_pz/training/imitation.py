"""Behaviour cloning: supervised learning from an expert's decisions before the first update."""

from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from catan_pz.agents.base import Views
from catan_pz.agents.random_stream import SeatSeeds
from catan_pz.encoders import Encoder
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.names import shown
from catan_pz.rewards import Reward
from catan_pz.training.console import say
from catan_pz.training.league import load_stateless

SEED_OFFSET: Final = 2_000_003
"""Distance between the seeds of a training and of the expert's games."""


@dataclass(frozen=True)
class Demonstrations:
    """Decisions of an expert. Letters: D decisions, N numbers of an observation, A actions."""

    observations: NDArray[np.int8]  # (D, N) in natural units
    masks: NDArray[np.uint8]  # (D, A / 8) packed bits
    actions: NDArray[np.int64]  # (D,) the expert's choices
    returns: NDArray[np.float32]  # (D,) discounted sum of the rewards that followed
    complete: NDArray[np.float32]  # (D,) 1 if the game was played to its end, else 0

    def __len__(self) -> int:
        """D."""
        return len(self.actions)


def collect_demonstrations(
    expert: str, games: Any, count: int, *, reward: Reward, gamma: float, seed: int
) -> Demonstrations:
    """Record an expert that plays in the learner's seat against the learner's opponents.

    Args:
        expert: name of a stateless agent.
        games: the learner's `CatanVecEnv`, whose rules, opponents and number of games are used.
        count: D, rounded down to whole rounds of all games, at least one.
        reward: of the learner.
        gamma: discount of a decision.
        seed: of the training.
    """
    agent = load_stateless("expert", expert, games.batch.rules)
    opponents: Any = games.batch.opponents
    batch = SingleLearnerBatch(
        games.num_envs,
        games.batch.rules,
        seat="random",
        opponents=opponents,
        reward=reward,
        seed=seed + SEED_OFFSET,
    )
    rng = np.random.default_rng([seed, 0x1E550])
    seat_seeds = SeatSeeds(games.num_envs, games.batch.rules.num_players)
    every_game = np.arange(games.num_envs)
    steps: list[tuple[NDArray[Any], ...]] = []
    with closing(batch):
        for _ in range(max(1, count // games.num_envs)):
            random_bits = rng.integers(2**64, size=games.num_envs, dtype=np.uint64)
            seeds = seat_seeds.of(batch.seeds, every_game, batch.seats)
            views = Views(batch.observation, batch.mask, seeds, random_bits)
            actions = agent.act_batch(views)
            seen = batch.observation.copy(), np.packbits(batch.mask, axis=1), actions
            batch.step(actions)
            steps.append((*seen, batch.reward.copy(), batch.done.copy(), batch.truncated.copy()))
    observations, masks, chosen, rewards, done, truncated = (
        np.stack(part) for part in zip(*steps, strict=True)
    )
    returns, complete = discounted_returns(rewards, done, truncated, gamma)
    return Demonstrations(
        observations.reshape(-1, observations.shape[-1]),
        masks.reshape(-1, masks.shape[-1]),
        chosen.astype(np.int64).reshape(-1),
        returns.reshape(-1),
        complete.reshape(-1),
    )


def discounted_returns(
    rewards: NDArray[np.float64],
    done: NDArray[np.bool_],
    truncated: NDArray[np.bool_],
    gamma: float,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Returns (T, B) of rewards (T, B), and 1 where they are complete.

    They are incomplete if the episode goes on after the T steps, or was truncated.
    """
    returns, complete = np.zeros(rewards.shape, np.float32), np.zeros(rewards.shape, np.float32)
    later, ends = np.zeros(rewards.shape[1]), np.zeros(rewards.shape[1], np.bool_)
    for t in range(len(rewards) - 1, -1, -1):
        later = rewards[t] + gamma * np.where(done[t], 0, later)
        ends = np.where(done[t], ~truncated[t], ends)
        returns[t], complete[t] = later, ends
    return returns, complete


def imitate(
    model: Any,
    games: Any,
    expert: str,
    *,
    reward: Reward,
    demonstrations: int,
    seed: int,
    epochs: int = 2,
    batch_size: int = 256,
    learning_rate: float = 2e-3,
) -> float:
    """Fit policy and value of a MaskablePPO to an expert's decisions, which are played first.

    The loss is the negative log-likelihood of the expert's actions plus the value's squared
    error. The learning rate of Adam falls linearly to 0; the optimizer is separate from the
    model's, so its momentum doesn't carry over. After each epoch the mean probability of the
    expert's actions is printed; that of the last is returned. Arguments as for
    `collect_demonstrations`.
    """
    decisions = collect_demonstrations(
        expert, games, demonstrations, reward=reward, gamma=model.gamma, seed=seed
    )
    policy = model.policy
    policy.set_training_mode(True)
    optimizer = torch.optim.Adam(policy.parameters(), lr=learning_rate, eps=1e-5)
    updates = epochs * -(-len(decisions) // batch_size)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0, updates)
    rng = np.random.default_rng([seed, 0x7EAC])
    probability = 0.0
    for epoch in range(1, epochs + 1):
        order = rng.permutation(len(decisions))
        total = 0.0
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            loss, log_probabilities = _losses(model, decisions, rows, games.batch.encoder)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), model.max_grad_norm)
            optimizer.step()
            schedule.step()
            total += float(log_probabilities.detach().exp().sum())
        probability = total / len(order)
        say(
            f"behaviour cloning of {shown(expert)}, epoch {epoch}: mean probability of its actions "
            f"{100 * probability:.1f} %"
        )
    return probability


def _losses(
    model: Any, demonstrations: Demonstrations, rows: NDArray[np.int64], encoder: Encoder
) -> tuple[torch.Tensor, torch.Tensor]:
    """The loss on a minibatch, and the log-probabilities of the expert's actions."""
    policy, device = model.policy, model.device
    masks = np.unpackbits(demonstrations.masks[rows], axis=1, count=int(model.action_space.n))
    tensor, _ = policy.obs_to_tensor(encoder.encode(demonstrations.observations[rows]))
    actions = torch.as_tensor(demonstrations.actions[rows], device=device)
    values, log_probabilities, _ = policy.evaluate_actions(tensor, actions, action_masks=masks)
    returns = torch.as_tensor(demonstrations.returns[rows], device=device)
    complete = torch.as_tensor(demonstrations.complete[rows], device=device)
    value_loss = ((values[:, 0] - returns).pow(2) * complete).mean()
    return -log_probabilities.mean() + model.vf_coef * value_loss, log_probabilities
