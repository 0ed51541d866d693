"""Helpers for commands: options and examples, errors, the terminal, signals, files."""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from catan_pz.names import shown

if TYPE_CHECKING:
    from catan_pz.game.record import GameRecord
    from catan_pz.web.live_table import LiveTable

_SERVER: Final = ("starlette", "uvicorn", "websockets")

Command = TypeVar("Command", bound=Callable[..., Any])

FILE: Final = click.Path(dir_okay=False, path_type=Path)
OLD_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER: Final = click.Path(file_okay=False, path_type=Path)

_METAVARS: Final = {click.IntRange: "N", click.FloatRange: "X"}


def option(
    flag: str, words: str, kind: Any = None, name: str = "", **more: Any
) -> Callable[[Command], Command]:
    """An option of a command, with its default in the help and a metavar by its kind.

    The argument is called as the flag, or by `name`; `more` is for `click.option`.
    """
    metavar = "FOLDER" if kind is FOLDER else _METAVARS.get(type(kind))
    shown = {"metavar": metavar, "show_default": more.get("default") not in (None, "")}
    return click.option(flag, *filter(None, [name]), type=kind, help=words, **shown | more)


def sentence(error: BaseException) -> str:
    """The message of an error, with the file's name first."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if isinstance(error, MemoryError) and not str(error):
        return "there is not enough memory"
    return str(error) or type(error).__name__


@contextmanager
def usage_errors(what: str = "") -> Iterator[None]:
    """Turn errors into usage errors, which point to the command's help, with a prefix."""
    try:
        yield
    except (ValueError, OSError) as error:
        reason = getattr(error, "strerror", None) if what else None
        raise click.UsageError(f"{what}{reason or sentence(error)}") from error


def need(extra: str, what: str, *modules: str) -> None:
    """Raise an error that says how to install missing modules."""
    from importlib.util import find_spec

    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise click.ClickException(
            f'{what} needs {", ".join(missing)}: pip install "catan-pz[{extra}]"'
        )


@contextmanager
def compiling_shown() -> Iterator[None]:
    """Show a spinner on a terminal while rules are being compiled."""
    from catan_pz.files import is_terminal
    from catan_pz.kernels.notices import MESSAGE, compile_hook

    if not is_terminal(sys.stderr):
        yield
        return
    from rich.console import Console

    status = Console(stderr=True).status(MESSAGE)
    with compile_hook(lambda _name: status.start()):
        try:
            yield
        finally:
            status.stop()


@contextmanager
def ended_as_by_ctrl_c() -> Iterator[None]:
    """Raise KeyboardInterrupt when the terminal is closed or on SIGTERM, so that games are saved.

    Ignored signals stay ignored, such as SIGHUP under `nohup`.
    """
    from catan_pz.training.console import heeding_signals

    found = [getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name)]
    numbers = [n for n in found if signal.getsignal(n) == signal.SIG_DFL]

    def stop(_number: int, _frame: Any) -> None:
        # A closing terminal sends the signal twice, by its shell and by the system: the second
        # must not interrupt the saving.
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    with heeding_signals(stop, numbers):
        yield


def terminal_rows() -> int:
    """Rows of the terminal; an error if a game doesn't fit into it."""
    from catan_pz.play.terminal_game import ROWS
    from catan_pz.render.ansi import COLUMNS

    size = shutil.get_terminal_size((COLUMNS, ROWS))
    if size.columns < COLUMNS or size.lines < ROWS:
        raise click.ClickException(
            f"a game in the terminal takes {COLUMNS} columns and {ROWS} rows, this one has "
            f"{size.columns} and {size.lines}: make it larger"
        )
    return size.lines


def in_browser(asked: bool | None) -> bool:
    """Whether a game is shown in the browser; by default if the extra `web` is installed."""
    from importlib.util import find_spec

    from catan_pz.files import is_terminal

    if asked:
        need("web", "a game in the browser", *_SERVER)
    if asked is not None:
        return asked
    return is_terminal(sys.stdout) and all(map(find_spec, _SERVER))


def serve_in_browser(path: str, tables: Sequence["LiveTable"] = (), page: str = "") -> None:
    """Open the browser at a path, and serve tables or a page to this machine until Ctrl-C."""
    import webbrowser

    from catan_pz.web.listening import listen, open_socket

    with open_socket("127.0.0.1", 0) as opened:
        address = f"http://127.0.0.1:{opened.getsockname()[1]}{path}"
        click.echo(f"Open {address} in a browser; Ctrl-C ends.", err=True)
        if not sys.platform.startswith("linux") or {"DISPLAY", "WAYLAND_DISPLAY"} & {*os.environ}:
            webbrowser.open(address)
        listen(opened, "127.0.0.1", tables, page=page)


def command(
    *examples: str, name: str | None = None
) -> Callable[[Callable[..., Any]], click.Command]:
    """A command whose help ends with examples, kept line by line."""
    lines = "\n".join(f"  {line}" for line in examples)
    return click.command(name, epilog=f"\b\nExamples:\n{lines}")


def win_rate_words(result: Any, name: str, agent: str) -> str:
    """An agent's win rate, with its 95 % interval, and the number of truncated games, if any."""
    low, high = result.interval(name)
    tally = result.tally(name)
    truncated = result.ends()["truncated"]
    told = f" ({truncated} truncated)" if truncated else ""
    return (
        f"{shown(agent)} won {tally.won} of {tally.seats} games{told} = "
        f"{100 * result.win_rate(name):.1f} % "
        f"(95 % interval {100 * low:.1f} to {100 * high:.1f} %)"
    )


@contextmanager
def record_errors(path: Path) -> Iterator[None]:
    """Name the file in errors of a recorded game."""
    try:
        yield
    except ValueError as error:
        raise click.ClickException(f"{path} holds no recorded game: {error}") from error


def load_record(path: Path) -> "GameRecord":
    """Load a recorded game; errors name the file."""
    from catan_pz.game.record import GameRecord
    from catan_pz.rules import Rules

    with record_errors(path):
        record = GameRecord.load(path)
        Rules.from_dict(record.start["rules"])  # a later version may have others
    return record


def check_seat(option: str, seat: int | None, count: int) -> None:
    """Refuse a seat outside those of a game."""
    if seat is not None and seat >= count:
        raise click.UsageError(f"{option} {seat}: this game has the seats 0 to {count - 1}")


def check_target(option: str, path: Path | None) -> None:
    """Refuse a file that can't be written, before a game is played that would be lost."""
    from catan_pz.files import check_writable

    if path is not None:
        with usage_errors(f"{option} {path}: this file can't be written: "):
            check_writable(path)


def check_plot(option: str, path: Path | None, tables: Collection[str] = ()) -> None:
    """Refuse a file for a plot, or for one of some tables, that can't be made or written."""
    from catan_pz.arena.report import PLOTS

    if path is not None:
        allowed = (*tables, *PLOTS)
        if path.suffix not in allowed:
            words = ", ".join(allowed)
            raise click.UsageError(f"{option} {path}: the file must end in one of {words}")
        if path.suffix in PLOTS:
            need("arena", "a plot", "matplotlib")
    check_target(option, path)


def check_page(path: Path | None) -> None:
    """Refuse a file of `--html` that can't be written, or that no browser would open."""
    if path is not None and path.suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(f"--html {path}: the file must end in .html")
    check_target("--html", path)


def check_record_target(option: str, path: Path | None, resumed: Path | None = None) -> None:
    """Refuse a file that can't be written, or that isn't empty and isn't the resumed game's."""
    from catan_pz.game.record import TABLE_FORMAT

    check_target(option, path)
    if path is None or not path.is_file() or not path.stat().st_size:
        return
    if resumed is None or not path.samefile(resumed):
        raise click.UsageError(f"{option} {path}: this file holds something: name another file")
    with path.open("rb") as file:
        if TABLE_FORMAT.encode() in file.read(10_000).partition(b"\n")[0]:
            raise click.UsageError(
                f"{option} {path}: `catan-pz serve --save` keeps a table and its links in this "
                "file, which a recording would replace: add --record FILE"
            )
