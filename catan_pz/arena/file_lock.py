"""A lock on a file that its process holds: one process at a time appends to it.

The file may stand for something else, such as the folder that it is in.

The system releases it when the process ends, however it ends. Readers don't notice it.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final
from weakref import WeakSet

if sys.platform == "win32":
    import msvcrt

    _FAR: Final = 2**31 - 2
    """Windows refuses reading what is locked: this byte lies beyond all that is written."""

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        # Unlike `lockf` it holds between threads, and survives that others read the file.
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class InUseError(Exception):
    """Somebody else holds the lock."""


class FileLock:
    """A lock on a file, which is created if there is none.

    Where the file system knows no locks there is none, and nobody is refused.

    Args:
        path: of the file.

    Raises:
        InUseError: if another process or another `FileLock` of this one holds it.
        OSError: if the file can't be opened for writing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._take()
        if os.fstat(self._file.fileno()).st_nlink == 0:  # `remove` came between open and lock
            self.release()
            self._take()
        _held.add(self)

    def _take(self) -> None:
        self._file = self._path.open("ab", buffering=0)
        try:
            _lock(self._file.fileno())
        except (BlockingIOError, PermissionError) as error:
            self.release()
            raise InUseError(str(self._path)) from error
        except OSError:
            pass

    def release(self) -> None:
        """Let others have it."""
        self._file.close()

    def remove(self) -> None:
        """Let others have it, and remove the file."""
        with suppress(OSError):  # Windows removes no open file
            self._path.unlink()
        self.release()
        if sys.platform == "win32":
            with suppress(OSError):  # others may have opened it
                self._path.unlink()


_held: Final[WeakSet[FileLock]] = WeakSet()


def _leave_to_parent() -> None:
    """Close the copies of a forked child, which would outlive its parent's locks."""
    for lock in list(_held):
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
