"""`catan-pz export`: a recorded game as a file that anyone can open."""

from pathlib import Path

import click

from catan_pz.cli.agents import trust_option
from catan_pz.cli.console import examples
from catan_pz.cli.options import check_apart, check_target
from catan_pz.cli.pictures import write_replay
from catan_pz.cli.show import Asked, notes_options, recorded_show


@click.command(
    "export",
    short_help="Write a recorded game as an HTML file.",
    epilog=examples(
        "catan-pz export game.jsonl --html replay.html",
        "catan-pz export game.jsonl --html replay.html --viewer 0 --names Ann,Bob",
        "catan-pz export game.jsonl --html replay.html --win-probability search",
        "catan-pz export game.jsonl --html game.html --advice search:simulations=400",
    ),
)
@click.argument("recording", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--html",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The replay: one file, which loads nothing else.",
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
    help="What the seats are called, separated by commas.  [as recorded]",
)
@notes_options
@trust_option
def command(
    recording: Path,
    html: Path,
    viewer: int | None,
    named: str | None,
    advice: str | None,
    win_probability: str | None,
) -> None:
    """Write a RECORDING (a .jsonl file) as a replay that opens in any browser.

    The page has the board, hands, the log, a chart of the points and a slider over decisions;
    space plays and pauses, and the other keys are those of `catan-pz watch`. Pictures and films
    come from `catan-pz watch --export`.
    """
    check_apart({"RECORDING": recording, "--html": html})
    check_target("--html", html)
    asked = Asked(advice, win_probability, draw=False)
    show = recorded_show(recording, named, asked, viewer)
    try:
        write_replay(show, html)
    finally:
        show.close()
