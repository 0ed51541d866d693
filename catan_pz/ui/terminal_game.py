"""A person's game in the terminal, by typed orders."""

from collections.abc import Callable
from typing import Final

from catan_pz.render.ansi import board_text
from catan_pz.ui.session import Session
from catan_pz.ui.typed_commands import CommandError, marks, menu, parse

_HELP: Final = """\
Type an order and Enter. Any beginning that is clear will do: s 12, r 30, e.
Numbers on the board are places for settlements, roads, cities or the robber;
where only one kind of them is possible the number alone will do.
Orders: ? this help, quit to leave (the game is recorded with --record)."""


class Left(Exception):  # noqa: N818 (it is no error)
    """The person has left the game."""


class TerminalGame:
    """Plays a session in a terminal.

    Args:
        session: the match, with a person in it.
        ask: reads a line after a prompt; EOFError where there are no more.
        say: writes a line.
        color: whether to use terminal colours.
    """

    def __init__(
        self,
        session: Session,
        ask: Callable[[str], str],
        say: Callable[[str], None],
        color: bool = True,
    ) -> None:
        self._session = session
        self._ask = ask
        self._say = say
        self._color = color
        self._told = 0

    def run(self) -> None:
        """Play to the end.

        Raises:
            Left: the person typed `quit`, or there is no more to read.
        """
        session = self._session
        while not session.is_finished:
            if session.waits_for_person:
                self._tell()
                self._play(self._order())
            else:
                session.table.step()
        self._tell()
        self._show(with_marks=False)
        self._say(session.result())

    def _tell(self) -> None:
        """What happened since the person was last asked."""
        for line in self._session.story[self._told :]:
            self._say(f"  {line}")
        self._told = len(self._session.story)

    def _show(self, with_marks: bool) -> None:
        session = self._session
        self._say(
            board_text(
                session.snapshot(),
                viewer=session.seat,
                color=self._color,
                names=session.seat_names(),
                marks=marks(session.game) if with_marks else None,
            )
        )

    def _order(self) -> tuple[int, ...]:
        self._show(with_marks=True)
        for line in menu(self._session.game):
            self._say(line)
        while True:
            try:
                line = self._ask("> ").strip()
            except EOFError:
                raise Left from None
            if line.lower() in ("quit", "q", "exit"):
                raise Left
            if line == "?" or line.lower() == "help":
                self._say("\n".join([_HELP, *menu(self._session.game)]))
                continue
            try:
                return parse(line, self._session.game)
            except CommandError as reason:
                self._say(f"  {reason}")

    def _play(self, actions: tuple[int, ...]) -> None:
        for action in actions:
            self._session.game.step(action)
        # The person knows what they did; what came of it is told.
