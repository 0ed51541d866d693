"""A short MaskablePPO training on `SingleSeatEnv`: one seat against random players.

    python examples/train_quick.py --help

`make train` runs it. It measures the win rate of the untrained policy, trains for a few minutes
on two CPU cores (a GPU is used where there is one), and measures again. Everything around the
environment is stock Stable-Baselines3; `train_maskable_ppo.py` is many times faster and continues
exactly after a break.

The output folder holds `model.zip` (the learner, for `--resume` with the same options),
`model.npz` (the policy alone, played without torch), `result.json` and TensorBoard's `logs`:
`tensorboard --logdir runs`. Ctrl-C and SIGTERM end the training early and save the model. A resumed
training begins new games, from a seed that follows from `--seed` and the decisions so far.
"""

import json
import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal
from zipfile import BadZipFile

# NumPy plays the exported policy in evaluations: on products this small threads only cost time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from catan_pz.agents.network import NetworkAgent
from catan_pz.checks import not_possible
from catan_pz.env.single_seat import SingleSeatEnv
from catan_pz.env.vector.export import exported
from catan_pz.env.vector.sb3 import note_training
from catan_pz.files import check_writable, whole_file
from catan_pz.rewards import PointsGained
from catan_pz.rules import Rules
from catan_pz.training.console import run_program, say
from catan_pz.training.evaluation import SEED_OFFSET, describe, evaluate, line_ups
from catan_pz.training.options import (
    Coefficient,
    Count,
    Number,
    Seed,
    Share,
    check_minibatches,
    check_same_training,
    parse,
    set_up,
)

_OWN_MODEL = "a model.zip that this program has written"


@dataclass(frozen=True, kw_only=True)
class Args:
    """Options; those of the algorithm have the names that Stable-Baselines3 gives them."""

    frames: Count = 300_000
    """decisions of the learner to train on"""
    eval_games: Count = 400
    """games for each win rate"""
    rules: Literal["base", "one_v_one"] = "base"
    """preset of rules"""
    players: int = 0
    """players, the learner included; 0 for those of the rules"""
    trading: bool = False
    """trade between players"""
    point_reward: Number = 0.1
    """reward for each victory point gained"""
    win_reward: Number = 1.0
    """reward for a win, and its negative for a loss"""
    num_envs: Count = 64
    """games played side by side"""
    n_steps: Count = 64
    """decisions of each game between two updates"""
    batch_size: Count = 1024
    """decisions in a minibatch"""
    n_epochs: Count = 4
    """passes over the decisions of an update"""
    learning_rate: Coefficient = 5e-4
    """learning rate of Adam"""
    gamma: Share = 0.997
    """discount of a decision"""
    ent_coef: Coefficient = 0.005
    """coefficient of the entropy bonus"""
    width: Count = 128
    """units in each of the two hidden layers"""
    seed: Seed = 1
    """random seed of games, network and learning"""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """device of the network"""
    threads: Count = 1
    """CPU threads of torch; small networks need one"""
    out: str = "runs/train_quick"
    """output folder"""
    resume: str = ""
    """a model.zip to continue from, with the same options but for frames, threads and device"""
    progress: bool = True
    """show a progress bar"""

    def make_rules(self) -> Rules:
        """The rules of the games."""
        chosen: dict[str, Any] = {"skip_forced": True, "trading": self.trading}
        if self.players:
            chosen["num_players"] = self.players
        return Rules.make(self.rules, **chosen)


def make_envs(args: Args) -> DummyVecEnv:
    """Games side by side, each with the learner in a seat drawn for every episode."""

    def make() -> Monitor:
        reward = PointsGained(point=args.point_reward, win=args.win_reward)
        env = SingleSeatEnv(rules=args.make_rules(), seat="random", reward=reward)
        return Monitor(env, info_keywords=("won", "points", "turns"))

    return DummyVecEnv([make] * args.num_envs)


def make_model(args: Args, envs: DummyVecEnv) -> MaskablePPO:
    """A fresh learner, or a saved one to continue with."""
    if args.resume:
        model = load_model(args)
        check_same_training(options_of(model, args.resume), args, args.resume)
        model.set_env(envs)
        model.set_random_seed(seed_after(args.seed, model.num_timesteps))
        return model
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        learning_rate=args.learning_rate,
        n_steps=args.n_steps,
        batch_size=args.batch_size,
        n_epochs=args.n_epochs,
        gamma=args.gamma,
        ent_coef=args.ent_coef,
        policy_kwargs={"net_arch": [args.width, args.width]},
        seed=args.seed,
        device=args.device,
    )
    note_training(model, args.make_rules(), "flat")
    model.options = asdict(args)
    return model


def seed_after(seed: int, decisions: int) -> int:
    """A seed of its own for what follows so many decisions: other boards, dice and samples."""
    return int(np.random.SeedSequence([seed, decisions]).generate_state(1)[0])


def load_model(args: Args) -> MaskablePPO:
    """The learner in the file to continue from.

    Raises:
        ValueError: for a file that isn't there, or holds no learner.
    """
    if Path(args.resume).is_file():
        with suppress(AssertionError, ValueError, BadZipFile):
            return MaskablePPO.load(args.resume, device=args.device)
    raise not_possible("resume", args.resume, _OWN_MODEL)


def options_of(model: MaskablePPO, path: str) -> dict[str, Any]:
    """The options that a saved learner was made with.

    Raises:
        ValueError: for a learner of another program.
    """
    options: dict[str, Any] | None = getattr(model, "options", None)
    if options is None:
        raise not_possible("resume", path, _OWN_MODEL)
    return options


class EpisodeStatistics(BaseCallback):
    """Logs wins, points and turns of the last 100 episodes beside `rollout/ep_rew_mean`."""

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        episodes = self.model.ep_info_buffer
        for key in ("won", "points", "turns") if episodes else ():
            self.logger.record(f"episode/{key}", np.mean([e[key] for e in episodes]))


def win_rate(model: MaskablePPO, args: Args, title: str) -> dict[str, Any]:
    """Win rate against random players, on the same boards and dice at every call."""
    rules = args.make_rules()
    agent = NetworkAgent(exported(model, rules))
    (others,) = line_ups("random", rules).values()
    seed = args.seed + SEED_OFFSET
    row = evaluate(agent, others, rules, args.eval_games, seed) | {"against": "random"}
    say(f"{title}: {describe(row)}")
    return row


def train(model: MaskablePPO, args: Args) -> float:
    """Train until the frames are used up, or until Ctrl-C or SIGTERM; seconds taken."""
    start = time.perf_counter()
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        model.learn(
            args.frames,
            callback=EpisodeStatistics(),
            reset_num_timesteps=not args.resume,
            progress_bar=args.progress,
        )
    except KeyboardInterrupt:
        say("Interrupted: the model is saved as it is.")
    finally:
        signal.signal(signal.SIGTERM, before)
    return time.perf_counter() - start


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Measure, train, measure again; returns what is also written to `result.json`."""
    args = parse(Args, arguments, __doc__ or "")
    check_minibatches(args.batch_size, args.num_envs * args.n_steps)
    set_up(args)
    out = Path(args.out)
    envs = make_envs(args)
    model = make_model(args, envs)
    check_writable(out / "model.zip")
    model.set_logger(configure(str(out / "logs"), ["tensorboard"]))
    before = win_rate(model, args, "Before")
    trained_before = model.num_timesteps
    seconds = train(model, args)
    frames = model.num_timesteps - trained_before
    with whole_file(out / "model.zip") as draft:
        model.save(draft)
    exported(model, args.make_rules()).save(out / "model.npz")
    say(
        f"Trained on {frames:,} decisions in {seconds:.0f} s, {frames / seconds:,.0f} a second; "
        f"saved in {out}"
    )
    result = {
        "before": before,
        "after": win_rate(model, args, "After"),
        "frames": frames,
        "seconds": seconds,
        "options": asdict(args),
    }
    with whole_file(out / "result.json") as draft:
        draft.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    envs.close()
    return result


if __name__ == "__main__":
    run_program(main)
