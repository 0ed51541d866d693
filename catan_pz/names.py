"""Names of agents and players as they are shown: printable, on one line, of limited length."""

import re
from collections.abc import Iterable, Sequence
from typing import Final
from unicodedata import east_asian_width

LONGEST: Final = 80
"""Characters that are shown of a name, where nothing else is said."""

_ELLIPSIS: Final = "…"
_HTML: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_MARKUP: Final = re.compile(r"[\\`*\[\]|~$&<>]|(?<![^\W_])_|_(?![^\W_])")
"""Characters with a meaning in Markdown; an underscore only at the edge of a word."""


def printable(text: str) -> str:
    r"""Text with an escape such as `\x1b` for each character that isn't printable."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def columns_of(text: str) -> int:
    """Columns that printable text takes in a terminal at most: two for each wide letter."""
    return sum(map(_columns, text))


def cut(text: str, columns: int) -> str:
    """The beginning of a text, cut to fit a number of columns of a terminal."""
    left = columns
    for k, c in enumerate(text):
        left -= _columns(c)
        if left < 0:
            return text[:k]
    return text


def _columns(letter: str) -> int:
    # Marks that go upon a letter count, too: a name may hold any number of them.
    return 2 if east_asian_width(letter) in "WF" else 1


def shown(name: str, longest: int = LONGEST) -> str:
    """A name as text for any output; what is too long ends in an ellipsis.

    Takes no longer for longer names, and leaves what it has given as it is.
    """
    text = printable(name[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + _ELLIPSIS


def seat_names(names: Sequence[str] | None, seats: int) -> list[str]:
    """Names of seats: "Player 0" and so on where they have none.

    The seat's number comes after a name that others bear too.
    """
    if names is None:
        return [f"Player {seat}" for seat in range(seats)]
    texts = list(map(shown, names))
    return [text if texts.count(text) == 1 else f"{text} {k}" for k, text in enumerate(texts)]


def labels(names: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    """For each of some different names the text that stands for it, different for each."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        label = text = shown(name, longest)
        number = 1
        while label in taken:
            number += 1
            label = f"{text} ({number})"
        taken.add(label)
        found[name] = label
    return found


def markdown(text: str) -> str:
    """Text of one line for Markdown, where it looks like itself; also in a cell of a table."""
    return _MARKUP.sub(lambda found: _HTML.get(found[0], f"\\{found[0]}"), printable(text))


def plotted(text: str) -> str:
    """Text for matplotlib, which takes what stands between dollar signs for formulas."""
    return printable(text).replace("$", r"\$")
