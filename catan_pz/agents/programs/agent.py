"""Agents that ask a program, or a Python agent in another process, for their decisions."""

import base64
import contextlib
import math
import os
import pickle
import shlex
import sys
import time
import weakref
from collections.abc import Sequence
from multiprocessing import spawn
from pathlib import Path
from typing import Any, Final

from catan_pz import __version__
from catan_pz.agents.base import Agent, SeatResult
from catan_pz.agents.programs import messages, serve
from catan_pz.agents.programs.messages import Message
from catan_pz.agents.programs.process import MAX_LINE, LineProcess, one_line
from catan_pz.agents.registry import Registrations, Source
from catan_pz.checks import not_possible, quoted
from catan_pz.events import Events
from catan_pz.game.view import View
from catan_pz.rules import Rules

START_SECONDS: Final = 120.0
"""Time for a program to start, and as much again for it to get ready for a game."""

ANSWER_SECONDS: Final = 60.0
"""Default time for a decision."""

LATENESS_SECONDS: Final = 0.5
"""An answer that is late by less is still received; the host decides whether it counts."""

_QUOTED: Final = 80


class ProgramError(RuntimeError):
    """A program failed; `reason` is what the arena tells for the forfeit."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"program {name!r}: {reason}")
        self.reason = reason


class _Program:
    """A running program, in a game or between two."""

    def __init__(self, name: str, command: Sequence[str], first_line: bytes) -> None:
        self._name = name
        self.is_asked = False  # whether an answer is due
        self.has_begun = False  # whether it has played a game
        self.has_retired = False  # whether it ended between two games, without an error
        try:
            self._process = LineProcess(command)
        except OSError as error:
            raise ProgramError(name, f"error: can't be started: {error}") from None
        try:
            if first_line:
                self._process.send(first_line)
            greeting = self.ask(messages.hello(__version__), "hello", START_SECONDS)
        except BaseException:
            self.end()
            raise
        self.wants_events = greeting.get("events") is True

    @property
    def is_ready(self) -> bool:
        """Whether it waits for a game, with no output left unread."""
        return not self.is_asked and self._process.is_silent

    def tell(self, message: Message) -> None:
        """Send a message that gets no answer."""
        self._process.send(messages.encoded(message))

    def ask(
        self, message: Message, wanted: str, seconds: float | None, since: float | None = None
    ) -> Message:
        """Send a message and receive the answer, of the type `wanted` or a request for games.

        It may take some seconds, counted from `since`, a time of `time.monotonic`, or from now.
        """
        self.is_asked = True
        self.tell(message)
        try:
            line = self._process.receive(_left(seconds, since))
        except TimeoutError:
            raise self._late(seconds) from None
        if line is None:
            # Kill it if it has closed its output but is still running.
            status = self._process.end(grace=1.0)
            reason = f"died: the program ended without an answer (exit status {status})"
            self.has_retired = status == 0 and self.has_begun
            raise ProgramError(self._name, self._with_last_words(reason))
        if len(line) > MAX_LINE:
            raise self._nonsense(f"{_quoted(line)}, a line of more than {MAX_LINE} bytes")
        try:
            answer = messages.decoded(line)
        except ValueError as error:
            raise self._nonsense(f"{_quoted(line)}, {error}") from None
        if answer["type"] == "error":
            raise ProgramError(self._name, f"error: {one_line(answer.get('message'))}")
        if answer["type"] == "resample" and wanted == "action":
            if _left(seconds, since) == 0:
                raise self._late(seconds)
            if not self._process.is_patient:
                raise self._nonsense("it asks for games and doesn't wait for them")
            return answer
        if answer["type"] != wanted:
            raise self._nonsense(f'{_quoted(line)}, its type must be "{wanted}"')
        self.is_asked = False
        return answer

    def _nonsense(self, what: str) -> ProgramError:
        return ProgramError(self._name, f"nonsense: {what}")

    def _late(self, seconds: float | None) -> ProgramError:
        reason = f"time: the program took more than {seconds:g} s"
        return ProgramError(self._name, self._with_last_words(reason))

    def _with_last_words(self, reason: str) -> str:
        words = self._process.last_words()
        return f"{reason}; it wrote: {words}" if words else reason

    def end(self) -> None:
        """End it, with some seconds to end by itself where no answer is due."""
        self._process.end(grace=0 if self.is_asked else 2)


def _left(seconds: float | None, since: float | None) -> float | None:
    """Seconds that are left."""
    if seconds is None or since is None:
        return seconds
    return max(0.0, seconds - (time.monotonic() - since))


def _quoted(line: bytes) -> str:
    text = line[:_QUOTED].decode("utf-8", "replace")
    return repr(text) + ("..." if len(line) > _QUOTED else "")


class _Pool:
    """The running programs of one command, and those among them that wait for a game.

    If the first start fails, later games fail at once, without another start.
    """

    def __init__(self) -> None:
        self.all: set[_Program] = set()
        self._idle: list[_Program] = []
        self._failure: str | None = None
        self._has_started = False
        self._finalizer = weakref.finalize(self, _end_all, self.all)

    def __reduce__(self) -> tuple[type["_Pool"], tuple[()]]:
        """A pickled or deep-copied pool is empty: it starts its own programs."""
        return _Pool, ()

    def take(self, name: str, command: Sequence[str], first_line: bytes) -> _Program:
        """A program waiting for a game, or a new one; waiting ones that sent output are ended."""
        with contextlib.suppress(IndexError):  # other threads take some as well
            while not (program := self._idle.pop()).is_ready:
                self._end(program)
            return program
        if self._failure is not None:
            raise ProgramError(name, self._failure)
        try:
            program = _Program(name, command, first_line)
        except ProgramError as error:
            self._failure = None if self._has_started else error.reason
            raise
        self._has_started = True
        self.all.add(program)
        return program

    def give_back(self, program: _Program) -> None:
        """Keep a program for another game, or end it if it isn't ready for one."""
        if program.is_ready:
            self._idle.append(program)
        else:
            self._end(program)

    def _end(self, program: _Program) -> None:
        self.all.discard(program)
        program.end()

    def close(self) -> None:
        """End all programs."""
        self._idle.clear()
        _end_all(self.all)


def _end_all(programs: set[_Program]) -> None:
    while programs:
        programs.pop().end()


class ProgramAgent(Agent):
    """Plays by a program in any language, which speaks JSON lines on its standard streams.

    The program is started when it is needed, plays one game after the other, and sees what the
    seat may know and nothing else. It is ended by `end_programs`, with the agent, or with this
    process. If a program crashes, hangs or answers nonsense, a `ProgramError` is raised here, which
    the arena turns into a forfeit.

    Args:
        command: the program and its arguments, split as by a shell; it may be in quotes as a
            whole.
        seconds: time limit of a decision; None for no limit.
    """

    needs_events = True
    _program: _Program | None = None

    def __init__(self, command: str, *, seconds: float | None = ANSWER_SECONDS) -> None:
        self.command = _split(command)
        if seconds is not None and not 0 < seconds < math.inf:
            raise not_possible("seconds", seconds, "None, or a number above 0")
        self.seconds = seconds
        self.name = shlex.join(Path(word).name or word for word in self.command)
        self._pool = _Pool()

    def _first_line(self) -> bytes:
        """A line that is sent before the protocol begins."""
        return b""

    def reset(self, seat: int, rules: Rules, seed: int) -> None:
        """Start a program, or take one that waits, and tell it that a game begins.

        A program that ends after its last game may be taken before its end is seen; then another
        one is started.
        """
        super().reset(seat, rules, seed)
        beginning = messages.start(seat, rules, seed, self.seconds)
        while True:
            program = self._program = self._pool.take(self.name, self.command, self._first_line())
            self.needs_events = program.wants_events
            try:
                program.ask(beginning, "ready", START_SECONDS)
            except BaseException:
                self.close()
                if not program.has_retired:
                    raise
            else:
                program.has_begun = True
                return

    def act(self, view: View) -> int:
        """The program's action; before it answers, it may ask for games drawn from the view."""
        program = self._program
        if program is None:
            raise ProgramError(self.name, "error: it plays no game")
        limit = None if self.seconds is None else self.seconds + LATENESS_SECONDS
        since = time.monotonic()
        answer = program.ask(messages.of_view(view), "action", limit, since)
        while answer["type"] == "resample":
            try:
                games = messages.of_games(view, self.rules, answer)
            except ValueError as error:
                raise ProgramError(self.name, f"nonsense: it asks for games, {error}") from None
            answer = program.ask(games, "action", limit, since)
        action = answer.get("id")
        if isinstance(action, bool) or not isinstance(action, int):
            program.is_asked = True  # so that it is ended: its answer is still due
            given = quoted(action, _QUOTED)
            raise ProgramError(self.name, f'nonsense: "id" is {given}, no integer')
        return action

    def observe(self, events: Events) -> None:
        """Tell the program, if it asked for events."""
        if self._program is not None and self.needs_events:
            self._program.tell(messages.of_events(events))

    def end(self, result: SeatResult) -> None:
        """Tell the program the result."""
        if self._program is not None and not self._program.is_asked:
            self._program.tell(messages.of_result(result))

    def close(self) -> None:
        """Keep the program for the next game, or end it if an answer is still due."""
        program, self._program = self._program, None
        if program is not None:
            self._pool.give_back(program)

    def interrupt(self) -> None:
        """End the program if an answer is due; the thread that waits for it gets an error."""
        if self._program is not None and self._program.is_asked:
            self.close()

    def end_programs(self) -> None:
        """End all programs of this agent and its copies; later games start new ones."""
        self._pool.close()


def _split(command: str) -> list[str]:
    """Program and arguments; quotes around the whole command are removed first."""
    try:
        words = _words(command)
        if len(words) == 1 and len(words[0].split()) > 1:
            words = _words(words[0])
    except (ValueError, AttributeError) as error:
        raise not_possible("command", command, f"a program and arguments ({error})") from None
    if not words:
        raise not_possible("command", command, "a program and its arguments")
    return words


def _words(text: str) -> list[str]:
    if os.name == "posix":
        return shlex.split(text)
    # A backslash is no escape on Windows.
    return [word.strip('"') for word in shlex.split(text, posix=False)]


def end_programs(agents: Sequence[Agent]) -> None:
    """End the programs of all `ProgramAgent` among the agents."""
    for agent in agents:
        if isinstance(agent, ProgramAgent):
            agent.end_programs()


_MAIN: bytes = b"_main__"
"""Part of the main module's names, here and in processes that `multiprocessing` starts."""


class IsolatedAgent(ProgramAgent):
    """Plays with a Python agent in a separate process, which only gets its views.

    The agent is made there from its source, which must be picklable, and chooses what it would
    choose here. Agents and encoders that are registered here are registered there, too.
    """

    def __init__(self, source: Source, name: str, *, seconds: float | None = None) -> None:
        code = f"import sys; sys.path[:] = {sys.path!r}; from {serve.__name__} import main; main()"
        super().__init__("python", seconds=seconds)
        self.command = [sys.executable, "-c", code]
        self.name = name
        try:
            self._source = pickle.dumps((Registrations.here(), source))
        except Exception as error:
            raise ValueError(
                f"agent {name!r} can't be sent to a process of its own ({error}); give a name or "
                "a function of a module that makes it, or play without isolation"
            ) from error

    def start(self) -> None:
        """Start a process, which makes the agent and waits for a game."""
        try:
            program = self._pool.take(self.name, self.command, self._first_line())
        except ProgramError as error:
            reason = error.reason.removeprefix("error: ")
            raise ValueError(
                f"agent {self.name!r} can't be made in a process of its own: {reason}"
            ) from None
        self._pool.give_back(program)

    def _first_line(self) -> bytes:
        preparation: dict[str, Any] = {}
        if _MAIN in self._source:  # its class, or its home, is in the program that was started
            preparation = spawn.get_preparation_data(self.name)
            preparation.pop("authkey", None)
        return base64.b64encode(pickle.dumps((preparation, self._source))) + b"\n"
