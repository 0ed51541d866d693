"""The command `catan-pz`: play, watch, compare, train and measure from a terminal."""

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default the program's own, and return its exit status."""
    from catan_pz.cli.app import run

    return run(arguments)
