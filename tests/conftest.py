"""Marks shared by whole folders of tests."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PURE_PYTHON = ("cli", "render", "notation", "ui")
"""Folders whose tests play few decisions: quick with NUMBA_DISABLE_JIT=1 as well."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that cover the rules where compiled code is switched off."""
    for item in items:
        if item.path.relative_to(HERE).parts[0] in PURE_PYTHON:
            item.add_marker(pytest.mark.purepython)


@pytest.fixture(autouse=True, scope="session")
def interrupts_are_heard() -> Iterator[None]:
    """A shell lets programs in the background ignore Ctrl-C, and all that they start too."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
