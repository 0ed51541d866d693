"""Stamps know every source that is compiled into an entry point, and no other."""

import ast
import importlib
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import catan_pz
from catan_pz.kernels import stamp
from catan_pz.kernels.backend import BACKEND
from catan_pz.kernels.rule import Entry, rules_called_by
from catan_pz.kernels.stamp import sources_of

PACKAGE = Path(catan_pz.__file__).parent
OPTIONAL = ("catan_pz.cli", "catan_pz.batch.cuda")


def modules() -> list[str]:
    """Names of all modules that load without optional libraries."""
    found = []
    for module in pkgutil.walk_packages([str(PACKAGE)], "catan_pz."):
        if module.name.startswith(OPTIONAL):
            continue
        try:
            importlib.import_module(module.name)
        except ImportError:
            continue
        found.append(module.name)
    return found


def imports_of(path: Path) -> set[str]:
    """Modules of the package that a file imports at its top level, read by Python's parser."""
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in found if name.startswith("catan_pz") and name in sys.modules}


def test_imports_are_read_as_python_reads_them() -> None:
    for name in modules():
        path = Path(sys.modules[name].__file__)
        known = {i for i in stamp._read(path).imported if i.startswith("catan_pz")}
        assert {i for i in known if i in sys.modules} == imports_of(path), name


@pytest.mark.parametrize(
    ("text", "imported"),
    [
        ("from a.b import c, d as e\n", {"a.b", "a.b.c", "a.b.d"}),
        ("from a import (  # of a (first)\n    b,\n    c,  # (last)\n)\n", {"a", "a.b", "a.c"}),
        ("import a.b as c, d\nimport e", {"a.b", "d", "e"}),
        ("x = 1\n\ndef f():\n    import a\n    from b import c\n", set()),
    ],
)
def test_forms_of_imports(text: str, imported: set[str], tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(text)
    assert set(stamp._read(path).imported) == imported


@pytest.mark.skipif(BACKEND == "python", reason="nothing is compiled")
def test_every_room_with_compiled_code_is_known_to_the_stamp() -> None:
    packages = set()
    for name in modules():
        for thing in vars(sys.modules[name]).values():
            if isinstance(thing, Entry) and thing.dispatcher.py_func.__module__ == name:
                known = set(sources_of(name))
                compiled = [thing.dispatcher, *rules_called_by(thing.dispatcher.py_func)]
                files = {Path(called.py_func.__code__.co_filename) for called in compiled}
                assert files <= known, name
                assert set((PACKAGE / "kernels").rglob("*.py")) <= known
                packages |= {path.relative_to(PACKAGE).parts[0] for path in files}
    assert {"engine", "observation", "belief", "game", "agents"} <= packages


def test_rooms_above_change_no_stamp() -> None:
    importlib.import_module("catan_pz.game.calls")
    packages = {path.relative_to(PACKAGE).parts[0] for path in sources_of("catan_pz.game.calls")}
    assert packages.isdisjoint({"agents", "arena", "cli", "env", "render", "play"})


def test_a_module_without_sources_has_no_stamp(monkeypatch, tmp_path: Path) -> None:
    toy = type(sys)("toy_without_source")
    monkeypatch.setitem(sys.modules, toy.__name__, toy)
    toy.__file__ = str(tmp_path / "missing.py")
    with pytest.raises(OSError, match=r"missing\.py"):
        stamp.stamp_of(toy.__name__)


@pytest.fixture(scope="module")
def copied(tmp_path_factory) -> Path:
    """A copy of the package to edit."""
    folder = tmp_path_factory.mktemp("copied")
    shutil.copytree(PACKAGE, folder / "catan_pz", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.skipif(BACKEND == "python", reason="nothing is compiled")
def test_agents_have_the_same_stamps_in_any_order_of_imports() -> None:
    found = set()
    for names in (("value", "search"), ("search", "value")):
        program = (
            "from catan_pz import agents\n"
            f"for name in {names}:\n    agents.load(name)\n"
            "from catan_pz.agents.search import search_calls\n"
            "from catan_pz.kernels.rule import Entry\n"
            "entries = [e for e in vars(search_calls).values() if isinstance(e, Entry)]\n"
            "print({entry.__name__: entry._cache.stamp for entry in entries})"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        found.add(done.stdout)
    assert len(found) == 1, found


def stamps(folder: Path) -> list[str]:
    """Stamps of single games, of batches and of agents, by the package in a folder."""
    names = ["game.calls", "batch.calls", "agents.compiled"]
    program = (
        "import importlib\nfrom catan_pz.kernels.stamp import stamp_of\n"
        f"for name in {names}:\n"
        "    importlib.import_module(f'catan_pz.{name}')\n"
        "    print(stamp_of(f'catan_pz.{name}'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("edited", "changed"),
    [
        ("engine/robber.py", [True, True, True]),
        ("kernels/types.py", [True, True, True]),
        ("batch/calls.py", [False, True, False]),
        ("agents/heuristic/trade.py", [False, False, True]),
    ],
)
def test_an_edit_in_a_called_rule_changes_the_stamp(copied: Path, edited: str, changed) -> None:
    before = stamps(copied)
    path = copied / "catan_pz" / edited
    path.write_text(path.read_text("utf-8") + "\n# An edit.\n", "utf-8")
    after = stamps(copied)
    assert [a != b for a, b in zip(before, after, strict=True)] == changed
