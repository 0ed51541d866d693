"""SVG pictures as arrays of pixels."""

import re
from collections.abc import Sequence
from functools import lru_cache
from io import BytesIO
from math import ceil, floor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.checks import check_count

Pixels = NDArray[np.uint8]

WIDEST_PIXELS: Final = 10_000
"""Pixels of the widest picture that isn't an SVG."""

_LAYER: Final = re.compile(r'<g class="layer" data-box="([^"]*)">')
_VIEW_BOX: Final = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_WIDTH: Final = re.compile(r'<svg[^>]*? width="([\d.]+)')
_LOWEST: Final = 3
"""Layers that are cached as one: the page, the board and the pieces."""

_MISSING: Final = (
    "drawing pixels needs resvg_py and pillow, which come with the extra `render`: "
    'pip install "catan-pz[render]"'
)


def svg_to_rgb(svg: str, width: int | None = None) -> Pixels:
    """Turn an SVG into an array (height, width, 3) of uint8 red, green, blue.

    `width` is in pixels, by default the SVG's; the height follows from it. Transparent pixels
    become white. In pictures from `board_svg`, layers that were drawn before come from a cache,
    so that only changed layers are rendered.
    """
    width = checked_width(svg, width)
    head, *layers = _LAYER.split(svg)
    view_box = _VIEW_BOX.search(head)
    if not layers or view_box is None:
        return _on_white(_raster(svg, width))
    wide, high = float(view_box[1]), float(view_box[2])
    columns = width or round(_stated_width(head) or wide)
    scale = columns / wide
    layers[-1] = layers[-1].removesuffix("</svg>")
    rows = max(1, round(high * scale))
    picture = _lowest(tuple(layers[: 2 * _LOWEST]), rows, columns, scale).copy()
    _paste_all(picture, layers[2 * _LOWEST :], scale)
    return picture


def checked_width(svg: str, width: int | None) -> int | None:
    """Check a width in pixels, since the renderer ends the process when out of memory."""
    if width is not None:
        return check_count("width", width, 1, WIDEST_PIXELS)
    stated = _stated_width(svg)
    if stated is not None and not 1 <= stated <= WIDEST_PIXELS:
        raise ValueError(
            f"the SVG is {stated:g} pixels wide; pixels are drawn from 1 to {WIDEST_PIXELS}: "
            "give a width"
        )
    return None


def _stated_width(svg: str) -> float | None:
    """An SVG's stated width in pixels, None if it has none."""
    stated = _WIDTH.search(svg)
    return float(stated[1]) if stated else None


@lru_cache(maxsize=4)
def _lowest(layers: tuple[str, ...], rows: int, columns: int, scale: float) -> Pixels:
    """The lowest layers of a picture, which change least often."""
    picture = np.full((rows, columns, 3), 255, np.uint8)
    _paste_all(picture, layers, scale)
    return picture


def _paste_all(picture: Pixels, layers: Sequence[str], scale: float) -> None:
    """Blend layers into a picture, in place; `layers` alternates boxes and bodies."""
    for box, body in zip(layers[::2], layers[1::2], strict=True):
        _paste(picture, box, f"<g>{body}", scale)


def _paste(picture: Pixels, box: str, drawn: str, scale: float) -> None:
    """Blend a layer into its box of the picture, in place."""
    x, y, width, height = (float(value) * scale for value in box.split())
    rows, columns, _ = picture.shape
    left, top = max(0, floor(x)), max(0, floor(y))
    right, bottom = min(columns, ceil(x + width)), min(rows, ceil(y + height))
    if right <= left or bottom <= top:
        return
    color, weight = _layer(drawn, scale, left, top, right - left, bottom - top)
    target = picture[top:bottom, left:right]
    if weight is None:
        target[:] = color
        return
    blended = target * (255 - weight)
    blended += color
    blended += 127
    blended //= 255
    target[:] = blended


@lru_cache(maxsize=64)
def _layer(
    drawn: str, scale: float, left: int, top: int, width: int, height: int
) -> tuple[NDArray[np.uint16] | Pixels, NDArray[np.uint16] | None]:
    """A layer's colours times opacity (0 to 65025), and its opacity (h, w, 1; 0 to 255).

    For a fully opaque layer: its plain colours and None.
    """
    view_box = " ".join(repr(value / scale) for value in (left, top, width, height))
    raster = _raster(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="{view_box}" preserveAspectRatio="none">{drawn}</svg>',
        None,
    )
    if raster[..., 3].min() == 255:
        return raster[..., :3], None
    weight = raster[..., 3:].astype(np.uint16)
    return raster[..., :3] * weight, weight


def _on_white(raster: Pixels) -> Pixels:
    weight = raster[..., 3:].astype(np.uint16)
    blended = raster[..., :3] * weight + 255 * (255 - weight) + 127
    return (blended // 255).astype(np.uint8)


def _raster(svg: str, width: int | None) -> Pixels:
    """An SVG as an array (height, width, 4) of uint8, not multiplied by opacity."""
    png = drawn_png(svg, width)
    from PIL import Image

    return np.asarray(Image.open(BytesIO(png)).convert("RGBA"))


def drawn_png(svg: str, width: int | None) -> bytes:
    """An SVG as PNG."""
    try:
        import PIL  # noqa: F401
        import resvg_py
    except ImportError as missing:
        raise ImportError(_MISSING) from missing
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width, skip_system_fonts=True))
