"""Tables as files, so that a restarted server finds its games and their links."""

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Container, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

from catan_pz.events import ONLOOKER
from catan_pz.files import read_file, whole_file
from catan_pz.game.record import TABLE_FORMAT, UNFINISHED, GameRecord
from catan_pz.web.table import HostedGame

_LOGGER: Final = logging.getLogger("catan_pz.web")

_GAME: Final = "-game-"
"""Marks files of finished games, after the name of their table."""

_LINK: Final = re.compile(r"[\w-]+", re.ASCII)
"""Valid links, which are part of an address."""


class SavedTable(NamedTuple):
    """A table in a file: its links on the first line, then the recorded game.

    Attributes:
        links: the secret of each person's seat and of onlookers (seat -1).
        record: the game so far, with the names of the seats and of the agents.
    """

    links: dict[int, str]
    record: GameRecord

    @property
    def is_over(self) -> bool:
        """Whether the game is over, according to its file."""
        return self.record.result.get("end") != UNFINISHED

    @classmethod
    def load(cls, path: Path) -> "SavedTable":
        """Read a table from its file."""
        try:
            text = read_file(path).decode("utf-8")
            record = GameRecord.from_lines(text)
            header = json.loads(text.partition("\n")[0])
            if header.get("format") != TABLE_FORMAT:
                raise ValueError(f"its format is not {TABLE_FORMAT!r}")
            return cls(_links(header.get("links"), record), record)
        except ValueError as error:
            raise ValueError(f"{path} holds no table: {error}") from error


def _links(links: object, record: GameRecord) -> dict[int, str]:
    if record.agents is None or record.names is None:
        raise ValueError("its game doesn't name agents and seats")
    viewers = [ONLOOKER, *(seat for seat, agent in enumerate(record.agents) if agent is None)]
    if not isinstance(links, dict) or links.keys() != set(map(str, viewers)):
        raise ValueError(f"it must have links for {viewers}: onlookers (-1) and persons")
    if not all(isinstance(link, str) and _LINK.fullmatch(link) for link in links.values()):
        raise ValueError("its links must be texts of letters, digits, '-' and '_'")
    if len(set(links.values())) < len(links):
        raise ValueError("its links must differ: each is the secret of one viewer")
    return {int(seat): link for seat, link in links.items()}


def table_text(record: GameRecord, links: Mapping[int, str] | None = None) -> str:
    """The text of a table's file; without links, of a recorded game."""
    header = {"format": TABLE_FORMAT, "links": links}
    return ("" if links is None else f"{json.dumps(header)}\n") + record.text()


def write(path: Path, text: str) -> None:
    """Write a table's file atomically; only its owner may ever read the links."""
    with whole_file(path, mode=0o600) as draft:
        draft.write_text(text, encoding="utf-8")


def table_files(folder: Path) -> list[Path]:
    """The files of the tables in a folder, in order."""
    found = (path for path in folder.glob("table-*.jsonl") if _GAME not in path.stem)
    return sorted(filter(Path.is_file, found), key=by_number)


def by_number(path: Path) -> tuple[int, str]:
    """The sort key of the files of tables: the tenth comes after the ninth."""
    return len(path.name), path.name


def free_files(folder: Path | None, taken: Container[Path]) -> Iterator[Path]:
    """An endless supply of files for further tables; without a folder they are only names."""
    files = ((folder or Path()) / f"table-{number}.jsonl" for number in count())
    return (path for path in files if path not in taken and not (folder and path.exists()))


def keep_game(path: Path, record: GameRecord) -> None:
    """Write a table's finished game to the next free file beside the table's."""
    names = (f"{path.stem}{_GAME}{number}{path.suffix}" for number in count(1))
    free = next(kept for kept in map(path.with_name, names) if not kept.exists())
    write(free, table_text(record))


class TableFile:
    """The file of a live table, which continues if the file can't be written.

    Args:
        path: path of the file; None to save nothing.
        keeps_links: whether it holds the links, too, or only the recorded game.
    """

    def __init__(self, path: Path | None, keeps_links: bool = True) -> None:
        self.warning: str | None = None  # why the table isn't saved, for its viewers
        self._path = path
        self._keeps_links = keeps_links
        self._saving = asyncio.Lock()
        self._saved: tuple[HostedGame, int] | None = None

    async def save(
        self, hosted: HostedGame, in_thread: Callable[..., Awaitable[Any]] = asyncio.to_thread
    ) -> None:
        """Write a game unless the file already has it; a failure is logged once.

        A finished game that it replaces there is kept in a separate file. `in_thread` runs a
        function with its arguments while the game doesn't change.
        """
        if self._path is None:
            return
        async with self._saving:  # a later game is not overwritten by an earlier one
            record = hosted.session.record
            played = hosted, len(record.decisions)
            if played == self._saved:
                return
            links = hosted.links if self._keeps_links else None
            try:
                text = await in_thread(table_text, record, links)
                if self._saved is not None and self._saved[0] is not hosted:
                    finished = self._saved[0].session.record
                    await asyncio.to_thread(keep_game, self._path, finished)
                    self._saved = None
                await asyncio.to_thread(write, self._path, text)
            except OSError as error:
                reason = error.strerror or str(error)
                self._warn(
                    f"This table isn't saved at present: {reason}. It is tried again with the next "
                    "decision.",
                    f"can't be written: {reason}. Its table goes on unsaved.",
                )
            else:
                self._saved = played
                self._warn(None, "is written again.")

    def _warn(self, warning: str | None, logged: str) -> None:
        """Set or clear the viewers' warning; a new one is logged, too."""
        if warning != self.warning:
            _LOGGER.warning("%s %s", self._path, logged)
        self.warning = warning
