"""Compiled code on disk: one file per entry point, with a checksum.

If the files or their folder are unusable, the entry points are compiled without them, and one
line reports it. A wheel may carry compiled code in `prebuilt`, which is used when this machine
has none of its own.
"""

import hashlib
import os
import pickle
import platform
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import numba

from catan_pz.files import remove_drafts, write_bytes
from catan_pz.kernels.backend import BACKEND
from catan_pz.kernels.notices import warn_once
from catan_pz.kernels.stamp import stamp_of

SUFFIX: Final = ".code"
_HEAD: Final = 64
"""Bytes before the code: a key, a hash of the sources, and a checksum."""
_ABANDONED: Final = 3600.0
"""Age in seconds of a half-written file that was left by a killed process."""
_PACKAGE: Final = Path(__file__).parents[1]
PREBUILT: Final = Path(__file__).parent / "prebuilt"
"""Compiled code shipped with the package: the files and `target`, which holds `own_target` and
the required features of the processor."""


def folders_for(source: Path) -> list[Path]:
    """Folders for code compiled from a source file, in order of preference.

    With NUMBA_CACHE_DIR that folder only. Otherwise `__pycache__` beside the source (for this
    package the topmost one), then a folder in the user's cache.
    """
    home = _PACKAGE if _PACKAGE in source.parents else source.parent
    own = f"{home.name}-{hashlib.sha256(str(home).encode()).hexdigest()[:12]}"
    folders = [home / "__pycache__"]
    with suppress(RuntimeError):  # a user without a home
        if numba.config.CACHE_DIR:
            folders = [Path(numba.config.CACHE_DIR).expanduser() / own]
        else:
            folders.append(_user_folder() / "numba" / own)
    return list(filter(_is_trusted, folders))


def _user_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local").expanduser()
    if sys.platform == "darwin":
        return Path("~/Library/Caches").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()


def _is_trusted(folder: Path) -> bool:
    """Whether only this user and root can put code into a folder."""
    with suppress(OSError, AttributeError):  # it doesn't exist yet, or has no such permissions
        status = folder.stat()
        is_own = status.st_uid in (0, os.getuid())
        others = stat.S_IWOTH | (0 if _is_own_group(status.st_gid) else stat.S_IWGRP)
        if not is_own or status.st_mode & others:
            warn_once("trust", f"{folder} belongs to others or can be written to by them: not used")
            return False
    return True


def _is_writable(folder: Path) -> bool:
    """Whether files can be created in a folder, which need not exist yet."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _is_own_group(group: int) -> bool:
    """Whether a group belongs to this user alone, as many systems create one per user."""
    import grp
    import pwd

    with suppress(KeyError):  # ids without a name
        found, user = grp.getgrgid(group), pwd.getpwuid(os.getuid()).pw_name
        return found.gr_name == user and set(found.gr_mem) <= {user}
    return False


def own_target() -> list[str]:
    """The target of compiled code, except for the processor's features."""
    bounds = ["bounds"] if numba.config.BOUNDSCHECK else []
    interpreter = str(sys.implementation.cache_tag)
    return [sys.platform, platform.machine(), interpreter, BACKEND, *bounds]


def _has_prebuilt(features: str) -> bool:
    """Whether the package has compiled code for this target and a processor's features."""
    target, words = own_target(), []
    with suppress(OSError):
        words = (PREBUILT / "target").read_text(encoding="ascii").split()
    fits = words[: len(target)] == target
    return fits and {*words[len(target) :]} <= {*features.split(",")} and _is_trusted(PREBUILT)


class EntryCache:
    """Cache of one entry point; numba loads from it and saves to it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}"
        self._stamp = stamp_of(function)
        self._folders = folders_for(Path(function.__code__.co_filename))
        self._found: Any = None

    @property
    def can_keep(self) -> bool:
        """Whether permissions allow a folder for compiled code."""
        return any(map(_is_writable, self._folders))

    def look_up(self, signature: Any, context: Any) -> bool:
        """Load the compiled code if it fits; numba asks for it later."""
        for path in self._paths(context.codegen()):
            try:
                self._found = self._unpack(signature, context, path.read_bytes())
            except OSError:  # it doesn't exist or isn't readable
                continue
            except Exception as error:  # a damaged file can fail in any way
                _warn(f"{path} can't be used ({error!r})")
            if self._found is not None:
                return True
        return False

    def load_overload(self, _signature: Any, _context: Any) -> Any:
        """The result of `look_up`, or None; called by numba."""
        return self._found

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write the result of a compilation; called by numba."""
        error: Exception = OSError("there is no folder for it")
        for folder in self._folders:
            try:
                content = self._pack(signature, result)
                write_bytes(folder / self._file_name(result.codegen), content)
                remove_drafts(folder, _ABANDONED)
            except Exception as failure:  # future versions of numba may pack results differently
                error = failure
            else:
                return
        _warn(f"compiled code can't be kept ({error})")

    def _paths(self, codegen: Any) -> Iterator[Path]:
        """Files to read, this machine's own before the package's."""
        for folder in self._folders:
            yield folder / self._file_name(codegen)
        if _has_prebuilt(codegen.magic_tuple()[2]):
            yield PREBUILT / f"{self._name}{SUFFIX}"

    def _file_name(self, codegen: Any) -> str:
        """A name specific to machine, interpreter, backend and bounds checks."""
        target = sys.implementation.cache_tag, codegen.magic_tuple(), BACKEND
        made = repr((*target, numba.config.BOUNDSCHECK)).encode()
        return f"{self._name}-{hashlib.sha256(made).hexdigest()[:12]}{SUFFIX}"

    def _key(self, signature: Any) -> bytes:
        return hashlib.sha256(f"{self._stamp} {signature}".encode()).digest()

    def _pack(self, signature: Any, result: Any) -> bytes:
        from numba.core.serialize import dumps

        if result.library.has_dynamic_globals:
            raise ValueError("it holds addresses of this process")
        payload: bytes = dumps(result._reduce())
        return self._key(signature) + hashlib.sha256(payload).digest() + payload

    def _unpack(self, signature: Any, context: Any, content: bytes) -> Any:
        """The compiled code, or None if its sources have changed."""
        from numba.core.compiler import CompileResult

        if not content.startswith(self._key(signature)):
            return None
        payload = content[_HEAD:]
        if hashlib.sha256(payload).digest() != content[_HEAD // 2 : _HEAD]:
            raise ValueError("it is damaged")
        return CompileResult._rebuild(context, *pickle.loads(payload))


def _warn(problem: str) -> None:
    warn_once("cache", f"{problem}: rules are compiled anew")


def use_cache(dispatcher: Any) -> EntryCache | None:
    """Enable the cache for an entry point if its source is a file."""
    function = dispatcher.py_func
    if function.__closure__ or not Path(function.__code__.co_filename).is_file():
        return None
    dispatcher._cache = EntryCache(function)
    return dispatcher._cache


def cache_folder() -> Path | None:
    """The folder for compiled code of this package, or None."""
    folders = [] if BACKEND == "python" else folders_for(Path(__file__))
    return next(filter(_is_writable, folders), None)


def cached_files() -> list[Path]:
    """Files with compiled code of this package, up to date or not."""
    folders = folders_for(Path(__file__))
    return sorted(path for folder in folders for path in folder.glob(f"*{SUFFIX}"))


def use_kernel_cache(dispatcher: Any, kernel: Callable[..., Any]) -> None:
    """Let numba cache a kernel of `numba.cuda.jit` if a folder is available."""
    try:
        dispatcher.enable_caching()
    except Exception as error:
        _warn_of_kernels(error)
        return
    cache = dispatcher._cache
    # Numba alone doesn't notice changed rules.
    cache._cache_file._source_stamp = stamp_of(kernel)
    for name in ("load_overload", "save_overload"):
        setattr(cache, name, partial(_guarded, cache, getattr(cache, name)))


def _guarded(cache: Any, call: Callable[..., Any], *arguments: Any) -> Any:
    """Call a method of numba's cache; a failure counts as a miss and warns once."""
    try:
        return call(*arguments)
    except Exception as error:  # a damaged file can fail in any way
        _warn_of_kernels(error)
        with suppress(Exception):
            cache.flush()
        return None


def _warn_of_kernels(error: Exception) -> None:
    warn_once("kernel cache", f"compiled kernels can't be kept ({error!r}): compiled anew")
