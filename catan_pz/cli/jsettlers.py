"""`catan-pz jsettlers`: an agent against the robots of a JSettlers server."""

from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from catan_pz.cli.agents import agent_source, trust_option
from catan_pz.cli.console import examples, win_rate_words
from catan_pz.cli.options import Choice, make_rules, match_options, refuse_options
from catan_pz.names import shown

_LONGEST_LINE: Final = 300


@click.command(
    "jsettlers",
    short_help="Play at a JSettlers table.",
    epilog=examples(
        "catan-pz jsettlers --agent heuristic --games 40 --classes classes:gson.jar",
        "catan-pz jsettlers --agent ppo-2p --against fast --results games.jsonl",
        "catan-pz jsettlers --agent search --host localhost --cookie SECRET",
    ),
)
@click.option("--agent", required=True, metavar="AGENT", help="Who plays: a name or a model.")
@click.option(
    "--against",
    type=Choice(("smart", "fast", "mixed")),
    default="smart",
    show_default=True,
    help="The robots of the server that is started.",
)
@click.option(
    "--players",
    type=click.IntRange(2, 4),
    metavar="N",
    help="Players of each game.  [4, or as the model says]",
)
@click.option(
    "--trading/--no-trading",
    default=None,
    help="Trade between players.  [yes, or as the model says]",
)
@click.option(
    "--games",
    type=click.IntRange(1),
    metavar="N",
    default=200,
    show_default=True,
    help="Games, with those in the file of results.",
)
@partial(
    match_options,
    workers="Threads in which agents decide.",
    seed="Of the agent's random choices; the server draws the games.",
)
@trust_option
@click.option(
    "--parallel",
    type=click.IntRange(1, 40),
    metavar="N",
    default=4,
    show_default=True,
    help="Games at the same time.",
)
@click.option(
    "--classes",
    metavar="PATH",
    help="Class path of the server that is started.  [$CATAN_PZ_JSETTLERS]",
)
@click.option("--host", help="Join a server that runs, instead of starting one.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    metavar="N",
    default=8880,
    show_default=True,
    help="Its port.",
)
@click.option("--cookie", default="", help="What its robots must present.")
def command(
    agent: str,
    against: str,
    players: int | None,
    trading: bool | None,
    games: int,
    seed: int | None,
    workers: int,
    results: Path | None,
    parallel: int,
    classes: str | None,
    host: str | None,
    port: int,
    cookie: str,
) -> None:
    """Let an agent play at a JSettlers table, over its protocol.

    Without --host an unmodified server is started, which creates games of robots alone and
    is ended afterwards. With --host the agent waits to be invited there.
    """
    from catan_pz.arena import Interrupted
    from catan_pz.tables.jsettlers.match import ServerAddress, play_match

    if host is None:
        refuse_options(("port", "cookie"), "this is for a server that runs: add --host")
    else:
        refuse_options(
            ("against", "classes"), "--host joins a server; this is for one that is started"
        )
    rules = make_rules(
        rules="base",
        players=players,
        trading=trading,
        points=None,
        board=None,
        offers=None,
        options=(),
        agents=agent,
    )
    try:
        match = play_match(
            (agent, agent_source(agent, rules)),
            against,
            rules.num_players,
            rules.trading,
            games,
            seed,
            server=None if host is None else ServerAddress(host, port, cookie),
            classes=classes,
            workers=workers,
            parallel=parallel,
            results=results,
        )
    except Interrupted as stopped:
        click.echo(str(stopped), err=True)
        raise
    _report(match)
    if match.gave_up:
        raise click.ClickException(shown(match.gave_up, _LONGEST_LINE))


def _report(match: Any) -> None:
    """Win rates with intervals, all together and by kind of robot, and what went wrong."""
    from catan_pz.arena.tables import lineup_title
    from catan_pz.tables.jsettlers.outcomes import seat_weighted_rate

    result, name = match.result, match.name
    for k in range(len(result.lineups)):
        names = result.lineup_names(k)
        others = [one for one in names if one != name]
        click.echo(_line(result.only(names), name, lineup_title(others)))
    if len(result.lineups) > 1:
        click.echo(_line(result, name, "all of these"))
    weighted = seat_weighted_rate(result, name)
    if weighted is not None:
        click.echo(f"With each seat drawn equally often: {100 * weighted:.1f} %")
    click.echo(
        f"Commands refused by the server: {match.refusals}; commands that came too late: "
        f"{match.late}; games broken off: {len(match.broken)}; reconnects: {match.reconnects}"
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
