"""Compiles the package and the tests into numba's cache: python -m tests.compile_all

Parallel test workers start at the same time; with a cold cache each of them would compile the
same entry points.
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from catan_pz.kernels.backend import BACKEND
from catan_pz.kernels.rule import Entry

ROOT = Path(__file__).parents[1]
FOLDERS = ("catan_pz", "tests")
FAST_ONLY = "test_packed_threads.py"
"""Tests that are skipped with any other backend."""
BENCHMARKS = ROOT / "tests" / "benchmarks"
"""Only slow tests run those that compile something."""


def files() -> Iterator[Path]:
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        if "\n@entry\n" in path.read_text(encoding="utf-8"):
            if BENCHMARKS not in path.parents and (BACKEND == "fast" or path.name != FAST_ONLY):
                yield path


def entries() -> list[Entry]:
    """All entry points; none if compilation is switched off."""
    found: list[Entry] = []
    for path in files():
        module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        found += [value for value in vars(module).values() if isinstance(value, Entry)]
    return found


def main() -> None:
    for entry in entries():
        entry.compiled()


if __name__ == "__main__":
    main()
