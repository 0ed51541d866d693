import re
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from catan_pz.render.svg import board_svg
from tests.render import positions

pytest.importorskip("resvg_py")

from catan_pz.render.image import _on_white, _raster, svg_to_rgb


def test_pixels_have_the_shape_asked_for() -> None:
    svg = board_svg(positions.midgame(), width=560)
    assert svg_to_rgb(svg).shape == (370, 560, 3)
    picture = svg_to_rgb(svg, 280)
    assert picture.shape == (185, 280, 3)
    assert picture.dtype == np.uint8
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 500


def test_layers_add_up_to_the_whole_picture() -> None:
    svg = board_svg(positions.with_offer(), viewer=0, width=560)
    whole = _on_white(_raster(svg, None)).astype(int)
    for _ in range(2):  # freshly drawn, then from the cache
        difference = np.abs(svg_to_rgb(svg) - whole)
        assert difference.mean() < 0.05
        assert (difference > 24).mean() < 1e-4


def test_a_plain_svg() -> None:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="2">'
        '<rect width="2" height="2" fill="#ff0000"/></svg>'
    )
    picture = svg_to_rgb(svg)
    assert picture[0].tolist() == [[255, 0, 0]] * 2 + [[255, 255, 255]] * 2
    assert svg_to_rgb(svg, 8).shape == (4, 8, 3)


@pytest.mark.parametrize("width", [0, 10_001])
def test_a_width_that_cannot_be(width: Any) -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="2"/>'
    with pytest.raises(ValueError, match="width"):
        svg_to_rgb(svg, width)
    with pytest.raises(ValueError, match="20000 pixels wide"):
        svg_to_rgb(svg.replace('"4"', '"20000"'))
    with pytest.raises(ValueError, match=r"0\.3 pixels wide; pixels are drawn from 1"):
        svg_to_rgb(board_svg(positions.midgame(), width=0.3))


def test_no_module_needs_a_library_to_be_imported() -> None:
    for folder in ("render", "play"):
        for path in (files("catan_pz") / folder).iterdir():
            if path.name.endswith(".py"):
                found = re.findall(r"^(?:from|import) (\w+)", path.read_text(), re.MULTILINE)
                assert not {"PIL", "pygame", "resvg_py"} & {*found}, path.name
