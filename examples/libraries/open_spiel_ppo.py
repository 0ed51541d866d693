"""OpenSpiel: its PPO on `python_catan`, this package's game with all of its chance nodes.

    python examples/libraries/open_spiel_ppo.py --help

The game serves OpenSpiel's other algorithms and its tests as well. Its PPO learns for one seat:
the others are played here, by random players. It ends when the 95 % interval of the games won lies
above chance.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyspiel
import torch
from open_spiel.python import rl_environment
from open_spiel.python.pytorch.ppo import PPO, PPOAgent
from open_spiel.python.vector_env import SyncVectorEnv
from trial import Trial, TrialArgs, run_trial

import catan_pz.env.open_spiel  # registers the game
from catan_pz.agents.logits import LogitsAgent
from catan_pz.checks import not_possible
from catan_pz.rules import Rules
from catan_pz.training.console import run_program
from catan_pz.training.options import Coefficient, Count, parse


@dataclass(frozen=True, kw_only=True)
class Args(TrialArgs):
    """Options; those of the algorithm are named as in OpenSpiel."""

    players: int = 2
    """players, the learner included"""
    num_envs: Count = 32
    """games played side by side"""
    steps_per_batch: Count = 64
    """decisions of each game between two updates"""
    num_minibatches: Count = 4
    """minibatches in a pass over the decisions"""
    learning_rate: Coefficient = 5e-4
    """learning rate of Adam"""

    def check(self) -> None:
        """Refuse minibatches of one decision or none: their advantages have no deviation."""
        decisions, count = self.num_envs * self.steps_per_batch, self.num_minibatches
        if decisions < 2 * count or decisions % (decisions // count) == 1:
            allowed = f"numbers that leave none of the {decisions} decisions of a batch alone"
            raise not_possible("num_minibatches", count, allowed)


class OneSeat:
    """An environment of OpenSpiel as the learner's only: others move inside, rewards add up.

    Args:
        game: the game.
        seed: of chance, the learner's seat in each game, and the other players.
    """

    def __init__(self, game: Any, seed: int) -> None:
        sampler = rl_environment.ChanceEventSampler(seed)
        self._env = rl_environment.Environment(game, chance_event_sampler=sampler)
        self._random = random.Random(seed)
        self._seat = 0
        self._step: Any = None

    def get_time_step(self) -> Any:
        """The result of the last call."""
        return self._step

    def reset(self) -> Any:
        """Start a game and play to the learner's first decision."""
        self._seat = self._random.randrange(self._env.num_players)
        return self._play_others(self._env.reset(), 0.0)

    def step(self, actions: Sequence[int]) -> Any:
        """Play the learner's action, and the others' up to its next one."""
        step = self._env.step(actions)
        return self._play_others(step, step.rewards[self._seat])

    def _play_others(self, step: Any, reward: float) -> Any:
        while not step.last() and step.observations["current_player"] != self._seat:
            legal = step.observations["legal_actions"][step.observations["current_player"]]
            step = self._env.step([self._random.choice(legal)])
            reward += step.rewards[self._seat]
        seen: dict[str, Any] = {
            name: [step.observations[name][self._seat]] for name in ("info_state", "legal_actions")
        }
        seen["current_player"] = 0
        self._step = step._replace(observations=seen, rewards=[reward])
        return self._step


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train, and print the learner's win rate."""
    args = parse(Args, arguments, __doc__ or "")
    args.check()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    np.random.seed(args.seed)  # noqa: NPY002 (OpenSpiel's PPO shuffles by it)
    # The checks cost as much as the network, and fail on rounding with large masks.
    torch.distributions.Distribution.set_default_validate_args(False)
    rules = Rules(num_players=args.players, trading=False)
    parameters = {"num_players": args.players, "point_reward": 0.1}
    game = pyspiel.load_game(catan_pz.env.open_spiel.SHORT_NAME, parameters)
    envs = SyncVectorEnv(
        [OneSeat(game, (args.seed * args.num_envs + i) % 2**32) for i in range(args.num_envs)]
    )
    learner = PPO(
        input_shape=(game.observation_tensor_size(),),
        num_actions=game.num_distinct_actions(),
        num_players=1,
        num_envs=args.num_envs,
        steps_per_batch=args.steps_per_batch,
        num_minibatches=args.num_minibatches,
        learning_rate=args.learning_rate,
        gamma=0.997,
        entropy_coef=0.005,
        agent_fn=PPOAgent,
    )

    @torch.no_grad()
    def logits(observations: Any) -> torch.Tensor:
        return learner.network.actor(torch.from_numpy(observations.astype(np.float32)))

    def train(trial: Trial) -> None:
        steps = envs.reset()
        while not trial.is_over(learner.total_steps_done):
            for _ in range(args.steps_per_batch):
                chosen = learner.step(steps)
                steps, rewards, done, _ = envs.step(chosen, reset_if_done=True)
                learner.post_step(rewards, done)
            learner.learn(steps)

    return run_trial(args, rules, LogitsAgent(logits), train)


if __name__ == "__main__":
    run_program(main)
