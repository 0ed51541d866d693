"""`catan-pz watch`: a recorded game or a live match, on the screen or as a file."""

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from catan_pz.cli.agents import trust_option
from catan_pz.cli.console import examples, terminal_rows
from catan_pz.cli.display import check_display, has_display
from catan_pz.cli.options import (
    RULES_OPTIONS,
    Choice,
    FloatRange,
    check_apart,
    check_target,
    refuse_options,
    rules_options,
    seed_option,
)
from catan_pz.cli.pictures import write_pictures, write_replay
from catan_pz.cli.record_files import check_record_target
from catan_pz.cli.show import Asked, Show, live_show, notes_options, recorded_show
from catan_pz.cli.signals import ended_as_by_ctrl_c
from catan_pz.files import is_terminal
from catan_pz.play.playback import Playback
from catan_pz.play.playback_terminal import PlaybackTerminal, write_log
from catan_pz.render.export import FILMS


@click.command(
    "watch",
    short_help="Watch a recording or a live match, or export it.",
    epilog=examples(
        "catan-pz watch",
        "catan-pz watch game.jsonl --speed 10",
        "catan-pz watch --agents heuristic,random,random,random --seed 3",
        "catan-pz watch game.jsonl --export game.gif",
        "catan-pz watch game.jsonl --advice runs/train/model.npz --viewer 0",
        "catan-pz watch game.jsonl --export board.svg --at 120 --viewer 0",
        "catan-pz watch --agents heuristic,ppo-4p-notrade --html match.html",
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
    type=FloatRange(0.1, 60),
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
@notes_options
@click.option(
    "--export",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a .svg, .png, .gif or .mp4 instead of showing it.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a replay for the browser, one .html file, instead of showing it.",
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
@trust_option
@rules_options
@ended_as_by_ctrl_c()
def command(
    recording: Path | None,
    agents: str,
    windowed: bool | None,
    speed: float,
    viewer: int | None,
    named: str | None,
    advice: str | None,
    win_probability: str | None,
    target: Path | None,
    html: Path | None,
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
    on_screen = target is None and html is None
    in_window = on_screen and (has_display() if windowed is None else windowed)
    if target is not None and html is not None:
        raise click.UsageError("--export and --html: one of them at a time")
    _refuse_without_effect(recording is None, target, on_screen)
    if windowed is not None and not on_screen:
        option = "--window" if windowed else "--terminal"
        raise click.UsageError(f"{option}: this is for the screen, not for a file")
    if in_window:
        check_display()
    elif on_screen and is_terminal(sys.stdout):
        terminal_rows()
    if on_screen and not in_window:
        refuse_options(("advice",), "it is drawn in a window and in files: add --export or --html")
    if win_probability is not None and html is None:
        raise click.UsageError("--win-probability draws a chart in a replay: give --html, too")
    targets = {"--record": record, "--export": target, "--html": html}
    check_apart({"RECORDING": recording} | targets)
    check_record_target("--record", record)
    for option in ("--export", "--html"):
        check_target(option, targets[option])
    asked = Asked(advice, win_probability, draw=html is None)
    show = (
        live_show(agents, asked, viewer, seed, chosen)
        if recording is None
        else recorded_show(recording, named, asked, viewer)
    )
    try:
        if target is not None:
            write_pictures(show, target, at, every, width, 1 / speed)
        elif html is not None:
            write_replay(show, html)
        else:
            _on_screen(show, speed, in_window)
    finally:
        _keep(show, record)


def _refuse_without_effect(live: bool, target: Path | None, on_screen: bool) -> None:
    if live:
        refuse_options(("named",), "a live match has the names of its agents")
    else:
        of_matches = ("agents", "record", "seed", *RULES_OPTIONS)
        refuse_options(of_matches, "this is for a live match, and has no effect on a recording")
    if target is None:
        refuse_options(("at", "every", "width"), "this is for pictures: add --export")
    if target is None or target.suffix.lower() not in FILMS:
        refuse_options(("every",), "this is for films: export a .gif or .mp4")
        if not on_screen:
            refuse_options(("speed",), "this is for the screen and for films")


def _keep(show: Show, path: Path | None) -> None:
    try:
        if path is not None and show.session is not None:
            show.session.save(path)
            click.echo(f"The match is recorded in {path}.", err=True)
    finally:
        show.close()


def _on_screen(show: Show, speed: float, in_window: bool) -> None:
    if not in_window and not is_terminal(sys.stdout):
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


def _in_window(playback: Playback, show: Show) -> None:
    from catan_pz.play.playback_window import PlaybackWindow
    from catan_pz.render.window import Window

    with Window("catan-pz") as window:
        PlaybackWindow(playback, window, show.viewer, show.names).run()


def _in_terminal(playback: Playback, show: Show) -> None:
    write = partial(click.echo, nl=False)
    color = "NO_COLOR" not in os.environ
    interactive = is_terminal(sys.stdin)
    PlaybackTerminal(playback, write, show.viewer, show.names, color, interactive).run()
