"""`catan-pz watch` and `catan-pz export`: a game on the screen or as a file."""

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from catan_pz.cli.agents import agent_option, encoder_option, trust_option
from catan_pz.cli.console import (
    FILE,
    OLD_FILE,
    check_record_target,
    check_target,
    ended_as_by_ctrl_c,
    examples,
    in_browser,
    option,
    serve_in_browser,
    terminal_rows,
)
from catan_pz.cli.options import RuleChoice, WatchChoice, game_options, seed_option, watch_options

if TYPE_CHECKING:
    from catan_pz.cli.show import Show


@click.command(
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
@click.argument("recording", required=False, type=OLD_FILE)
@agent_option(
    "--agents",
    "Who plays a live match: names separated by commas, by seat; the last one plays all further "
    "seats.",
)
@option(
    "--browser/--terminal", "Where to show it.  [the browser, with the extra `web`]", default=None
)
@option(
    "--speed",
    "Decisions a second, in the terminal and in films.",
    click.FloatRange(0.1, 60),
    default=4.0,
)
@watch_options
@option("--export", "Write a .svg, .png, .gif, .webp or .mp4 instead.", FILE, name="target")
@option("--html", "Write a replay for the browser, one .html file, instead of showing it.", FILE)
@option("--at", "Picture after decision N, for .svg and .png.  [the last]", click.IntRange(0))
@option(
    "--every",
    "A picture for each of these, in a film.  [decision, in a .gif turn]",
    click.Choice(["decision", "turn"]),
)
@option("--width", "Of exported pictures, in pixels.", click.IntRange(120, 4000), default=840)
@option("--record", "Write the live match to this file.", FILE)
@seed_option()
@game_options
@ended_as_by_ctrl_c()
def watch(  # wide: click passes each option of the command
    recording: Path | None,
    agents: str,
    browser: bool | None,
    speed: float,
    asked: WatchChoice,
    target: Path | None,
    html: Path | None,
    at: int | None,
    every: str | None,
    width: int,
    record: Path | None,
    seed: int | None,
    rules: RuleChoice,
) -> None:
    """Watch a RECORDING (a .jsonl file), or a match between agents.

    The browser shows a match once it is played, the terminal while it is.

    Keys: space pauses, the arrows step back and on, Page Up and Page Down go from turn to turn,
    Home and End to the start and the end, + and - change the speed; q quits in the terminal.
    """
    from catan_pz.cli import show as shows
    from catan_pz.files import is_terminal

    on_screen = target is None and html is None
    browser = on_screen and in_browser(browser)
    if on_screen and not browser and is_terminal(sys.stdout):
        terminal_rows()
    check_record_target("--record", record)
    check_target("--export", target)
    check_target("--html", html)
    draw = target is not None
    show = (
        shows.live_show(agents, asked, seed, rules, draw=draw)
        if recording is None
        else shows.recorded_show(recording, asked, draw=draw)
    )
    try:
        if target is not None:
            shows.write_pictures(show, target, at, every, width, 1 / speed)
        elif html is not None:
            shows.write_replay(show, html)
        elif browser:
            serve_in_browser("/", page=shows.replay_of(show).html)
        else:
            _in_terminal(show, speed)
    finally:
        try:
            if record is not None and show.session is not None:
                show.session.record.save(record)
                click.echo(f"The match is recorded in {record}.", err=True)
        finally:
            show.close()


def _in_terminal(show: "Show", speed: float) -> None:
    from catan_pz.files import is_terminal
    from catan_pz.play.playback import Playback, write_log

    if not is_terminal(sys.stdout):
        write_log(show.frames, click.echo, show.viewer, show.names)
        return
    color = "NO_COLOR" not in os.environ
    playback = Playback(show.frames, speed, show.total, show.viewer, show.names, color)
    playback.run(partial(click.echo, nl=False), interactive=is_terminal(sys.stdin))


@click.command(
    epilog=examples(
        "catan-pz export game.jsonl --html replay.html",
        "catan-pz export game.jsonl --html replay.html --viewer 0 --names Ann,Bob",
        "catan-pz export game.jsonl --html replay.html --win-probability search",
        "catan-pz export game.jsonl --html game.html --advice search:simulations=400",
    ),
)
@click.argument("recording", type=OLD_FILE)
@option("--html", "The replay: one file, which loads nothing else.", FILE, required=True)
@watch_options
@trust_option
@encoder_option
def export(recording: Path, html: Path, asked: WatchChoice) -> None:
    """Write a RECORDING (a .jsonl file) as a replay that opens in any browser.

    The page has the board, hands, the log, a chart of the points and a slider over decisions;
    space plays and pauses, and the other keys are those of `catan-pz watch`. Pictures and films
    come from `catan-pz watch --export`.
    """
    from catan_pz.cli import show as shows

    check_target("--html", html)
    show = shows.recorded_show(recording, asked)
    try:
        shows.write_replay(show, html)
    finally:
        show.close()
