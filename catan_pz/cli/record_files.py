"""Files that a game may be recorded in: those in which nothing would be lost."""

from pathlib import Path

import click

from catan_pz.cli.options import check_target
from catan_pz.files import read_file, read_json
from catan_pz.game.record import TABLE_FORMAT, GameRecord


def check_record_target(option: str, path: Path | None, resumed: Path | None = None) -> None:
    """Refuse a file that can't be written, or that holds something else than the game.

    Args:
        option: what names the file, such as `--record`.
        path: the file; None where none is named.
        resumed: the file of the game that goes on, which may be written again; None for none.

    Raises:
        click.UsageError: says why it isn't written.
    """
    check_target(option, path)
    if path is None or not path.is_file() or not path.stat().st_size:
        return
    if _is_table(path):
        other = "add --record FILE" if option == "--continue" else "name another file"
        raise click.UsageError(
            f"{option} {path}: `catan-pz serve --save` keeps a table and its links in this file, "
            f"which a recording would replace: {other}"
        )
    if resumed is None or not path.samefile(resumed):
        raise click.UsageError(f"{option} {path}: {_what_is_lost(path)}: name another file")


def _is_table(path: Path) -> bool:
    try:
        header = read_json(read_file(path).partition(b"\n")[0].decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return isinstance(header, dict) and header.get("format") == TABLE_FORMAT


def _what_is_lost(path: Path) -> str:
    try:
        record = GameRecord.load(path)
    except ValueError:
        return "this file exists and holds no recorded game"
    if record.result.get("end") != "unfinished":
        return "this file holds a recorded game already"
    return (
        "this file holds a game that isn't over, with which "
        f"`catan-pz play --continue {path}` goes on"
    )
