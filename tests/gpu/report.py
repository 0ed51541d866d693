"""The report of a run with each part's findings, rewritten after every part."""

import json
import os
import platform
import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from time import perf_counter

from catan_pz.files import whole_file

LIBRARIES = ("catan-pz", "numba", "numba-cuda", "numpy", "torch")


def _versions() -> dict[str, str]:
    found = {}
    for name in LIBRARIES:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


class Deadline:
    """A share of the remaining time, in seconds from now."""

    def __init__(self, seconds: float) -> None:
        self._end = perf_counter() + seconds

    @property
    def left(self) -> float:
        return max(0.0, self._end - perf_counter())

    @property
    def is_over(self) -> bool:
        return self.left == 0.0

    def share(self, part: float) -> "Deadline":
        return Deadline(self.left * part)


@dataclass
class Part:
    """The findings of one part of the run."""

    name: str
    outcome: str
    text: str
    seconds: float = 0.0


@dataclass
class Report:
    """All parts, with the command as it was called, the GPU's name, machine and versions."""

    command: str
    device: str
    parts: list[Part] = field(default_factory=list)
    machine: str = field(default_factory=platform.platform)
    python: str = field(default_factory=platform.python_version)
    versions: dict[str, str] = field(default_factory=_versions)

    def save(self, folder: Path) -> None:
        with whole_file(folder / "report.md") as draft:
            draft.write_text(self.markdown(), encoding="utf-8")
        with whole_file(folder / "report.json") as draft:
            draft.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")

    def markdown(self) -> str:
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        where = f"{self.device}; {self.machine}; Python {self.python}; {versions}"
        lines = ["# GPU report", "", where, "", f"`{self.command}`"]
        for part in self.parts:
            lines += ["", f"## {part.name}: {part.outcome}, {part.seconds:.0f} s", "", part.text]
        return "\n".join(lines) + "\n"


def toolkit() -> dict[str, str]:
    """The variable that names a toolkit with libNVVM; none if one is set or none is found."""
    if os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH"):
        return {}
    nvcc = shutil.which("nvcc")
    homes = [Path(nvcc).resolve().parents[1]] if nvcc else []
    homes.append(Path("/usr/local/cuda"))
    return next(({"CUDA_HOME": str(home)} for home in homes if (home / "nvvm").is_dir()), {})
