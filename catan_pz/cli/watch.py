"""`catan-pz watch` and `catan-pz export`: a game on the screen or as a file."""

import os
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from catan_pz.cli.agents import agent_option, encoder_option, load_agent, trust_option
from catan_pz.cli.console import (
    FILE,
    OLD_FILE,
    check_page,
    check_record_target,
    check_target,
    command,
    ended_as_by_ctrl_c,
    in_browser,
    need,
    option,
    serve_in_browser,
    terminal_rows,
    usage_errors,
)
from catan_pz.cli.options import RuleChoice, WatchChoice, game_options, seed_option, watch_options

if TYPE_CHECKING:
    from catan_pz.cli.show import Show


@command(
    "catan-pz watch",
    "catan-pz watch game.jsonl --speed 10",
    "catan-pz watch --agents heuristic,random,random,random --seed 3",
    "catan-pz watch game.jsonl --export game.gif",
    "catan-pz watch game.jsonl --advice runs/train/model.npz --viewer 0",
    "catan-pz watch game.jsonl --export board.svg --at 120 --viewer 0",
    "catan-pz watch --agents heuristic,ppo-4p-notrade --html match.html",
)
@click.argument("recording", required=False, type=OLD_FILE)
@agent_option(
    "--agents",
    "Agents of a live match: names separated by commas, by seat; the last one takes all remaining "
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
@option("--width", "Width of exported pictures, in pixels.", click.IntRange(120, 4000), default=840)
@option(
    "--figure",
    "Export only the board, with the ids of its vertices, edges, hexes, or none.",
    click.Choice(["vertices", "edges", "hexes", "none"]),
    name="ids",
)
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
    ids: str | None,
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

    if None not in (target, html):
        raise click.UsageError("give one of --export and --html")
    on_screen = target is None and html is None
    browser = on_screen and in_browser(browser)
    if on_screen and not browser and is_terminal(sys.stdout):
        terminal_rows()
    check_record_target("--record", record)
    check_target("--export", target)
    check_page(html)
    draw = target is not None
    show = (
        shows.live_show(agents, asked, seed, rules, draw=draw)
        if recording is None
        else shows.recorded_show(recording, asked, draw=draw)
    )
    with closing(show):
        try:
            if target is not None:
                shows.write_pictures(show, target, at, every, width, 1 / speed, ids)
            elif html is not None:
                shows.write_replay(show, html)
            elif browser:
                serve_in_browser("/", page=shows.replay_of(show).html)
            else:
                _in_terminal(show, speed)
        finally:
            if record is not None and show.session is not None:
                show.session.record.save(record)
                click.echo(f"The match is recorded in {record}.", err=True)


def _in_terminal(show: "Show", speed: float) -> None:
    from catan_pz.files import is_terminal
    from catan_pz.play.playback import Playback, write_log

    if not is_terminal(sys.stdout):
        write_log(show.frames, click.echo, show.viewer, show.names)
        return
    color = "NO_COLOR" not in os.environ
    playback = Playback(show.frames, speed, show.total, show.viewer, show.names, color)
    playback.run(partial(click.echo, nl=False), interactive=is_terminal(sys.stdin))


@command(
    "catan-pz export game.jsonl --html replay.html",
    "catan-pz export game.jsonl --html replay.html --viewer 0 --names Ann,Bob",
    "catan-pz export game.jsonl --html replay.html --win-probability search",
    "catan-pz export game.jsonl --html game.html --advice search:simulations=400",
    "catan-pz export games --parquet games.parquet --note 'value, seeds from 1'",
)
@click.argument("recordings", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@option("--html", "The replay: one file, which loads nothing else.", FILE)
@option("--parquet", "The decisions of all games, a row each, with the extra `data`.", FILE)
@option("--observation", "Encoder of the rows.", metavar="ENCODER", default="flat")
@option("--reward", "Reward of the rows, such as points_gained.", metavar="REWARD")
@agent_option("--policy", "Network whose probabilities the rows get.  [nobody]", None)
@option("--note", "A line for the card of the file, such as the command that played the games.")
@watch_options
@trust_option
@encoder_option
def export(  # wide: click passes each option of the command
    recordings: tuple[Path, ...],
    html: Path | None,
    parquet: Path | None,
    observation: str,
    reward: str | None,
    policy: str | None,
    note: str | None,
    asked: WatchChoice,
) -> None:
    """Write a recording (a .jsonl file) as a replay, or RECORDINGS and folders of them as data.

    The page has the board, hands, the log, a chart of the points and a slider over decisions;
    space plays and pauses, and the other keys are those of `catan-pz watch`. Pictures and films
    come from `catan-pz watch --export`.
    """
    if (html is None) == (parquet is None):
        raise click.UsageError("give one of --html and --parquet")
    check_page(html)
    check_target("--parquet", parquet)
    if parquet is not None:
        if asked != WatchChoice():
            raise click.UsageError(
                "--parquet takes no --viewer, --names, --advice, --win-probability or --reasons"
            )
        _write_rows(recordings, parquet, observation, reward, policy, note or "")
        return
    assert html is not None
    if len(recordings) > 1:
        raise click.UsageError("--html takes one recording")
    from catan_pz.cli import show as shows

    with closing(shows.recorded_show(recordings[0], asked)) as show:
        shows.write_replay(show, html)


def _write_rows(
    recordings: tuple[Path, ...],
    target: Path,
    observation: str,
    reward: str | None,
    policy: str | None,
    note: str,
) -> None:
    need("data", "a Parquet file", "pyarrow")
    from catan_pz.datasets import write_parquet
    from catan_pz.encoders import as_encoder
    from catan_pz.rewards import make_reward

    with usage_errors():
        as_encoder(observation, "--observation")
        make_reward(reward)
    agent = None if policy is None else load_agent(policy)
    if agent is not None and not hasattr(agent, "probabilities"):
        raise click.UsageError(f"--policy {policy}: this agent gives no probabilities")
    try:
        card = write_parquet(
            recordings,
            target,
            observation=observation,
            reward=reward,
            policy=agent,
            note=note,
        )
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{target} has {card.rows:,} decisions of {card.games:,} games.")
