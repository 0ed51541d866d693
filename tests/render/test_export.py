import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from catan_pz.game.game import Game
from catan_pz.render import export
from catan_pz.render.export import save_film, save_picture
from catan_pz.render.image import svg_to_rgb
from catan_pz.render.svg import board_svg
from tests.render import positions

pytest.importorskip("PIL")
pytest.importorskip("resvg_py")


def pictures(count: int) -> Iterator[str]:
    game = Game(seed=2)
    for _ in range(count):
        yield board_svg(game.snapshot())
        game.step(int(game.legal_actions()[0]))


def test_pictures(tmp_path: Path) -> None:
    (svg,) = pictures(1)
    save_picture(svg, tmp_path / "a" / "board.svg")
    assert (tmp_path / "a" / "board.svg").read_text(encoding="utf-8") == svg
    image = pytest.importorskip("PIL.Image")
    save_picture(svg, tmp_path / "board.png", width=280)
    with image.open(tmp_path / "board.png") as opened:
        assert opened.size == (280, 185)
        assert len(np.unique(np.asarray(opened.convert("RGB")).reshape(-1, 3), axis=0)) > 300
    with pytest.raises(ValueError, match=r"a picture ends in \.svg or \.png"):
        save_picture(svg, tmp_path / "board.bmp")


@pytest.mark.parametrize("name", ["game.gif", "game.webp"])
def test_animations(name: str, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    seen = []
    path = tmp_path / name
    count = save_film(
        pictures(6), path, width=140, seconds=0.2, last_seconds=1.5, shown=lambda: seen.append(1)
    )
    assert count == len(seen) == 6
    with image.open(path) as film:
        assert (film.n_frames, film.size) == (6, (140, 92))
        times, frames = [], []
        for k in range(6):
            film.seek(k)
            film.load()
            times.append(film.info["duration"])
            frames.append(np.asarray(film.convert("RGB")).astype(int))
    assert times == [200] * 5 + [1500]
    assert all(np.abs(a - b).max() > 20 for a, b in pairwise(frames))


def test_small_signs_keep_their_colors_in_a_gif(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    from catan_pz.render.palette import CARD_PURPLE, RESOURCES, SEATS

    svg = board_svg(positions.midgame())
    save_film([svg], tmp_path / "game.gif", width=700)
    with image.open(tmp_path / "game.gif") as film:
        pixels = np.asarray(film.convert("RGB"))
    seen = {
        "#{:02X}{:02X}{:02X}".format(*color) for color in np.unique(pixels.reshape(-1, 3), axis=0)
    }
    assert {CARD_PURPLE, *RESOURCES, *(seat.fill for seat in SEATS)} <= seen


@pytest.mark.parametrize(
    ("count", "name", "options", "complaint"),
    [
        (1, "game.avi", {}, r"a film ends in \.gif, \.webp, \.mp4"),
        (0, "game.gif", {}, "at least one picture"),
        (1, "game.gif", {"seconds": 0}, "seconds must be a number from"),
        (1, "game.gif", {"width": 10**7}, "width must be .*, got 10000000"),
    ],
)
def test_films_that_cannot_be(
    tmp_path: Path, count: int, name: str, options: dict, complaint: str
) -> None:
    with pytest.raises(ValueError, match=complaint):
        save_film(pictures(count), tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_picture_has_a_highest_width(tmp_path: Path) -> None:
    svg = board_svg(positions.midgame())
    with pytest.raises(ValueError, match="must be an int from 1 to 10000"):
        save_picture(svg, tmp_path / "game.png", 10**7)
    wide = board_svg(positions.midgame(), width=10**6)
    with pytest.raises(ValueError, match="pixels are drawn from 1 to 10000: give a width"):
        save_picture(wide, tmp_path / "game.png")
    assert list(tmp_path.iterdir()) == []
    save_picture(wide, tmp_path / "game.png", width=200)


def test_mp4_has_every_picture(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg", reason="takes the extra `video`")
    path = tmp_path / "game.mp4"
    assert save_film(pictures(4), path, width=141, seconds=0.5, last_seconds=1.0) == 4
    command = [str(export.ffmpeg()), "-loglevel", "error", "-i", str(path), "-f", "rawvideo"]
    ran = subprocess.run([*command, "-pix_fmt", "rgb24", "-"], capture_output=True, check=True)
    shown = np.frombuffer(ran.stdout, np.uint8).reshape(-1, 92, 140, 3).astype(int)
    assert len(shown) == pytest.approx(30 * 5 * 0.5, abs=3)
    drawn = [svg_to_rgb(svg, 141)[:92, :140].astype(int) for svg in pictures(4)]
    for second, picture in ((0.25, 0), (0.75, 1), (1.25, 2), (1.75, 3), (2.25, 3)):
        errors = [np.abs(shown[int(30 * second)] - other).mean() for other in drawn]
        assert min(errors) == errors[picture] < 8
