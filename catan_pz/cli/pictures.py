"""A game as a file: pictures, films, and replays for the browser."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from catan_pz.cli.console import console, progress
from catan_pz.cli.extras import need
from catan_pz.cli.show import Show
from catan_pz.play.frames import Frame
from catan_pz.render.export import FILMS, PICTURES, save_film, save_picture
from catan_pz.render.svg import board_svg
from catan_pz.web.replay import make_replay


def write_pictures(
    show: Show,
    target: Path,
    at: int | None,
    every: str | None,
    width: int,
    seconds: float,
) -> None:
    """Write pictures of a game to a file: one, or a film.

    Args:
        show: the game.
        target: the file; its ending chooses the form.
        at: which picture, in a file that holds one; the last where None.
        every: a picture for each "decision" or "turn", in a film.
        width: in pixels.
        seconds: that each picture stays, in a film.

    Raises:
        click.UsageError: names the option that is wrong.
    """
    form = target.suffix.lower()
    if form not in PICTURES + FILMS:
        allowed = ", ".join(PICTURES + FILMS)
        raise click.UsageError(f"--export {target}: the file must end in one of {allowed}")
    if form in FILMS:
        if at is not None:
            raise click.UsageError("--at chooses one picture: export a .svg or .png")
        need("render", "a film", "pygame", "resvg_py", "PIL")
    frames = list(_gathered(show.frames))
    if form in PICTURES:
        if at is not None and at >= len(frames):
            raise click.UsageError(f"--at {at}: the game has the pictures 0 to {len(frames) - 1}")
        frame = frames[-1 if at is None else at]
        save_picture(_picture(show, frame, width), target)
        click.echo(
            f"{target} shows the game after {len(frames) - 1 if at is None else at} decisions."
        )
        return
    chosen = _chosen(frames, every or ("turn" if form == ".gif" else "decision"))
    with progress("pictures") as bar:
        task = bar.add_task("Drawing", total=len(chosen))
        count = save_film(
            (_picture(show, frame, width) for frame in chosen),
            target,
            width=width,
            seconds=seconds,
            shown=lambda: bar.advance(task),
        )
    click.echo(f"{target} has {count} pictures.")


def write_replay(show: Show, target: Path) -> None:
    """Write a game as one HTML file that opens in any browser.

    Args:
        show: the game.
        target: the file.

    Raises:
        click.UsageError: the file has another ending.
    """
    if target.suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(f"--html {target}: the file must end in .html")
    replay = make_replay(_gathered(show.frames), viewer=show.viewer, names=show.names)
    replay.save(target)
    size = len(replay.html.encode()) / 1000
    click.echo(f"{target} shows {replay.num_frames - 1} decisions ({size:.0f} kB).")


def _gathered(frames: Iterable[Frame]) -> Iterator[Frame]:
    """All frames, with a sign of life on the terminal while a match is played for them."""
    with console(stderr=True).status("Playing ...") as status:
        for count, frame in enumerate(frames):
            if count % 50 == 0:
                status.update(f"Playing ... {count} decisions")
            yield frame


def _chosen(frames: list[Frame], every: str) -> list[Frame]:
    """All frames, or the last of each turn."""
    if every == "decision":
        return frames
    return [
        frame
        for k, frame in enumerate(frames)
        if k == len(frames) - 1 or frame.state["turn"] != frames[k + 1].state["turn"]
    ]


def _picture(show: Show, frame: Frame, width: float) -> str:
    return board_svg(
        frame.state,
        viewer=show.viewer,
        width=width,
        last_action=frame.line,
        names=show.names,
        overlay=frame.notes.overlay,
    )
