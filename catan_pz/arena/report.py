"""Reports: a result as a file of tables or a plot."""

import os
from pathlib import Path
from typing import Final

from catan_pz.arena.plots import plot
from catan_pz.arena.results import Result
from catan_pz.arena.tables import to_csv, to_markdown
from catan_pz.checks import not_possible
from catan_pz.files import whole_file

TABLES: Final = {".md": to_markdown, ".csv": to_csv}
"""What makes the text of a file, by the ending of its name."""

PLOTS: Final = (".png", ".svg")
"""Endings of the names of plots."""


def save_report(result: Result, path: str | os.PathLike[str]) -> Path:
    """Write a result as tables or as a plot, as the file's name says; whole or not at all.

    Args:
        result: the result.
        path: ends with .md, .csv, .png or .svg (the last two are plots).

    Returns:
        The path.

    Raises:
        ValueError: for any other ending.
        ImportError: for a plot without matplotlib.
    """
    target = Path(path)
    if target.suffix in TABLES:
        content = TABLES[target.suffix](result).encode("utf-8")
    elif target.suffix in PLOTS:
        content = plot(result, target.suffix[1:])
    else:
        endings = ", ".join([*TABLES, *PLOTS])
        raise not_possible("path", str(path), f"a name that ends with one of {endings}")
    with whole_file(target) as draft:
        draft.write_bytes(content)
    return target
