"""`catan-pz play`: a person against agents."""

import os
import sys
from pathlib import Path
from typing import Any

import click

from catan_pz.cli.agents import load_agent, specs_by_seat
from catan_pz.cli.console import check_columns, compiling_shown, examples
from catan_pz.cli.display import has_display, open_window
from catan_pz.cli.extras import need
from catan_pz.cli.options import make_rules, rules_options, seed_option, seed_or_drawn
from catan_pz.rules import Rules
from catan_pz.ui.session import Session, get_ready


@click.command(
    "play",
    short_help="Play against agents, by mouse or typed orders.",
    epilog=examples(
        "catan-pz play",
        "catan-pz play --against heuristic,random --players 3",
        "catan-pz play --against ppo-4p-notrade",
        "catan-pz play --rules one_v_one --against runs/train/model.zip",
        "catan-pz play --terminal --seed 7 --record game.jsonl",
    ),
)
@click.option(
    "--against",
    default="heuristic",
    show_default=True,
    metavar="AGENTS",
    help="Names of agents, separated by commas, in turn order from your left; the "
    "last one plays all further seats.",
)
@click.option(
    "--seat",
    type=click.IntRange(0, 3),
    metavar="N",
    default=0,
    show_default=True,
    help="Your seat.",
)
@click.option("--name", default="Human", show_default=True, help="What you are called.")
@click.option(
    "--window/--terminal",
    "windowed",
    default=None,
    help="Play in a window, or by typed orders.  [a window where there is a display]",
)
@click.option(
    "--pause",
    type=click.FloatRange(0, 60),
    metavar="X",
    default=0.6,
    show_default=True,
    help="Seconds that a move of the others is shown, in the window.",
)
@click.option(
    "--record",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the game to this file, also when you leave it.",
)
@seed_option
@rules_options
def command(
    against: str,
    seat: int,
    name: str,
    windowed: bool | None,
    pause: float,
    record: Path | None,
    seed: int | None,
    **chosen: Any,
) -> None:
    """Play against agents, in a window by mouse or in the terminal by typed orders.

    What you can do is marked on the board. There is no undo.
    """
    rules = make_rules(**chosen, agents=against)
    agents = seated(rules, seat, against)
    with compiling_shown():
        get_ready(rules, agents)
    session = Session(rules, seed_or_drawn(seed), agents, name)
    in_window = has_display() if windowed is None else windowed
    try:
        if in_window:
            _play_in_window(session, pause)
        else:
            _play_in_terminal(session)
    finally:
        if record is not None:
            session.save(record)
            click.echo(f"The game is recorded in {record}.", err=True)


def seated(rules: Rules, seat: int, against: str) -> list[Any]:
    """Agents by seat, None where the person sits.

    Raises:
        click.UsageError: if there are too many, none, or the seat isn't in the game.
    """
    count = rules.num_players
    if seat >= count:
        raise click.UsageError(f"--seat {seat}: this game has the seats 0 to {count - 1}")
    specs = specs_by_seat("--against", against, count - 1)
    agents: list[Any] = [None] * count
    for k, spec in enumerate(specs, 1):
        agents[(seat + k) % count] = load_agent(spec, rules)
    return agents


def _play_in_window(session: Session, pause: float) -> None:
    need("render", "a window", "pygame", "resvg_py")
    from catan_pz.ui.window_game import WindowGame

    with open_window() as window:
        WindowGame(session, window, pause).run()
    click.echo(session.result())


def _play_in_terminal(session: Session) -> None:
    from catan_pz.ui.terminal_game import Left, TerminalGame

    if sys.stdout.isatty():
        check_columns()
    colored = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    try:
        TerminalGame(session, input, click.echo, colored).run()
    except Left:
        click.echo(f"\n{session.result()}")
