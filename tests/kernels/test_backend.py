"""Which backend is taken for which numba, and what is said of it."""

import os
import subprocess
import sys

import pytest

from catan_pz.kernels import backend, notices
from catan_pz.kernels.backend import choose_backend, is_tested

PROGRAM = """
import sys, numba
numba.__version__ = "0.61.2"
import catan_pz.batch.cpu, catan_pz.agents.search.search_calls
from catan_pz.kernels.backend import BACKEND
print(BACKEND, [name for name in sys.modules if name.startswith("catan_pz.kernels.fast")])
"""


@pytest.mark.parametrize(
    ("version", "tested"),
    [
        ("0.61.2", False),
        ("0.62.0", True),
        ("0.68.1", True),
        ("0.68.0rc1", True),
        ("0.69.0rc1", False),
        ("0.70.0dev0+12.gabc", False),
        ("1.0", False),
        ("unknown", False),
    ],
)
def test_tested_versions(version: str, tested: bool) -> None:
    assert is_tested(version) is tested


def test_the_version_decides_unless_a_backend_is_forced(monkeypatch, caplog) -> None:
    monkeypatch.setattr(notices, "_told", set())
    assert {choose_backend("fast", version) for version in ("0.61.0", "0.68.1")} == {"fast"}
    assert {choose_backend("plain", version) for version in ("0.61.0", "0.68.1")} == {"plain"}
    assert choose_backend(None, "0.68.1") == choose_backend("", "0.68.1") == "fast"
    assert caplog.messages == []
    assert [choose_backend(forced, "0.61.2") for forced in (None, "")] == ["plain"] * 2
    (said,) = caplog.messages
    assert "numba 0.61.2 is outside the tested versions 0.62 to 0.68" in said
    with pytest.raises(ValueError, match=r"CATAN_PZ_COMPILER.*'quick'"):
        choose_backend("quick", "0.68.1")


def test_other_versions_get_the_plain_backend_and_one_line() -> None:
    """Nothing of the fast one is imported then."""
    unset = (backend.VARIABLE, "NUMBA_DISABLE_JIT")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={name: value for name, value in os.environ.items() if name not in unset},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "plain []\n"
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("catan-pz: numba 0.61.2 is outside the tested versions")


def digests(name: str) -> str:
    """Digests of all that batches and games hold, by one backend."""
    return subprocess.run(
        [sys.executable, "-m", "tests.batch.simulated", "compiled"],
        env={**os.environ, backend.VARIABLE: name},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.slow
@pytest.mark.skipif(backend.BACKEND != "fast", reason="there is one backend alone")
def test_both_backends_give_the_same_bytes() -> None:
    by_plain = digests("plain")
    assert len(by_plain) > 200
    assert digests("fast") == by_plain
