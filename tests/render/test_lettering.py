import string
import xml.etree.ElementTree as ET

import pytest

from catan_pz.render.lettering import text, text_width


def drawn(words: str) -> str | None:
    return ET.fromstring(text(0, 0, words, size=20, fill="black")).get("d")


def test_the_alphabet_is_complete() -> None:
    signs = string.ascii_letters + string.digits + string.punctuation + "–×✓✗…·"
    assert [sign for sign in signs if drawn(sign) == drawn("\u2603")] == []


def test_width_grows_with_size_and_words() -> None:
    assert text_width("longest road", 20) == pytest.approx(2 * text_width("longest road", 10))
    assert text_width("roads", 10) > text_width("road", 10)
    assert text_width("", 10) == 0


def test_long_lines_are_cut() -> None:
    cut = ET.fromstring(text(0, 0, "a long line", size=10, fill="red", max_width=30))
    words = cut.get("aria-label") or ""
    assert words.endswith("…")
    assert text_width(words, 10) <= 30
