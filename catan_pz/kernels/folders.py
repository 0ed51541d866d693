"""Folders for compiled code: beside the sources, in the user's cache, or where it is told."""

import hashlib
import os
import sys
from pathlib import Path
from typing import Final

import numba

_PACKAGE: Final = Path(__file__).parents[1]


def folders_for(source: Path) -> list[Path]:
    """Folders that may hold what is compiled from a source file, the preferred one first.

    With NUMBA_CACHE_DIR that one alone; else the `__pycache__` beside the source, for all of
    this package its topmost one, and then a folder in the user's cache.
    """
    home = _PACKAGE if _PACKAGE in source.parents else source.parent
    own = f"{home.name}-{hashlib.sha256(str(home).encode()).hexdigest()[:12]}"
    if numba.config.CACHE_DIR:
        given = _expanded(numba.config.CACHE_DIR)
        return [] if given is None else [given / own]
    users = user_folder()
    return [home / "__pycache__", *([] if users is None else [users / own])]


def user_folder() -> Path | None:
    """Numba's folder in the user's cache; None for a user without a home."""
    if sys.platform == "win32":
        base = _expanded(os.environ.get("LOCALAPPDATA", ""))
    elif sys.platform == "darwin":
        base = _expanded("~/Library/Caches")
    else:
        given = os.environ.get("XDG_CACHE_HOME", "")
        # The standard says to ignore a relative path.
        base = Path(given) if Path(given).is_absolute() else _expanded("~/.cache")
    return base / "numba" if base is not None and base.is_absolute() else None


def is_writable(folder: Path) -> bool:
    """Whether files can be made in a folder, or the folder itself, as far as permissions tell."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _expanded(path: str) -> Path | None:
    """A path with the home directory in the place of `~`, None if there is none."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return None
