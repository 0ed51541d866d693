"""A short MaskablePPO training on the real game: one seat against random players.

Measures the win rate of the fresh network, trains it for a few minutes on two CPU cores
(a GPU is used where there is one), and measures again. `make train` runs it; for options:

    python examples/train_quick.py --help

Everything goes to the output folder: the model (`model.zip`), TensorBoard logs (`logs`,
look at them with `tensorboard --logdir runs`) and the figures (`result.json`). Ctrl-C ends
the training early and saves the model; `--resume` goes on with a saved one.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from catan_pz.env.single_seat import SingleSeatEnv
from catan_pz.rewards import PointsGained

console = Console()


@dataclass(frozen=True)
class Options:
    """What can be chosen on the command line."""

    frames: int = field(default=300_000, metadata={"help": "decisions of the learner to train on"})
    games: int = field(default=400, metadata={"help": "games played for each win rate"})
    players: int = field(default=4, metadata={"help": "players, the learner included: 2 to 4"})
    trading: bool = field(default=False, metadata={"help": "trade between players"})
    rules: str = field(default="base", metadata={"help": "preset of rules, such as one_v_one"})
    point: float = field(default=0.1, metadata={"help": "reward for each point gained"})
    win: float = field(default=1.0, metadata={"help": "reward for a win, and its negative"})
    envs: int = field(default=64, metadata={"help": "games that are played side by side"})
    rollout: int = field(default=64, metadata={"help": "decisions a game between two updates"})
    batch: int = field(default=1024, metadata={"help": "decisions in a minibatch"})
    epochs: int = field(default=4, metadata={"help": "passes over the decisions of an update"})
    rate: float = field(default=5e-4, metadata={"help": "learning rate of Adam"})
    gamma: float = field(default=0.997, metadata={"help": "discount of a decision"})
    entropy: float = field(default=0.005, metadata={"help": "weight of the entropy bonus"})
    width: int = field(default=128, metadata={"help": "units in each of the two hidden layers"})
    seed: int = field(default=1, metadata={"help": "of games, network and learning"})
    device: str = field(default="auto", metadata={"help": "auto, cpu or cuda"})
    threads: int = field(default=1, metadata={"help": "CPU threads; small networks need one"})
    out: str = field(default="runs/train_quick", metadata={"help": "output folder"})
    resume: str = field(default="", metadata={"help": "a saved model to go on with"})
    progress: bool = field(default=True, metadata={"help": "show a progress bar"})


def parse_options(arguments: Sequence[str] | None = None) -> Options:
    """Options from the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n", maxsplit=1)[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    for option in fields(Options):
        kind: dict[str, Any] = {"type": type(option.default)}
        if isinstance(option.default, bool):
            kind = {"action": argparse.BooleanOptionalAction}
        parser.add_argument(
            f"--{option.name}", default=option.default, help=option.metadata["help"], **kind
        )
    return Options(**vars(parser.parse_args(arguments)))


def make_envs(options: Options) -> DummyVecEnv:
    """Games side by side, each with the learner in a seat drawn for each episode."""

    def make() -> Monitor:
        rules: dict[str, Any] = {"rules": options.rules, "skip_forced": True}
        if options.rules == "base":
            rules |= {"num_players": options.players, "trading": options.trading}
        reward = PointsGained(point=options.point, win=options.win)
        env = SingleSeatEnv(seat="random", reward=reward, **rules)
        return Monitor(env, info_keywords=("won", "points", "turns"))

    return DummyVecEnv([make] * options.envs)


def make_model(options: Options, envs: DummyVecEnv) -> MaskablePPO:
    """A fresh model, or a saved one to go on with."""
    if options.resume:
        return MaskablePPO.load(options.resume, env=envs, device=options.device)
    return MaskablePPO(
        "MlpPolicy",
        envs,
        learning_rate=options.rate,
        n_steps=options.rollout,
        batch_size=options.batch,
        n_epochs=options.epochs,
        gamma=options.gamma,
        ent_coef=options.entropy,
        policy_kwargs={"net_arch": [options.width, options.width]},
        seed=options.seed,
        device=options.device,
    )


def wilson_interval(won: int, games: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's 95 % interval of a win rate (E. B. Wilson, 1927)."""
    rate = won / games
    middle = (rate + z * z / (2 * games)) / (1 + z * z / games)
    spread = z / (1 + z * z / games) * np.sqrt(rate * (1 - rate) / games + (z / games / 2) ** 2)
    return float(middle - spread), float(middle + spread)


def play_games(model: MaskablePPO, envs: DummyVecEnv, options: Options) -> dict[str, Any]:
    """Play games against random players, as many in each environment, and count wins.

    Each environment plays a fixed number: counting whatever ends first would favour short
    games. The seed is the same for each call, so that two models meet the same boards.
    """
    with torch.random.fork_rng():
        torch.manual_seed(options.seed)
        return _play_games(model, envs, options)


def _play_games(model: MaskablePPO, envs: DummyVecEnv, options: Options) -> dict[str, Any]:
    share = max(1, -(-options.games // envs.num_envs))
    done = np.zeros(envs.num_envs, np.int64)
    won, points = 0, 0
    envs.seed(options.seed + 1_000_003)
    observations = envs.reset()
    while done.min() < share:
        masks = get_action_masks(envs)
        actions, _ = model.predict(observations, action_masks=masks, deterministic=False)
        observations, _, ended, infos = envs.step(actions)
        for k in np.flatnonzero(ended & (done < share)):
            won += infos[k]["won"]
            points += infos[k]["points"]
            done[k] += 1
    games = int(done.sum())
    low, high = wilson_interval(won, games)
    return {
        "games": games,
        "won": won,
        "win_rate": won / games,
        "interval": [low, high],
        "mean_points": points / games,
    }


class WinRate(BaseCallback):
    """Logs the win rate of the last 100 episodes beside SB3's own figures."""

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        episodes = self.model.ep_info_buffer
        if episodes:
            for key in ("won", "points", "turns"):
                self.logger.record(f"episode/{key}", np.mean([e[key] for e in episodes]))


def write_atomically(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file beside its place and move it there, so that it is never half written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.stem}.draft{path.suffix}")
    write(draft)
    draft.replace(path)


def show(title: str, result: dict[str, Any]) -> None:
    """Print a win rate with its interval."""
    low, high = result["interval"]
    console.print(
        f"{title}: won {result['won']} of {result['games']} games = "
        f"[bold]{100 * result['win_rate']:.1f} %[/] (95 % interval {100 * low:.1f} to "
        f"{100 * high:.1f} %), {result['mean_points']:.1f} points on average"
    )


def train(model: MaskablePPO, options: Options) -> float:
    """Train until the frames are used up or the user interrupts; seconds taken."""
    start = time.perf_counter()
    try:
        model.learn(
            options.frames,
            callback=WinRate(),
            reset_num_timesteps=not options.resume,
            progress_bar=options.progress,
        )
    except KeyboardInterrupt:
        console.print("Interrupted: the model is saved as it is.")
    return time.perf_counter() - start


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Measure, train, measure again; the figures are returned and written."""
    options = parse_options(arguments)
    out = Path(options.out)
    torch.set_num_threads(options.threads)
    # The checks cost as much as the network, and fail on rounding with large masks.
    torch.distributions.Distribution.set_default_validate_args(False)
    envs = make_envs(options)
    model = make_model(options, envs)
    model.set_logger(configure(str(out / "logs"), ["tensorboard"]))
    console.print(f"The others play at random; the seat changes. Trains on {model.device}.")
    before = play_games(model, envs, options)
    show("Before", before)
    frames = model.num_timesteps
    envs.seed(options.seed)
    # The games played for the win rate are no part of the training.
    model._last_obs = None
    seconds = train(model, options)
    frames = model.num_timesteps - frames
    write_atomically(out / "model.zip", model.save)
    console.print(
        f"Trained on {frames:,} decisions in {seconds:.0f} s, {frames / seconds:,.0f} a second; "
        f"saved to {out / 'model.zip'}"
    )
    after = play_games(model, envs, options)
    show("After", after)
    result = {
        "before": before,
        "after": after,
        "frames": frames,
        "seconds": seconds,
        "options": asdict(options),
    }
    write_atomically(
        out / "result.json", lambda path: path.write_text(json.dumps(result, indent=2) + "\n")
    )
    envs.close()
    return result


if __name__ == "__main__":
    main()
