"""Files written whole or not at all; JSON and archives of arrays, read with care; terminals."""

import errno
import json
import math
import os
import stat
import tempfile
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from tokenize import TokenError
from typing import IO, TYPE_CHECKING, Any, Final, TextIO

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

if TYPE_CHECKING:
    from filelock import FileLock

_DRAFT: Final = ".draft"
_STEM: Final = 32
"""Characters of a file's name that the name of its draft keeps."""

_QUOTED: Final = 80
"""Characters of a name that an error shows."""

_UNPACKED: Final = 64 * 2**20
"""Bytes that an archive may unpack to beyond its own size; the package's aren't compressed."""

_PIECE: Final = 2**20
"""Bytes of an archive that are read at a time."""


MOST_READ: Final = 64 * 2**20
"""Bytes of the longest file that `read_file` reads; a game takes some hundred kilobytes."""


def read_file(path: Path) -> bytes:
    """What a file, a pipe or a device gives, unless it is too long.

    Raises:
        ValueError: it is.
        OSError: it can't be read.
    """
    with path.open("rb") as file:
        content = file.read(MOST_READ + 1)
    if len(content) > MOST_READ:
        raise ValueError(f"it is longer than {MOST_READ:,} bytes")
    return content


@contextmanager
def whole_file(path: Path, mode: int | None = None) -> Iterator[Path]:
    """A path to write to, which takes the place of `path` at the end if nothing went wrong.

    Folders that are missing are made. Until the end, and after an error, whatever was at
    `path` stays as it was. A link stays one, to the new file. What is no regular file, such as a
    device or a pipe, is never replaced: it is written to as it is.

    Args:
        path: the file.
        mode: the file's permissions from its first moment on; None for those that it has, or
            those of any new file.

    Raises:
        OSError: the file can't be written.
    """
    if _takes_bytes(path):
        with named_errors(path):
            yield path
        return
    target = Path(os.path.realpath(path))
    draft = _new_draft(path, target.parent)
    try:
        with named_errors(path):
            yield draft
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        # A draft is readable by its maker alone.
        draft.chmod(_kept_mode(target) if mode is None else mode)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Let the system's errors name a file that is written, such as those of a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise


def check_writable(path: Path) -> None:
    """Find out whether `whole_file` could write a file, without writing it.

    Folders that are missing are made.

    Raises:
        OSError: it couldn't.
    """
    if not _takes_bytes(path):
        _new_draft(path, Path(os.path.realpath(path)).parent).unlink()
    elif not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def _takes_bytes(path: Path) -> bool:
    """Whether something is at a path that is no regular file, but written to like one."""
    try:
        found = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    if stat.S_ISDIR(found):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    return not stat.S_ISREG(found)


def _new_draft(path: Path, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(
        # A file's name may fill all that a name may take.
        dir=folder,
        prefix=f".{path.stem[:_STEM]}.",
        suffix=f"{_DRAFT}{path.suffix}",
    )
    os.close(descriptor)
    return Path(name)


def _kept_mode(path: Path) -> int:
    """The permissions of a file, or of one that was just made where there is none yet."""
    with suppress(FileNotFoundError):
        return stat.S_IMODE(path.stat().st_mode)
    return 0o666 & ~_umask()


def _umask() -> int:
    """The process's umask. The system call sets it as well, for all threads."""
    with suppress(OSError), Path("/proc/self/status").open("rb") as file:
        for line in file:
            if line.startswith(b"Umask:"):
                return int(line.split()[1], 8)
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def remove_drafts(folder: Path, seconds: float = 0) -> None:
    """Remove what killed processes left half written in a folder.

    Args:
        folder: the folder.
        seconds: only what is that old; where others may be writing now.
    """
    until = time.time() - seconds
    for path in folder.glob(f".*{_DRAFT}*"):
        with suppress(OSError):  # another process may remove it, too
            if path.stat().st_mtime <= until:
                path.unlink()


class RepeatedNameError(ValueError):
    """An object of JSON has two entries of one name, of which a reader would take the last."""


def read_json(text: str) -> Any:
    """The value that a JSON text holds.

    Raises:
        RepeatedNameError: a name stands twice in an object.
        ValueError: the text is no JSON.
        RecursionError: it is nested too deeply.
    """
    return json.loads(text, object_pairs_hook=_each_once)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(name for name, _ in pairs)
        name = next(name for name in times if times[name] > 1)
        raise RepeatedNameError(f"the entry {name[:_QUOTED]!r} stands twice in an object")
    return found


def read_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """The arrays in an `.npz` archive, by name; nothing of it is run.

    Memory is taken for what the archive holds, whatever shapes its arrays claim to have.

    Args:
        content: of the file.

    Raises:
        ValueError: if it isn't one, is damaged, holds objects, or unpacks to far more than it is.
    """
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            members = archive.infolist()
            total = sum(member.file_size for member in members)
            if total > len(content) + _UNPACKED:
                raise ValueError(f"its {len(content):,} bytes unpack to {total:,}")
            found = {}
            for member in members:
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise ValueError(f"{member.filename!r} is compressed in an unusual way")
                with archive.open(member) as file:
                    found[member.filename.removesuffix(".npy")] = _read_array(file, member)
            return found
    except (zipfile.BadZipFile, zipfile.LargeZipFile, OSError, EOFError, zlib.error) as error:
        raise ValueError(f"it is no whole archive of arrays: {error}") from error
    except (RuntimeError, NotImplementedError) as error:  # encrypted, or of a later kind
        raise ValueError(f"it is no archive that can be read: {error}") from error


def _read_array(file: IO[bytes], member: zipfile.ZipInfo) -> NDArray[Any]:
    version = npy.read_magic(file)
    if version != (1, 0):  # others are for headers beyond 64 kB
        raise ValueError(f"{member.filename!r} is an array of format {version}")
    try:
        shape, in_columns, dtype = npy.read_array_header_1_0(file)
    except (MemoryError, RecursionError, SyntaxError, TypeError, TokenError) as error:
        raise ValueError(f"{member.filename!r} has a header that can't be read") from error
    if dtype.hasobject:
        raise ValueError(f"{member.filename!r} holds objects")
    size = member.file_size - file.tell()
    if bool in map(type, shape) or math.prod(shape) * dtype.itemsize != size:
        raise ValueError(f"{member.filename!r} has the shape {shape}, but {size:,} bytes")
    array = np.frombuffer(_read_exactly(file, size), dtype)
    return array.reshape(shape, order="F" if in_columns else "C")


def _read_exactly(file: IO[bytes], size: int) -> bytearray:
    """So many bytes, and the end; in pieces, so that there is no second copy of all."""
    data = bytearray(size)
    place = 0
    while piece := file.read(_PIECE):
        data[place : place + len(piece)] = piece
        place += len(piece)
    if place != size:
        raise EOFError(f"{size:,} bytes were to come, {place:,} did")
    return data


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream, None where it was closed at the start, is a terminal."""
    return stream is not None and stream.isatty()


def held(path: Path) -> "FileLock | None":
    """A lock on what lies at a path, or None if somebody holds it; it ends with the process."""
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_name(f".{path.name}.lock"), timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    return lock


def release(lock: "FileLock") -> None:
    """Let others have a lock."""
    with suppress(OSError):  # Windows removes no open file
        Path(lock.lock_file).unlink()
    lock.release()
