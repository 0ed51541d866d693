"""The command `catan-pz`: play, watch, compare, train and measure from a terminal."""

import os
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default the program's own, and return its exit status."""
    # Read when NumPy is loaded. Models are small: on their products threads only cost time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from catan_pz.cli.app import run

    return run(arguments)
