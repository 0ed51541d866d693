"""`catan-pz serve`: a table in the browser."""

import socket
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from ipaddress import ip_address
from itertools import islice
from pathlib import Path
from typing import Any, Final

import click

from catan_pz.agents.specs import split_specs
from catan_pz.arena.file_lock import FileLock, InUseError
from catan_pz.cli.agents import load_agent, named_in_file, specs_by_seat, trust_option
from catan_pz.cli.console import compiling_shown, examples
from catan_pz.cli.extras import need
from catan_pz.cli.kept_tables import Asked, asked_of_kept
from catan_pz.cli.options import FloatRange, Folder, make_rules, refuse_options, rules_options
from catan_pz.files import read_file
from catan_pz.names import printable, shown
from catan_pz.play.session import get_ready
from catan_pz.rules import Rules

_THREADS: Final = 2
Pools = tuple[ThreadPoolExecutor, ThreadPoolExecutor]
"""Threads for the agents that play, and for those that advise."""

_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


@click.command(
    "serve",
    short_help="Open a table in the browser.",
    epilog=examples(
        "catan-pz serve",
        "catan-pz serve --agents heuristic,search --players 3 --no-trading",
        "catan-pz serve --seats 2 --names Ann,Bob --host 0.0.0.0 --save tables",
        "catan-pz serve --seats 0 --agents heuristic",
        "catan-pz serve --advice search:simulations=400",
        "catan-pz serve --study position.json",
    ),
)
@click.option(
    "--agents",
    default="heuristic",
    show_default=True,
    metavar="AGENTS",
    help="Who plays the seats that persons don't, separated by commas; the last one plays all "
    "further seats.",
)
@click.option(
    "--seats",
    type=click.IntRange(0, 4),
    default=1,
    show_default=True,
    metavar="N",
    help="Seats for persons; 0 to look on.",
)
@click.option("--names", metavar="NAMES", help="What the persons are called.  [Human]")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any free."
)
@click.option(
    "--tables", type=click.IntRange(1, 100), default=1, show_default=True, help="Tables like this."
)
@click.option(
    "--pause",
    type=FloatRange(0, 60),
    default=0.6,
    show_default=True,
    metavar="X",
    help="Seconds that a move of an agent is shown.",
)
@click.option(
    "--save",
    type=Folder(),
    metavar="FOLDER",
    help="Keep the tables here, with their links; those in it that aren't over go on.",
)
@click.option(
    "--study",
    is_flag=False,
    flag_value="",
    metavar="[FILE]",
    help="Open the study as well, with a position or a recorded game if one is given.  "
    "[open, unless --host lets others in]",
)
@click.option(
    "--advice",
    metavar="AGENT",
    help="Let persons see what this agent thinks of their moves, at their own decisions.  [nobody]",
)
@trust_option
@rules_options
def command(
    agents: str,
    seats: int,
    names: str | None,
    host: str,
    port: int,
    tables: int,
    pause: float,
    save: Path | None,
    study: str | None,
    advice: str | None,
    **chosen: Any,
) -> None:
    """Open a table in the browser, to play against agents, with friends, or to look on.

    Each person's seat has a link of its own; whoever has it plays the seat. A reload or a lost
    connection comes back to the same game. There is no encryption: serve to networks that you
    trust, or behind a proxy that adds it.
    """
    need("web", "a table in the browser", "starlette", "uvicorn", "websockets")
    from catan_pz.web.listening import listen, open_socket
    from catan_pz.web.saved import by_number, free_files

    if save is not None:
        _check_writable(save)
    studies = _studies(study) if study is not None or host in _LOOPBACK else None
    pools = ThreadPoolExecutor(_THREADS, "agent"), ThreadPoolExecutor(1, "adviser")
    with open_socket(host, port) as opened_socket, _reserved(save), compiling_shown():
        playing = f"{agents},{advice or ''}"
        opened = {}
        if save is not None:
            asked = asked_of_kept(agents, seats, names, tables, chosen, playing)
            opened = _saved_tables(save, split_specs(agents), pause, pools, advice, asked)
        if len(opened) < tables:
            rules = make_rules(**chosen, agents=playing)
            for path in [*islice(free_files(save, opened), tables - len(opened))]:
                file = None if save is None else path
                opened[path] = _new_table(rules, agents, seats, names, pause, pools, file, advice)
        served = [opened[path] for path in sorted(opened, key=by_number)]
        named = _named_host(host, opened_socket)
        bracketed = f"[{named}]" if ":" in named else named
        address = f"http://{bracketed}:{opened_socket.getsockname()[1]}"
        _say_links(served, address)
        if studies is not None:
            click.echo(f"Study: {address}/study")
        if host not in _LOOPBACK:
            click.echo("Anybody on this network who has a link can use it.", err=True)
        try:
            listen(opened_socket, host, served, studies)
        finally:
            for pool in pools:
                pool.shutdown(wait=False, cancel_futures=True)


def _new_table(
    rules: Rules,
    agents: str,
    seats: int,
    names: str | None,
    pause: float,
    pools: Pools,
    path: Path | None,
    advice: str | None,
) -> Any:
    from catan_pz.web.live_table import LiveTable
    from catan_pz.web.table import HostedGame, Seats

    if seats > rules.num_players:
        raise click.UsageError(f"--seats {seats}: this game has {rules.num_players} seats")
    others = rules.num_players - seats
    specs: list[str | None] = [None] * seats
    if not others:
        refuse_options(("agents",), f"persons play all {seats} seats")
    else:
        specs += specs_by_seat("--agents", agents, others)
    _refuse_without_effect([specs])
    called = _person_names(names, seats)
    playing = [None if spec is None else load_agent(spec, rules) for spec in specs]
    called += [agent.name for agent in playing if agent is not None]
    adviser = _adviser(advice, rules)
    get_ready(rules, [*playing, adviser])
    hosted = HostedGame(Seats(playing, called, adviser=adviser), rules=rules)
    return LiveTable(hosted, specs, path, pause, *pools)


def _refuse_without_effect(tables: Sequence[Sequence[str | None]]) -> None:
    """Refuse options for persons where only agents play, and for agents where only persons do.

    Args:
        tables: who plays at each table, by seat, None for a person.
    """
    seated = {spec for table in tables for spec in table}
    if None not in seated:
        refuse_options(("advice",), "no person plays, and onlookers get no advice")
    if seated == {None}:
        refuse_options(("pause",), "no agent plays whose moves could be shown")


def _studies(file: str | None) -> Any:
    from catan_pz.web.study_server import Studies

    try:
        return Studies(read_file(Path(file)).decode("utf-8") if file else None)
    except OSError as error:
        raise click.UsageError(f"--study {file}: {error.strerror}") from error
    except ValueError as error:
        raise click.UsageError(f"--study {file}: {error}") from error


def _person_names(names: str | None, seats: int) -> list[str]:
    if names is None:
        return ["Human"] * seats
    called = [name.strip() for name in names.split(",")]
    if len(called) != seats:
        raise click.UsageError(f"--names {names!r}: there are {seats} seats for persons")
    return called


def _adviser(spec: str | None, rules: Rules, *, recorded: bool = False) -> Any:
    return None if spec is None else load_agent(spec, rules, recorded=recorded)


def _check_writable(folder: Path) -> None:
    """Refuse a folder that can't be made, or in which no file can be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise click.UsageError(f"--save {folder}: no table can be kept there: {reason}") from error


@contextmanager
def _reserved(folder: Path | None) -> Iterator[None]:
    """Keep other servers from a folder of tables, which they would write over."""
    if folder is None:
        yield
        return
    try:
        lock = FileLock(folder / ".serving")
    except InUseError:
        raise click.UsageError(f"--save {folder}: another server keeps its tables there") from None
    try:
        yield
    finally:
        lock.release()


def _saved_tables(
    folder: Path,
    named: Sequence[str],
    pause: float,
    pools: Pools,
    advice: str | None,
    asked: Asked,
) -> dict[Path, Any]:
    """Tables whose games aren't over, by their files; games that are over are kept apart."""
    from catan_pz.web.live_table import LiveTable
    from catan_pz.web.saved import SavedTable, keep_game, table_files
    from catan_pz.web.table import HostedGame, Seats

    kept = {path: SavedTable.load(path) for path in table_files(folder)}
    going_on = {path: saved for path, saved in kept.items() if not saved.is_over}
    asked.check(going_on)
    if going_on:
        _refuse_without_effect([saved.agents for saved in going_on.values()])
    opened = {}
    for path, saved in kept.items():
        if saved.is_over:
            with _named(path):
                saved.check()
            keep_game(path, saved.record)
            path.unlink()
            continue
        with _named(path):
            rules = Rules.from_dict(saved.record.start["rules"])
            playing = [_saved_agent(spec, named, rules) for spec in saved.agents]
        adviser = _adviser(advice, rules, recorded=True)
        get_ready(rules, [*playing, adviser])
        seats = Seats(playing, saved.names, saved.links, adviser)
        with _named(path):
            hosted = HostedGame(seats, record=saved.record)
        click.echo(f"{printable(str(path))} goes on in turn {hosted.game.turn}.", err=True)
        opened[path] = LiveTable(hosted, saved.agents, path, pause, *pools)
    return opened


def _saved_agent(spec: str | None, named: Sequence[str], rules: Rules) -> Any:
    """The agent of a seat in a file; programs and pickles run if the command names them, too."""
    if spec is None:
        return None
    if spec in named:
        return load_agent(spec, rules, recorded=True)
    with named_in_file():
        return load_agent(spec, rules, recorded=True)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name the file in errors of the table that it holds."""
    try:
        yield
    except (ValueError, click.UsageError) as error:
        raise click.UsageError(f"{path}: {error}") from error


def _named_host(host: str, opened: socket.socket) -> str:
    """What links name: where all addresses are listened on, one of this machine's."""
    from catan_pz.web.listening import own_address

    if not ip_address(opened.getsockname()[0]).is_unspecified:
        return host
    found = own_address(opened.family)
    if found is None:
        found = "localhost"
        words = "put this machine's address in place of it for others"
    else:
        words = "who reaches this machine under another address puts that in its place"
    click.echo(f"The links name {found}: {words}.", err=True)
    return found


def _say_links(tables: list[Any], address: str) -> None:
    for number, table in enumerate(tables):
        seats = table.hosted.seats
        if len(tables) > 1:
            click.echo(f"Table {number}")
        for seat in seats.persons:
            name = shown(seats.names[seat])
            click.echo(f"{name} (seat {seat}): {address}/table/{seats.links[seat]}")
        click.echo(f"Onlookers: {address}/table/{seats.links[-1]}")
