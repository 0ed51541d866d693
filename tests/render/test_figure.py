import xml.etree.ElementTree as ET

import pytest

from catan_pz.render.figure import figure_svg
from catan_pz.render.overlay import Overlay
from tests.render import positions
from tests.render.test_svg import SVG, classes


def words(svg: str) -> list[str]:
    return [e.get("aria-label", "") for e in ET.fromstring(svg).iter(f"{SVG}path")]


@pytest.mark.parametrize(("ids", "count"), [("vertices", 54), ("edges", 72), ("hexes", 19)])
def test_ids_stand_at_their_places(ids: str, count: int) -> None:
    svg = figure_svg(positions.midgame(), ids=ids)
    assert {str(k) for k in range(count)} <= set(words(svg))
    assert classes(ET.fromstring(svg))["panel"] == 0
    with pytest.raises(ValueError, match="vertices, edges, hexes"):
        figure_svg(positions.midgame(), ids="places")


def test_a_colour_bar_stands_beside_numbers() -> None:
    overlay = Overlay(vertices={10: 2.0, 30: 8.0}, relative=True)
    svg = figure_svg(positions.midgame(), overlay=overlay)
    assert words(svg)[-3:] == ["2", "5", "8"]
    wide, high = (float(ET.fromstring(svg).get(name, "0")) for name in ("width", "height"))
    assert wide > high
