"""Games recorded elsewhere, read from files and checked by our rules: `read`."""

from catan_pz.tables.records.playing import Disagreement, ReadGame, Report
from catan_pz.tables.records.reading import read

__all__ = ["Disagreement", "ReadGame", "Report", "read"]
