"""Loads the programs in `examples`, which belong to no package."""

import importlib.util
import os
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(EXAMPLES.parent)}
"""For programs that run as processes: they find the package beside `examples`."""


def load(name):
    """A fresh module of a program; dataclasses look it up in `sys.modules` for their help."""
    path = EXAMPLES / f"{name}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module
