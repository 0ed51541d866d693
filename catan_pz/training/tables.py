"""Rows of figures by name as tables."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any


def as_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Rows that have the same names as a table with a line for each; there must be one."""
    text = io.StringIO()
    table = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()
