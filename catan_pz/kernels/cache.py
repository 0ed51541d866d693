"""Compiled code on disk: one file for each entry point, checked as a whole when it is read.

Whatever is wrong with the files or with their folder, the entry points are compiled without
them, and one line says so.
"""

import hashlib
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numba

from catan_pz.files import remove_drafts, whole_file
from catan_pz.kernels.backend import BACKEND
from catan_pz.kernels.folders import folders_for, is_writable
from catan_pz.kernels.notices import warn_once
from catan_pz.kernels.stamp import module_of, read_sources, stamp_of

SUFFIX: Final = ".code"
_MAGIC: Final = b"catan-pz compiled code 1\n"
_DIGEST_BYTES: Final = 32
_ABANDONED: Final = 3600.0
"""Seconds after which a file that is still half written was left by a killed process."""


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
        payload: bytes = dumps((self.stamp, str(signature), result._reduce()))
        return _MAGIC + hashlib.sha256(payload).digest() + payload

    def _unpack(self, signature: Any, content: bytes) -> Any:
        """What `_rebuild` takes, or None if it was compiled from other sources."""
        start = len(_MAGIC) + _DIGEST_BYTES
        digest, payload = content[len(_MAGIC) : start], content[start:]
        if not content.startswith(_MAGIC) or hashlib.sha256(payload).digest() != digest:
            raise DamagedError("it is damaged")
        stamp, compiled_for, reduced = pickle.loads(payload)
        return reduced if (stamp, compiled_for) == (self.stamp, str(signature)) else None

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
