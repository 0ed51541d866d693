"""`catan-pz watch`: a recorded game or a live match, on the screen or as a file."""

import os
import sys
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import click

from catan_pz.cli.agents import load_agent, specs_by_seat
from catan_pz.cli.console import compiling_shown, examples, terminal_rows
from catan_pz.cli.display import check_display, has_display
from catan_pz.cli.export import Show, export
from catan_pz.cli.options import (
    Choice,
    load_record,
    make_rules,
    rules_options,
    seed_option,
    seed_or_drawn,
)
from catan_pz.render.overlay import Overlay
from catan_pz.rules import Rules
from catan_pz.runtime.game import Game
from catan_pz.ui.frames import (
    Annotate,
    frames_of_match,
    frames_of_record,
    without_overlay,
)
from catan_pz.ui.playback import Playback
from catan_pz.ui.playback_terminal import PlaybackTerminal, write_log
from catan_pz.ui.session import Session, get_ready


@click.command(
    "watch",
    short_help="Watch a recording or a live match, or export it.",
    epilog=examples(
        "catan-pz watch",
        "catan-pz watch game.jsonl --speed 10",
        "catan-pz watch --agents heuristic,random,random,random --seed 3",
        "catan-pz watch game.jsonl --export game.gif",
        "catan-pz watch game.jsonl --policy runs/train/model.npz --viewer 0",
        "catan-pz watch game.jsonl --export board.svg --at 120 --viewer 0",
    ),
)
@click.argument(
    "recording", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--agents",
    default="heuristic",
    show_default=True,
    metavar="AGENTS",
    help="Who plays a live match: names separated by commas, by seat; the last one "
    "plays all further seats.",
)
@click.option(
    "--window/--terminal",
    "windowed",
    default=None,
    help="Where to show it.  [a window where there is a display]",
)
@click.option(
    "--speed",
    type=click.FloatRange(0.1, 60),
    metavar="X",
    default=4.0,
    show_default=True,
    help="Decisions a second.",
)
@click.option(
    "--viewer",
    type=click.IntRange(0, 3),
    metavar="N",
    help="Show what this seat knows.  [everything]",
)
@click.option(
    "--names",
    "named",
    metavar="NAMES",
    help="What the seats of a recording are called, separated by commas.  [as recorded]",
)
@click.option(
    "--policy",
    metavar="MODEL",
    help="Draw the probabilities that this model gives to each move, in pictures.",
)
@click.option(
    "--export",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a .svg, .png, .gif or .mp4 instead of showing it.",
)
@click.option(
    "--at",
    type=click.IntRange(0),
    metavar="N",
    help="Picture after decision N, for .svg and .png.  [the last]",
)
@click.option(
    "--every",
    type=Choice(["decision", "turn"]),
    help="A picture for each of these, in a film.  [decision, in a .gif turn]",
)
@click.option(
    "--width",
    type=click.IntRange(120, 4000),
    metavar="N",
    default=840,
    show_default=True,
    help="Of exported pictures, in pixels.",
)
@click.option(
    "--record",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the live match to this file.",
)
@seed_option
@rules_options
def command(
    recording: Path | None,
    agents: str,
    windowed: bool | None,
    speed: float,
    viewer: int | None,
    named: str | None,
    policy: str | None,
    target: Path | None,
    at: int | None,
    every: str | None,
    width: int,
    record: Path | None,
    seed: int | None,
    **chosen: Any,
) -> None:
    """Watch a RECORDING (a .jsonl file), or a live match between agents.

    Keys: space pauses, the arrows step back and on, Page Up and Page Down go from turn to turn,
    Home and End to the start and the end, + and - change the speed, q quits.
    """
    in_window = target is None and (has_display() if windowed is None else windowed)
    if in_window:
        check_display()
    elif target is None and sys.stdout.isatty():
        terminal_rows()
    show = (
        _live(agents, policy, viewer, seed, chosen)
        if recording is None
        else _recorded(recording, named, policy, viewer)
    )
    try:
        if target is not None:
            export(show, target, at, every, width, 1 / speed)
        else:
            _on_screen(show, speed, in_window)
    finally:
        if show.session is not None:
            show.session.close()
        if record is not None and show.session is not None:
            show.session.save(record)
            click.echo(f"The match is recorded in {record}.", err=True)


def _recorded(recording: Path, named: str | None, policy: str | None, viewer: int | None) -> Show:
    record = load_record(recording)
    seats = len(record.start["players"])
    _check_viewer(viewer, seats)
    names = record.names
    if named is not None:
        names = [name.strip() for name in named.split(",")]
        if len(names) != seats:
            raise click.UsageError(f"--names {named!r}: this game has {seats} seats")
    annotate = _annotate(policy, Rules.from_dict(record.start["rules"]))
    with compiling_shown():
        for _ in islice(frames_of_record(record, viewer, names, annotate), 2):
            pass
    frames = frames_of_record(record, viewer, names, annotate)
    return Show(frames, viewer, names, len(record.decisions) + 1)


def _live(
    agents: str, policy: str | None, viewer: int | None, seed: int | None, chosen: dict[str, Any]
) -> Show:
    rules = make_rules(**chosen, agents=f"{agents},{policy or ''}")
    _check_viewer(viewer, rules.num_players)
    players = _players(agents, rules)
    annotate = _annotate(policy, rules)
    with compiling_shown():
        get_ready(rules, players)
    seed = seed_or_drawn(seed)
    session = Session(Game(rules, seed), players, seed, viewer=viewer)
    frames = frames_of_match(session, annotate)
    return Show(frames, viewer, session.names, session=session)


def _check_viewer(viewer: int | None, seats: int) -> None:
    if viewer is not None and viewer >= seats:
        raise click.UsageError(f"--viewer {viewer}: this game has the seats 0 to {seats - 1}")


def _on_screen(show: Show, speed: float, in_window: bool) -> None:
    if not in_window and not sys.stdout.isatty():
        write_log(show.frames, click.echo, show.viewer, show.names)
        return
    playback = Playback(show.frames, speed, show.total)
    try:
        if in_window:
            _in_window(playback, show)
        else:
            _in_terminal(playback, show)
    finally:
        playback.close()


def _annotate(policy: str | None, rules: Rules) -> Annotate:
    """A model's probabilities in the place of whoever is to move."""
    if policy is None:
        return without_overlay
    agent = load_agent(policy, rules)
    if not hasattr(agent, "probabilities"):
        raise click.UsageError(
            f"--policy {policy}: only models saved as .zip or .npz show their probabilities"
        )

    def annotate(game: Game) -> Overlay:
        if not game.mask.any():
            return Overlay(percent=True)
        return Overlay.of_policy(
            agent.probabilities(game.observe(game.player)[None], game.mask[None])[0]
        )

    return annotate


def _players(agents: str, rules: Rules) -> list[Any]:
    specs = specs_by_seat("--agents", agents, rules.num_players, "seats")
    return [load_agent(spec, rules) for spec in specs]


def _in_window(playback: Playback, show: Show) -> None:
    from catan_pz.ui.playback_window import PlaybackWindow
    from catan_pz.ui.window import Window

    with Window("catan-pz") as window:
        PlaybackWindow(playback, window, show.viewer, show.names).run()


def _in_terminal(playback: Playback, show: Show) -> None:
    write = partial(click.echo, nl=False)
    color = "NO_COLOR" not in os.environ
    interactive = sys.stdin.isatty()
    PlaybackTerminal(playback, write, show.viewer, show.names, color, interactive).run()
