"""`catan-pz mcp`: tables for a chat client."""

import click

from catan_pz.cli.agents import agent_option, encoder_option, load_agent, trust_option
from catan_pz.cli.console import examples, need
from catan_pz.cli.options import RuleChoice, rule_options


@click.command(
    epilog=examples(
        "catan-pz mcp",
        "catan-pz mcp --against heuristic --players 3 --no-trading",
        "catan-pz mcp --advice value",
    ),
)
@agent_option("--against", "Who plays the seats that no client has.", "search")
@agent_option("--advice", "Let clients ask what this agent thinks of their moves.  [nobody]", None)
@trust_option
@encoder_option
@rule_options()
def mcp(against: str, advice: str | None, rules: RuleChoice) -> None:
    """Serve tables to a chat client over standard input and output.

    The client starts this command by itself: name it in the client's list of MCP servers. Its model
    then has tools to begin games, to see what its seat may know, to play and to trade.
    """
    need("mcp", "tables for chat clients", "mcp")
    from catan_pz.mcp_tables import make_server

    made = rules.make(against)
    for name in filter(None, (against, advice)):
        load_agent(name).check_rules(made)
    make_server(made, against, advice or "").run("stdio")
