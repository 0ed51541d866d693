"""RLlib: PPO against random players and a league of its own past selves, on either of two runners.

    python examples/libraries/rllib_selfplay.py --help

`--runner batch` steps all games at once by `CatanEnvRunner`; `--runner aec` lets RLlib step
PettingZoo environments one by one. The learner sits in a seat that the episode's id settles; the
other seats are played by members of the league. Where it wins often, a frozen copy joins. It ends
when the 95 % interval of the games won against random players lies above chance.
"""

import functools
import warnings
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS, NUM_ENV_STEPS_SAMPLED_LIFETIME
from ray.tune.registry import register_env
from trial import Trial, TrialArgs, run_trial

from catan_pz import catan_v0
from catan_pz.agents.logits import LogitsAgent
from catan_pz.arena.executors.ray_executor import connect
from catan_pz.checks import check_count
from catan_pz.env.rllib.module import MaskedModule, RandomModule, joined
from catan_pz.env.rllib.runner import WON, CatanEnvRunner
from catan_pz.rewards import PointsGained
from catan_pz.rules import Rules
from catan_pz.training.console import run_program, say
from catan_pz.training.options import Coefficient, Count, Share, parse


@dataclass(frozen=True, kw_only=True)
class Args(TrialArgs):
    """Options of the runs and of the algorithm."""

    runner: Literal["batch", "aec"] = "batch"
    """batch: all games in one call; aec: PettingZoo environments one by one"""
    players: int = 2
    """players, the learner included"""
    observation: Literal["flat", "dict"] = "flat"
    """form of the observation"""
    num_games: Count = 64
    """games played side by side by each batch runner; the other plays 8"""
    num_env_runners: int = 0
    """runners in separate processes; 0 for one in this process"""
    address: str = "local"
    """local: this machine only; auto, or the address of a Ray cluster"""
    train_batch_size: Count = 4096
    """decisions of all seats between two updates"""
    minibatch_size: Count = 512
    """decisions in a minibatch"""
    learning_rate: Coefficient = 5e-4
    """learning rate of Adam"""
    join_at: Share = 0.7
    """share of games won at which a frozen copy joins the league"""


def play_seat(agent: str, episode: Any, *, opponents: Sequence[str], players: int) -> str:
    """The module that plays a seat: the learner one of them, members of the league the rest."""
    number = zlib.crc32(str(episode.id_).encode())
    if agent == f"player_{number % players}":
        return "learner"
    return opponents[number // players % len(opponents)]


class League(RLlibCallback):
    """Lets a frozen copy of the learner join where it wins often enough."""

    def __init__(self, args: Args) -> None:
        super().__init__()
        self._args = args
        self._members = ["random"]

    def on_episode_end(self, *, episode: Any, metrics_logger: Any, **_: Any) -> None:
        """Note who won, as `CatanEnvRunner` does itself."""
        last = episode.get_rewards(-1, env_steps=False)
        is_won = episode.is_terminated and not episode.is_truncated
        winner = episode.module_for(max(last, key=lambda agent: last[agent])) if is_won else None
        for name in {episode.module_for(agent) for agent in last}:
            metrics_logger.log_value((WON, name), float(winner == name), window=200)

    def on_train_result(self, *, algorithm: Any, result: dict[str, Any], **_: Any) -> None:
        """Add the copy, and notify all runners of the new players."""
        won = result[ENV_RUNNER_RESULTS].get(WON, {}).get("learner", 0.0)
        if won < self._args.join_at:
            return
        learner = algorithm.get_module("learner")
        name = f"past_{len(self._members)}"
        self._members.append(name)
        mapping = functools.partial(
            play_seat, opponents=tuple(self._members), players=self._args.players
        )
        algorithm.add_module(
            module_id=name,
            module_spec=RLModuleSpec.from_module(learner),
            new_agent_to_module_mapping_fn=mapping,
        )
        weights = {"rl_module": {name: learner.get_state()}}
        algorithm.set_state({"learner_group": {"learner": weights}})
        say(f"won {100 * won:.0f} % of the last games: {name} joins the league")


def make_config(args: Args, rules: Rules) -> PPOConfig:
    """RLlib's configuration, for either runner."""
    reward = PointsGained(point=0.1, win=1.0)
    games = {"rules": rules, "reward": reward, "observation": args.observation}
    register_env("catan", lambda _: PettingZooEnv(catan_v0.env(**games)))
    is_batch = args.runner == "batch"
    steps = args.train_batch_size // max(1, args.num_env_runners)
    return (
        PPOConfig()
        .environment(
            "catan",
            env_config=games | {"num_games": args.num_games} if is_batch else {},
            disable_env_checking=True,  # it plays illegal actions
        )
        .env_runners(
            env_runner_cls=CatanEnvRunner if is_batch else None,
            num_env_runners=args.num_env_runners,
            num_envs_per_env_runner=1 if is_batch else 8,
            rollout_fragment_length=max(1, steps // (args.num_games if is_batch else 8)),
        )
        .learners(num_learners=0)
        .multi_agent(
            policies={"learner", "random"},
            policy_mapping_fn=functools.partial(
                play_seat, opponents=("random",), players=args.players
            ),
            policies_to_train=["learner"],
        )
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={
                    "learner": RLModuleSpec(module_class=MaskedModule),
                    "random": RLModuleSpec(module_class=RandomModule),
                }
            )
        )
        .training(
            train_batch_size_per_learner=args.train_batch_size,
            minibatch_size=args.minibatch_size,
            num_epochs=4,
            lr=args.learning_rate,
            gamma=0.997,
            lambda_=0.95,
            entropy_coeff=0.005,
            use_kl_loss=False,
            clip_param=0.2,
            vf_clip_param=10.0,
            grad_clip=0.5,
        )
        .callbacks(functools.partial(League, args))
        .debugging(seed=args.seed, log_level="ERROR")
    )


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Train, and print the learner's win rate."""
    args = parse(Args, arguments, __doc__ or "")
    check_count("num_env_runners", args.num_env_runners, least=0)
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", category=DeprecationWarning)  # Ray's own
    rules = Rules(num_players=args.players, trading=False, skip_forced=True)
    connect(args.address, num_cpus=1 + args.num_env_runners)
    try:
        algorithm = make_config(args, rules).build_algo()

        @torch.no_grad()
        def logits(observations: Any) -> torch.Tensor:
            module = algorithm.get_module("learner")
            return module.actor(joined(observations))

        def train(trial: Trial) -> None:
            decisions = 0
            while not trial.is_over(decisions):
                result = algorithm.train()[ENV_RUNNER_RESULTS]
                decisions = int(result[NUM_ENV_STEPS_SAMPLED_LIFETIME])

        agent = LogitsAgent(logits, observation=args.observation)
        result = run_trial(args, rules, agent, train)
        algorithm.stop()
        return result
    finally:
        ray.shutdown()


if __name__ == "__main__":
    run_program(main)
