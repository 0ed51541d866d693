"""Files that are written whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_DRAFT: Final = ".draft"
_STEM: Final = 32
"""Characters of a file's name that the name of its draft keeps."""


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to, which takes the place of `path` at the end if nothing went wrong.

    Folders that are missing are made. Until the end, and after an error, whatever was at
    `path` stays as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(
        # A file's name may fill all that a name may take.
        dir=path.parent,
        prefix=f".{path.stem[:_STEM]}.",
        suffix=f"{_DRAFT}{path.suffix}",
    )
    os.close(descriptor)
    draft = Path(name)
    try:
        yield draft
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        # As a file that was just made, not readable by its maker alone.
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def remove_drafts(folder: Path) -> None:
    """Remove what killed processes left half written in a folder that nobody writes to now."""
    for path in folder.glob(f".*{_DRAFT}*"):
        path.unlink(missing_ok=True)
