"""The source files of pages, and templates filled from them."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from catan_pz.files import resource

PAGES: Final = resource("catan_pz.web", "pages")


@cache
def content(name: str) -> str:
    """The text of a file."""
    return (PAGES / name).read_text(encoding="utf-8")


def joined(names: Sequence[str], ending: str) -> str:
    """Several files of one kind, concatenated."""
    return "".join(content(f"{name}.{ending}") for name in names)


def filled(page: str, parts: Mapping[str, str]) -> str:
    """A page with its placeholders in double braces filled."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], page)
