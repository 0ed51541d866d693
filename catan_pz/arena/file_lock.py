"""A lock on a file that its process holds: one process at a time appends to it.

The system releases it when the process ends, however it ends. Readers don't notice it.
"""

import os
import sys
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
        self._file = path.open("ab", buffering=0)
        try:
            _lock(self._file.fileno())
        except (BlockingIOError, PermissionError) as error:
            self.release()
            raise InUseError(str(path)) from error
        except OSError:
            pass
        _held.add(self)

    def release(self) -> None:
        """Let others have it."""
        self._file.close()


_held: Final[WeakSet[FileLock]] = WeakSet()


def _leave_to_parent() -> None:
    """Close the copies of a forked child, which would outlive its parent's locks."""
    for lock in list(_held):
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
