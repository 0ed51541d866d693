"""Files that commands read and write: recorded games, and those in which nothing may be lost."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from catan_pz.game.record import GameRecord


@contextmanager
def record_errors(path: Path) -> Iterator[None]:
    """Let errors of a recorded game name its file."""
    try:
        yield
    except ValueError as error:
        raise click.ClickException(f"{path} holds no recorded game: {error}") from error


def load_record(path: Path) -> "GameRecord":
    """A recorded game; a file that holds none is named."""
    from catan_pz.game.record import GameRecord

    with record_errors(path):
        return GameRecord.load(path)


def check_target(option: str, path: Path | None) -> None:
    """Refuse a file that can't be written, before there is a game to be lost.

    Args:
        option: what names the file, such as `--record`.
        path: the file; None where none is named.
    """
    from catan_pz.files import check_writable

    if path is None:
        return
    try:
        check_writable(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise click.UsageError(f"{option} {path}: this file can't be written: {reason}") from error


def check_record_target(option: str, path: Path | None, resumed: Path | None = None) -> None:
    """Refuse a file that can't be written, or that holds something else than the game.

    Args:
        option: what names the file, such as `--record`.
        path: the file; None where none is named.
        resumed: the file of the game that goes on, which may be written again; None for none.
    """
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
