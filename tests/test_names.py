"""Names as they are shown."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catan_pz.names import columns_of, cut, labels, markdown, plotted, seat_names, shown

ANY = st.text(st.characters(exclude_categories=()))
"""Lone surrogates too."""


@given(ANY, st.integers(2, 100))
def test_any_name_is_shown_on_one_printable_line_of_limited_length(name: str, longest: int) -> None:
    text = shown(name, longest)
    assert text.isprintable()
    assert len(text) <= longest
    assert shown(text, longest) == text
    text.encode("utf-8")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("heuristic", "heuristic"),
        ("Zoë 李 🎲", "Zoë 李 🎲"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("two\nlines", r"two\nlines"),
        ("\ud800", r"\ud800"),
        ("\u202egpj", r"\u202egpj"),
        ("a" * 80, "a" * 80),
        ("a" * 81, "a" * 79 + "…"),
        ("\x1b" * 21, r"\x1b" * 19 + r"\x1…"),
    ],
)
def test_what_is_shown(name: str, text: str) -> None:
    assert shown(name) == text


class Guarded(str):
    """A text that is never gone through as a whole."""

    __slots__ = ()

    def __iter__(self) -> Iterator[str]:
        raise AssertionError

    isprintable = __iter__  # type: ignore[assignment]


def test_long_names_take_no_longer() -> None:
    assert len(shown(Guarded("\x1b" * 10**6))) == 80


def test_names_that_look_alike_are_numbered() -> None:
    assert seat_names(None, 2) == ["Player 0", "Player 1"]
    assert seat_names(["a", "b", "a"], 3) == ["a 0", "b", "a 2"]
    assert seat_names(["\x1b", r"\x1b"], 2) == [r"\x1b 0", r"\x1b 1"]
    assert list(labels(["abcdef", "abcdeg", "x"], 4).values()) == ["abc…", "abc… (2)", "x"]


@given(st.lists(ANY, unique=True))
def test_labels_are_different(names: list[str]) -> None:
    found = labels(names, 4)
    assert list(found) == names
    assert len(set(found.values())) == len(names)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("heuristic", "heuristic"),
        ("my_agent-2", "my_agent-2"),
        ("_my_agent_", r"\_my_agent\_"),
        ("a|b", r"a\|b"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("**x** [y](z) `c` ~~d~~", r"\*\*x\*\* \[y\](z) \`c\` \~\~d\~\~"),
        (r"$\frac$", r"\$\\frac\$"),
        ("a\nb", r"a\\nb"),
    ],
)
def test_markdown(text: str, escaped: str) -> None:
    assert markdown(text) == escaped


@given(ANY)
def test_markup_and_formulas_of_any_name_can_be_written(name: str) -> None:
    assert markdown(name).isprintable()
    assert plotted(name).isprintable()
    assert plotted(r"$\frac$") == r"\$\frac\$"


def test_columns_of_a_terminal() -> None:
    assert [columns_of(text) for text in ("", "Ann", "山田", "가B")] == [0, 3, 4, 3]
    assert [cut("山田B", n) for n in range(6)] == ["", "", "山", "山", "山田", "山田B"]
    assert cut("Ann", 2) == "An"
