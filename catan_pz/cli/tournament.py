"""`catan-pz tournament`: agents against each other."""

from pathlib import Path
from typing import Any

import click

from catan_pz.agents.specs import split_specs
from catan_pz.cli.agents import agent_source, trust_option
from catan_pz.cli.console import examples
from catan_pz.cli.extras import need
from catan_pz.cli.matches import check_replays, naming_folder, telling_forfeits, write_replays
from catan_pz.cli.options import (
    FloatRange,
    check_apart,
    check_target,
    executor_options,
    isolate_option,
    make_rules,
    match_options,
    records_options,
    refuse_options,
    rules_options,
    where_played,
)


@click.command(
    "tournament",
    short_help="Let agents play each other.",
    epilog=examples(
        "catan-pz tournament random,heuristic --games 200",
        "catan-pz tournament weighted,heuristic --workers 2 --results games.jsonl",
        "catan-pz tournament heuristic,ppo-4p-notrade --html replays",
        "catan-pz tournament weighted,heuristic --executor ray --address auto",
        "catan-pz tournament random,runs/train/model.npz --report table.md",
        "catan-pz tournament 'heuristic,exec:\"node bot.js\"' --seconds 2",
    ),
)
@click.argument("agents")
@click.option(
    "--games",
    type=click.IntRange(1),
    metavar="N",
    default=200,
    show_default=True,
    help="Games of each line-up, at least.",
)
@match_options
@executor_options
@isolate_option
@click.option(
    "--seconds",
    type=FloatRange(0, min_open=True),
    metavar="X",
    help="Longest decision; more forfeits the game.",
)
@records_options
@click.option(
    "--true-state",
    multiple=True,
    metavar="AGENT",
    help="Show this agent hidden cards too, where it looks for them; may be repeated.",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the tables to a .md or .csv, or a plot to a .svg or .png.",
)
@trust_option
@rules_options
def command(
    agents: str,
    games: int,
    seed: int | None,
    workers: int,
    executor: str | None,
    address: str | None,
    isolate: bool,
    seconds: float | None,
    results: Path | None,
    records: Path | None,
    html: Path | None,
    most_html: int,
    true_state: tuple[str, ...],
    report: Path | None,
    **chosen: Any,
) -> None:
    """Let AGENTS, two or more names separated by commas, play each other.

    Each seed is played in all seatings, on the same board and with the same dice. Win rates
    come with 95 % intervals.
    """
    from catan_pz.arena import Interrupted, play_tournament, save_report, to_markdown
    from catan_pz.arena.report import PLOTS, TABLES

    need("arena", "a tournament", "scipy")
    if report is not None:
        endings = (*TABLES, *PLOTS)
        if report.suffix not in endings:
            allowed = ", ".join(endings)
            raise click.UsageError(f"--report {report}: the file must end in one of {allowed}")
        if report.suffix in PLOTS:
            need("arena", "a plot", "matplotlib")
        check_apart({"--results": results, "--report": report})
        check_target("--report", report)
    if html is None:
        refuse_options(("most_html",), "this is for replays: add --html")
    check_replays(records, html)
    rules = make_rules(**chosen, agents=agents)
    try:
        with naming_folder(records, html), telling_forfeits():
            result = play_tournament(
                [(spec, agent_source(spec, rules)) for spec in split_specs(agents)],
                games,
                rules,
                seed,
                **where_played(executor, address, workers),
                seconds_per_decision=seconds,
                results=results,
                records=records or html,
                most_records=None if html is None or records is not None else most_html,
                true_state=true_state,
                isolate=isolate,
            )
    except Interrupted as stopped:
        click.echo(str(stopped), err=True)
        raise
    click.echo(to_markdown(result))
    write_replays(result, records, html, most_html)
    if report is not None:
        save_report(result, report)
        click.echo(f"The report is in {report}.", err=True)
