"""Compiles the package and the tests into numba's cache: python -m tests.compile_all

Parallel test workers start at the same time; with a cold cache each of them would compile the
same entry points.
"""

from importlib import import_module
from pathlib import Path

import numba
import pytest

from catan_pz.compiler.rule import Entry

ROOT = Path(__file__).parents[1]
FOLDERS = ("catan_pz", "tests")


def entries() -> list[Entry]:
    """All entry points."""
    found: list[Entry] = []
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")):
        if "\n@entry\n" in path.read_text(encoding="utf-8"):
            try:
                module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
            except pytest.skip.Exception:  # tests of another backend
                continue
            found += [value for value in vars(module).values() if isinstance(value, Entry)]
    return found


def main() -> None:
    """Compile what is not cached."""
    if not numba.config.DISABLE_JIT:
        for entry in entries():
            entry.compiled()


if __name__ == "__main__":
    main()
