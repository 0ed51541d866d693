"""Pictures and films as files: SVG, PNG, GIF, WebP, MP4. Files are written atomically."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.checks import check_count, not_possible
from catan_pz.files import whole_file, write_bytes
from catan_pz.render import palette as colors
from catan_pz.render.image import WIDEST_PIXELS, checked_width, drawn_png, svg_to_rgb

PICTURES: Final = (".svg", ".png")
FILMS: Final = (".gif", ".webp", ".mp4")

LONGEST: Final = 60
"""Longest duration of a film's picture, in seconds."""

_SHORTEST: Final = 0.001
_SHORTEST_IN_GIF: Final = 20
"""Milliseconds; viewers show shorter frames for 100."""

_NO_FFMPEG: Final = (
    'an MP4 needs the extra `video`: pip install "catan-pz[video]"; a .gif or .webp needs none'
)


def ffmpeg() -> str | None:
    """The program that writes MP4, from the extra `video`; None without it."""
    if not find_spec("imageio_ffmpeg"):
        return None
    import imageio_ffmpeg

    return str(imageio_ffmpeg.get_ffmpeg_exe())


def save_picture(svg: str, path: Path | str, width: int | None = None) -> None:
    """Write an SVG, such as from `board_svg`, as .svg or .png.

    `width` is the width of a PNG in pixels, by default the SVG's; a PNG needs the extra `render`.
    """
    path = Path(path)
    form = path.suffix.lower()
    if form not in PICTURES:
        raise ValueError(f"a picture ends in {' or '.join(PICTURES)}, not {path.suffix!r}: {path}")
    data = svg.encode() if form == ".svg" else drawn_png(svg, checked_width(svg, width))
    write_bytes(path, data)


def save_film(
    pictures: Iterable[str],
    path: Path | str,
    *,
    width: int = 840,
    seconds: float = 0.5,
    last_seconds: float = 3.0,
    shown: Callable[[], None] | None = None,
) -> int:
    """Write pictures in sequence as .gif, .webp or .mp4; returns their number.

    It needs the extra `render`, for an MP4 also `video`.

    Args:
        pictures: SVGs of one size, such as from `board_svg`.
        path: the file; its suffix chooses the format.
        width: width in pixels.
        seconds: duration of a picture, from 0.001 to `LONGEST`; in a GIF at least 0.02.
        last_seconds: duration of the last one.
        shown: called after each picture.
    """
    path = Path(path)
    form = path.suffix.lower()
    if form not in FILMS:
        raise ValueError(f"a film ends in {', '.join(FILMS)}, not {path.suffix!r}: {path}")
    for name, value in (("seconds", seconds), ("last_seconds", last_seconds)):
        if not _SHORTEST <= value <= LONGEST:
            raise not_possible(name, value, f"a number from {_SHORTEST} to {LONGEST}")
    check_count("width", width, 1, WIDEST_PIXELS)
    frames = _frames(pictures, width, shown)
    first = next(frames, None)
    if first is None:
        raise ValueError("a film has at least one picture")
    with whole_file(path) as draft:
        write = _write_mp4 if form == ".mp4" else _write_animation
        return write(chain((first,), frames), draft, seconds, last_seconds)


def _frames(
    pictures: Iterable[str], width: int, shown: Callable[[], None] | None
) -> Iterator[NDArray[np.uint8]]:
    for svg in pictures:
        yield svg_to_rgb(svg, width)
        if shown is not None:
            shown()


def _write_animation(
    frames: Iterator[NDArray[np.uint8]], path: Path, seconds: float, last_seconds: float
) -> int:
    from PIL import Image

    images = []
    palette = None
    for frame in frames:
        image = Image.fromarray(frame)
        if path.suffix == ".gif":
            palette = palette or _palette(image)
            image = image.quantize(palette=palette, dither=Image.Dither.NONE)
        images.append(image)
    times = [seconds] * (len(images) - 1) + [last_seconds]
    images[0].save(
        path,
        save_all=True,
        append_images=images[1:],
        duration=[max(_SHORTEST_IN_GIF, round(1000 * time)) for time in times],
        loop=0,
    )
    return len(images)


def _palette(first: Any) -> Any:
    """An image with a GIF's colours: all named ones, then the most frequent others.

    Otherwise colours of small symbols would be lost to those of large areas.
    """
    from PIL import Image

    named = sorted({*re.findall('"#([0-9A-F]{6})"', inspect.getsource(colors))})
    count = 256 - len(named)
    filling = first.quantize(count, method=Image.Quantize.MEDIANCUT).getpalette()
    palette = Image.new("P", (1, 1))
    palette.putpalette([*bytes.fromhex("".join(named)), *filling[: 3 * count]])
    return palette


def _write_mp4(
    frames: Iterator[NDArray[np.uint8]], path: Path, seconds: float, last_seconds: float
) -> int:
    try:
        import imageio_ffmpeg
    except ImportError as missing:
        raise ImportError(_NO_FFMPEG) from missing
    first = next(frames)
    height, width = first.shape[0] // 2 * 2, first.shape[1] // 2 * 2  # H.264 needs even sizes
    film = imageio_ffmpeg.write_frames(
        str(path),
        (width, height),
        fps=1 / seconds,
        codec="libx264",
        quality=None,
        macro_block_size=2,
        output_params=["-crf", "18", "-r", "30", "-movflags", "+faststart"],
    )
    film.send(None)
    count = 0
    try:
        for frame in chain((first,), frames):
            data = np.ascontiguousarray(frame[:height, :width])
            film.send(data)
            count += 1
        for _ in range(max(0, round(last_seconds / seconds) - 1)):
            film.send(data)
    finally:
        film.close()
    return count
