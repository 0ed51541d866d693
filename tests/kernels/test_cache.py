"""The cache of compiled code: nothing is compiled twice, and nothing it meets is an error."""

import errno
import importlib
import os
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import numba
import pytest

from catan_pz.kernels import cache, notices, stamp
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


def foreign_code(content: bytes) -> bytes:
    """A whole file whose code is none."""
    head, payload = content[: len(cache._MAGIC) + 32], pickle.dumps(("no", "code"))
    return head + cache.hashlib.sha256(payload).digest() + payload


DAMAGES = {"truncated": lambda content: content[:-1], "other content": foreign_code}


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


def test_a_folder_that_takes_no_file_is_told_once(toy: Toy, monkeypatch, caplog) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(cache, "whole_file", refuse)
    assert [toy.start() for _ in range(2)] == [1, 1]
    (said,) = caplog.messages
    assert os.strerror(errno.ENOSPC) in said


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


def test_a_tilde_in_the_option_is_the_home(
    without_option: Toy, monkeypatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "~/kept")
    assert [without_option.start() for _ in range(2)] == [1, 0]
    assert list((tmp_path / "home" / "kept").rglob("toy_rules*"))
    assert list((tmp_path / "work").iterdir()) == []


def test_folders_of_the_package_and_of_others() -> None:
    inside = [Path(cache.__file__), Path(notices.__file__).parents[1] / "runtime" / "game.py"]
    assert cache.folders_for(inside[0]) == cache.folders_for(inside[1])
    others = [Path("/one/rules.py"), Path("/two/rules.py")]
    assert cache.folders_for(others[0]) != cache.folders_for(others[1])


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="there are no such permissions")
def test_code_is_never_taken_from_a_folder_that_others_can_write_to(
    toy: Toy, monkeypatch, tmp_path: Path, caplog
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "private"))
    toy.start()
    (path,) = toy.files()
    path.parent.chmod(0o777)
    assert [toy.start() for _ in range(2)] == [1, 0]
    (said,) = caplog.messages
    assert f"{path.parent} belongs to others or can be written to by them" in said
    assert list((tmp_path / "private").rglob("toy_rules*"))
