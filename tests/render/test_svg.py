import copy
import string
import xml.etree.ElementTree as ET
from collections import Counter
from typing import Any

import pytest

from catan_pz.render.geometry import trail
from catan_pz.render.lettering import text
from catan_pz.render.svg import board_svg
from tests.render import draw_examples, positions

SVG = "{http://www.w3.org/2000/svg}"


def classes(root: ET.Element) -> Counter[str]:
    return Counter(e.get("class", "") for e in root.iter())


def labels(state: positions.State, **options: Any) -> list[str]:
    root = ET.fromstring(board_svg(state, **options))
    return [e.get("aria-label", "") for e in root.iter(f"{SVG}path") if e.get("aria-label")]


@pytest.mark.parametrize("phase", positions.PHASES)
@pytest.mark.parametrize("viewer", [None, 0])
def test_every_phase_is_well_formed(phase: str, viewer: int | None) -> None:
    root = ET.fromstring(board_svg(positions.in_phase(phase), viewer=viewer, last_action="<&>"))
    assert root.tag == f"{SVG}svg"
    assert classes(root)["panel status"] == 1


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_each_piece_once(num_players: int) -> None:
    state = positions.played(num_players, 1)
    root = ET.fromstring(board_svg(state))
    drawn = Counter(
        (e.get("class"), e.get("data-edge") or e.get("data-vertex"))
        for e in root.iter(f"{SVG}g")
        if e.get("class", "").partition(" ")[0] in ("road", "settlement", "city")
    )
    expected = Counter(
        (f"{name} seat-{seat}", str(place))
        for seat, player in enumerate(state["players"])
        for name, key in (("road", "roads"), ("settlement", "settlements"), ("city", "cities"))
        for place in player[key]
    )
    assert drawn == expected


def test_board_is_complete() -> None:
    state = positions.midgame()
    root = ET.fromstring(board_svg(state))
    hexes = [e for e in root.iter(f"{SVG}g") if e.get("class", "").startswith("hex ")]
    assert [e.get("class") for e in hexes] == [
        f"hex {h['terrain']}" for h in state["board"]["hexes"]
    ]
    harbors = [e for e in root.iter(f"{SVG}g") if e.get("class", "").startswith("harbor ")]
    assert [(e.get("data-edge"), e.get("class")) for e in harbors] == [
        (str(h["edge"]), f"harbor {h['resource'] or 'any'}") for h in state["board"]["harbors"]
    ]
    robbers = [e.get("data-hex") for e in root.iter(f"{SVG}g") if e.get("class") == "robber"]
    assert robbers == [str(state["robber"])]


def test_needs_no_font_id_or_link() -> None:
    root = ET.fromstring(board_svg(positions.with_offer(), last_action="Player 0 rolled 8"))
    tags = {e.tag.removeprefix(SVG) for e in root.iter()}
    assert tags <= {"svg", "g", "path", "rect", "circle", "ellipse", "line", "polygon"}
    assert not any("id" in e.attrib or "href" in e.attrib for e in root.iter())


def test_offer_and_answers_are_told() -> None:
    words = labels(positions.with_offer(), viewer=0)
    assert "✓ accepts" in words
    assert "✗ rejects" in words
    assert "Player 1 closes the trade or withdraws" in words


def test_bounds_for_others_numbers_for_oneself() -> None:
    state = positions.midgame()
    words = labels(state, viewer=1)
    assert any("–" in w and w[0].isdigit() for w in words)
    assert not any("–" in w and w[0].isdigit() for w in labels(state))


WRONG: list[tuple[list[str | int], Any]] = [
    (["board", "hexes", 3, "terrain"], "sea"),
    (["robber"], "1"),
    (["phase"], "<x>"),
    (["dice"], ["<", 1]),
    (["players", 0, "roads"], [99]),
    (["winner"], 9),
]


@pytest.mark.parametrize(("path", "value"), WRONG)
def test_wrong_entries_are_told_as_those_of_the_state(path: list[str | int], value: Any) -> None:
    state: Any = copy.deepcopy(positions.midgame())
    entry = state
    for key in path[:-1]:
        entry = entry[key]
    entry[path[-1]] = value
    with pytest.raises(ValueError, match="state: an entry is missing or wrong"):
        board_svg(state)


def test_pictures_of_the_documentation_are_up_to_date() -> None:
    for name, svg in draw_examples.pictures().items():
        assert (draw_examples.IMAGES / name).read_text(encoding="utf-8") == svg


@pytest.mark.parametrize("seed", range(4))
def test_longest_road_is_marked_in_full(seed: int) -> None:
    state = positions.played(4, seed)
    for seat, player in enumerate(state["players"]):
        others = [p for s, p in enumerate(state["players"]) if s != seat]
        blocked = frozenset(v for p in others for v in p["settlements"] + p["cities"])
        length = player["road_length"]
        marked = trail(tuple(player["roads"]), blocked, length)
        assert len(set(marked)) == len(marked) == length
        assert set(marked) <= set(player["roads"])
        assert trail(tuple(player["roads"]), blocked, length + 1) == ()


def test_names_of_seats() -> None:
    state = positions.midgame()
    words = labels(state, names=["Ann", "heuristic", "heuristic", "a name that is far too long"])
    assert {"Ann", "heuristic 1", "heuristic 2", "heuristic 1 may trade, build and buy"} <= set(
        words
    )
    assert any(w.startswith("a name that") and w.endswith("…") for w in words)
    with pytest.raises(ValueError, match="names must be None or one for each of 4 seats"):
        board_svg(state, names=["Ann"])


def test_the_alphabet_is_complete() -> None:
    def drawn(sign: str) -> str | None:
        return ET.fromstring(text(0, 0, sign, size=20, fill="black")).get("d")

    signs = string.ascii_letters + string.digits + string.punctuation + "–×✓✗…·"
    assert [sign for sign in signs if drawn(sign) == drawn("\u2603")] == []
