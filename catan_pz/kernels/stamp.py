"""Stamps of compiled code: hashes of all sources that may be compiled into it.

Numba looks only at the file that a function stands in, not at the rules that the function calls.
"""

import hashlib
import re
import sys
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any, Final, NamedTuple

import llvmlite
import numba

_PACKAGE: Final = __name__.partition(".")[0]
_COMPILER: Final = Path(__file__).parent

_IMPORT: Final = re.compile(
    r"^(?:from[ \t]+(?P<module>[\w.]+)[ \t]+import[ \t]+(?P<names>\([^)]*\)|[^\n]*)"
    r"|import[ \t]+(?P<modules>[^\n]*))",
    re.MULTILINE,
)
_COMMENT: Final = re.compile(r"#[^\n]*")


class _Source(NamedTuple):
    digest: bytes
    imported: tuple[str, ...]
    """Modules that it names in import statements at its top level, and some that are none."""


@cache
def _read(path: Path) -> _Source:
    content = path.read_bytes()
    text = _COMMENT.sub("", content.decode("utf-8"))
    names: list[str] = []
    for found in _IMPORT.finditer(text):
        if found["modules"]:
            names += [part.split()[0] for part in found["modules"].split(",") if part.split()]
        else:
            names.append(found["module"])
            parts = found["names"].strip("()").split(",")
            names += [f"{found['module']}.{part.split()[0]}" for part in parts if part.split()]
    return _Source(hashlib.sha256(content).digest(), tuple(names))


def _source_file(module: str, packages: set[str]) -> Path | None:
    """File of a loaded module; None for libraries and what has none.

    Whatever is installed or belongs to Python is a library, but for the `packages`, wherever it
    lies. What this package imports from elsewhere is one, too.
    """
    file = getattr(sys.modules.get(module), "__file__", None)
    top = module.partition(".")[0]
    if file is None or (top not in packages and (packages == {_PACKAGE} or top in _libraries())):
        return None
    if not file.endswith(".py"):
        raise FileNotFoundError(f"{module} has no source")
    return Path(file)


@cache
def _libraries() -> set[str]:
    """Top-level names of all that is installed and of Python's own modules."""
    return {*packages_distributions(), *sys.stdlib_module_names, "__main__"}


@cache
def _of_compiler() -> list[Path]:
    return sorted(_COMPILER.rglob("*.py"))


def sources_of(module: str) -> list[Path]:
    """Files of a loaded module and of all modules that it imports, directly or not.

    Imports at the top level of a file count, but not those of libraries. The files of the
    compiler always belong to them.
    """
    packages = {_PACKAGE, module.partition(".")[0]}
    found: set[Path] = set()
    seen, queue = {module}, [module]
    while queue:
        path = _source_file(queue.pop(), packages)
        if path is not None:
            found.add(path)
            new = {*_read(path).imported} - seen
            seen |= new
            queue += new
    return sorted({*found, *_of_compiler()})


@cache
def read_sources(module: str) -> None:
    """Read the sources of a module that is being imported, as far as they are loaded.

    Stamps are computed later, and an edit after the import must not change them.
    """
    for path in sources_of(module):
        _read(path)


@cache
def stamp_of(module: str) -> str:
    """A stamp for code compiled from a module, once its import is done.

    It changes with the sources and with the versions of numba and llvmlite.
    """
    digest = hashlib.sha256(repr((numba.__version__, llvmlite.__version__)).encode())
    for path in sources_of(module):
        digest.update(_read(path).digest)
    return digest.hexdigest()


def module_of(function: Any) -> str:
    """Name of the module that a function stands in."""
    return str(function.__globals__["__name__"])
