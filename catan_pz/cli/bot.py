"""`catan-pz bot`: an agent as a bot of catanatron, on standard input and output."""

import sys
from functools import partial

import click

from catan_pz.cli.agents import load_agent, trust_option
from catan_pz.cli.console import check_streams, examples
from catan_pz.cli.options import seed_option, seed_or_drawn


@click.command(
    "bot",
    short_help="Play an agent at a table of catanatron.",
    epilog=examples(
        "catan-pz bot --agent heuristic",
        "catan-pz bot --agent search:simulations=200 --seed 1",
    ),
)
@click.option("--agent", default="heuristic", show_default=True, help="Who plays.")
@partial(seed_option, words="Of the agent's random choices; the table draws the games.")
@trust_option
def command(agent: str, seed: int | None) -> None:
    """Speak catanatron's protocol for bots, JSON lines, on standard input and output."""
    from catan_pz.tables.catanatron.stdio import StdioBot, answers

    check_streams("a bot")
    bot = StdioBot(load_agent(agent, None), seed_or_drawn(seed))
    for line in answers(bot, sys.stdin):
        sys.stdout.write(line)
        sys.stdout.flush()
