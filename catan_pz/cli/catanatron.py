"""`catan-pz catanatron`: a match at a table of catanatron."""

from dataclasses import replace
from pathlib import Path

import click

from catan_pz.cli.agents import agent_source, model_of, specs_by_seat, trust_option
from catan_pz.cli.console import examples, win_rate_words
from catan_pz.cli.matches import all_forfeited, telling_forfeits
from catan_pz.cli.options import match_options


@click.command(
    "catanatron",
    short_help="Play a match at a table of catanatron.",
    epilog=examples(
        "catan-pz catanatron --agent heuristic --against value",
        "catan-pz catanatron --agent ppo-4p-notrade --against ab2-pruned --games 40",
        "catan-pz catanatron --players 3 --against value,weighted --games 600",
    ),
)
@click.option("--agent", default="heuristic", show_default=True, help="Who plays one seat.")
@click.option(
    "--against",
    default="value",
    show_default=True,
    metavar="BOTS",
    help="Bots of catanatron in the other seats, separated by commas; the last one plays all "
    "further ones.",
)
@click.option(
    "--players",
    type=click.IntRange(2, 4),
    metavar="N",
    help="Number of players.  [2, or as the model says]",
)
@click.option(
    "--points",
    type=click.IntRange(3, 22),
    metavar="N",
    default=10,
    show_default=True,
    help="Points that win.",
)
@click.option(
    "--games",
    type=click.IntRange(1),
    metavar="N",
    default=100,
    show_default=True,
    help="Games, at least; all seatings are played alike.",
)
@match_options
@trust_option
def command(
    agent: str,
    against: str,
    players: int | None,
    points: int,
    games: int,
    seed: int | None,
    workers: int,
    results: Path | None,
) -> None:
    """Let an agent play bots of catanatron by the rules of its engine.

    The bots see the whole state of the game, as there they always do; the agent sees what its
    seat may know.
    """
    from catan_pz.arena import Interrupted, play_match
    from catan_pz.arena.tables import forfeit_lines
    from catan_pz.tables.catanatron.table import CatanatronTables, TableBot, table_rules

    model = model_of(agent)
    if players is None:
        players = 2 if model is None else int(model.rules["num_players"])
    rules = replace(table_rules(players), victory_points=points)
    bots = specs_by_seat("--against", against, players - 1)
    sources = {bot: TableBot(bot) for bot in bots}
    entrants = [
        (agent, agent_source(agent, rules)),
        *((sources[bot].name, sources[bot]) for bot in bots),
    ]
    tables = CatanatronTables(workers)
    try:
        with telling_forfeits():
            result = play_match(entrants, games, rules, seed, executor=tables, results=results)
    except Interrupted as stopped:
        click.echo(str(stopped), err=True)
        raise
    click.echo(
        f"{win_rate_words(result, agent, agent)} against {against} at tables of "
        f"catanatron {next(iter(sources.values())).catanatron}; "
        f"{result.tally(agent).milliseconds:.3g} ms a decision, from seed {result.seed}"
    )
    for line in forfeit_lines(result):
        click.echo(line)
    if all_forfeited(result):
        raise click.ClickException("every game was forfeited: this win rate measures nothing")
