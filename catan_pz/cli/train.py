"""`catan-pz train`: a short MaskablePPO training against any agents."""

import shlex
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from catan_pz.cli.agents import find_modules, load_agent, specs_by_seat, trust_option
from catan_pz.cli.console import examples
from catan_pz.cli.extras import need
from catan_pz.cli.options import Folder, make_rules, refuse_options, rules_options
from catan_pz.rewards import REWARDS


@click.command(
    "train",
    short_help="Train an agent for a few minutes.",
    epilog=examples(
        "catan-pz train",
        "catan-pz train --frames 2000000 --against heuristic --out runs/strong",
        "catan-pz train --expert heuristic --out runs/imitation",
        "catan-pz train --resume --frames 600000",
        "catan-pz play --against runs/train/model.npz",
    ),
)
@click.option(
    "--frames",
    type=click.IntRange(1),
    metavar="N",
    default=300_000,
    show_default=True,
    help="Decisions of the learner to train on, those before a resume included.",
)
@click.option(
    "--against",
    default="random",
    show_default=True,
    metavar="AGENTS",
    help="Agents that play the other seats, separated by commas.",
)
@click.option(
    "--expert",
    default="",
    metavar="AGENT",
    help="Agent to imitate before the training, such as heuristic.",
)
@click.option(
    "--demonstrations",
    type=click.IntRange(1),
    metavar="N",
    default=100_000,
    show_default=True,
    help="Decisions of the expert to imitate.",
)
@click.option(
    "--reward",
    type=click.Choice(sorted(REWARDS)),
    default="points_gained",
    show_default=True,
    metavar="REWARD",
    help="Reward of the learner, such as win_loss.",
)
@click.option(
    "--games",
    type=click.IntRange(1),
    metavar="N",
    default=400,
    show_default=True,
    help="Games of each evaluation.",
)
@click.option(
    "--eval-every",
    type=click.IntRange(1),
    metavar="N",
    default=100_000,
    show_default=True,
    help="Frames between evaluations.",
)
@click.option(
    "--checkpoint-every",
    type=click.IntRange(1),
    metavar="N",
    default=100_000,
    show_default=True,
    help="Frames between checkpoints.",
)
@click.option(
    "--out",
    type=Folder(),
    default=Path("runs/train"),
    show_default=True,
    help="Output folder.",
)
@click.option("--resume", is_flag=True, help="Continue the training in the output folder.")
@click.option(
    "--num-envs",
    type=click.IntRange(1),
    metavar="N",
    default=256,
    show_default=True,
    help="Games played side by side.",
)
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
@partial(
    rules_options,
    trading="Trade between players: 389 actions in place of 252. Nothing else changes, neither "
    "the reward nor the frames.  [no]",
)
@click.pass_context
def command(context: click.Context, /, against: str, games: int, out: Path, **given: Any) -> None:
    """Train a MaskablePPO agent for a few minutes and measure what it has learned.

    OUT gets model.npz, which plays without torch, curve.csv and curve.png, the last two
    checkpoints, TensorBoard's logs and result.json. Ctrl-C and SIGTERM finish the update and
    save; --resume continues. The programs in the folder `examples` of the sources have more
    to set and to read.
    """
    if given["expert"]:
        find_modules(given["expert"])
    else:
        refuse_options(("demonstrations",), "this is for an expert to imitate: add --expert")
    need("train", "training", "sb3_contrib", "stable_baselines3", "torch", "matplotlib")
    from catan_pz.training.quick import QuickArgs, train

    run = {name: given.pop(name) for name in _RUN_OPTIONS}
    rules = make_rules(**given, defaults={"trading": False, "skip_forced": True})
    names = specs_by_seat("--against", against, rules.num_players - 1)
    # None stands for random players, which compiled code plays.
    opponents = [None if name == "random" else load_agent(name, rules) for name in names]
    args = QuickArgs(rules=rules.to_dict(), against=against, eval_games=games, out=str(out), **run)
    try:
        train(args, opponents, names, _command_line(context))
    except KeyboardInterrupt:
        raise click.Abort from None


_RUN_OPTIONS = (
    *("frames", "expert", "demonstrations", "reward", "eval_every", "checkpoint_every"),
    *("resume", "num_envs", "seed", "device"),
)


def _command_line(context: click.Context) -> str:
    """The command line, without --resume."""
    words = ["catan-pz", "train"]
    for option in context.command.params:
        name = option.name or ""
        chosen = context.get_parameter_source(name) == ParameterSource.COMMANDLINE
        if not chosen or name == "resume":
            continue
        value = context.params.get(name, True)  # flags that no parameter takes
        if isinstance(value, bool):
            words.append(option.opts[0] if value else option.secondary_opts[0])
        else:
            for one in value if isinstance(value, tuple) else (value,):
                words += [option.opts[0], str(one)]
    return shlex.join(words)
