"""The report of a run: what each part found, written anew after every part."""

import json
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from time import perf_counter
from typing import Any

from catan_pz.files import whole_file

LIBRARIES = ("catan-pz", "numba", "numba-cuda", "numpy", "torch")


class Deadline:
    """A share of the time that is left.

    Args:
        seconds: from now on.
    """

    def __init__(self, seconds: float) -> None:
        self._end = perf_counter() + seconds

    @property
    def left(self) -> float:
        """Seconds left, 0 once the time is over."""
        return max(0.0, self._end - perf_counter())

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self.left == 0.0

    def share(self, part: float) -> "Deadline":
        """A part, from 0 to 1, of the time that is left."""
        return Deadline(self.left * part)


@dataclass
class Part:
    """What one part of the run found.

    Attributes:
        name: its name.
        outcome: "passed", "failed" or "not run".
        text: Markdown: tables, or the reason.
        seconds: how long it took.
    """

    name: str
    outcome: str
    text: str
    seconds: float = 0.0


@dataclass
class Report:
    """All parts, with machine and versions.

    Attributes:
        command: as it was called.
        device: name of the GPU, or "simulator".
    """

    command: str
    device: str
    parts: list[Part] = field(default_factory=list)
    machine: str = field(default_factory=platform.platform)
    python: str = field(default_factory=platform.python_version)
    versions: dict[str, str] = field(default_factory=lambda: versions_of(LIBRARIES))

    def save(self, folder: Path) -> None:
        """Write `report.md` and `report.json`, whole or not at all."""
        with whole_file(folder / "report.md") as draft:
            draft.write_text(self.markdown(), encoding="utf-8")
        with whole_file(folder / "report.json") as draft:
            draft.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")

    def markdown(self) -> str:
        """The report as a page."""
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        lines = [
            "# GPU report",
            "",
            f"{self.device}; {self.machine}; Python {self.python}; {versions}",
            "",
            f"`{self.command}`",
        ]
        for part in self.parts:
            lines += ["", f"## {part.name}: {part.outcome}, {part.seconds:.0f} s", "", part.text]
        return "\n".join(lines) + "\n"


def versions_of(names: Iterable[str]) -> dict[str, str]:
    """Installed versions of some libraries; those that are missing are left out."""
    found = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table."""
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    lines += [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines)
