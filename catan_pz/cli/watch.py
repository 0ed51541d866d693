"""`catan-pz watch`: a recorded game or a live match, on the screen or as a file."""

import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from catan_pz.cli.common import (
    check_columns,
    examples,
    load_agent,
    make_rules,
    need,
    progress,
    rules_options,
    seed_option,
    seed_or_drawn,
    specs_by_seat,
)
from catan_pz.cli.play import has_display
from catan_pz.cli.projector import (
    Frame,
    Projector,
    Thoughts,
    frames_of_match,
    frames_of_record,
    no_thoughts,
)
from catan_pz.cli.session import Session, get_ready
from catan_pz.render.ansi import board_text
from catan_pz.render.export import FILMS, PICTURES, save_film, save_picture
from catan_pz.render.film import FILM_HEIGHT, film_key_at, film_svg
from catan_pz.render.layout import HEIGHT, WIDTH
from catan_pz.render.overlay import Overlay
from catan_pz.render.svg import board_svg, room_for
from catan_pz.rules import Rules
from catan_pz.runtime.game import Game
from catan_pz.runtime.record import GameRecord

_KEYS = "space pause  <- -> step  + - speed  q quit"


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
    if recording is not None:
        loaded = _load(recording)
        count = len(loaded.start["players"])
        names = None if named is None else [name.strip() for name in named.split(",")]
        if names is not None and len(names) != count:
            raise click.UsageError(f"--names {named!r}: this game has {count} seats")
        thoughts = _thoughts(odds, Rules.from_dict(loaded.start["rules"]))
        frames = frames_of_record(loaded, viewer, names, thoughts)
    else:
        rules = make_rules(**chosen, agents=f"{agents},{odds or ''}")
        count = rules.num_players
        cast = _cast(agents, rules)
        get_ready(rules, cast)
        session = Session(rules, seed_or_drawn(seed), cast, viewer=viewer)
        names = session.seat_names()
        frames = frames_of_match(session, _thoughts(odds, rules))
    if viewer is not None and viewer >= count:
        raise click.UsageError(f"--viewer {viewer}: this game has the seats 0 to {count - 1}")
    try:
        if target is not None:
            _export(frames, target, at, every, width, viewer, names, 1 / speed)
        else:
            in_window = has_display() if windowed is None else windowed
            show = _show_window if in_window else _show_terminal
            show(frames, speed, viewer, names)
    finally:
        if record is not None and session is not None:
            session.save(record)
            click.echo(f"The match is recorded in {record}.", err=True)


def _load(path: Path) -> GameRecord:
    try:
        return GameRecord.load(path)
    except ValueError as error:
        raise click.ClickException(f"{path} holds no recorded game: {error}") from error


def _thoughts(odds: str | None, rules: Rules) -> Thoughts:
    """A model's probabilities in the place of whoever is to move."""
    if odds is None:
        return no_thoughts
    agent = load_agent(odds, rules)
    if not hasattr(agent, "odds"):
        raise click.UsageError(f"--odds {odds}: only models saved as .zip or .npz have odds")

    def think(game: Game) -> Overlay:
        if not game.mask.any():
            return Overlay(percent=True)
        return Overlay.of_policy(agent.odds(game.observe(game.player)[None], game.mask[None])[0])

    return think


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
    from catan_pz.cli.common import console

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


def _show_window(
    frames: Iterator[Frame], speed: float, viewer: int | None, names: list[str] | None
) -> None:
    need("render", "a window", "pygame", "resvg_py")
    from catan_pz.render.window import Window

    projector = Projector(frames, speed)
    try:
        with Window("catan-pz") as window:
            theater = WindowTheater(projector, window, viewer, names)
            while not window.closed and not projector.quit:
                theater.tick()
                time.sleep(0.02)
    except RuntimeError as error:
        if "no display" not in str(error):
            raise
        raise click.ClickException(
            "there is no display to open a window on: use --terminal"
        ) from error
    finally:
        projector.close()


class WindowTheater:
    """A film in a window, with its bar of buttons.

    Args:
        projector: the film.
        window: where it is shown.
        viewer: the seat whose knowledge is shown; None for all.
        names: what the seats are called.
    """

    def __init__(
        self, projector: Projector, window: Any, viewer: int | None, names: list[str] | None
    ) -> None:
        self._projector = projector
        self._window = window
        self._viewer = viewer
        self._names = names
        self._drawn: Any = None
        self._high = HEIGHT + FILM_HEIGHT + room_for(projector.frame.overlay)

    def tick(self) -> None:
        """Handle what the user did, go on, and draw what has changed."""
        for event in self._window.poll():
            if event.kind == "key":
                self._projector.key(event.key)
            elif event.kind == "click":
                self._projector.key(film_key_at(event.x * WIDTH, event.y * self._high))
        self._projector.tick()
        width = self._window.width_for(self._high / WIDTH, round(WIDTH))
        now = (self._projector.reel, width)
        if self._window.closed or now == self._drawn:
            return
        from catan_pz.render.image import svg_to_rgb

        self._drawn = now
        frame = self._projector.frame
        svg = film_svg(
            frame.state,
            self._projector.reel,
            width=width,
            viewer=self._viewer,
            last_action=frame.line,
            names=self._names,
            overlay=frame.overlay,
        )
        self._window.show(svg_to_rgb(svg))


def _show_terminal(
    frames: Iterator[Frame], speed: float, viewer: int | None, names: list[str] | None
) -> None:
    from catan_pz.cli.keys import single_keys

    if not sys.stdout.isatty():
        _tell(frames, viewer, names)
        return
    check_columns()
    projector = Projector(frames, speed)
    drawn: Any = None
    try:
        with single_keys() as key:
            while not projector.quit:
                if projector.reel != drawn:
                    drawn = projector.reel
                    click.echo("\x1b[H\x1b[J" + _screen(projector, viewer, names), nl=False)
                if projector.is_at_end and not sys.stdin.isatty():
                    break
                pressed = key(0.03)
                if pressed:
                    projector.key(pressed)
                projector.tick()
        click.echo()
    finally:
        projector.close()


def _screen(projector: Projector, viewer: int | None, names: list[str] | None) -> str:
    reel, frame = projector.reel, projector.frame
    state = "paused" if reel.paused else f"{reel.speed:g} a second"
    board = board_text(
        frame.state,
        viewer=viewer,
        color="NO_COLOR" not in os.environ,
        last_action=frame.line,
        names=names,
    )
    words = reel.words().replace("…", "...")
    return f"{board}\n[{words}, {state}]  {_KEYS}"


def _tell(frames: Iterable[Frame], viewer: int | None, names: list[str] | None) -> None:
    """For pipes: what happened line by line, then the last position."""
    last = None
    for last in frames:
        if last.line is not None:
            click.echo(last.line)
    if last is not None:
        click.echo(board_text(last.state, viewer=viewer, color=False, names=names))
