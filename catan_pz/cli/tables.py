"""Agents at the tables of others: `jsettlers`, `catanatron`, `bot` and `program`."""

import sys
from dataclasses import replace
from typing import Any, Final

import click

from catan_pz.cli.agents import (
    agent_option,
    agent_source,
    load_agent,
    specs_by_seat,
    trained_with,
    trust_option,
)
from catan_pz.cli.console import command, option, win_rate_words
from catan_pz.cli.matches import check_played, played, tell_more
from catan_pz.cli.options import MatchChoice, RuleChoice, seed_option, table_options
from catan_pz.names import shown

_LONGEST_LINE: Final = 300


@command(
    "catan-pz jsettlers --agent heuristic --games 40 --classes classes:gson.jar",
    "catan-pz jsettlers --agent ppo-2p --against fast --results games.jsonl",
    "catan-pz jsettlers --agent search --host localhost --cookie SECRET",
)
@agent_option("--agent", "Agent in one seat.")
@option(
    "--against",
    "The robots of the server that is started.",
    click.Choice(("smart", "fast", "mixed")),
    default="smart",
)
@option("--players", "Players of each game.  [4, or as the model says]", click.IntRange(2, 4))
@option(
    "--trading/--no-trading", "Trade between players.  [yes, or as the model says]", default=None
)
@table_options(
    200,
    words="Games, with those in the file of results.",
    workers="Threads in which agents decide.  [1]",
    seed="Seed of the agent's random choices; the server draws the games.",
)
@trust_option
@option("--parallel", "Games at the same time.", click.IntRange(1, 40), default=4)
@option(
    "--max-offers", "Offers that the agent may make in a turn.", click.IntRange(0, 100), default=20
)
@option(
    "--classes", "Class path of the server that is started.  [$CATAN_PZ_JSETTLERS]", metavar="PATH"
)
@option("--host", "Join a running server instead of starting one.")
@option("--port", "Port of the server.", click.IntRange(1, 65535), default=8880)
@option("--cookie", "Cookie that its robots must present.", default="")
def jsettlers(  # wide: click passes each option of the command
    agent: str,
    against: str,
    players: int | None,
    trading: bool | None,
    match: MatchChoice,
    parallel: int,
    max_offers: int,
    classes: str | None,
    host: str | None,
    port: int,
    cookie: str,
) -> None:
    """Let an agent play at a JSettlers table, over its protocol.

    Without --host an unmodified server is started, which creates games of robots alone and
    is ended afterwards. With --host the agent waits to be invited there.
    """
    from catan_pz.tables.jsettlers.client import ServerAddress
    from catan_pz.tables.jsettlers.match import play_match

    rules = RuleChoice("base", players, trading).make(agent)
    found = played(
        play_match,
        (agent, agent_source(agent, rules)),
        against,
        rules.num_players,
        rules.trading,
        match.games,
        match.seed,
        max_offers=max_offers,
        server=None if host is None else ServerAddress(host, port, cookie),
        classes=classes,
        workers=match.workers or 1,
        parallel=parallel,
        results=match.results,
    )
    _report(found)
    if found.gave_up:
        raise click.ClickException(shown(found.gave_up, _LONGEST_LINE))


def _report(match: Any) -> None:
    """Win rates with intervals, all together and by kind of robot, and what went wrong."""
    from catan_pz.arena.report import lineup_title

    result, name = match.result, match.name
    for k in range(len(result.lineups)):
        names = result.lineup_names(k)
        others = [one for one in names if one != name]
        click.echo(_line(result.only(names), name, lineup_title(others)))
    if len(result.lineups) > 1:
        click.echo(_line(result, name, "all of these"))
    weighted = match.seat_weighted_rate()
    if weighted is not None:
        click.echo(f"With each seat drawn equally often: {100 * weighted:.1f} %")
    click.echo(
        f"Commands refused by the server: {match.refusals}; games broken off: {len(match.broken)}"
    )
    if match.agent_failed:
        click.echo(
            f"Games broken off because the agent failed: {match.agent_failed}; win rates leave "
            "them out"
        )
    if match.others:
        click.echo(f"Games that don't count, of other players or rules: {len(match.others)}")
    for line in (*match.refused, *match.broken, *match.others):
        click.echo(shown(line, _LONGEST_LINE), err=True)


def _line(result: Any, name: str, others: str) -> str:
    milliseconds = result.tally(name).milliseconds
    return (
        f"{win_rate_words(result, name, name)} against {others}; {milliseconds:.3g} ms a decision"
    )


@command(
    "catan-pz catanatron --agent heuristic --against value",
    "catan-pz catanatron --agent ppo-4p-notrade --against ab2-pruned --games 40",
    "catan-pz catanatron --players 3 --against value,weighted --games 600",
)
@agent_option("--agent", "Agent in one seat.")
@option(
    "--against",
    "Bots of catanatron in the other seats, separated by commas; the last one takes all "
    "remaining seats.",
    metavar="BOTS",
    default="value",
)
@option("--players", "Number of players.  [2, or as the model says]", click.IntRange(2, 4))
@option("--points", "Victory points to win.", click.IntRange(3, 22), default=10)
@table_options(100)
@trust_option
def catanatron(
    agent: str, against: str, players: int | None, points: int, match: MatchChoice
) -> None:
    """Let an agent play bots of catanatron by the rules of its engine.

    The bots see the whole state of the game, as there they always do; the agent sees what its
    seat may know.
    """
    from catan_pz.arena import play_match
    from catan_pz.tables.catanatron.table import CatanatronTables, TableBot, table_rules

    if players is None:
        players = trained_with(agent).get("num_players", 2)
    rules = replace(table_rules(players), victory_points=points)
    bots = specs_by_seat("--against", against, players - 1)
    sources = {bot: TableBot(bot) for bot in bots}
    result = played(
        play_match,
        [(agent, agent_source(agent, rules)), *((sources[b].name, sources[b]) for b in bots)],
        match.games,
        rules,
        match.seed,
        executor=CatanatronTables(match.workers or 1),
        results=match.results,
    )
    version = next(iter(sources.values())).catanatron
    others = f"{against} at tables of catanatron {version}"
    click.echo(f"{_line(result, agent, others)}, from seed {result.seed}")
    tell_more(result)
    check_played(result)


@command("catan-pz bot --agent heuristic", "catan-pz bot --agent search:simulations=200 --seed 1")
@agent_option("--agent", "The agent that plays.")
@seed_option("Seed of the agent's random choices; the table draws the games.")
@trust_option
def bot(agent: str, seed: int | None) -> None:
    """Speak catanatron's protocol for bots, JSON lines, on standard input and output."""
    from catan_pz.game.game import drawn_seed
    from catan_pz.tables.catanatron.stdio import StdioBot, answers

    for line in answers(
        StdioBot(load_agent(agent), drawn_seed() if seed is None else seed), sys.stdin
    ):
        sys.stdout.write(line)
        sys.stdout.flush()


@command(
    "catan-pz program --agent heuristic",
    "catan-pz tournament random 'exec:\"catan-pz program --agent heuristic\"'",
)
@agent_option("--agent", "The agent that decides.")
@trust_option
def program(agent: str) -> None:
    """Let an agent decide for another program, by JSON lines on standard input and output.

    The messages are those of the arena's programs: see docs/programs.md. The command ends at
    the end of its input.
    """
    from catan_pz.agents.programs.serve import serve, standard_streams

    serve(load_agent(agent), *standard_streams())
