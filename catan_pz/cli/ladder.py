"""`catan-pz ladder`: ratings of many agents, with games added until they are precise."""

import math
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from catan_pz.cli.agents import agent_source, encoder_option, trust_option
from catan_pz.cli.console import OLD_FILE, command, need, option
from catan_pz.cli.matches import played, tell_more, write_replays
from catan_pz.cli.options import COUNT
from catan_pz.names import shown

if TYPE_CHECKING:
    from catan_pz.arena.ladder import Ladder, Standing

REPLAYS: Final = 3
"""Of the recorded games, evenly spread."""


@command("catan-pz ladder ladder.toml", "catan-pz ladder ladder.toml --workers 2")
@click.argument("file", type=OLD_FILE)
@option("--workers", "Processes that play.  [1]", COUNT)
@trust_option
@encoder_option
def ladder(file: Path, workers: int | None) -> None:
    """Rate the agents that FILE enters, until each rating is as precise as it asks for.

    Games, and a page with ratings, plots, a cross table and replays, are kept in the folder that
    is called as FILE without its ending. The same call goes on where it was stopped.
    """
    need("arena", "a ladder", "scipy", "matplotlib")
    from catan_pz.arena.ladder import Ladder
    from catan_pz.arena.report import ratings_table

    made, agents = Ladder.read(file), []
    play_at_table = None
    if made.robots:
        from catan_pz.tables.jsettlers.ladder import check_rounds, play_round

        play_at_table = partial(play_round, made.rules, workers)
        try:
            check_rounds(made.rules)
        except ValueError as error:
            raise click.ClickException(f"{file}: {error}") from error
    for name, spec in made.entrants.items():
        if spec in made.robots:
            continue
        try:
            agents.append((name, agent_source(spec, made.rules)))
        except click.UsageError as error:
            raise click.ClickException(f"{file}: entrant {name!r}: {error.message}") from error
    standing = played(_play, made, agents, workers, play_at_table)
    _write(standing)
    click.echo(ratings_table(standing.ratings))
    tell_more(standing.result)
    if not standing.is_precise:
        click.echo(f"Ended by games = {made.games}, before all were within {made.precision:g}.")
    click.echo(f"{_words(standing)}. The page is {made.folder / 'index.html'}.")


def _play(
    made: "Ladder", agents: list[tuple[str, Any]], workers: int | None, play_at_table: Any
) -> "Standing":
    from catan_pz.arena import MatchOptions

    for standing in made.play(agents, MatchOptions(workers=workers), play_at_table):
        click.echo(_words(standing), err=True)
    return standing


def _words(standing: "Standing") -> str:
    name, widest = max(standing.precision.items(), key=lambda one: one[1])
    within = f"all ratings within {widest:.0f} points, {shown(name)} the least precise"
    if widest == math.inf:
        within = f"the interval of {shown(name)} is open"
    return f"{len(standing.result.games):,} games, {within}"


def _write(standing: "Standing") -> None:
    """The page, the ratings and the plot of a ladder, with the replays of its recorded games."""
    from catan_pz.arena.report import changed_options, ratings_csv, ratings_plot
    from catan_pz.arena.schedule import spread
    from catan_pz.files import write_bytes
    from catan_pz.web.results_page import results_page

    made, result, ratings = standing.ladder, standing.result, standing.ratings
    records = sorted(made.folder.glob("round-*/game-*.jsonl"))
    chosen = [records[k] for k in spread(range(len(records)), REPLAYS)]
    named = {f"{path.parent.name}-{path.stem}": path for path in chosen}
    words = f"{_words(standing)}. Rules: {changed_options(made.rules)}.".replace("`", "")
    page = results_page(
        made.folder.name.capitalize(), words, result, ratings, write_replays(made.folder, named)
    )
    write_bytes(made.folder / "index.html", page.encode())
    write_bytes(made.folder / "ratings.csv", ratings_csv(result, ratings).encode())
    write_bytes(made.folder / "ratings.svg", ratings_plot(ratings, "svg"))
