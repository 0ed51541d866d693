"""Pictures and films as files: SVG, PNG, GIF and MP4. Files are written whole or not at all."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from itertools import chain
from numbers import Real
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.checks import check_count, not_possible
from catan_pz.files import whole_file
from catan_pz.render import palette as colors
from catan_pz.render.image import WIDEST_PIXELS, checked_width, svg_to_rgb

PICTURES: Final = (".svg", ".png")
FILMS: Final = (".gif", ".mp4")

LONGEST: Final = 60
"""Seconds that a picture of a film may stay."""

_SHORTEST: Final = 0.001
_SHORTEST_IN_GIF: Final = 2

_MISSING: Final = (
    'a GIF or PNG needs {}, which comes with the extra `render`: pip install "catan-pz[render]"'
)
_NO_FFMPEG: Final = (
    "an MP4 needs the program ffmpeg, which isn't on the path; it also comes with the extra "
    '`video` (pip install "catan-pz[video]"); a .gif needs none'
)


def ffmpeg() -> str | None:
    """The program that writes MP4: the one on the path, or that of the extra `video`."""
    program = shutil.which("ffmpeg")
    if program is None and find_spec("imageio_ffmpeg"):
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    return program


def save_picture(svg: str, path: Path | str, width: int | None = None) -> None:
    """Write a picture as .svg or .png.

    Args:
        svg: the picture, such as `board_svg` gives it.
        path: the file; its ending chooses the form.
        width: of a PNG in pixels; that of the SVG where None.

    Raises:
        ValueError: for another ending, or a width that isn't from 1 to `WIDEST_PIXELS`.
        ImportError: a PNG without the extra `render`.
    """
    path = Path(path)
    if path.suffix.lower() not in PICTURES:
        raise ValueError(f"a picture ends in {' or '.join(PICTURES)}, not {path.suffix!r}: {path}")
    if path.suffix.lower() == ".svg":
        data = svg.encode()
    else:
        width = checked_width(svg, width)
        try:
            import resvg_py
        except ImportError as missing:
            raise ImportError(_MISSING.format("resvg_py")) from missing
        data = bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width, skip_system_fonts=True))
    with whole_file(path) as draft:
        draft.write_bytes(data)


def save_film(
    pictures: Iterable[str],
    path: Path | str,
    *,
    width: int = 840,
    seconds: float = 0.5,
    last_seconds: float = 3.0,
    shown: Callable[[], None] | None = None,
) -> int:
    """Write pictures one after the other as .gif or .mp4.

    Args:
        pictures: SVGs of one size, such as `board_svg` gives them.
        path: the file; its ending chooses the form.
        width: in pixels.
        seconds: that a picture stays; in a GIF whole hundredths, two of them at least.
        last_seconds: that the last one stays.
        shown: called after each picture.

    Returns:
        How many pictures were written.

    Raises:
        ValueError: for another ending, no picture, a width that isn't from 1 to
            `WIDEST_PIXELS`, or a time that isn't from 0.001 to `LONGEST` seconds.
        ImportError: the extra `render` is not installed.
        FileNotFoundError: an MP4 without the program ffmpeg and without the extra `video`.
        RuntimeError: ffmpeg failed; with its last words.
    """
    path = Path(path)
    form = path.suffix.lower()
    if form not in FILMS:
        raise ValueError(f"a film ends in {' or '.join(FILMS)}, not {path.suffix!r}: {path}")
    for name, value in (("seconds", seconds), ("last_seconds", last_seconds)):
        if not isinstance(value, Real) or not _SHORTEST <= value <= LONGEST:
            raise not_possible(name, value, f"a number from {_SHORTEST} to {LONGEST}")
    check_count("width", width, 1, WIDEST_PIXELS)
    write = _write_gif if form == ".gif" else _write_mp4
    frames = _frames(pictures, width, shown)
    first = next(frames, None)
    if first is None:
        raise ValueError("a film has at least one picture")
    with whole_file(path) as draft:
        return write(chain((first,), frames), draft, seconds, last_seconds)


def _frames(
    pictures: Iterable[str], width: int, shown: Callable[[], None] | None
) -> Iterator[NDArray[np.uint8]]:
    for svg in pictures:
        yield svg_to_rgb(svg, width)
        if shown is not None:
            shown()


def _write_gif(
    frames: Iterator[NDArray[np.uint8]], path: Path, seconds: float, last_seconds: float
) -> int:
    try:
        from PIL import Image
    except ImportError as missing:
        raise ImportError(_MISSING.format("Pillow")) from missing
    palette: Any = None
    images = []
    for frame in frames:
        image = Image.fromarray(frame)
        if palette is None:
            palette = _palette(image)
        images.append(image.quantize(palette=palette, dither=Image.Dither.NONE))
    times = [*_hundredths(seconds, len(images) - 1), *_hundredths(last_seconds, 1)]
    images[0].save(
        path,
        save_all=True,
        append_images=images[1:],
        duration=[10 * time for time in times],
        loop=0,
        optimize=False,
    )
    return len(images)


def _hundredths(seconds: float, count: int) -> list[int]:
    """How long each of some pictures of a GIF stays, in its unit, so that the sum is right.

    Viewers show what is to stay for less than two hundredths for ten.
    """
    times: list[int] = []
    over = 0
    for k in range(1, count + 1):
        time = max(_SHORTEST_IN_GIF, round(100 * seconds * k) - over)
        times.append(time)
        over += time
    return times


def _palette(first: Any) -> Any:
    """An image with the colours of a GIF: all named ones, then those that fill the picture.

    Colours of small signs would get lost among those of large areas.
    """
    from PIL import Image

    named = sorted({value.upper() for value in _named_colors(vars(colors))})
    count = 256 - len(named)
    filling = first.quantize(count, method=Image.Quantize.MEDIANCUT).getpalette()
    values = [int(name[k : k + 2], 16) for name in named for k in (1, 3, 5)]
    palette = Image.new("P", (1, 1))
    palette.putpalette((values + filling[: 3 * count])[:768])
    return palette


def _named_colors(thing: Any) -> Iterator[str]:
    """Every "#RRGGBB" in the tables of colours."""
    if isinstance(thing, str):
        if re.fullmatch("#[0-9A-Fa-f]{6}", thing):
            yield thing
    elif isinstance(thing, dict):
        for name, value in thing.items():
            if not (isinstance(name, str) and name.startswith("__")):
                yield from _named_colors(value)
    elif isinstance(thing, tuple):
        for value in thing:
            yield from _named_colors(value)
    elif isinstance(thing, colors.SeatColor):
        yield from _named_colors(vars(thing))


def _write_mp4(
    frames: Iterator[NDArray[np.uint8]], path: Path, seconds: float, last_seconds: float
) -> int:
    program = ffmpeg()
    if program is None:
        raise FileNotFoundError(_NO_FFMPEG)
    first = next(frames)
    # Colours are stored for squares of four dots.
    height, width = first.shape[0] // 2 * 2, first.shape[1] // 2 * 2
    rate = f"{1 / seconds:.6g}"
    command = [
        *(program, "-y", "-loglevel", "error"),
        *("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", rate),
        *("-i", "-", "-an", "-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p"),
        *("-r", "30", "-movflags", "+faststart", str(path)),
    ]
    count = 0
    with (
        tempfile.TemporaryFile() as complaints,
        subprocess.Popen(command, stdin=subprocess.PIPE, stderr=complaints) as encoder,
    ):
        assert encoder.stdin is not None
        try:
            for frame in chain((first,), frames):
                data = np.ascontiguousarray(frame[:height, :width]).tobytes()
                encoder.stdin.write(data)
                count += 1
            for _ in range(max(0, round(last_seconds / seconds) - 1)):
                encoder.stdin.write(data)
            encoder.stdin.close()
        except BrokenPipeError:
            pass  # ffmpeg has given up, and says why
        except BaseException:
            encoder.kill()
            raise
        failed = encoder.wait()
        complaints.seek(0)
        words = complaints.read().decode(errors="replace").strip().splitlines()
    if failed:
        raise RuntimeError(f"ffmpeg failed: {words[-1] if words else f'exit status {failed}'}")
    return count
