"""`catan-pz serve`: a table in the browser."""

import re
import secrets
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_address
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from catan_pz.cli.agents import agent_option, load_agent, specs_by_seat
from catan_pz.cli.console import FOLDER, command, compiling_shown, need, option, usage_errors
from catan_pz.cli.options import RuleChoice, game_options
from catan_pz.names import printable, shown

if TYPE_CHECKING:
    from catan_pz.rules import Rules

_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


@command(
    "catan-pz serve",
    "catan-pz serve --agents heuristic,search --players 3 --no-trading",
    "catan-pz serve --seats 2 --names Ann,Bob --host 0.0.0.0 --save tables",
    "catan-pz serve --seats 0 --agents heuristic",
    "catan-pz serve --advice search:simulations=400",
    "catan-pz serve --study position.json",
)
@agent_option(
    "--agents",
    "Agents of the seats without persons, separated by commas; the last one takes all remaining "
    "seats.",
)
@option("--seats", "Seats for persons; 0 to look on.", click.IntRange(0, 4), default=1)
@option("--names", "Names of the persons.  [Human]", metavar="NAMES")
@option("--host", "Address to listen on.", default="127.0.0.1")
@option(
    "--proxy",
    "Address of a proxy in front of it, for browsers, such as https://catan.example.",
    metavar="URL",
)
@option("--port", "Port to listen on; 0 for any free one.", click.IntRange(0, 65535), default=8000)
@option("--tables", "Number of tables.", click.IntRange(1, 100), default=1)
@option(
    "--pause", "Seconds that a move of an agent is shown.", click.FloatRange(0, 60), default=0.6
)
@option(
    "--save", "Save the tables here, with their links; unfinished tables in it continue.", FOLDER
)
@option(
    "--study",
    "Open the study as well, with a position or a recorded game if one is given.  "
    "[open, unless --host or --proxy lets others in]",
    metavar="[FILE]",
    is_flag=False,
    flag_value="",
)
@agent_option(
    "--advice",
    "Let persons see what this agent thinks of their moves, at their own decisions.  [nobody]",
    None,
)
@game_options
def serve(  # wide: click passes each option of the command
    agents: str,
    seats: int,
    names: str | None,
    host: str,
    proxy: str | None,
    port: int,
    tables: int,
    pause: float,
    save: Path | None,
    study: str | None,
    advice: str | None,
    rules: RuleChoice,
) -> None:
    """Open a table in the browser, to play against agents, with friends, or to look on.

    Each person's seat has a link of its own; whoever has it plays the seat. A reload or a lost
    connection comes back to the same game. There is no encryption: serve to networks that you
    trust, or behind a proxy that adds it.
    """
    if proxy is not None:
        proxy = proxy.rstrip("/")
        if not re.fullmatch(r"https?://[^/\s]+", proxy):
            raise click.UsageError(f"--proxy must be such as https://catan.example, got {proxy!r}")
    need("web", "a table in the browser", "starlette", "uvicorn", "websockets")
    from catan_pz.web.listening import listen, open_socket
    from catan_pz.web.saved import by_number, free_files

    is_alone = host in _LOOPBACK and proxy is None
    studies = _studies(study) if study is not None or is_alone else None
    asked = _Asked(agents, advice, pause)
    with _reserved(save), open_socket(host, port) as opened, compiling_shown():
        live = {} if save is None else _saved_tables(save, asked)
        if len(live) < tables:
            named = f"{agents},{advice or ''}"
            made = rules.for_persons(named) if seats else rules.make(named)
            for path in [*islice(free_files(save, live), tables - len(live))]:
                live[path] = _new_table(made, seats, names, asked, save and path)
        served = [live[path] for path in sorted(live, key=by_number)]
        named = _named_host(host, opened)
        bracketed = f"[{named}]" if ":" in named else named
        address = proxy or f"http://{bracketed}:{opened.getsockname()[1]}"
        _say_links(served, address)
        if studies is not None:
            click.echo(f"Study: {address}/study")
        if not is_alone:
            click.echo("Anybody who comes here and has a link can use it.", err=True)
        listen(opened, host, served, studies, proxy=proxy or "")


class _Asked(NamedTuple):
    """Options that hold for every table."""

    agents: str
    advice: str | None
    pause: float

    def table(
        self,
        rules: "Rules",
        specs: Sequence[str | None],
        names: list[str],
        file: Path | None,
        kept: Any = None,
    ) -> Any:
        """A new table, or with `kept` a `SavedTable` that goes on; saved in a file if one is given.

        `specs` names the agents by seat, None for a person; `names` are those of the seats, or for
        a new table those of the persons, who sit first.
        """
        from catan_pz.game.game import Game
        from catan_pz.play.session import PlayedGame, get_ready
        from catan_pz.web.live_table import LiveTable
        from catan_pz.web.table import HostedGame

        playing = [_agent(spec, rules, kept and self.agents, file) for spec in specs]
        adviser = None if self.advice is None else load_agent(self.advice, rules)
        names = names + [agent.name for agent in playing[len(names) :]]
        get_ready(rules, [*playing, adviser])
        # Whoever knows the seed knows what chance brings, so it is kept secret.
        seed = secrets.randbits(63)
        if kept:
            session = PlayedGame.resumed(kept.record, playing, seed, adviser=adviser)
        else:
            game = Game(rules, seed)
            session = PlayedGame(game, playing, seed, names, specs=specs, adviser=adviser)
            session.draw_chance_anew(secrets.randbits(63))
        return LiveTable(HostedGame(session, kept and kept.links), file, self.pause)


def _agent(spec: str | None, rules: "Rules", named: str | None, file: Path | None) -> Any:
    """The agent of a seat; a saved table runs the programs and pickles in `named` alone."""
    from catan_pz.agents.registry import no_foreign_code, split_specs

    if spec is None:
        return None
    if named is None or file is None or spec in split_specs(named):
        return load_agent(spec, rules)
    with no_foreign_code(file.parent):
        return load_agent(spec, rules)


def _new_table(
    rules: "Rules", seats: int, names: str | None, asked: _Asked, file: Path | None
) -> Any:
    if seats > rules.num_players:
        raise click.UsageError(f"--seats {seats}: this game has {rules.num_players} seats")
    called = ["Human"] * seats if names is None else [name.strip() for name in names.split(",")]
    if len(called) != seats:
        raise click.UsageError(f"--names {names!r}: there are {seats} seats for persons")
    others = rules.num_players - seats
    specs: list[str | None] = [None] * seats
    if others:
        specs += specs_by_seat("--agents", asked.agents, others)
    return asked.table(rules, specs, called, file)


def _saved_tables(folder: Path, asked: _Asked) -> dict[Path, Any]:
    """Tables whose games aren't over, by file; finished games are moved to files of their own."""
    from catan_pz.rules import Rules
    from catan_pz.web.saved import SavedTable, keep_game, table_files

    live = {}
    for path in table_files(folder):
        try:
            kept = SavedTable.load(path)
            for _ in kept.record.replay():
                pass
        except (OSError, ValueError) as error:
            click.echo(f"{printable(str(error))}: it is left as it is.", err=True)
            continue
        if kept.is_over:
            keep_game(path, kept.record)
            path.unlink()
            continue
        record = kept.record
        try:
            rules = Rules.from_dict(record.start["rules"])
            live[path] = asked.table(rules, record.agents or (), record.names or [], path, kept)
        except (ValueError, click.UsageError) as error:
            raise click.UsageError(f"{path}: {error}") from error
        turn = live[path].hosted.session.game.turn
        click.echo(f"{printable(str(path))} goes on in turn {turn}.", err=True)
    return live


def _studies(file: str | None) -> Any:
    from catan_pz.files import read_file
    from catan_pz.web.study_server import Studies

    with usage_errors(f"--study {file}: "):
        return Studies(read_file(Path(file)).decode("utf-8") if file else None)


@contextmanager
def _reserved(folder: Path | None) -> Iterator[None]:
    """Lock a folder of tables, which must be writable, against other servers."""
    from catan_pz.files import check_writable, held

    if folder is None:
        yield
        return
    with usage_errors(f"--save {folder}: no table can be kept there: "):
        check_writable(folder / "serving")
    with held(folder / "serving") as is_free:
        if not is_free:
            raise click.UsageError(f"--save {folder}: another server keeps its tables there")
        yield


def _named_host(host: str, opened: socket.socket) -> str:
    """The host in links: that listened on, or for all addresses one of this machine's."""
    from catan_pz.web.listening import own_address

    if not ip_address(opened.getsockname()[0]).is_unspecified:
        return host
    found = own_address(opened.family) or "localhost"
    click.echo(
        f"The links name {found}: who reaches this machine under another address puts that in "
        "its place.",
        err=True,
    )
    return found


def _say_links(tables: list[Any], address: str) -> None:
    for number, table in enumerate(tables):
        hosted = table.hosted
        if len(tables) > 1:
            click.echo(f"Table {number}")
        for seat in hosted.session.persons:
            name = shown(hosted.session.names[seat])
            click.echo(f"{name} (seat {seat}): {address}/table/{hosted.links[seat]}")
        click.echo(f"Onlookers: {address}/table/{hosted.links[-1]}")
