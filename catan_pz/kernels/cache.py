"""Compiled code on disk: one file for each entry point, checked as a whole when it is read.

Whatever is wrong with the files or with their folder, the entry points are compiled without
them, and one line says so.
"""

import hashlib
import os
import pickle
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numba

from catan_pz.files import remove_drafts, whole_file
from catan_pz.kernels.backend import BACKEND
from catan_pz.kernels.notices import warn_once
from catan_pz.kernels.stamp import module_of, read_sources, stamp_of

SUFFIX: Final = ".code"
_MAGIC: Final = b"catan-pz compiled code 2\n"
_DIGEST_BYTES: Final = 32
_ABANDONED: Final = 3600.0
"""Seconds after which a file that is still half written was left by a killed process."""
_PACKAGE: Final = Path(__file__).parents[1]


def folders_for(source: Path) -> list[Path]:
    """Folders that may hold what is compiled from a source file, the preferred one first.

    With NUMBA_CACHE_DIR that one alone; else the `__pycache__` beside the source, for all of
    this package its topmost one, and then a folder in the user's cache.
    """
    home = _PACKAGE if _PACKAGE in source.parents else source.parent
    own = f"{home.name}-{hashlib.sha256(str(home).encode()).hexdigest()[:12]}"
    users = user_folder()
    private = [] if users is None else [users / own]
    if numba.config.CACHE_DIR:
        given = _expanded(numba.config.CACHE_DIR)
        wanted = [] if given is None else [given / own]
        found = [folder for folder in wanted if is_trusted(folder)]
        return found or ([] if not wanted else [path for path in private if is_trusted(path)])
    return [folder for folder in (home / "__pycache__", *private) if is_trusted(folder)]


def is_trusted(folder: Path) -> bool:
    """Whether nobody but this user and root can put code into a folder, as it would be run."""
    try:
        status = folder.stat()
    except OSError:
        return True  # it isn't there: whoever makes it is this user
    if not hasattr(os, "getuid"):
        return True
    others = stat.S_IWOTH | (0 if _is_own_group(status.st_gid) else stat.S_IWGRP)
    if status.st_uid in (0, os.getuid()) and not status.st_mode & others:
        return True
    warn_once("trust", f"{folder} belongs to others or can be written to by them: not used")
    return False


def _is_own_group(group: int) -> bool:
    """Whether a group is this user's alone, as many systems make one for each."""
    import grp
    import pwd

    try:
        found, user = grp.getgrgid(group), pwd.getpwuid(os.getuid())
    except KeyError:
        return False
    return found.gr_name == user.pw_name and set(found.gr_mem) <= {user.pw_name}


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


class DamagedError(Exception):
    """A file that isn't what was written."""


class EntryCache:
    """Cache of one entry point; numba loads from it and saves to it.

    Args:
        function: the entry point's Python function.
        folders: that may hold its file, the preferred one first.
    """

    def __init__(self, function: Callable[..., Any], folders: list[Path]) -> None:
        self._module = module_of(function)
        self._name = re.sub(r"[^\w.]", "", f"{self._module}.{function.__qualname__}")
        self._line = function.__code__.co_firstlineno
        self._folders = folders
        self._found: Any = None

    @cached_property
    def stamp(self) -> str | None:
        """Stamp of the sources; None if they can't be read.

        It is computed when code is looked up: while modules are being imported, which of them
        are loaded depends on where the import began.
        """
        try:
            return f"{stamp_of(self._module)} line {self._line}"
        except (OSError, UnicodeDecodeError):
            return None

    @property
    def can_keep(self) -> bool:
        """Whether compiled code finds sources to be stamped with and a folder."""
        return self.stamp is not None and any(is_writable(folder) for folder in self._folders)

    @property
    def cache_path(self) -> str:
        """Where the file is, or would be; numba shows it in statistics."""
        return str(self._folders[0]) if self._folders else ""

    def look_up(self, signature: Any, context: Any) -> bool:
        """Load the compiled code if there is any that fits; numba asks for it later."""
        self._found = self._load(signature, context)
        return self._found is not None

    def load_overload(self, _signature: Any, _context: Any) -> Any:
        """What `look_up` found, or None; for numba."""
        found, self._found = self._found, None
        return found

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write the result of a compilation; for numba."""
        if self.stamp is None:
            return
        try:
            content = self._pack(signature, result)
            name = self._file_name(result.codegen)
        except Exception as error:  # numba may pack results in another way one day
            _warn(f"compiled code can't be kept ({_words(error)})")
            return
        errors = list(self._write(name, content))
        if len(errors) == len(self._folders):
            reason = _words(errors[0]) if errors else "there is no folder for it"
            _warn(f"compiled code can't be kept ({reason})")

    def flush(self) -> None:
        """Forget what was loaded; for numba."""
        self._found = None

    def _load(self, signature: Any, context: Any) -> Any:
        if self.stamp is None:
            return None
        try:
            context.refresh()
            name = self._file_name(context.codegen())
        except Exception as error:
            _warn(f"compiled code can't be looked up ({_words(error)})")
            return None
        damaged = None
        for folder in self._folders:
            try:
                payload = self._unpack(signature, (folder / name).read_bytes())
                if payload is not None:
                    return _rebuild(context, payload)
            except OSError:  # it isn't there, or this user may not read it
                continue
            except Exception as error:  # a damaged file can fail in any way
                damaged = f"{folder / name} can't be used ({_words(error)})"
        if damaged is not None:
            _warn(damaged)
        return None

    def _file_name(self, codegen: Any) -> str:
        """Different for each machine, interpreter, backend and option of the compiler."""
        options = (numba.config.BOUNDSCHECK, numba.config.OPT)
        target = (sys.implementation.cache_tag, codegen.magic_tuple(), BACKEND, options)
        return f"{self._name}-{hashlib.sha256(repr(target).encode()).hexdigest()[:12]}{SUFFIX}"

    def _pack(self, signature: Any, result: Any) -> bytes:
        from numba.core.serialize import dumps

        if result.library.has_dynamic_globals:
            raise ValueError("it holds addresses of this process")
        payload: bytes = dumps(result._reduce())
        return _MAGIC + self._key(signature) + hashlib.sha256(payload).digest() + payload

    def _key(self, signature: Any) -> bytes:
        """What tells code of other sources before it is unpacked."""
        return hashlib.sha256(repr((self.stamp, str(signature))).encode()).digest()

    def _unpack(self, signature: Any, content: bytes) -> Any:
        """What `_rebuild` takes, or None if it was compiled from other sources."""
        middle = len(_MAGIC) + _DIGEST_BYTES
        start = middle + _DIGEST_BYTES
        key, digest, payload = content[len(_MAGIC) : middle], content[middle:start], content[start:]
        if content.startswith(_MAGIC) and len(key) == _DIGEST_BYTES and key != self._key(signature):
            return None
        if not content.startswith(_MAGIC) or hashlib.sha256(payload).digest() != digest:
            raise DamagedError("it is damaged")
        return pickle.loads(payload)

    def _write(self, name: str, content: bytes) -> Iterator[OSError]:
        """Write to the first folder that takes it; yields the errors of those before."""
        for folder in self._folders:
            try:
                with whole_file(folder / name) as path:
                    path.write_bytes(content)
            except OSError as error:
                yield error
            else:
                remove_drafts(folder, _ABANDONED)
                return


def _rebuild(context: Any, reduced: Any) -> Any:
    from numba.core.compiler import CompileResult

    return CompileResult._rebuild(context, *reduced)


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__


def _warn(problem: str) -> None:
    warn_once("cache", f"{problem}: rules are compiled anew")


def use_cache(dispatcher: Any) -> EntryCache | None:
    """Let an entry point be cached, if its sources are files.

    Returns:
        The cache, None where there is none.
    """
    function = dispatcher.py_func
    source = Path(function.__code__.co_filename)
    if function.__closure__ or not source.is_file() or not hasattr(dispatcher, "_cache"):
        return None
    try:
        read_sources(module_of(function))
    except (OSError, UnicodeDecodeError):
        return None
    dispatcher._cache = EntryCache(function, folders_for(source))
    return dispatcher._cache  # type: ignore[no-any-return]


def cache_folder() -> Path | None:
    """The folder that takes compiled code of this package, None if none does or none is made."""
    folders = [] if BACKEND == "python" else folders_for(Path(__file__))
    return next((folder for folder in folders if is_writable(folder)), None)


def cached_files() -> list[Path]:
    """Files with compiled code of this package, up to date or not."""
    folders = folders_for(Path(__file__))
    return sorted(path for folder in folders for path in folder.glob(f"*{SUFFIX}"))


class GuardedCache:
    """A cache of numba's that misses, with one warning, where it would fail.

    Args:
        cache: that of a dispatcher.
    """

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Compiled code or None; for numba."""
        try:
            return self._cache.load_overload(signature, context)
        except Exception as error:  # a damaged file can fail in any way
            _warn_of_kernels(error)
            with suppress(Exception):
                self._cache.flush()
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write compiled code; for numba."""
        try:
            self._cache.save_overload(signature, result)
        except Exception as error:
            _warn_of_kernels(error)


def use_kernel_cache(dispatcher: Any, kernel: Callable[..., Any]) -> None:
    """Let numba cache a kernel, where it finds a folder.

    Args:
        dispatcher: of `numba.cuda.jit`.
        kernel: its Python function.
    """
    without = dispatcher._cache
    try:
        _check_folder(Path(kernel.__code__.co_filename))
        dispatcher.enable_caching()
        if not is_trusted(Path(dispatcher._cache.cache_path)):
            raise OSError("others can write to its folder")
        # Numba alone doesn't notice a change in the rules.
        dispatcher._cache._cache_file._source_stamp = stamp_of(module_of(kernel))
    except Exception as error:
        dispatcher._cache = without
        _warn_of_kernels(error)
    else:
        dispatcher._cache = GuardedCache(dispatcher._cache)


def _check_folder(source: Path) -> None:
    """Refuse what numba takes for a folder named `~`."""
    given = numba.config.CACHE_DIR
    if given.startswith("~"):
        raise OSError(f"NUMBA_CACHE_DIR={given} is not a path")
    if not given and user_folder() is None and not os.access(source.parent, os.W_OK):
        raise OSError("there is no folder for it")


def _warn_of_kernels(error: Exception) -> None:
    reason = _words(error)
    warn_once("kernel cache", f"compiled kernels can't be kept ({reason}): compiled anew")
