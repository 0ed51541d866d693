"""`catan-pz evaluate`: the win rate of one agent against others."""

from pathlib import Path
from typing import Any

import click

from catan_pz.cli.agents import agent_source, specs_by_seat, trust_option
from catan_pz.cli.console import examples, win_rate_words
from catan_pz.cli.matches import (
    all_forfeited,
    check_replays,
    naming_folder,
    telling_forfeits,
    write_replays,
)
from catan_pz.cli.options import (
    executor_options,
    isolate_option,
    make_rules,
    match_options,
    records_options,
    refuse_options,
    rules_options,
    where_played,
)
from catan_pz.names import shown


@click.command(
    "evaluate",
    short_help="Measure the win rate of one agent.",
    epilog=examples(
        "catan-pz evaluate heuristic",
        "catan-pz evaluate runs/train/model.npz --games 1000",
        "catan-pz evaluate heuristic --against weighted --rules one_v_one",
    ),
)
@click.argument("agent")
@click.option(
    "--against",
    default="random",
    show_default=True,
    metavar="AGENTS",
    help="Who plays the other seats, separated by commas; the last one plays all further ones.",
)
@click.option(
    "--games",
    type=click.IntRange(1),
    metavar="N",
    default=400,
    show_default=True,
    help="Games, at least; all seatings are played alike.",
)
@match_options
@records_options
@executor_options
@trust_option
@isolate_option
@rules_options
def command(
    agent: str,
    against: str,
    games: int,
    seed: int | None,
    workers: int,
    executor: str | None,
    address: str | None,
    results: Path | None,
    records: Path | None,
    html: Path | None,
    most_html: int,
    isolate: bool,
    **chosen: Any,
) -> None:
    """Measure the win rate of AGENT, a name or a saved model, with its 95 % interval."""
    from catan_pz.arena import Interrupted, play_match
    from catan_pz.arena.tables import forfeit_lines

    rules = make_rules(**chosen, agents=f"{agent},{against}")
    others = specs_by_seat("--against", against, rules.num_players - 1)
    if html is None:
        refuse_options(("most_html",), "this is for replays: add --html")
    check_replays(records, html)
    specs = [agent, *others]
    sources = {spec: agent_source(spec, rules) for spec in specs}
    # A player that meets itself needs a name of its own to be told apart.
    name = agent if agent not in others else f"{agent} (evaluated)"
    entrants = [(name, sources[agent]), *((spec, sources[spec]) for spec in specs[1:])]
    try:
        with naming_folder(records, html), telling_forfeits():
            result = play_match(
                entrants,
                games,
                rules,
                seed,
                **where_played(executor, address, workers),
                results=results,
                records=records or html,
                most_records=None if html is None or records is not None else most_html,
                isolate=isolate,
            )
    except Interrupted as stopped:
        click.echo(str(stopped), err=True)
        raise
    click.echo(
        f"{win_rate_words(result, name, agent)} against {shown(against)}, from seed {result.seed}"
    )
    for line in forfeit_lines(result):
        click.echo(line)
    write_replays(result, records, html, most_html)
    if all_forfeited(result):
        raise click.ClickException("every game was forfeited: this win rate measures nothing")
