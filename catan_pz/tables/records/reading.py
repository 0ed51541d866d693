"""Reads game files, detecting their format by content."""

import zlib
from codecs import BOM_UTF8
from pathlib import Path
from typing import Any, Final

import msgspec

from catan_pz.checks import quoted
from catan_pz.files import MOST_READ, read_file
from catan_pz.game.game import Game
from catan_pz.game.record import FORMAT, TABLE_FORMAT, GameRecord, result_of
from catan_pz.tables.records import catanatron_json, colonist, savegame, soclog
from catan_pz.tables.records.playing import Disagreement, ReadGame, Report, played

_GZIP: Final = b"\x1f\x8b"
_FIRST_LINE: Final = 200
"""Bytes that contain the format in the first line of our records."""

_DAMAGES: Final = (LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)
"""Errors of a reader on data that doesn't follow its format."""


def read(path: str | Path, *, names: bool = False) -> list[ReadGame]:
    """The games in a file, played by our rules and checked against the file.

    Colonist's replays, JSettlers' logs and saved games, catanatron's games and records of this
    package are recognised by their content, with or without gzip.

    Args:
        path: the file.
        names: whether players keep their names; otherwise they are named by their seats.

    Raises:
        ValueError: if the file can't be read, or holds no game that can.
    """
    content = _unpacked(read_file(Path(path))).removeprefix(BOM_UTF8)
    try:
        games = _games(content)
    except _DAMAGES as error:
        raise ValueError(f"the file is damaged: {quoted(error)}") from error
    for game in games:
        if not names:
            _forget_names(game.record)
    return games


def _unpacked(content: bytes) -> bytes:
    """Content without gzip."""
    if not content.startswith(_GZIP):
        return content
    unpacking = zlib.decompressobj(wbits=31)
    try:
        unpacked = unpacking.decompress(content, MOST_READ + 1)
    except zlib.error as error:
        raise ValueError(f"the file can't be unpacked: {error}") from None
    if len(unpacked) > MOST_READ:
        raise ValueError(f"the file unpacks to more than {MOST_READ:,} bytes")
    if not unpacking.eof:
        raise ValueError("the file is cut short")
    return unpacked


def _games(content: bytes) -> list[ReadGame]:
    head = content[:_FIRST_LINE].decode(errors="replace")
    if any(name in head for name in (FORMAT, TABLE_FORMAT)):
        return [_own(content)]
    if soclog.is_one(head):
        return [played(soclog.told_game(content.decode(errors="replace")))]
    try:
        data: Any = msgspec.json.decode(content)
    except msgspec.DecodeError as error:
        raise ValueError(f"the file is not JSON: {error}") from None
    games = [_told(one) for one in (data if isinstance(data, list) else [data])]
    if not games:
        raise ValueError("the file holds no game")
    return games


def _told(data: Any) -> ReadGame:
    """The game in JSON values."""
    if colonist.is_one(data):
        return played(colonist.told_game(data))
    for form in (savegame, catanatron_json):
        if form.is_one(data):
            return form.read_game(data)
    raise ValueError("the file holds no game of a known kind")


def _own(content: bytes) -> ReadGame:
    """A record of this package, replayed."""
    record = GameRecord.from_lines(content.decode("utf-8"))
    report = Report("catan-pz record", list(range(len(record.start["players"]))))
    replayed: Game | None = None
    try:
        for count, game in enumerate(record.replay()):
            played_up_to, replayed = count, game
    except ValueError as error:
        if replayed is None:
            raise
        place, _, told = str(error).partition(": ")
        report.disagreement = Disagreement(place, "replay", told, "it was played")
        del record.decisions[played_up_to:]
        record.result = result_of(replayed)
    return ReadGame(record, report)


def _forget_names(record: GameRecord) -> None:
    """Name people by their seats; agents keep their names."""
    if record.names is not None:
        agents = record.agents or [None] * len(record.names)
        record.names = [
            f"player_{seat}" if agent is None else name
            for seat, (name, agent) in enumerate(zip(record.names, agents, strict=True))
        ]
