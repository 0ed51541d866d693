"""The cache of compiled code: nothing is compiled twice, and nothing it meets is an error."""

import errno
import hashlib
import importlib
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import pytest

from catan_pz.kernels import cache, notices, stamp
from catan_pz.kernels.backend import BACKEND
from catan_pz.kernels.cache import use_kernel_cache
from catan_pz.kernels.notices import MESSAGE, NOT_KEPT, announce, compile_hook

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
    """A module with an entry point, loaded anew as by new processes."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.source = folder / "toy_rules.py"
        self.source.write_text(SOURCE)
        self.home = home
        self.compiled: list[str] = []

    def start(self, answer: int = 20) -> int:
        """Load it, call it, and return how many entry points that compiled."""
        stamp._content.cache_clear()
        sys.modules.pop("toy_rules", None)
        module: Any = importlib.import_module("toy_rules")
        before = len(self.compiled)
        with compile_hook(self.compiled.append):
            assert module.double_twice(5) == answer
        return len(self.compiled) - before

    def files(self) -> list[Path]:
        return sorted(self.home.rglob(f"toy_rules*{cache.SUFFIX}"))


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Toy]:
    """The toy, cached in a folder of its own by NUMBA_CACHE_DIR."""
    home = tmp_path / "cache"
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(home))
    # Python takes what it has compiled for current where size and second of the source agree.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(notices, "_told", set())
    (tmp_path / "sources").mkdir()
    monkeypatch.syspath_prepend(tmp_path / "sources")
    yield Toy(tmp_path / "sources", home)
    sys.modules.pop("toy_rules", None)


def test_a_cached_start_compiles_nothing(toy: Toy, caplog) -> None:
    assert [toy.start() for _ in range(3)] == [1, 0, 0]
    assert len(toy.files()) == 1
    assert caplog.messages == []


def test_an_edit_is_compiled_and_takes_the_place_of_what_was_cached(toy: Toy, caplog) -> None:
    toy.start()
    toy.source.write_text(SOURCE.replace("2 * n", "3 * n"))
    assert [toy.start(45) for _ in range(2)] == [1, 0]
    assert len(toy.files()) == 1
    assert caplog.messages == []


def test_code_that_checks_bounds_is_cached_apart(toy: Toy, monkeypatch) -> None:
    toy.start()
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    assert [toy.start() for _ in range(2)] == [1, 0]
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", None)
    assert toy.start() == 0
    assert len(toy.files()) == 2


def test_an_entry_point_without_a_file_is_compiled_and_not_cached(toy: Toy, caplog) -> None:
    space: dict[str, Any] = {"__name__": "toy_rules"}
    exec(SOURCE, space)
    with compile_hook(toy.compiled.append):
        assert space["double_twice"](5) == 20
    assert toy.compiled == ["double_twice"]
    assert caplog.messages == []
    assert toy.files() == []


def foreign_code(content: bytes) -> bytes:
    """A whole file whose code is none."""
    payload = pickle.dumps(("no", "code"))
    return content[:32] + hashlib.sha256(payload).digest() + payload


DAMAGES = {"truncated": lambda content: content[:-1], "other content": foreign_code}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_told_once_and_replaced(toy: Toy, damage: str, caplog) -> None:
    toy.start()
    (path,) = toy.files()
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert [toy.start() for _ in range(3)] == [1, 0, 0]
    (said,) = caplog.messages
    assert str(path) in said
    assert "compiled anew" in said


def test_a_folder_that_takes_no_file_is_told_once(toy: Toy, monkeypatch, caplog) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(cache, "write_bytes", refuse)
    assert [toy.start() for _ in range(2)] == [1, 1]
    (said,) = caplog.messages
    assert os.strerror(errno.ENOSPC) in said


def test_code_can_be_kept_where_a_folder_is_or_can_be_made(toy: Toy, tmp_path: Path) -> None:
    kept = cache.EntryCache(toy.start)
    assert kept.can_keep
    assert not toy.home.exists()
    (tmp_path / "file").touch()
    kept._folders = [tmp_path / "file" / "below"]
    assert not kept.can_keep


@pytest.mark.skipif(sys.platform != "linux", reason="as on Linux")
def test_it_lies_beside_the_source_or_else_in_the_users_cache(
    toy: Toy, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    toy.home = toy.source.parent / "__pycache__"
    assert [toy.start() for _ in range(2)] == [1, 0]
    (path,) = toy.files()
    path.unlink()
    toy.home.rmdir()
    toy.home.write_text("in the way of a folder")
    assert [toy.start() for _ in range(2)] == [1, 0]
    (path,) = (tmp_path / "home").rglob(f"toy_rules*{cache.SUFFIX}")
    assert path.is_relative_to(tmp_path / "home" / "numba")
    assert caplog.messages == []


def test_folders_of_the_package_and_of_others() -> None:
    inside = [Path(cache.__file__), Path(notices.__file__).parents[1] / "game" / "game.py"]
    assert cache.folders_for(inside[0]) == cache.folders_for(inside[1])
    others = [Path("/one/rules.py"), Path("/two/rules.py")]
    assert cache.folders_for(others[0]) != cache.folders_for(others[1])


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="there are no such permissions")
@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_code_is_never_taken_from_a_folder_that_others_can_write_to(
    mode: int, toy: Toy, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_is_own_group", lambda _group: False)
    toy.start()
    (path,) = toy.files()
    path.parent.chmod(mode)
    assert toy.start() == 1
    assert f"{path.parent} belongs to others or can be written to by them" in caplog.messages[0]


@pytest.fixture
def prebuilt(toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of compiled code that came with the package, with the toy's in it."""
    folder = tmp_path / "prebuilt"
    monkeypatch.setattr(cache, "PREBUILT", folder)
    toy.start()
    (path,) = toy.files()
    folder.mkdir()
    (folder / "target").write_text(" ".join(cache.own_target()))
    path.rename(folder / f"toy_rules.double_twice{cache.SUFFIX}")
    return folder


def test_compiled_code_that_came_with_the_package_is_taken_as_it_is(
    toy: Toy, prebuilt: Path, caplog
) -> None:
    before = {path: path.read_bytes() for path in prebuilt.iterdir()}
    assert [toy.start() for _ in range(2)] == [0, 0]
    assert {path: path.read_bytes() for path in prebuilt.iterdir()} == before
    assert toy.files() == []
    assert caplog.messages == []


@pytest.mark.parametrize("made_for", ["", "{} +no-such-feature", "win95 {}"])
def test_code_for_another_processor_or_interpreter_is_compiled_here(
    toy: Toy, prebuilt: Path, made_for: str
) -> None:
    (prebuilt / "target").write_text(made_for.format(" ".join(cache.own_target())))
    assert [toy.start() for _ in range(2)] == [1, 0]


def test_code_of_other_rules_or_without_checks_of_bounds_is_compiled_here(
    toy: Toy, prebuilt: Path, monkeypatch
) -> None:
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", 1)
    assert toy.start() == 1
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", None)
    toy.source.write_text(SOURCE.replace("2 * n", "3 * n"))
    assert [toy.start(45) for _ in range(2)] == [1, 0]


def test_damaged_code_that_came_with_the_package_is_told_once(
    toy: Toy, prebuilt: Path, caplog
) -> None:
    path = prebuilt / f"toy_rules.double_twice{cache.SUFFIX}"
    path.write_bytes(foreign_code(path.read_bytes()))
    assert [toy.start() for _ in range(2)] == [1, 0]
    (said,) = caplog.messages
    assert str(path) in said


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="there are no such permissions")
def test_code_that_others_could_have_put_into_the_package_is_not_taken(
    toy: Toy, prebuilt: Path, caplog
) -> None:
    prebuilt.chmod(0o777)
    assert toy.start() == 1
    assert f"{prebuilt} belongs to others or can be written to by them" in caplog.messages[0]


@pytest.mark.parametrize(("is_kept", "message"), [(True, MESSAGE), (False, NOT_KEPT)])
def test_the_first_compilation_prints_a_line_and_a_terminal_shows_how_far_it_is(
    is_kept: bool, message: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    one_line = notices._OneLine()
    monkeypatch.setattr(notices, "_one_line", one_line)
    monkeypatch.setattr(notices, "_hooks", [one_line])
    for _ in range(2):
        announce("deal_game", is_kept=is_kept)
    assert capsys.readouterr().err == f"{message}\n"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    announce("play", is_kept=is_kept)
    assert capsys.readouterr().err == f"\r\x1b[K{message}: entry point 3, play, after 0 s"


def test_hooks_are_replaced_for_a_while(capsys: Any) -> None:
    heard: list[str] = []
    with compile_hook(heard.append):
        announce("a")
        with compile_hook(None):
            announce("b")
        announce("c")
    assert heard == ["a", "c"]
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_the_first_run_says_that_it_compiles_and_the_second_nothing(tmp_path: Path) -> None:
    for said in (f"{MESSAGE}\n", ""):
        done = subprocess.run(
            [sys.executable, "-c", "from catan_pz import Game\nGame(seed=1).step(2 + 72)"],
            capture_output=True,
            text=True,
            check=True,
            env={"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)},
        )
        assert done.stderr == said


class FakeKernel:
    """A dispatcher of a CUDA kernel with numba's cache, which fails where an error is set."""

    error: Exception | None = None

    def enable_caching(self) -> None:
        file = SimpleNamespace(_source_stamp="numba's")
        self._cache = SimpleNamespace(
            _cache_file=file, load_overload=self.load, save_overload=self.load, flush=self.load
        )

    def load(self, signature: Any = None, context: Any = None) -> Any:
        if self.error:
            raise self.error
        return signature


def test_numbas_cache_of_kernels_is_stamped_and_fails_with_a_warning_alone(
    toy: Toy, caplog
) -> None:
    made: Any = FakeKernel()
    use_kernel_cache(made, foreign_code)
    assert isinstance(made._cache, SimpleNamespace)  # numba asks for the class of its own
    assert made._cache._cache_file._source_stamp == stamp.stamp_of(foreign_code)
    assert made._cache.load_overload("found", None) == "found"
    made.error = OSError("full")
    for _ in range(2):
        assert made._cache.load_overload("a", None) is None
        made._cache.save_overload("a", None)
    assert len(caplog.messages) == 1
