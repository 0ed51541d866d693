"""What the Makefile sets up, with a Python that only notes what it is asked for."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(
    os.name == "nt" or shutil.which("make") is None, reason="takes make and a shell"
)

PYTHON = """#!/bin/sh
case "$*" in
  "-m venv "*)
    mkdir -p "$3/bin"
    cp "$0" "$3/bin/python"
    test ! -e interrupted || exit 1
    touch "$3/pip"
    ;;
  "-m pip --version") test -e .venv/pip ;;
  "-m pip install "*)
    test -e .venv/pip || exit 1
    echo "begin" >> log
    sleep 0.2
    echo "end" >> log
    ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "a checkout"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    python = folder / "my python"
    python.write_text(PYTHON, encoding="utf-8")
    python.chmod(0o755)
    return folder


def called(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Make as a user calls it: a `make test` around it would have it tell of folders."""
    command = ["make", f"PYTHON={checkout / 'my python'}", *words]
    environment = {key: value for key, value in os.environ.items() if "MAKE" not in key}
    return subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, text=True, check=False
    )


def make(checkout: Path, *words: str) -> int:
    return called(checkout, *words).returncode


def test_what_is_set_up_stays(checkout: Path) -> None:
    for _ in range(2):
        assert make(checkout, ".venv/.train-installed") == 0
        assert (checkout / "log").read_text().split() == ["begin", "end"]


def test_an_environment_that_was_interrupted_is_made_to_the_end(checkout: Path) -> None:
    (checkout / "interrupted").touch()
    assert make(checkout, ".venv/.train-installed") != 0
    assert not (checkout / ".venv/.train-installed").exists()
    (checkout / "interrupted").unlink()
    assert make(checkout, ".venv/.train-installed") == 0


def test_one_pip_at_a_time_installs(checkout: Path) -> None:
    assert make(checkout, "-j2", ".venv/.train-installed", ".venv/.docs-installed") == 0
    assert (checkout / "log").read_text().split() == ["begin", "end"] * 2


def test_help_lists_every_target_that_says_what_it_does(checkout: Path) -> None:
    told = called(checkout).stdout
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    targets = [line.split(":")[0] for line in lines if "  ## " in line]
    assert [line.split()[:2] for line in told.splitlines()] == [["make", name] for name in targets]
