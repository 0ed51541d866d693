"""`catan-pz train`: a short MaskablePPO training against any agents."""

import json
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np

from catan_pz.cli.agents import load_agent, specs_by_seat
from catan_pz.cli.console import examples, progress
from catan_pz.cli.extras import need
from catan_pz.cli.options import make_rules, rules_options
from catan_pz.files import whole_file
from catan_pz.rewards import REWARDS
from catan_pz.rules import Rules

_ENVS = 256
_ROLLOUT = 32
_SPACES_SEED = 1_000_003
"""How far the seeds of games for the win rate lie from those of the training."""


@click.command(
    "train",
    short_help="Train an agent for a few minutes.",
    epilog=examples(
        "catan-pz train",
        "catan-pz train --frames 2000000 --against heuristic --out runs/strong",
        "catan-pz train --resume runs/train/model.zip --frames 500000",
        "catan-pz play --against runs/train/model.zip --no-trading",
    ),
)
@click.option(
    "--frames",
    type=click.IntRange(0),
    metavar="N",
    default=300_000,
    show_default=True,
    help="Decisions of the learner to train on.",
)
@click.option(
    "--against",
    default="random",
    show_default=True,
    metavar="AGENTS",
    help="Agents that play the other seats, separated by commas.",
)
@click.option(
    "--games",
    type=click.IntRange(1),
    metavar="N",
    default=400,
    show_default=True,
    help="Games for each win rate, before and after.",
)
@click.option(
    "--reward",
    type=click.Choice(sorted(REWARDS)),
    default="points_gained",
    show_default=True,
    metavar="REWARD",
    help="What the learner is paid for, such as win_loss.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs/train"),
    show_default=True,
    help="Folder for what comes of it.",
)
@click.option(
    "--resume",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A saved model to go on with.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    metavar="N",
    default=1,
    show_default=True,
    help="Of games, network and learning.",
)
@click.option("--device", default="auto", show_default=True, help="auto, cpu or cuda.")
@rules_options
def command(
    frames: int,
    against: str,
    games: int,
    reward: str,
    out: Path,
    resume: Path | None,
    seed: int,
    device: str,
    **chosen: Any,
) -> None:
    """Train a MaskablePPO agent for a few minutes and measure what it has learned.

    The model goes to OUT/model.zip, the figures to OUT/result.json. Ctrl-C ends the training
    early and saves the model as it is. The programs in the folder `examples` of the sources
    have more to set and to read.
    """
    need("train", "training", "sb3_contrib", "stable_baselines3", "torch")
    rules = make_rules(**chosen | {"trading": chosen["trading"] or False})
    trainer = _Trainer(rules, _opponents(against, rules), reward, seed, games)
    model = trainer.model(resume, device)
    before = trainer.win_rate(model, "Before")
    click.echo(f"Before: {_words(before)}")
    start = perf_counter()
    learned, interrupted = trainer.learn(model, frames)
    seconds = perf_counter() - start
    with whole_file(out / "model.zip") as draft:
        model.save(draft)
    if interrupted:
        click.echo(f"Interrupted after {learned:,} decisions: saved in {out / 'model.zip'}.")
        raise click.Abort
    click.echo(
        f"Trained on {learned:,} decisions in {seconds:.0f} s; saved in {out / 'model.zip'}."
    )
    after = trainer.win_rate(model, "After")
    click.echo(f"After: {_words(after)}")
    result = {
        "before": before,
        "after": after,
        "frames": learned,
        "seconds": seconds,
        "against": against,
        "reward": reward,
        "seed": seed,
        "rules": rules.to_dict(),
    }
    with whole_file(out / "result.json") as draft:
        draft.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def _opponents(against: str, rules: Rules) -> Any:
    specs = specs_by_seat("--against", against, rules.num_players - 1)
    if set(specs) == {"random"}:
        return None  # played inside compiled code
    return [load_agent(spec, rules) for spec in specs]


def _words(figures: dict[str, Any]) -> str:
    low, high = figures["interval"]
    return (
        f"won {figures['won']} of {figures['games']} games = {100 * figures['win_rate']:.1f} % "
        f"(95 % interval {100 * low:.1f} to {100 * high:.1f} %)"
    )


class _Trainer:
    """Games, a model and its figures."""

    def __init__(self, rules: Rules, opponents: Any, reward: str, seed: int, games: int) -> None:
        import torch

        # The checks cost as much as the network, and fail on rounding with large masks.
        torch.distributions.Distribution.set_default_validate_args(False)
        self._seed = seed
        self._games = games
        self._options: dict[str, Any] = {
            "rules": rules,
            "seat": "random",
            "opponents": opponents,
            "reward": reward,
            "skip_forced": True,
        }
        self._envs = self._make(_ENVS, seed)

    def _make(self, count: int, first: int) -> Any:
        from catan_pz.env.vector.sb3 import CatanVecEnv

        return CatanVecEnv(count, seed=first, **self._options)

    def model(self, resume: Path | None, device: str) -> Any:
        """A fresh model, or a saved one to go on with."""
        from sb3_contrib import MaskablePPO

        if resume is not None:
            return MaskablePPO.load(resume, env=self._envs, device=device)
        return MaskablePPO(
            "MlpPolicy",
            self._envs,
            learning_rate=5e-4,
            n_steps=_ROLLOUT,
            batch_size=2048,
            n_epochs=4,
            gamma=0.997,
            ent_coef=0.005,
            policy_kwargs={"net_arch": [128, 128]},
            seed=self._seed,
            device=device,
        )

    def win_rate(self, model: Any, title: str) -> dict[str, Any]:
        """Wins of the model in games of their own, the same ones at each call.

        Each place plays a fixed number: counting whatever ends first would favour short games.
        """
        import torch

        from catan_pz.arena.statistics import wilson

        count = min(64, self._games)
        envs = self._make(count, self._seed + _SPACES_SEED)
        share = -(-self._games // count)
        done, won = np.zeros(count, np.int64), 0
        with torch.random.fork_rng(), progress("games") as bar:
            torch.manual_seed(self._seed)
            task = bar.add_task(f"{title}: playing", total=share * count)
            seen = envs.reset()
            while done.min() < share:
                chosen, _ = model.predict(seen, action_masks=envs.action_masks())
                seen, _, ended, infos = envs.step(chosen)
                for k in np.flatnonzero(ended & (done < share)).tolist():
                    won += infos[k]["won"]
                    done[k] += 1
                    bar.advance(task)
        envs.close()
        games = int(done.sum())
        low, high = wilson(won, games, 1.96)
        return {"games": games, "won": won, "win_rate": won / games, "interval": [low, high]}

    def learn(self, model: Any, frames: int) -> tuple[int, bool]:
        """Train; how many decisions it was, and whether Ctrl-C ended it."""
        from stable_baselines3.common.callbacks import BaseCallback

        first = model.num_timesteps
        interrupted = False
        with progress("decisions") as bar:
            task = bar.add_task("Training", total=frames)

            class Report(BaseCallback):
                def _on_step(self) -> bool:
                    done = min(frames, self.model.num_timesteps - first)
                    episodes = self.model.ep_info_buffer
                    words = "Training"
                    if episodes and "won" in episodes[0]:
                        words += f", wins {100 * np.mean([e['won'] for e in episodes]):.0f} %"
                    bar.update(task, completed=done, description=words)
                    return bool(done < frames)

            try:
                if frames:
                    model.learn(frames, callback=Report(), reset_num_timesteps=False)
            except KeyboardInterrupt:
                interrupted = True
        return model.num_timesteps - first, interrupted
