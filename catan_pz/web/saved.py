"""Tables as files, so that a server that starts again finds its games and their links."""

import asyncio
import json
import logging
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import UnionType
from typing import Any, Final

from catan_pz.events import ONLOOKER
from catan_pz.files import read_file, whole_file
from catan_pz.game.record import TABLE_FORMAT, GameRecord
from catan_pz.web.table import HostedGame

_LOGGER: Final = logging.getLogger("catan_pz.web")

_GAME: Final = "-game-"
"""Stands in the names of files that keep finished games, after the name of their table."""

_LINK: Final = re.compile(r"[\w-]+", re.ASCII)
"""What links are made of, which are part of an address."""


@dataclass(frozen=True)
class SavedTable:
    """A table as it is kept in a file: its header on the first line, then the recorded game.

    Attributes:
        agents: names of the agents by seat, None for a person.
        names: what the seats are called.
        links: the secret of each person's seat and of onlookers (seat -1).
        record: the game so far.
    """

    agents: list[str | None]
    names: list[str]
    links: dict[int, str]
    record: GameRecord

    def text(self) -> str:
        """What the file holds."""
        links = {str(seat): link for seat, link in self.links.items()}
        header = {
            "format": TABLE_FORMAT,
            "agents": self.agents,
            "names": self.names,
            "links": links,
        }
        return "".join(f"{line}\n" for line in (json.dumps(header), *self.record.lines()))

    @property
    def is_over(self) -> bool:
        """Whether the game is over, as its file says."""
        return self.record.result.get("end") != "unfinished"

    def check(self) -> None:
        """Play the game again.

        Raises:
            ValueError: the record isn't that of a game by the rules.
        """
        for _ in self.record.replay():
            pass

    @classmethod
    def load(cls, path: Path) -> "SavedTable":
        """Read a table from its file.

        Raises:
            ValueError: names the file and what is wrong with it.
        """
        try:
            text = read_file(path).decode("utf-8")
            record = GameRecord.from_lines(text)
            header = json.loads(text.partition("\n")[0])
            if header.get("format") != TABLE_FORMAT:
                raise ValueError(f"its format is not {TABLE_FORMAT!r}")
            return cls._of(header, record)
        except ValueError as error:
            raise ValueError(f"{path} holds no table: {error}") from error

    @classmethod
    def _of(cls, header: dict[str, Any], record: GameRecord) -> "SavedTable":
        seats = len(record.start["players"])
        entries: list[Any] = [header.get(entry) for entry in ("agents", "names", "links")]
        agents, names, links = entries
        for what, given, kind in (("agents", agents, str | None), ("names", names, str)):
            if not isinstance(given, list) or len(given) != seats or not _are(kind, given):
                raise ValueError(f"it has no {what} for {seats} seats")
        viewers = [ONLOOKER, *(seat for seat, agent in enumerate(agents) if agent is None)]
        if not isinstance(links, dict) or links.keys() != set(map(str, viewers)):
            raise ValueError(f"it must have links for {viewers}: onlookers (-1) and persons")
        if not _are(str, links.values()) or not all(map(_LINK.fullmatch, links.values())):
            raise ValueError("its links must be texts of letters, digits, '-' and '_'")
        if len(set(links.values())) < len(links):
            raise ValueError("its links must differ: each is the secret of one viewer")
        return cls(agents, names, {int(seat): link for seat, link in links.items()}, record)


def _are(kind: type | UnionType, values: Iterable[object]) -> bool:
    return all(isinstance(value, kind) for value in values)


def write(path: Path, text: str) -> None:
    """Write a table's file, whole or not at all; only its owner may ever read the links."""
    with whole_file(path, mode=0o600) as draft:
        draft.write_text(text, encoding="utf-8")


def table_files(folder: Path) -> list[Path]:
    """The files of the tables in a folder, in order."""
    found = (path for path in folder.glob("table-*.jsonl") if _GAME not in path.stem)
    return sorted(found, key=by_number)


def by_number(path: Path) -> tuple[int, str]:
    """What the files of tables are sorted by, so that the tenth comes after the ninth."""
    return len(path.name), path.name


def free_files(folder: Path | None, taken: Container[Path]) -> Iterator[Path]:
    """The files of further tables, without end.

    Args:
        folder: of the tables; None where they have none, and the files are but names.
        taken: the files of those that there are.
    """
    files = ((folder or Path()) / f"table-{number}.jsonl" for number in count())
    return (path for path in files if path not in taken)


def keep_game(path: Path, record: GameRecord) -> None:
    """Write the game of a table, which is over, to the next free file beside the table's.

    Args:
        path: of the table's file.
        record: the game.
    """
    names = (f"{path.stem}{_GAME}{number}{path.suffix}" for number in count(1))
    free = next(kept for kept in map(path.with_name, names) if not kept.exists())
    write(free, "".join(f"{line}\n" for line in record.lines()))


class TableFile:
    """The file of a table that is played; a table whose file can't be written goes on without.

    Args:
        path: of the file; None to save nothing.
        agents: names of the agents by seat, None for a person.

    Attributes:
        warning: that the table isn't saved and why, in words for its viewers; None if it is.
    """

    def __init__(self, path: Path | None, agents: Sequence[str | None]) -> None:
        self.warning: str | None = None
        self._path = path
        self._agents = list(agents)
        self._saving = asyncio.Lock()
        self._saved: tuple[HostedGame, int] | None = None

    async def save(self, hosted: HostedGame) -> None:
        """Write a game, unless it is in the file already; tell of it once if that fails.

        A finished game whose place it takes there is kept in a file of its own.
        """
        if self._path is None:
            return
        async with self._saving:  # a later game is not overwritten by an earlier one
            played = hosted, len(hosted.record.decisions)
            if played == self._saved:
                return
            seats = hosted.seats
            text = SavedTable(self._agents, seats.names, seats.links, hosted.record).text()
            loop = asyncio.get_running_loop()
            try:
                if self._saved is not None and self._saved[0] is not hosted:
                    finished = self._saved[0].record
                    await loop.run_in_executor(None, keep_game, self._path, finished)
                    self._saved = None
                await loop.run_in_executor(None, write, self._path, text)
            except OSError as error:
                self._warn(error.strerror or str(error))
            else:
                self._saved = played
                self._end_warning()

    def _warn(self, reason: str) -> None:
        again = "It is tried again with the next decision."
        warning = f"This table isn't saved at present: {reason}. {again}"
        if warning != self.warning:
            words = "%s can't be written: %s. Its table goes on unsaved."
            _LOGGER.warning(words, self._path, reason)
        self.warning = warning

    def _end_warning(self) -> None:
        if self.warning is not None:
            _LOGGER.warning("%s is written again.", self._path)
        self.warning = None
