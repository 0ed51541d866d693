"""The cache of compiled code: nothing is compiled twice, and nothing it meets is an error."""

import errno
import importlib
import os
import pickle
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numba
import pytest

from catan_pz import files
from catan_pz.kernels import cache, folders, notices, stamp
from catan_pz.kernels.backend import BACKEND
from catan_pz.kernels.notices import compile_hook

pytestmark = pytest.mark.skipif(BACKEND == "python", reason="nothing is compiled")

SOURCE = """
from catan_pz.kernels.rule import entry, kernel

@kernel
def double(n: int) -> int:
    return 2 * n

@entry
def double_twice(n: int) -> int:
    return double(double(n))
"""


class Toy:
    """A module with an entry point, loaded anew as by new processes.

    Attributes:
        compiled: entry points compiled so far.
        source: its file.
        home: where it is cached.
    """

    def __init__(self, folder: Path, home: Path) -> None:
        self.source = folder / "toy_rules.py"
        self.source.write_text(SOURCE)
        self.home = home
        self.compiled: list[str] = []

    def start(self) -> int:
        """Load it, call it, and return how many entry points that compiled."""
        self.load()
        return self.call()

    def load(self, first: str = "toy_rules") -> None:
        """Import it anew, with all that is called toy.

        Args:
            first: the module that is imported first.
        """
        for known in (stamp.stamp_of, stamp.read_sources, stamp._read):
            known.cache_clear()
        for name in [name for name in sys.modules if name.startswith("toy_")]:
            del sys.modules[name]
        importlib.import_module(first)

    def call(self) -> int:
        """Call it, and return how many entry points that compiled."""
        before = len(self.compiled)
        with compile_hook(self.compiled.append):
            assert sys.modules["toy_rules"].double_twice(5) == self.answer
        return len(self.compiled) - before

    answer = 20

    def files(self) -> list[Path]:
        return sorted(self.home.rglob("toy_rules*"))


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Toy]:
    """The toy, cached in a folder of its own by NUMBA_CACHE_DIR."""
    home = tmp_path / "cache"
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(home))
    # Python takes what it has compiled for current where size and second of the source agree.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(notices, "_warned", set())
    (tmp_path / "sources").mkdir()
    monkeypatch.syspath_prepend(tmp_path / "sources")
    yield Toy(tmp_path / "sources", home)
    for name in [name for name in sys.modules if name.startswith("toy_")]:
        del sys.modules[name]


def test_a_cached_start_compiles_nothing(toy: Toy, caplog) -> None:
    assert [toy.start() for _ in range(3)] == [1, 0, 0]
    assert len(toy.files()) == 1
    assert caplog.messages == []


def test_an_edit_is_compiled_and_takes_the_place_of_what_was_cached(toy: Toy, caplog) -> None:
    toy.start()
    toy.source.write_text(SOURCE.replace("2 * n", "3 * n"))
    toy.answer = 45
    assert [toy.start() for _ in range(2)] == [1, 0]
    assert len(toy.files()) == 1
    assert caplog.messages == []


@pytest.fixture
def circle(toy: Toy) -> Path:
    """The toy in a circle of imports; the one module that it imports by way of that circle.

    When the circle is entered by `toy_table`, that module isn't loaded yet when the entry
    point is decorated.
    """
    toy.source.write_text(f"import toy_table\n{SOURCE}")
    toy.source.with_name("toy_table.py").write_text("import toy_rules\nimport toy_numbers\n")
    last = toy.source.with_name("toy_numbers.py")
    last.write_text("TWO = 2\n")
    return last


def test_the_order_of_imports_does_not_matter(toy: Toy, circle: Path) -> None:
    compiled = []
    for first in ("toy_rules", "toy_table", "toy_rules"):
        toy.load(first)
        compiled.append(toy.call())
    assert compiled == [1, 0, 0]


@pytest.mark.parametrize("first", ["toy_rules", "toy_table"])
def test_an_edit_is_compiled_whatever_was_imported_first(
    toy: Toy, circle: Path, first: str
) -> None:
    compiled = []
    for number in (2, 3, 3):
        circle.write_text(f"TWO = {number}\n")
        toy.load(first)
        compiled.append(toy.call())
    assert compiled == [1, 1, 0]


def test_an_edit_between_import_and_call_is_not_taken_for_what_was_imported(toy: Toy) -> None:
    toy.load()
    toy.source.write_text(SOURCE.replace("2 * n", "3 * n"))
    assert toy.call() == 1
    toy.answer = 45
    assert [toy.start() for _ in range(2)] == [1, 0]


def test_sources_that_are_gone_at_the_call_are_compiled_and_not_cached(
    toy: Toy, circle: Path, caplog
) -> None:
    toy.load("toy_table")
    circle.unlink()
    assert toy.call() == 1
    assert caplog.messages == []
    assert toy.files() == []


def test_options_of_the_compiler_are_cached_apart(toy: Toy, monkeypatch) -> None:
    toy.start()
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    assert [toy.start() for _ in range(2)] == [1, 0]
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", None)
    assert toy.start() == 0
    assert len(toy.files()) == 2


def test_an_entry_point_without_a_file_is_compiled_and_not_cached(toy: Toy, caplog) -> None:
    space = {"__name__": "toy_rules"}
    exec(SOURCE, space)
    with compile_hook(toy.compiled.append):
        assert space["double_twice"](5) == 20
    assert toy.compiled == ["double_twice"]
    assert caplog.messages == []
    assert toy.files() == []


def sealed(payload: bytes) -> bytes:
    return cache._MAGIC + cache.hashlib.sha256(payload).digest() + payload


def foreign_code(content: bytes) -> bytes:
    """A whole file whose code is none."""
    start = len(cache._MAGIC) + 32
    stamped, signature, _ = pickle.loads(content[start:])
    return sealed(pickle.dumps((stamped, signature, ("no", "code"))))


def flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DAMAGES = {
    "empty": lambda content: b"",
    "one byte": lambda content: content[:1],
    "heading alone": lambda content: content[: len(cache._MAGIC)],
    "truncated": lambda content: content[:-1],
    "half": lambda content: content[: len(content) // 2],
    "longer": lambda content: content + b"x",
    "a bit flipped": flipped,
    "zeros": lambda content: bytes(len(content)),
    "text": lambda content: b"This is no compiled code.\n" * 100,
    "another pickle": lambda content: pickle.dumps({"a": 1}),
    "no pickle": lambda content: sealed(b"no pickle"),
    "nothing in it": lambda content: sealed(b""),
    "a pickle of something else": lambda content: sealed(pickle.dumps(7)),
    "a class that isn't there": lambda content: sealed(b"cno_such_module\nThing\n."),
    "code that is none": foreign_code,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_told_once_and_replaced(toy: Toy, damage: str, caplog) -> None:
    toy.start()
    (path,) = toy.files()
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert toy.start() == 1
    (said,) = caplog.messages
    assert str(path) in said
    assert "compiled anew" in said
    assert [toy.start() for _ in range(2)] == [0, 0]
    assert len(caplog.messages) == 1


def test_a_folder_in_the_place_of_the_file_is_told_once(toy: Toy, caplog) -> None:
    toy.start()
    (path,) = toy.files()
    path.unlink()
    path.mkdir()
    assert [toy.start() for _ in range(2)] == [1, 1]
    assert len(caplog.messages) == 1


def test_a_file_in_the_place_of_the_folder_is_told_once(toy: Toy, caplog) -> None:
    toy.home.write_text("in the way")
    assert [toy.start() for _ in range(2)] == [1, 1]
    (said,) = caplog.messages
    assert "can't be" in said


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
def test_a_folder_that_takes_no_file_is_told_once(toy: Toy, code: int, monkeypatch, caplog) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(files.tempfile, "mkstemp", refuse)
    assert [toy.start() for _ in range(2)] == [1, 1]
    (said,) = caplog.messages
    assert os.strerror(code) in said


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_a_disk_that_fills_up_leaves_no_half_file(toy: Toy, caplog) -> None:
    import resource
    import signal

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, before[1]))
    try:
        compiled = [toy.start() for _ in range(2)]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert compiled == [1, 1]
    assert [path for path in toy.home.rglob("*") if path.is_file()] == []
    assert len(caplog.messages) == 1
    assert [toy.start() for _ in range(2)] == [1, 0]


def test_numba_that_packs_results_in_another_way_is_told_once(
    toy: Toy, monkeypatch, caplog
) -> None:
    monkeypatch.delattr("numba.core.compiler.CompileResult._reduce")
    assert [toy.start() for _ in range(2)] == [1, 1]
    assert len(caplog.messages) == 1


@pytest.fixture
def without_option(toy: Toy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Toy:
    """The toy without NUMBA_CACHE_DIR, in an empty working directory, with a home."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    (tmp_path / "work").mkdir()
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    toy.home = toy.source.parent / "__pycache__"
    return toy


def test_the_cache_lies_beside_the_source(without_option: Toy, tmp_path: Path, caplog) -> None:
    assert [without_option.start() for _ in range(2)] == [1, 0]
    assert len([path for path in without_option.files() if path.suffix == cache.SUFFIX]) == 1
    assert caplog.messages == []


@pytest.mark.skipif(sys.platform != "linux", reason="as on Linux")
def test_it_lies_in_the_users_cache_where_the_source_can_not_be_written_to(
    without_option: Toy, tmp_path: Path, caplog
) -> None:
    without_option.home.write_text("in the way of a folder")
    assert [without_option.start() for _ in range(2)] == [1, 0]
    (path,) = (tmp_path / "home").rglob(f"toy_rules*{cache.SUFFIX}")
    assert path.is_relative_to(tmp_path / "home" / ".cache" / "numba")
    assert caplog.messages == []


@pytest.mark.skipif(sys.platform != "linux", reason="as on Linux")
@pytest.mark.parametrize("home", ["missing", "relative", "unwritable"])
def test_without_any_folder_it_is_told_once(
    without_option: Toy, home: str, monkeypatch, tmp_path: Path, caplog
) -> None:
    without_option.home.write_text("in the way of a folder")
    if home == "missing":  # as for a user that the system doesn't know

        def expanduser(_path: str) -> str:
            return "~/.cache"

        monkeypatch.setattr(os.path, "expanduser", expanduser)
    elif home == "relative":
        monkeypatch.setenv("HOME", "here")
    else:
        (tmp_path / "home").rmdir()
        (tmp_path / "home").write_text("no folder")
    assert [without_option.start() for _ in range(2)] == [1, 1]
    assert len(caplog.messages) == 1
    assert list((tmp_path / "work").iterdir()) == []


def test_a_tilde_in_the_option_is_the_home(
    without_option: Toy, monkeypatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "~/kept")
    assert [without_option.start() for _ in range(2)] == [1, 0]
    assert list((tmp_path / "home" / "kept").rglob("toy_rules*"))
    assert list((tmp_path / "work").iterdir()) == []


def test_a_tilde_without_a_home_is_told_once(
    without_option: Toy, monkeypatch, tmp_path, caplog
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "~nobody-of-this-name/kept")
    assert [without_option.start() for _ in range(2)] == [1, 1]
    assert len(caplog.messages) == 1
    assert list((tmp_path / "work").iterdir()) == []


def test_what_others_wrote_is_used_where_this_user_can_not_write(
    toy: Toy, monkeypatch, caplog
) -> None:
    toy.start()

    def refuse(*_args: object, **_options: object) -> None:
        raise PermissionError(errno.EACCES, "no")

    monkeypatch.setattr(files.tempfile, "mkstemp", refuse)
    assert toy.start() == 0
    assert caplog.messages == []


def test_processes_that_write_at_once_leave_a_whole_file(toy: Toy, caplog) -> None:
    toy.start()
    (path,) = toy.files()
    content = path.read_bytes()
    (known,) = [cache.EntryCache(lambda: None, [path.parent])]
    stop = threading.Event()
    seen: set[bytes] = set()

    def write() -> None:
        while not stop.is_set():
            assert list(known._write(path.name, content)) == []

    writers = [threading.Thread(target=write) for _ in range(3)]
    for writer in writers:
        writer.start()
    for _ in range(300):
        seen.add(path.read_bytes())
    stop.set()
    for writer in writers:
        writer.join()
    assert seen == {content}
    assert toy.files() == [path]
    assert toy.start() == 0


def test_what_killed_processes_left_is_removed_in_time(toy: Toy) -> None:
    toy.start()
    (path,) = toy.files()
    old, young = (path.with_name(f".toy.{name}.draft.code") for name in ("old", "young"))
    for draft in (old, young):
        draft.write_bytes(b"half")
    os.utime(old, (0, 0))
    toy.source.write_text(SOURCE + "# edited")
    assert toy.start() == 1
    assert sorted(path.parent.iterdir()) == [young, path]


def test_folders_of_the_package_and_of_others() -> None:
    inside = [Path(cache.__file__), Path(notices.__file__).parents[1] / "runtime" / "game.py"]
    assert folders.folders_for(inside[0]) == folders.folders_for(inside[1])
    others = [Path("/one/rules.py"), Path("/two/rules.py")]
    assert folders.folders_for(others[0]) != folders.folders_for(others[1])
