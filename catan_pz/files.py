"""Files written atomically; safe reading of text, JSON and archives of arrays."""

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
"""Characters of a file's name kept in its draft's name."""

_QUOTED: Final = 80
"""Characters of a name that an error shows."""

_UNPACKED: Final = 64 * 2**20
"""Bytes that an archive may unpack to beyond its own size; the package's are uncompressed."""

MOST_READ: Final = 64 * 2**20
"""Bytes of the longest file that `read_file` reads; a game takes some hundred kilobytes."""


def resource(package: str, name: str) -> Path:
    """A file or folder shipped with a package."""
    return Path(str(files(package) / name))


def files_in(given: Iterable[Path], endings: Sequence[str] = (".jsonl",)) -> list[Path]:
    """Files given by name, and files in folders, at any depth, with some endings."""
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
    """The bytes of a regular file; `is_long` allows any length."""
    if not path.is_dir() and path.exists() and not path.is_file():
        raise ValueError("not a regular file")
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
    """The lines of a text with any system's line ends, without blank ones at the end."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").rstrip().split("\n")


@contextmanager
def whole_file(path: Path, mode: int | None = None) -> Iterator[Path]:
    """A path to write to, which replaces `path` at the end if there was no error.

    Missing folders are created. A link stays a link, to the new file. `mode` is the file's
    permissions from its creation on; None keeps those of an existing file, or the default.
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
    """Write a file atomically."""
    with whole_file(path) as draft:
        draft.write_bytes(content)


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Make the system's errors, such as a full disk, name the file being written."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise


def check_writable(path: Path) -> None:
    """Raise the error that `whole_file` would raise for an unwritable file, without writing."""
    _new_draft(path, Path(os.path.realpath(path)), None).unlink()


def _new_draft(path: Path, target: Path, mode: int | None) -> Path:
    """An empty file beside the target, with the target's future permissions."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    if mode is None and target.exists():
        mode = stat.S_IMODE(target.stat().st_mode)
    # A file's name may already have the maximal length.
    name = f".{path.stem[:_STEM]}.{secrets.token_hex(4)}{_DRAFT}{path.suffix}"
    draft = target.parent / name
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666 if mode is None else mode))
    if mode is not None:
        draft.chmod(mode)  # independent of the process's umask
    return draft


def remove_drafts(folder: Path, seconds: float = 0) -> None:
    """Remove half-written files of killed processes in a folder, if they are some seconds old."""
    until = time.time() - seconds
    for path in folder.glob(f".*{_DRAFT}*"):
        with suppress(OSError):  # another process may remove it, too
            if path.stat().st_mtime <= until:
                path.unlink()


class RepeatedNameError(ValueError):
    """An object in JSON has two entries of the same name, of which a parser would take the last."""


def read_json(text: str) -> Any:
    """Parse a JSON text, which may start with a byte order mark."""
    return json.loads(text.removeprefix("\ufeff"), object_pairs_hook=_each_once)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(name for name, _ in pairs)
        name = next(name for name in times if times[name] > 1)
        raise RepeatedNameError(f"the entry {name[:_QUOTED]!r} occurs twice in an object")
    return found


def read_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """The arrays in an `.npz` archive, by name; no code in it is run."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            total = sum(member.file_size for member in archive.infolist())
        if total > len(content) + _UNPACKED:
            raise ValueError(f"its {len(content):,} bytes unpack to {total:,}")
        with np.load(BytesIO(content), allow_pickle=False) as arrays:
            found = dict(arrays)
        if not all(isinstance(array, np.ndarray) for array in found.values()):
            raise ValueError("it must hold only arrays")
        return found
    except ValueError:
        raise
    except Exception as error:  # damage causes many kinds of errors
        raise ValueError(f"it isn't an intact archive of arrays: {error}") from error


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream is a terminal; it is None if it was closed at the start."""
    return stream is not None and stream.isatty()


@contextmanager
def held(path: Path) -> Iterator[bool]:
    """Lock a path against other processes; yield False if another one holds the lock.

    The lock ends with the process, even if it is killed.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_name(f".{path.name}.lock"), timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    except NotImplementedError:  # the file system has no locks: allow everyone
        pass
    try:
        yield True
    finally:
        with suppress(OSError):  # Windows can't remove open files
            Path(lock.lock_file).unlink()
        lock.release()
