"""Shared setup of all tests: marks of whole folders, and parallel runs."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PURE_PYTHON = ("cli", "render", "rules", "play")
"""Folders whose tests play few decisions: quick with NUMBA_DISABLE_JIT=1 as well."""

# Networks in tests are small: threads slow them down, and parallel workers take a core each.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_configure(config: pytest.Config) -> None:
    """Compile everything once before parallel workers start, so that none of them does."""
    is_worker = hasattr(config, "workerinput")
    if config.getoption("numprocesses", None) and not is_worker and not config.option.collectonly:
        subprocess.run([sys.executable, "-m", "tests.compile_all"], cwd=HERE.parent, check=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that cover the rules with compiled code switched off."""
    for item in items:
        if item.path.relative_to(HERE).parts[0] in PURE_PYTHON:
            item.add_marker(pytest.mark.purepython)


@pytest.fixture(autouse=True, scope="session")
def interrupts_are_heard() -> Iterator[None]:
    """Enable Ctrl-C, which background programs of a shell and their children ignore."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def modes_of_drafts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The permissions of each file when it replaces another."""
    modes = []
    replace_as_ever = Path.replace

    def replace(draft: Path, target: Path) -> Path:
        modes.append(draft.stat().st_mode & 0o777)
        return replace_as_ever(draft, target)

    monkeypatch.setattr(Path, "replace", replace)
    return modes
