"""Compiles the whole package into numba's cache: python -m tests.compile_all

Processes that start with a warm cache compile nothing. Parallel test workers start at the same
time, so without it each of them would compile the same entry points.
"""

from importlib import import_module
from pathlib import Path

import numba

import catan_pz
from catan_pz.compiler.rule import Entry

PACKAGE = Path(catan_pz.__file__).parent


def entries() -> list[Entry]:
    """All entry points of the package."""
    found: list[Entry] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if "@entry" in path.read_text(encoding="utf-8"):
            parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
            module = import_module(".".join(parts))
            found += [value for value in vars(module).values() if isinstance(value, Entry)]
    return found


def main() -> None:
    """Compile what is not cached."""
    if not numba.config.DISABLE_JIT:
        for entry in entries():
            entry.compiled()


if __name__ == "__main__":
    main()
