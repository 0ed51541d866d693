"""`catan-pz mcp`: tables for a chat client."""

import click

from catan_pz.cli.agents import agent_option, encoder_option, load_agent, trust_option
from catan_pz.cli.console import command, need, option
from catan_pz.cli.options import RuleChoice, rule_options


@command(
    "catan-pz mcp",
    "catan-pz mcp --against heuristic --players 3 --no-trading",
    "catan-pz mcp --advice value",
    "catan-pz mcp --http 8001",
)
@agent_option("--against", "Agent in the seats without a client.", "search")
@agent_option("--advice", "Let clients ask what this agent thinks of their moves.  [nobody]", None)
@option(
    "--http",
    "Serve all clients of this machine at this port (0: any free), instead of one over standard "
    "input and output.",
    click.IntRange(0, 65535),
    metavar="PORT",
)
@trust_option
@encoder_option
@rule_options()
def mcp(against: str, advice: str | None, http: int | None, rules: RuleChoice) -> None:
    """Serve tables to chat clients, over standard input and output or by HTTP.

    The client starts this command by itself: name it in the client's list of MCP servers. Its model
    then has tools to begin games, to see what its seat may know, to play and to trade.
    """
    need("mcp", "tables for chat clients", "mcp")
    from catan_pz.mcp_tables import make_server

    made = rules.make(against)
    for name in filter(None, (against, advice)):
        load_agent(name).check_rules(made)
    server = make_server(made, against, advice or "")
    if http is None:
        server.run("stdio")
        return
    import uvicorn

    from catan_pz.web.listening import open_socket

    with open_socket("127.0.0.1", http) as opened:
        click.echo(f"http://127.0.0.1:{opened.getsockname()[1]}/mcp")
        config = uvicorn.Config(
            server.streamable_http_app(), log_level="warning", timeout_graceful_shutdown=2
        )
        uvicorn.Server(config).run(sockets=[opened])
