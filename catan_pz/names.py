"""Display names of agents and players: printable, on one line, of limited length."""

import re
from collections.abc import Iterable, Sequence
from typing import Final
from unicodedata import east_asian_width

LONGEST: Final = 80
"""The default number of characters displayed of a name."""

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
    """The most columns of printable text in a terminal: two for each wide letter."""
    return sum(map(_columns, text))


def cut(text: str, columns: int) -> str:
    """The beginning of a text that fits a number of terminal columns."""
    left = columns
    for k, c in enumerate(text):
        left -= _columns(c)
        if left < 0:
            return text[:k]
    return text


def _columns(letter: str) -> int:
    # Combining marks count too: a name may hold any number of them.
    return 2 if east_asian_width(letter) in "WF" else 1


def shown(name: str, longest: int = LONGEST) -> str:
    """A name as text for any output; a long name ends in an ellipsis.

    It takes no longer for longer names, and leaves its own results unchanged.
    """
    text = printable(name[: longest + 1])
    return text if len(text) <= longest else text[: longest - 1] + _ELLIPSIS


def seat_names(names: Sequence[str] | None, seats: int) -> list[str]:
    """Names of seats, by default "Player 0" and so on.

    The seat's number is appended to repeated names.
    """
    if names is None:
        return [f"Player {seat}" for seat in range(seats)]
    texts = list(map(shown, names))
    return [text if texts.count(text) == 1 else f"{text} {k}" for k, text in enumerate(texts)]


def labels(names: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    """A distinct label for each of some distinct names."""
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
    """Escape text of one line for Markdown, also for a table cell."""
    return _MARKUP.sub(lambda found: _HTML.get(found[0], f"\\{found[0]}"), printable(text))


def plotted(text: str) -> str:
    """Escape text for matplotlib, which reads text between dollar signs as formulas."""
    return printable(text).replace("$", r"\$")
