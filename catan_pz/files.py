"""Files written whole or not at all; texts, JSON and archives of arrays, read with care."""

import errno
import json
import os
import secrets
import stat
import time
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any, Final, TextIO

import numpy as np
from numpy.typing import NDArray

_DRAFT: Final = ".draft"
_STEM: Final = 32
"""Characters of a file's name that the name of its draft keeps."""

_QUOTED: Final = 80
"""Characters of a name that an error shows."""

_UNPACKED: Final = 64 * 2**20
"""Bytes that an archive may unpack to beyond its own size; the package's aren't compressed."""

MOST_READ: Final = 64 * 2**20
"""Bytes of the longest file that `read_file` reads; a game takes some hundred kilobytes."""


def resource(package: str, name: str) -> Path:
    """A file or folder that comes with a package."""
    return Path(str(files(package) / name))


def files_in(given: Iterable[Path], endings: Sequence[str] = (".jsonl",)) -> list[Path]:
    """Files that are named, and those with some endings in folders, at any depth."""
    found: list[Path] = []
    for path in given:
        inside = [one for one in sorted(path.rglob("*")) if one.suffix in endings and one.is_file()]
        if path.is_dir() and not inside:
            raise ValueError(
                f"{path} has no recorded games: no file ends in {' or '.join(endings)}"
            )
        found += inside or [path]
    return found


def read_file(path: Path, *, is_long: bool = False) -> bytes:
    """The bytes of a regular file, of any length where that is said."""
    if not path.is_dir() and path.exists() and not path.is_file():
        raise ValueError("it is no regular file")
    with path.open("rb") as file:
        content = file.read(-1 if is_long else MOST_READ + 1)
    if len(content) > MOST_READ and not is_long:
        raise ValueError(f"it is longer than {MOST_READ:,} bytes")
    return content


def read_text(path: Path) -> str:
    """The text of a regular file in UTF-8, without a byte order mark."""
    content = read_file(path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = 1 + content.count(b"\n", 0, error.start)
        raise ValueError(f"line {number} is not text: {error}") from None


def text_lines(text: str) -> list[str]:
    """The lines of a text as any system writes them, without blank ones at the end."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip().split("\n")


@contextmanager
def whole_file(path: Path, mode: int | None = None) -> Iterator[Path]:
    """A path to write to, which takes the place of `path` at the end if nothing went wrong.

    Folders that are missing are made. A link stays one, to the new file. `mode` are the file's
    permissions from its first moment on; None for those that it has, or those of any new file.
    """
    target = Path(os.path.realpath(path))
    draft = _new_draft(path, target, mode)
    try:
        with named_errors(path):
            yield draft
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file."""
    with whole_file(path) as draft:
        draft.write_bytes(content)


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Let the system's errors, such as that of a full disk, name the file that is written."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise


def check_writable(path: Path) -> None:
    """Raise what `whole_file` would raise if a file can't be written, without writing it."""
    _new_draft(path, Path(os.path.realpath(path)), None).unlink()


def _new_draft(path: Path, target: Path, mode: int | None) -> Path:
    """An empty file beside the target, with the permissions that the target will have."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "no regular file", str(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    if mode is None and target.exists():
        mode = stat.S_IMODE(target.stat().st_mode)
    # A file's name may fill all that a name may take.
    name = f".{path.stem[:_STEM]}.{secrets.token_hex(4)}{_DRAFT}{path.suffix}"
    draft = target.parent / name
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666 if mode is None else mode))
    if mode is not None:
        draft.chmod(mode)  # whatever the process's umask
    return draft


def remove_drafts(folder: Path, seconds: float = 0) -> None:
    """Remove what killed processes left half written in a folder, if it is some seconds old."""
    until = time.time() - seconds
    for path in folder.glob(f".*{_DRAFT}*"):
        with suppress(OSError):  # another process may remove it, too
            if path.stat().st_mtime <= until:
                path.unlink()


class RepeatedNameError(ValueError):
    """An object of JSON has two entries of one name, of which a reader would take the last."""


def read_json(text: str) -> Any:
    """The value that a JSON text holds, which may begin with a byte order mark."""
    return json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_each_once)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(name for name, _ in pairs)
        name = next(name for name in times if times[name] > 1)
        raise RepeatedNameError(f"the entry {name[:_QUOTED]!r} stands twice in an object")
    return found


def read_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """The arrays in an `.npz` archive, by name; nothing of it is run."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            total = sum(member.file_size for member in archive.infolist())
        if total > len(content) + _UNPACKED:
            raise ValueError(f"its {len(content):,} bytes unpack to {total:,}")
        with np.load(BytesIO(content), allow_pickle=False) as arrays:
            found = dict(arrays)
        if not all(isinstance(array, np.ndarray) for array in found.values()):
            raise ValueError("it holds other things than arrays")
        return found
    except ValueError:
        raise
    except Exception as error:  # damage can show in many ways
        raise ValueError(f"it is no whole archive of arrays: {error}") from error


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream, None where it was closed at the start, is a terminal."""
    return stream is not None and stream.isatty()


@contextmanager
def held(path: Path) -> Iterator[bool]:
    """Keep others from what lies at a path; False where somebody else keeps it.

    A process that is killed keeps nothing.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_name(f".{path.name}.lock"), timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    except NotImplementedError:  # the file system knows no locks: nobody is refused
        pass
    try:
        yield True
    finally:
        with suppress(OSError):  # Windows removes no open file
            Path(lock.lock_file).unlink()
        lock.release()
