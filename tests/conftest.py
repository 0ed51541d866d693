"""Marks shared by whole folders of tests."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
PURE_PYTHON = ("cli", "render", "notation")
"""Folders whose tests play few decisions: quick with NUMBA_DISABLE_JIT=1 as well."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that cover the rules where compiled code is switched off."""
    for item in items:
        if item.path.relative_to(HERE).parts[0] in PURE_PYTHON:
            item.add_marker(pytest.mark.purepython)
