"""A person's game in the terminal, with typed commands."""

import time
from collections.abc import Callable
from textwrap import shorten, wrap
from typing import Final

from catan_pz.play.session import PlayedGame
from catan_pz.play.typed_commands import marks, menu, menu_words, parse
from catan_pz.render.ansi import COLUMNS, LEGEND, board_text
from catan_pz.text.commands import CommandError

ROWS: Final = 24
"""The fewest lines of a terminal."""

_HELP: Final = (
    "Type a command and Enter. Unambiguous abbreviations work: s 12, r 30, e.",
    "Numbers on the board are places for settlements, roads, cities or the robber;",
    "if only one kind of them is possible the number is enough.",
    "Always: ? this help, log what happened, quit to leave. Now:",
)
_WELCOME: Final = "The game begins. ? explains what you can type, such as: s 20"
_CLEAR: Final = "\x1b[H\x1b[J"


class PlayerLeft(Exception):  # noqa: N818 (it is no error)
    """The person has left the game."""


class TerminalGame:
    """Plays a session in a terminal.

    Args:
        session: the match, which includes a person.
        ask: reads a line after a prompt; EOFError if there are no more.
        say: writes a line.
        color: whether to use terminal colours.
        rows: lines of the terminal, at least `ROWS`, to fill the screen with each picture; None
            without a terminal: everything is written line by line.
        pause: seconds that another player's decision is shown, in a terminal.
        sleep: waits for some seconds.
    """

    def __init__(
        self,
        session: PlayedGame,
        ask: Callable[[str], str],
        say: Callable[[str], None],
        *,
        color: bool = True,
        rows: int | None = None,
        pause: float = 0.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._session, self._ask, self._say = session, ask, say
        self._color, self._rows = color, rows
        self._pause, self._sleep = pause, sleep
        self._told = 0

    def run(self) -> None:
        """Play to the end."""
        session = self._session
        while not session.is_finished:
            if session.waits_for_person:
                self._show()
                for action in self._typed_actions():
                    session.game.step(action)
            else:
                session.table.step()
                if self._rows is not None and not session.is_finished:
                    self._show()
                    self._sleep(self._pause)
        if self._rows is None:
            self._tell()
        self._say((_CLEAR if self._rows else "") + self._board(with_marks=False))
        self._say("\n".join(wrap(session.result(), COLUMNS)))

    def _typed_actions(self) -> tuple[int, ...]:
        """Ask for commands until one can be played now."""
        while True:
            try:
                line = self._ask("> ").strip()
            except EOFError:
                raise PlayerLeft from None
            word = line.lower()
            if word in ("quit", "q", "exit"):
                raise PlayerLeft
            if word in ("?", "help", "log"):
                lines = self._log() if word == "log" else self._help()
                clear, lines = (_CLEAR, lines[1 - self._rows :]) if self._rows else ("", lines)
                self._say(clear + "\n".join(lines))
                continue
            try:
                return parse(line, self._session.game)
            except CommandError as reason:
                self._say(self._screen(str(reason)) if self._rows else f"  {reason}")

    def _show(self) -> None:
        """Show the board, and the commands possible now."""
        if self._rows is not None:
            self._say(self._screen())
            return
        self._tell()
        for part in (self._board(with_marks=True), *menu(self._session.game)):
            self._say(part)

    def _help(self) -> list[str]:
        return [*_HELP, *menu(self._session.game), *LEGEND]

    def _log(self) -> list[str]:
        lines = self._session.log or ["Nothing has happened yet."]
        return [part for line in lines for part in wrap(line, COLUMNS, subsequent_indent="  ")]

    def _tell(self) -> None:
        """Write the log since the person's last input."""
        for line in self._session.log[self._told :]:
            self._say(f"  {line}")
        self._told = len(self._session.log)

    def _board(self, with_marks: bool) -> str:
        session = self._session
        return board_text(
            session.snapshot(),
            viewer=session.seat,
            color=self._color,
            names=session.names,
            marks=marks(session.game) if with_marks else None,
            aside=menu_words(session.game) if with_marks else None,
        )

    def _screen(self, message: str = "") -> str:
        """The screen: the board, the last decision or a message, and a line left for typing."""
        board = self._board(self._session.waits_for_person)
        room = (self._rows or ROWS) - 1 - len(board.split("\n"))
        if not (message or self._session.log):
            message = _WELCOME
        said = wrap(message, COLUMNS)[:room]
        kept = room - len(said)
        recent = self._session.log[-kept:] if kept else []
        cut = [shorten(line, COLUMNS, placeholder=" ...") for line in recent]
        return _CLEAR + "\n".join([board, *cut, *said])
