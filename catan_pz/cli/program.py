"""`catan-pz program`: an agent as a program that other hosts can start."""

import click

from catan_pz.cli.agents import load_agent, trust_option
from catan_pz.cli.console import check_streams, examples


@click.command(
    "program",
    short_help="Serve an agent by JSON lines.",
    epilog=examples(
        "catan-pz program --agent heuristic",
        "catan-pz tournament 'random,exec:\"catan-pz program --agent heuristic\"'",
    ),
)
@click.option(
    "--agent", default="heuristic", show_default=True, metavar="NAME", help="Who decides."
)
@trust_option
def command(agent: str) -> None:
    """Let an agent decide for another program, by JSON lines on standard input and output.

    The messages are those of the arena's programs: see docs/programs.md. The command ends at
    the end of its input.
    """
    from catan_pz.agents.programs.serve import serve, standard_streams

    check_streams("a program")
    serve(load_agent(agent, None), *standard_streams())
