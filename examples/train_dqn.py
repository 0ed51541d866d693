"""DQN of Stable-Baselines3 made aware of masks, on many games of Catan at once.

    python examples/train_dqn.py --help
    python examples/train_dqn.py --players 4 --frames 5000000 --out runs/dqn-4p
    python examples/train_dqn.py --players 4 --frames 5000000 --out runs/dqn-4p --resume

Action masks matter in three places, all of them in `MaskedDQN`: exploration samples legal actions
only, the greedy action is the legal one with the largest Q-value, and so is the action that the
target bootstraps from (chosen by the online network with `--double`). The target is the n-step
return. The replay buffer stores each observation once, as int8, and each mask as packed bits.

The output folder holds `checkpoint.json` with the last two checkpoints, `model.npz` (the network
alone, played without torch), `curve.csv` and `curve.png`, TensorBoard's `logs` and `result.json`.
Ctrl-C and SIGTERM finish the update and save. `--resume` continues from the last checkpoint,
replay buffer included, and computes the same numbers as a training that never stopped.

Sources: Mnih et al., "Human-level control through deep reinforcement learning", 2015; van Hasselt
et al., "Deep Reinforcement Learning with Double Q-learning", 2016; Sutton, "Learning to Predict by
the Methods of Temporal Differences", 1988, for n-step returns.
"""

import json
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# NumPy plays the exported policy in evaluations: on products this small threads only cost time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # torch's idle threads give way

import numpy as np
import torch
from stable_baselines3 import DQN
from stable_baselines3.common.utils import LinearSchedule
from torch.nn.functional import smooth_l1_loss

from catan_pz.env.vector.sb3 import CatanVecEnv
from catan_pz.observation.segments import SIZE
from catan_pz.training.console import RESUMABLE, run_program
from catan_pz.training.league import make_opponents
from catan_pz.training.options import Coefficient, Count, Share, Whole, command_line, parse, set_up
from catan_pz.training.policies import BoardQPolicy, NetworkArgs, policy_of
from catan_pz.training.sb3 import SB3Learner, make_games, train_learner


@dataclass(frozen=True, kw_only=True)
class Args(NetworkArgs):
    """Options; those of the algorithm are named as in Stable-Baselines3."""

    out: str = "runs/dqn"
    """output folder"""
    league_every: Count = 80
    """updates between snapshots of the policy for the league"""

    width: Count = 64
    """units in each dense layer"""
    embedding_size: Count = 16
    """size of the embedding of a vertex, edge or hex in the board network"""

    train_freq: Count = 4
    """decisions of each game between two updates"""
    gradient_steps: Count = 8
    """minibatches of an update"""
    batch_size: Count = 256
    """decisions in a minibatch"""
    buffer_size: Count = 200_000
    """decisions that the replay buffer keeps, 1 kB each"""
    learning_starts: Whole = 20_000
    """frames of random play before the first update"""
    n_steps: Count = 8
    """rewards that a target adds up before it bootstraps"""
    double: bool = True
    """the online network chooses the action that the target network evaluates"""
    target_update_interval: Count = 5_000
    """frames between updates of the target network"""
    learning_rate: Coefficient = 1e-3
    """learning rate of Adam at the start"""
    learning_rate_end_factor: Share = 0.0
    """share of the learning rate left at the end; it falls linearly"""
    gamma: Share = 0.99
    """discount of a decision"""
    exploration_fraction: Share = 0.2
    """part of the training in which epsilon falls from 1"""
    exploration_final_eps: Share = 0.02
    """epsilon, the probability of a random action, from then on"""


class ReplayBuffer:
    """The last decisions of each game, about 1 kB each, for n-step returns.

    Observations are int8 and stored once, masks are packed bits. The successor of a decision is
    the next row of its game. Letters: B games, A actions, N numbers of an observation, K decisions
    of a minibatch.
    """

    def __init__(self, args: Args, num_actions: int) -> None:
        self.n_steps, self.gamma, self.num_actions = args.n_steps, args.gamma, num_actions
        self.rows = max(args.n_steps + 2, args.buffer_size // args.num_envs)
        shape = (self.rows, args.num_envs)
        self.arrays: dict[str, np.ndarray] = {
            "observations": np.zeros((*shape, SIZE), np.int8),
            "masks": np.zeros((*shape, -(-num_actions // 8)), np.uint8),
            "actions": np.zeros(shape, np.int16),
            "rewards": np.zeros(shape, np.float32),
            "done": np.zeros(shape, np.bool_),
            "truncated": np.zeros(shape, np.bool_),
        }
        self.added = 0
        self.rng = np.random.default_rng([args.seed, 0x5EED])

    @property
    def size(self) -> int:
        """Rows that are filled."""
        return min(self.added, self.rows)

    def add(self, **row: np.ndarray) -> None:
        """Add a decision of each game: (B, ...) for each of the arrays."""
        position = self.added % self.rows
        for name, values in row.items():
            self.arrays[name][position] = values
        self.added += 1

    def sample(self, count: int) -> dict[str, np.ndarray]:
        """Decisions sampled uniformly, with their n-step returns and the state to bootstrap from.

        Windows that reach a truncation are left out: what would have followed is unknown.

        Returns:
            `observations` (K, N), `actions` (K,), `returns` (K,), `discounts` (K,), 0 where the
            game ended within n steps, `next_observations` (K, N) and `next_masks` (K, A) bool.
        """
        a, n = self.arrays, self.n_steps
        row, game = self._sample_decisions(count)
        window = (row[:, None] + np.arange(n)) % self.rows
        same_game = self._before_end(window, game[:, None])
        rewards = a["rewards"][window, game[:, None]] * same_game
        ended = (a["done"][window, game[:, None]] & same_game).any(axis=1)
        here, later = (row % self.rows, game), ((row + n) % self.rows, game)
        masks = np.unpackbits(a["masks"][later], axis=1, count=self.num_actions)
        return {
            "observations": a["observations"][here],
            "actions": a["actions"][here].astype(np.int64),
            "returns": (rewards @ self.gamma ** np.arange(n)).astype(np.float32),
            "discounts": np.where(ended, 0, self.gamma**n).astype(np.float32),
            "next_observations": a["observations"][later],
            "next_masks": masks.view(np.bool_),
        }

    def _sample_decisions(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """(K,) rows, counted from the first one ever added, and (K,) games."""
        a, n = self.arrays, self.n_steps
        chosen = np.empty((0, 2), np.int64)
        while len(chosen) < count:
            rows = self.rng.integers(self.added - self.size, self.added - n, count)
            games = self.rng.integers(a["done"].shape[1], size=count)
            window = (rows[:, None] + np.arange(n)) % self.rows
            truncated = a["truncated"][window, games[:, None]]
            cut = (self._before_end(window, games[:, None]) & truncated).any(axis=1)
            chosen = np.concatenate([chosen, np.stack([rows, games], axis=1)[~cut]])
        return chosen[:count, 0], chosen[:count, 1]

    def _before_end(self, window: np.ndarray, game: np.ndarray) -> np.ndarray:
        """(K, n) whether each step of the windows still belongs to their first game."""
        done = self.arrays["done"][window, game]
        return np.asarray(np.cumsum(done, axis=1) - done == 0)

    def get_state(self) -> dict[str, Any]:
        """The filled rows, compressed, and the state of the generator."""
        packed = {
            name: torch.frombuffer(
                bytearray(zlib.compress(array[: self.size].tobytes(), 1)), dtype=torch.uint8
            )
            for name, array in self.arrays.items()
        }
        return {
            "arrays": packed,
            "added": self.added,
            "rng": json.dumps(self.rng.bit_generator.state),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""
        self.added = state["added"]
        for name, array in self.arrays.items():
            data = zlib.decompress(state["arrays"][name].numpy().tobytes())
            array[: self.size] = np.frombuffer(data, array.dtype).reshape(-1, *array.shape[1:])
        self.rng.bit_generator.state = json.loads(state["rng"])


class MaskedDQN(DQN):
    """DQN that never chooses an illegal action and never bootstraps from one."""

    def prepare(self, args: Args, games: CatanVecEnv) -> None:
        """Set what `DQN` doesn't know: the games, the replay buffer, the options."""
        self.args, self.games = args, games
        self.explorer = np.random.default_rng([args.seed, 0xE8])
        self.buffer = ReplayBuffer(args, games.batch.rules.num_actions)

    def encode(self, units: np.ndarray) -> Any:
        """Observations (K, N) int8 in natural units as the network takes them, on its device."""
        return self.games.batch.encoder.encode(torch.as_tensor(units, device=self.device))

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        """In each game a random legal action, or the legal one with the largest Q-value."""
        batch = self.games.batch
        self._observation, masks = batch.observation, batch.mask.view(np.bool_)
        self._masks = np.packbits(masks, axis=1)
        epsilon = self.exploration_rate if self.num_timesteps >= learning_starts else 1.0
        exploring = self.explorer.random(n_envs) < epsilon
        random = np.where(masks, self.explorer.random(masks.shape, np.float32), -1).argmax(axis=1)
        with torch.no_grad():
            q_values = self.q_net(self.encode(self._observation)).cpu().numpy()
        greedy = np.where(masks, q_values, -np.inf).argmax(axis=1)
        actions = np.where(exploring, random, greedy)
        return actions, actions

    def _store_transition(
        self,
        replay_buffer: Any,
        buffer_action: np.ndarray,
        new_obs: Any,
        reward: np.ndarray,
        dones: np.ndarray,
        infos: list[dict[str, Any]],
    ) -> None:
        """Add a decision of each game to the replay buffer."""
        self.buffer.add(
            observations=self._observation,
            masks=self._masks,
            actions=buffer_action,
            rewards=reward,
            done=dones,
            truncated=self.games.batch.truncated,
        )
        self._last_obs = new_obs

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        """Make an update: some minibatches."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        losses, q_means = [], []
        for _ in range(gradient_steps):
            sample = self.buffer.sample(batch_size)
            target = self.targets(sample)
            q_values = self.q_net(self.encode(sample["observations"]))
            actions = torch.as_tensor(sample["actions"], device=self.device)
            q_taken = q_values.gather(1, actions[:, None])[:, 0]
            loss = smooth_l1_loss(q_taken, target)
            self.policy.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
            self.policy.optimizer.step()
            losses.append(loss.item())
            q_means.append(q_taken.mean().item())
        self._n_updates += gradient_steps
        self.logger.record("train/loss", np.mean(losses))
        self.logger.record("train/q_values", np.mean(q_means))
        self.logger.record("train/n_updates", self._n_updates)
        self.logger.record("rollout/exploration_rate", self.exploration_rate)

    @torch.no_grad()
    def targets(self, sample: dict[str, np.ndarray]) -> torch.Tensor:
        """(K,) n-step returns plus the discounted Q-value of the best legal action after them."""
        given = {name: torch.as_tensor(array, device=self.device) for name, array in sample.items()}
        following = self.encode(sample["next_observations"])
        q_target = self.q_net_target(following)
        q_chooser = self.q_net(following) if self.args.double else q_target
        best = q_chooser.masked_fill(~given["next_masks"], -torch.inf).argmax(dim=1)
        return given["returns"] + given["discounts"] * q_target.gather(1, best[:, None])[:, 0]

    def get_extra_state(self) -> dict[str, Any]:
        """The checkpoint's data besides those of every learner."""
        return {
            "n_calls": self._n_calls,
            "exploration_rate": self.exploration_rate,
            "explorer": json.dumps(self.explorer.bit_generator.state),
            "buffer": self.buffer.get_state(),
        }

    def set_extra_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_extra_state` gave."""
        self._n_calls = state["n_calls"]
        self.exploration_rate = state["exploration_rate"]
        self.explorer.bit_generator.state = json.loads(state["explorer"])
        self.buffer.set_state(state["buffer"])


def make_model(args: Args, games: CatanVecEnv) -> MaskedDQN:
    """A fresh learner."""
    policy, policy_kwargs = policy_of(args, BoardQPolicy)
    end = args.learning_rate_end_factor
    model = MaskedDQN(
        policy,
        games,
        learning_rate=LinearSchedule(args.learning_rate, args.learning_rate * end, 1),
        buffer_size=args.num_envs,  # SB3's own buffer stays empty
        learning_starts=max(args.learning_starts, args.num_envs * (args.n_steps + 2)),
        batch_size=args.batch_size,
        gamma=args.gamma,
        train_freq=args.train_freq,
        gradient_steps=args.gradient_steps,
        target_update_interval=max(args.target_update_interval, args.num_envs),
        exploration_fraction=args.exploration_fraction,
        exploration_final_eps=args.exploration_final_eps,
        policy_kwargs=policy_kwargs,
        seed=args.seed,
        device=args.device,
    )
    model.prepare(args, games)
    return model


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train; return the content of `result.json`."""
    args = parse(Args, arguments, __doc__ or "")
    set_up(args)
    league = make_opponents(args)
    games = make_games(args, league)
    return train_learner(
        args,
        SB3Learner(make_model(args, games), games, league, args.league_every),
        algorithm="DQN (Stable-Baselines3), mask-aware",
        command=command_line(args, "examples/train_dqn.py"),
        evaluations=args.eval_against,
    )


if __name__ == "__main__":
    run_program(main, stopped=RESUMABLE)
