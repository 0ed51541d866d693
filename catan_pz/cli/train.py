"""`catan-pz train`: a short MaskablePPO training against any agents."""

import os
import shlex
from pathlib import Path
from typing import Any

import click

from catan_pz.cli.agents import agent_option, load_agent, specs_by_seat, trust_option
from catan_pz.cli.console import FOLDER, command, need, option
from catan_pz.cli.options import COUNT, RuleChoice, rule_options


@command(
    "catan-pz train",
    "catan-pz train --frames 2000000 --against heuristic --out runs/strong",
    "catan-pz train --expert heuristic --out runs/imitation",
    "catan-pz train --resume --frames 600000",
    "catan-pz play --against runs/train/model.npz",
)
@option(
    "--frames",
    "Decisions of the learner to train on, those before a resume included.",
    COUNT,
    default=450_000,
)
@agent_option("--against", "Agents that play the other seats, separated by commas.", "random")
@agent_option("--expert", "Agent to imitate before the training, such as heuristic.", None)
@option("--demonstrations", "Decisions of the expert to imitate.", COUNT, default=100_000)
@option(
    "--reward",
    "Reward of the learner, such as win_loss.",
    metavar="REWARD",
    default="points_and_win",
)
@option("--games", "Games of each evaluation.", COUNT, default=400)
@option("--eval-every", "Frames between evaluations.", COUNT, default=100_000)
@option("--checkpoint-every", "Frames between checkpoints.", COUNT, default=100_000)
@option("--out", "Output folder.", FOLDER, default=Path("runs/train"))
@option("--resume", "Continue the training in the output folder.", is_flag=True)
@option(
    "--track",
    "Also log to Weights & Biases or MLflow.",
    click.Choice(["none", "wandb", "mlflow"]),
    default="none",
)
@option("--num-envs", "Games played side by side.", COUNT, default=128)
@option(
    "--seed", "Random seed of games, network and learning.", click.IntRange(0, 2**31 - 1), default=1
)
@option("--device", "Device of the network.", click.Choice(["auto", "cpu", "cuda"]), default="auto")
@option("--threads", "CPU threads of the network.  [the cores, at most 4]", COUNT, default=None)
@trust_option
@rule_options(
    "Trade between players: 389 actions in place of 252. Nothing else changes, neither the "
    "reward nor the frames.  [no]"
)
def train(
    against: str,
    expert: str | None,
    games: int,
    out: Path,
    threads: int | None,
    rules: RuleChoice,
    **run: Any,
) -> None:
    """Train a MaskablePPO agent for a few minutes and measure its win rate.

    OUT gets model.npz, which plays without torch, curve.csv and curve.png, the last two
    checkpoints, TensorBoard's logs and result.json. Ctrl-C and SIGTERM finish the update and
    save; --resume continues. The programs in the folder `examples` of the sources have more
    to set and to read.
    """
    need("train", "training", "sb3_contrib", "stable_baselines3", "torch", "matplotlib")
    from catan_pz.training import quick

    made = rules.make(trading=False, skip_forced=True)
    names = specs_by_seat("--against", against, made.num_players - 1)
    # None stands for random players, which compiled code plays.
    opponents = [None if name == "random" else load_agent(name, made) for name in names]
    if expert:
        load_agent(expert, made)
    args = quick.QuickArgs(
        rules=made.to_dict(),
        against=against,
        expert=expert or "",
        eval_games=games,
        out=str(out),
        threads=threads or min(os.cpu_count() or 1, 4),
        **run,
    )
    typed = [word for word in click.get_current_context().obj if word != "--resume"]
    try:
        quick.train(args, opponents, names, shlex.join(["catan-pz", *typed]))
    except KeyboardInterrupt:
        raise click.Abort from None
