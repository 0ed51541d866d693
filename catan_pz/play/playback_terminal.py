"""Watching a game in a terminal, by single keys, or as lines where there is none."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from catan_pz.play.frames import Frame
from catan_pz.play.playback import Playback, PlaybackState
from catan_pz.play.terminal_keys import single_keys
from catan_pz.render.ansi import board_text

_KEYS: Final = "space <- -> PgUp PgDn Home End + - q"
_BAR: Final = 20
_CLEAR: Final = "\x1b[H\x1b[J"


class PlaybackTerminal:
    """A playback in a terminal.

    Args:
        playback: what is played.
        write: writes text as it is.
        viewer: the seat whose knowledge is shown; None for all.
        names: of the seats.
        color: whether to use terminal colours.
        interactive: whether keys can come; without them it ends with the last frame.
    """

    def __init__(
        self,
        playback: Playback,
        write: Callable[[str], None],
        viewer: int | None = None,
        names: Sequence[str] | None = None,
        color: bool = True,
        interactive: bool = True,
    ) -> None:
        self._playback = playback
        self._write = write
        self._viewer = viewer
        self._names = names
        self._color = color
        self._interactive = interactive

    def run(self) -> None:
        """Show the playback until the user quits."""
        playback = self._playback
        drawn: Any = None
        with single_keys() as wait_for_key:
            while not playback.quit:
                if playback.state != drawn:
                    drawn = playback.state
                    self._write(_CLEAR + self.screen())
                if playback.is_at_end and not self._interactive:
                    break
                pressed = wait_for_key(0.03)
                if pressed:
                    playback.key(pressed)
                playback.tick()
        self._write("\n")

    def screen(self) -> str:
        """What is shown now: the game, the last decision, and a bar."""
        frame = self._playback.frame
        board = board_text(
            frame.state,
            viewer=self._viewer,
            color=self._color,
            last_action=frame.line or "The game begins.",
            names=self._names,
        )
        return f"{board}\n{bar_text(self._playback.state)}"


def bar_text(state: PlaybackState) -> str:
    """Position, pace and keys in a line of at most 80 columns."""
    done = round(state.share * _BAR)
    bar = "#" * done + "-" * (_BAR - done)
    pace = "paused" if state.paused else f"{state.speed:g}/s"
    end = "" if state.complete else "+"
    return f"[{bar}] {state.position}/{state.count - 1}{end} {pace}  {_KEYS}"


def write_log(
    frames: Iterable[Frame],
    write_line: Callable[[str], None],
    viewer: int | None = None,
    names: Sequence[str] | None = None,
) -> None:
    """Write what happened line by line, then the last position."""
    last = None
    for last in frames:
        if last.line is not None:
            write_line(last.line)
    if last is not None:
        write_line(board_text(last.state, viewer=viewer, color=False, names=names))
