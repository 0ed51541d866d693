"""The command `catan-pz`: play, watch, compare, train and measure from a terminal."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

INTERRUPTED: Final = 130
"""Exit status after Ctrl-C, as shells have it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default the program's own, and return its exit status."""
    # Read when NumPy is loaded. Models are small: on their products threads only cost time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from catan_pz.cli.app import run

        return run(arguments)
    except KeyboardInterrupt:  # also while modules load or an error is printed
        with suppress(OSError, ValueError, AttributeError):  # standard error may be closed
            sys.stderr.write("Interrupted.\n")
        return INTERRUPTED
