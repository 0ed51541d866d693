import string
import xml.etree.ElementTree as ET

import pytest

from catan_pz.render.lettering import text, text_width


@pytest.mark.parametrize(
    "sign", string.ascii_letters + string.digits + string.punctuation + "–×✓✗…·"
)
def test_alphabet_has(sign: str) -> None:
    unknown = ET.fromstring(text(0, 0, "\u2603", size=20, fill="black")).get("d")
    assert ET.fromstring(text(0, 0, sign, size=20, fill="black")).get("d") != unknown


def test_words_can_be_read_back() -> None:
    assert ET.fromstring(text(0, 0, '<"&', size=9, fill="red")).get("aria-label") == '<"&'


def test_width_grows_with_size_and_words() -> None:
    assert text_width("longest road", 20) == pytest.approx(2 * text_width("longest road", 10))
    assert text_width("roads", 10) > text_width("road", 10)
    assert text_width("", 10) == 0


def test_long_lines_are_cut() -> None:
    cut = ET.fromstring(text(0, 0, "a long line", size=10, fill="red", max_width=30))
    words = cut.get("aria-label") or ""
    assert words.endswith("…")
    assert text_width(words, 10) <= 30


def test_blank_text_draws_nothing() -> None:
    assert text(0, 0, "  ", size=10, fill="red") == ""
