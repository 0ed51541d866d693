"""`catan-pz perft`: node counts by depth."""

import json
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from catan_pz.actions import describe_action
from catan_pz.cli.console import examples
from catan_pz.cli.options import (
    RULES_OPTIONS,
    make_rules,
    refuse_options,
    rules_options,
    seed_number,
)
from catan_pz.events import Outcome
from catan_pz.files import read_file, read_json
from catan_pz.game.game import Game
from catan_pz.game.perft import divide, perft


@click.command(
    "perft",
    short_help="Count the ways in which a game can go on.",
    epilog=examples(
        "catan-pz perft 5 --players 2",
        "catan-pz perft 2 --seed 7 --rules one_v_one --divide",
        "catan-pz perft 3 --position position.json",
    ),
)
@click.argument("depth", type=click.IntRange(1, 32))
@click.option(
    "--position",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="State to start from, a JSON file (Game.snapshot); else a fresh game.",
)
@click.option(
    "--seed",
    type=seed_number,
    metavar="SEED",
    default=0,
    show_default=True,
    help="Seed of the fresh game.",
)
@click.option(
    "--divide",
    "divided",
    is_flag=True,
    help="Show how many of the last count come after each first move.",
)
@rules_options
def command(depth: int, position: Path | None, seed: int, divided: bool, **chosen: Any) -> None:
    """Count the ways in which the next DEPTH decisions can go.

    Every outcome of chance counts by itself: the 36 rolls of two dice, each card that may
    be drawn or stolen. Two programs that play by the same rules count the same.
    """
    game = _game(position, seed, chosen)
    click.echo(f"{'depth':>5}  {'nodes':>15}  {'seconds':>8}  {'nodes/s':>12}")
    perft(game, 1)  # compiled, before the clock runs
    for level in range(1, depth + 1):
        start = perf_counter()
        nodes = perft(game, level)
        seconds = perf_counter() - start
        speed = f"{nodes / seconds:,.0f}" if seconds >= 0.01 else ""
        click.echo(f"{level:>5}  {nodes:>15,}  {seconds:>8.3f}  {speed:>12}".rstrip())
    if divided:
        click.echo()
        for action, outcome, count in divide(game, depth):
            click.echo(f"{count:>15,}  {action:>3}  {_move(action, outcome)}")


def _game(position: Path | None, seed: int, chosen: dict[str, Any]) -> Game:
    if position is None:
        return Game(make_rules(**chosen), seed)
    refuse_options(("seed", *RULES_OPTIONS), "this is for a fresh game, and --position has its own")
    try:
        return Game.from_snapshot(read_json(read_file(position).decode("utf-8")))
    except (ValueError, RecursionError) as error:
        raise click.ClickException(f"{position} holds no state of a game: {error}") from error


def _move(action: int, outcome: Outcome) -> str:
    described = describe_action(action)
    words = [described.pop("kind")]
    words += [f"{name}={json.dumps(value)}" for name, value in described.items()]
    if isinstance(outcome, tuple):
        words.append(f"-> {outcome[0]} + {outcome[1]}")
    elif outcome is not None:
        words.append(f"-> {outcome.name.lower()}")
    return " ".join(words)
