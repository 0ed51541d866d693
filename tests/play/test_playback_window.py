from pathlib import Path
from typing import Any

import pytest

from catan_pz.game.game import Game
from catan_pz.play.playback import PlaybackState
from catan_pz.play.playback_bar import BAR_HEIGHT, key_at, playback_svg, share_at, share_of
from catan_pz.render.layout import HEIGHT, WIDTH
from tests.play.mouse import Mouse
from tests.play.playing import playback_of

MIDDLE = HEIGHT + BAR_HEIGHT / 2 - 6


def test_the_bar_has_buttons_and_a_track() -> None:
    shown = PlaybackState(3, 9, paused=True, speed=4.0, complete=False)
    svg = playback_svg(Game(seed=1).snapshot(), shown, width=560)
    assert 'height="395"' in svg
    words = {part.split('"')[0] for part in svg.split('aria-label="')}
    assert {"Back", "Play", "Step", "Slower", "Faster"} <= words
    places = range(0, int(WIDTH), 3)
    keys = [key_at(x, MIDDLE) for x in places]
    assert list(dict.fromkeys(filter(None, keys))) == ["left", "space", "right", "-", "+"]
    shares = [share_at(x, MIDDLE) for x in places]
    found = [share for share in shares if share is not None]
    assert found == sorted(found)
    assert (found[0], found[-1]) == (0.0, 1.0)
    assert not any(key and share is not None for key, share in zip(keys, shares, strict=True))
    assert (key_at(300, 300), share_at(700, 300)) == ("", None)
    assert (share_of(0), share_of(WIDTH)) == (0, 1)


def x_of(share: float) -> float:
    """Where a share lies on the seek bar."""
    return next(x / 4 for x in range(4 * int(WIDTH)) if 0 < share_of(x / 4) >= share)


def test_a_game_is_watched_by_mouse_and_keys(pygame: Any, recorded: Path) -> None:
    from catan_pz.play.playback_window import PlaybackWindow
    from catan_pz.render.window import Window

    playback, clock = playback_of(recorded)
    last = playback.state.count - 1
    with Window("a test") as window:
        shown = PlaybackWindow(playback, window)
        shown.tick()
        mouse = Mouse(pygame, window, HEIGHT + BAR_HEIGHT)
        for _ in range(2):
            mouse.click(10 + 8 + 84 * 2 + 20, MIDDLE)
        shown.tick()
        assert (playback.position, playback.paused) == (2, True)
        mouse.key("space")
        shown.tick()
        clock.now += 1
        shown.tick()
        assert playback.position == 3
        mouse.click(x_of(0.5), MIDDLE)
        shown.tick()
        assert playback.position == pytest.approx(last / 2, abs=1)
        mouse.move(x_of(0.75), 300, held=True)  # the pointer may leave the bar
        shown.tick()
        assert playback.position == pytest.approx(0.75 * last, abs=1)
        mouse.move(WIDTH + 50, 300, held=True)
        shown.tick()
        assert playback.position == last
        mouse.move(x_of(0.2), MIDDLE)  # let go
        mouse.move(x_of(0.1), MIDDLE, held=True)
        shown.tick()
        assert playback.position == last
        for key, position in (("home", 0), ("end", last), ("left", last - 1)):
            mouse.key(key)
            shown.tick()
            assert playback.position == position
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        shown.run()  # comes back at once
        assert window.closed
    playback.close()
