"""Which backend is taken for which numba, and what is said of it."""

import os
import subprocess
import sys

import pytest

from catan_pz.kernels import backend, notices
from catan_pz.kernels.backend import choose_backend, is_tested

PROGRAM = """
import numba
numba.__version__ = {version!r}
from catan_pz.kernels.backend import BACKEND
import catan_pz.batch.calls, catan_pz.game.calls
print(BACKEND)
"""


def start(version: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A process that thinks it has some version of numba."""
    kept = {k: v for k, v in os.environ.items() if k not in (backend.VARIABLE, "NUMBA_DISABLE_JIT")}
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(version=version)],
        env=kept | variables,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("version", "tested"),
    [
        ("0.61.2", False),
        ("0.62.0", True),
        ("0.62.1", True),
        ("0.68.1", True),
        ("0.69.0", False),
        ("0.69.0rc1", False),
        ("0.68.0rc1", True),
        ("0.70.0dev0+12.gabc", False),
        ("1.0", False),
        ("unknown", False),
    ],
)
def test_tested_versions(version: str, tested: bool) -> None:
    assert is_tested(version) is tested


@pytest.mark.parametrize("version", ["0.61.0", "0.68.1", "9.9"])
@pytest.mark.parametrize("forced", ["fast", "plain"])
def test_either_backend_can_be_forced(forced: str, version: str, caplog) -> None:
    assert choose_backend(forced, version) == forced
    assert caplog.messages == []


@pytest.mark.parametrize("forced", [None, ""])
def test_the_version_decides_otherwise(forced, monkeypatch, caplog) -> None:
    monkeypatch.setattr(notices, "_warned", set())
    assert choose_backend(forced, "0.68.1") == "fast"
    assert caplog.messages == []
    assert choose_backend(forced, "0.61.2") == "plain"
    assert choose_backend(forced, "0.61.2") == "plain"
    (said,) = caplog.messages
    assert "numba 0.61.2 is outside the tested versions 0.62 to 0.68" in said


def test_a_value_that_names_no_backend_is_refused() -> None:
    with pytest.raises(ValueError, match=r"CATAN_PZ_COMPILER='quick' is not .* fast or plain"):
        choose_backend("quick", "0.68.1")


def test_other_versions_get_the_plain_backend_and_one_line() -> None:
    version = "0.61.2"
    done = start(version)
    assert done.stdout == "plain\n"
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"catan-pz: numba {version} is outside the tested versions")
    forced = start(version, CATAN_PZ_COMPILER="plain")
    assert (forced.stdout, forced.stderr) == ("plain\n", "")


def test_without_compilation_there_is_no_backend_and_nothing_said() -> None:
    done = start("0.99.0", NUMBA_DISABLE_JIT="1")
    assert (done.stdout, done.stderr) == ("python\n", "")
    wrong = start("0.99.0", NUMBA_DISABLE_JIT="1", CATAN_PZ_COMPILER="quick")
    assert wrong.returncode == 1
    assert wrong.stderr.endswith(
        "ValueError: CATAN_PZ_COMPILER='quick' is not possible; allowed: fast or plain\n"
    )


def test_the_plain_backend_imports_nothing_of_the_fast_one() -> None:
    program = (
        "import sys, pkgutil, importlib, catan_pz.batch.cpu\n"
        "import catan_pz.agents.search.search_calls\n"
        "print([name for name in sys.modules if name.startswith('catan_pz.kernels.fast')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "CATAN_PZ_COMPILER": "plain"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"
