"""`catan-pz watch`: a recorded game or a live match, on the screen or as a file."""

import os
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click

from catan_pz.cli.agents import load_agent, specs_by_seat
from catan_pz.cli.console import check_columns, compiling_shown, console, examples, progress
from catan_pz.cli.display import has_display, open_window
from catan_pz.cli.extras import need
from catan_pz.cli.options import make_rules, rules_options, seed_option, seed_or_drawn
from catan_pz.render.export import FILMS, PICTURES, save_film, save_picture
from catan_pz.render.overlay import Overlay
from catan_pz.render.svg import board_svg
from catan_pz.rules import Rules
from catan_pz.runtime.game import Game
from catan_pz.runtime.record import GameRecord
from catan_pz.ui.frames import (
    Annotate,
    Frame,
    frames_of_match,
    frames_of_record,
    without_overlay,
)
from catan_pz.ui.playback import Playback
from catan_pz.ui.playback_terminal import PlaybackTerminal, write_story
from catan_pz.ui.session import Session, get_ready


@click.command(
    "watch",
    short_help="Watch a recording or a live match, or export it.",
    epilog=examples(
        "catan-pz watch",
        "catan-pz watch game.jsonl --speed 10",
        "catan-pz watch --agents heuristic,random,random,random --seed 3",
        "catan-pz watch game.jsonl --export game.gif",
        "catan-pz watch game.jsonl --odds runs/train/model.zip --viewer 0",
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
    help="What the seats of a recording are called, separated by commas.",
)
@click.option(
    "--odds",
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
    type=click.Choice(["decision", "turn"]),
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
    odds: str | None,
    target: Path | None,
    at: int | None,
    every: str | None,
    width: int,
    record: Path | None,
    seed: int | None,
    **chosen: Any,
) -> None:
    """Watch a RECORDING (a .jsonl file), or a live match between agents.

    Keys: space pauses, the arrows step back and on, + and - change the speed, q quits.
    """
    session = None
    total = None
    if recording is not None:
        loaded = _load(recording)
        count = len(loaded.start["players"])
        total = len(loaded.decisions) + 1
        names = None if named is None else [name.strip() for name in named.split(",")]
        if names is not None and len(names) != count:
            raise click.UsageError(f"--names {named!r}: this game has {count} seats")
        annotate = _annotate(odds, Rules.from_dict(loaded.start["rules"]))
        frames = frames_of_record(loaded, viewer, names, annotate)
    else:
        rules = make_rules(**chosen, agents=f"{agents},{odds or ''}")
        count = rules.num_players
        cast = _cast(agents, rules)
        with compiling_shown():
            get_ready(rules, cast)
        session = Session(rules, seed_or_drawn(seed), cast, viewer=viewer)
        names = session.seat_names()
        frames = frames_of_match(session, _annotate(odds, rules))
    if viewer is not None and viewer >= count:
        raise click.UsageError(f"--viewer {viewer}: this game has the seats 0 to {count - 1}")
    try:
        if target is not None:
            _export(frames, target, at, every, width, viewer, names, 1 / speed)
        else:
            _show(frames, speed, total, windowed, viewer, names)
    finally:
        if record is not None and session is not None:
            session.save(record)
            click.echo(f"The match is recorded in {record}.", err=True)


def _show(
    frames: Iterator[Frame],
    speed: float,
    total: int | None,
    windowed: bool | None,
    viewer: int | None,
    names: list[str] | None,
) -> None:
    in_window = has_display() if windowed is None else windowed
    if not in_window and not sys.stdout.isatty():
        write_story(frames, click.echo, viewer, names)
        return
    playback = Playback(frames, speed, total)
    try:
        (_show_window if in_window else _show_terminal)(playback, viewer, names)
    finally:
        playback.close()


def _load(path: Path) -> GameRecord:
    try:
        return GameRecord.load(path)
    except ValueError as error:
        raise click.ClickException(f"{path} holds no recorded game: {error}") from error


def _annotate(odds: str | None, rules: Rules) -> Annotate:
    """A model's probabilities in the place of whoever is to move."""
    if odds is None:
        return without_overlay
    agent = load_agent(odds, rules)
    if not hasattr(agent, "odds"):
        raise click.UsageError(f"--odds {odds}: only models saved as .zip or .npz have odds")

    def annotate(game: Game) -> Overlay:
        if not game.mask.any():
            return Overlay(percent=True)
        return Overlay.of_policy(agent.odds(game.observe(game.player)[None], game.mask[None])[0])

    return annotate


def _cast(agents: str, rules: Rules) -> list[Any]:
    specs = specs_by_seat("--agents", agents, rules.num_players, "seats")
    return [load_agent(spec, rules) for spec in specs]


def _export(
    frames: Iterable[Frame],
    target: Path,
    at: int | None,
    every: str | None,
    width: int,
    viewer: int | None,
    names: list[str] | None,
    seconds: float,
) -> None:
    form = target.suffix.lower()
    if form not in PICTURES + FILMS:
        allowed = ", ".join(PICTURES + FILMS)
        raise click.UsageError(f"--export {target}: the file must end in one of {allowed}")
    if form in FILMS:
        if at is not None:
            raise click.UsageError("--at chooses one picture: export a .svg or .png")
        need("render", "a film", "pygame", "resvg_py", "PIL")
    shown = list(_gathered(frames))
    if form in PICTURES:
        if at is not None and at >= len(shown):
            raise click.UsageError(f"--at {at}: the game has the pictures 0 to {len(shown) - 1}")
        frame = shown[-1 if at is None else at]
        save_picture(_picture(frame, viewer, names, width), target)
        click.echo(
            f"{target} shows the game after {len(shown) - 1 if at is None else at} decisions."
        )
        return
    chosen = _chosen(shown, every or ("turn" if form == ".gif" else "decision"))
    with progress("pictures") as bar:
        task = bar.add_task("Drawing", total=len(chosen))
        count = save_film(
            (_picture(frame, viewer, names, width) for frame in chosen),
            target,
            width=width,
            seconds=seconds,
            shown=lambda: bar.advance(task),
        )
    click.echo(f"{target} has {count} pictures.")


def _gathered(frames: Iterable[Frame]) -> Iterator[Frame]:
    """All frames, with a sign of life on the terminal while a match is played for them."""
    with console(stderr=True).status("Playing ...") as status:
        for count, frame in enumerate(frames):
            if count % 50 == 0:
                status.update(f"Playing ... {count} decisions")
            yield frame


def _chosen(shown: list[Frame], every: str) -> list[Frame]:
    """All frames, or the last of each turn."""
    if every == "decision":
        return shown
    return [
        frame
        for k, frame in enumerate(shown)
        if k == len(shown) - 1 or frame.state["turn"] != shown[k + 1].state["turn"]
    ]


def _picture(frame: Frame, viewer: int | None, names: list[str] | None, width: float) -> str:
    return board_svg(
        frame.state,
        viewer=viewer,
        width=width,
        last_action=frame.line,
        names=names,
        overlay=frame.overlay,
    )


def _show_window(playback: Playback, viewer: int | None, names: list[str] | None) -> None:
    need("render", "a window", "pygame", "resvg_py")
    from catan_pz.ui.playback_window import PlaybackWindow

    with open_window() as window:
        PlaybackWindow(playback, window, viewer, names).run()


def _show_terminal(playback: Playback, viewer: int | None, names: list[str] | None) -> None:
    check_columns()
    write = partial(click.echo, nl=False)
    color = "NO_COLOR" not in os.environ
    PlaybackTerminal(playback, write, viewer, names, color, sys.stdin.isatty()).run()
