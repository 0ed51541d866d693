import copy
import xml.etree.ElementTree as ET
from collections import Counter
from typing import Any

import pytest

from catan_pz.board.topology import EDGE_VERTICES
from catan_pz.render.geometry import VERTEX_POSITIONS, edge_ends, trail
from catan_pz.render.palette import SEATS
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


def test_width() -> None:
    root = ET.fromstring(board_svg(positions.midgame(), width=560))
    assert (root.get("width"), root.get("height")) == ("560", "370")
    for width in (0, float("inf")):
        with pytest.raises(ValueError, match="width must be a positive number"):
            board_svg(positions.midgame(), width=width)


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


def test_edges_are_drawn_between_their_vertices() -> None:
    for edge, (first, second) in enumerate(EDGE_VERTICES.tolist()):
        assert edge_ends(edge) == (VERTEX_POSITIONS[first], VERTEX_POSITIONS[second])
        (x1, y1), (x2, y2) = edge_ends(edge)
        assert (x2 - x1) ** 2 + (y2 - y1) ** 2 == pytest.approx(3600)


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


# Machado, Oliveira and Fernandes (2009), severity 1.0: what the three kinds of colour-blind
# people see, in linear RGB.
SIGHT = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deutan": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "tritan": ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304)),
}


def lab(color: str, sight: str) -> tuple[float, float, float]:
    """CIE L*a*b* of a hex colour as somebody sees it."""
    rgb = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    r, g, b = (
        min(1.0, max(0.0, sum(m * c for m, c in zip(row, linear, strict=True))))
        for row in SIGHT[sight]
    )
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("sight", SIGHT)
def test_seat_colors_stay_apart(sight: str) -> None:
    seen = [lab(seat.fill, sight) for seat in SEATS]
    for i, one in enumerate(seen):
        for other in seen[:i]:
            assert sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5 > 30


def test_names_of_seats() -> None:
    state = positions.midgame()
    words = labels(state, names=["Ann", "heuristic", "heuristic", "a name that is far too long"])
    assert {"Ann", "heuristic 1", "heuristic 2", "heuristic 1 may trade, build and buy"} <= set(
        words
    )
    assert any(w.startswith("a name that") and w.endswith("…") for w in words)
    with pytest.raises(ValueError, match="names must be None or one for each of 4 seats"):
        board_svg(state, names=["Ann"])
