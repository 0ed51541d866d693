"""`catan-pz train`: a short MaskablePPO training against any agents."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from catan_pz.cli.agents import agent_option, load_agent, specs_by_seat, trust_option
from catan_pz.cli.console import Command, examples, need
from catan_pz.cli.options import COUNT, FOLDER, RuleOptions, games_option, rule_options


def _count(name: str, default: int, words: str) -> Callable[[Command], Command]:
    return click.option(
        name, type=COUNT, metavar="N", default=default, show_default=True, help=words
    )


@click.command(
    epilog=examples(
        "catan-pz train",
        "catan-pz train --frames 2000000 --against heuristic --out runs/strong",
        "catan-pz train --expert heuristic --out runs/imitation",
        "catan-pz train --resume --frames 600000",
        "catan-pz play --against runs/train/model.npz",
    ),
)
@_count(
    "--frames", 300_000, "Decisions of the learner to train on, those before a resume included."
)
@agent_option("--against", "Agents that play the other seats, separated by commas.", "random")
@agent_option("--expert", "Agent to imitate before the training, such as heuristic.", None)
@_count("--demonstrations", 100_000, "Decisions of the expert to imitate.")
@click.option(
    "--reward",
    metavar="REWARD",
    default="points_gained",
    show_default=True,
    help="Reward of the learner, such as win_loss.",
)
@games_option(400, "Games of each evaluation.")
@_count("--eval-every", 100_000, "Frames between evaluations.")
@_count("--checkpoint-every", 100_000, "Frames between checkpoints.")
@click.option(
    "--out",
    type=FOLDER,
    metavar="FOLDER",
    default=Path("runs/train"),
    show_default=True,
    help="Output folder.",
)
@click.option("--resume", is_flag=True, help="Continue the training in the output folder.")
@_count("--num-envs", 256, "Games played side by side.")
@click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    metavar="N",
    default=1,
    show_default=True,
    help="Random seed of games, network and learning.",
)
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    default="auto",
    show_default=True,
    help="Device of the network.",
)
@trust_option
@rule_options(
    "Trade between players: 389 actions in place of 252. Nothing else changes, neither the "
    "reward nor the frames.  [no]"
)
def train(
    against: str, expert: str | None, games: int, out: Path, rules: RuleOptions, **run: Any
) -> None:
    """Train a MaskablePPO agent for a few minutes and measure what it has learned.

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
        **run,
    )
    typed = [word for word in click.get_current_context().obj if word != "--resume"]
    try:
        quick.train(args, opponents, names, shlex.join(["catan-pz", *typed]))
    except KeyboardInterrupt:
        raise click.Abort from None
