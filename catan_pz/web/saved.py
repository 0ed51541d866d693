"""Tables as files, so that a server that starts again finds its games and their links."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from catan_pz.files import whole_file
from catan_pz.runtime.record import GameRecord

FORMAT: Final = "catan-pz-table/1"


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
        header = {"format": FORMAT, "agents": self.agents, "names": self.names, "links": links}
        return "".join(f"{line}\n" for line in (json.dumps(header), *self.record.lines()))

    @classmethod
    def load(cls, path: Path) -> "SavedTable":
        """Read a table from its file.

        Raises:
            ValueError: names the file and what is wrong with it.
        """
        try:
            first, _, rest = path.read_text(encoding="utf-8").partition("\n")
            header = json.loads(first)
            if not isinstance(header, dict) or header.get("format") != FORMAT:
                raise ValueError(f"its format is not {FORMAT!r}")
            return cls._of(header, GameRecord.from_lines(rest))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"{path} holds no table: {error}") from error

    @classmethod
    def _of(cls, header: dict[str, Any], record: GameRecord) -> "SavedTable":
        seats = len(record.start["players"])
        agents, names = header["agents"], header["names"]
        links = {int(seat): str(link) for seat, link in header["links"].items()}
        for what, given in (("agents", agents), ("names", names)):
            if not isinstance(given, list) or len(given) != seats:
                raise ValueError(f"it has no {what} for {seats} seats")
        return cls(agents, [str(name) for name in names], links, record)


def write(path: Path, text: str) -> None:
    """Write a table's file, whole or not at all; only its owner may ever read the links."""
    with whole_file(path, mode=0o600) as draft:
        draft.write_text(text, encoding="utf-8")
