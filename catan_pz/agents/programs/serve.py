"""The program's side of the protocol: serves an agent of this package."""

import base64
import contextlib
import os
import pickle
import queue
import sys
import threading
from collections.abc import Callable
from multiprocessing import spawn
from typing import IO, Final

import numpy as np

from catan_pz.agents.base import Agent
from catan_pz.agents.hosting import seat_copy
from catan_pz.agents.programs import messages
from catan_pz.agents.programs.messages import Message
from catan_pz.agents.registry import as_agent
from catan_pz.checks import as_action
from catan_pz.events import Events
from catan_pz.game.followed import FollowedGame
from catan_pz.game.game import Game
from catan_pz.game.view import Resampler, View
from catan_pz.rules import Board, Rules

EOF_SECONDS: Final = 5.0
"""Time to answer the last messages once the input has ended."""

Exchange = Callable[[Message], Message]
"""Sends a message to the host and receives its answer."""


class FromHost:
    """Answers `View.resample` with games that the host draws."""

    def __init__(self, exchange: Exchange, rules: Rules) -> None:
        self._exchange, self._rules = exchange, rules

    def resample(self, rng: np.random.Generator) -> Game:
        """A game that looks the same to the seat."""
        return Game.from_games(self.resample_many(rng, 1), self._rules)

    def resample_many(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """(count,) `STATE` of such games."""
        drawn = []
        for k in range(0, count, messages.MOST_DRAWN):
            seed = int(rng.integers(0, 2**64, dtype=np.uint64))
            most = min(count - k, messages.MOST_DRAWN)
            request = {"type": "resample", "count": most, "seed": seed}
            drawn.append(messages.to_games(self._exchange(request), self._rules))
        return np.concatenate(drawn)


class Session:
    """Answers a host's messages for an agent, of which a copy plays each game.

    `exchange` requests drawn games of the host; None where it draws none.
    """

    def __init__(self, agent: Agent, exchange: Exchange | None = None) -> None:
        self._agent = agent
        self._exchange = exchange
        self._own: Agent | None = None
        self._followed: FollowedGame | None = None
        self._unread: list[Events] = []
        self._failure: BaseException | None = None
        self._answers: dict[str, Callable[[Message], Message | None]] = {
            "hello": self._hello,
            "start": self._start,
            "events": self._hear,
            "view": self._act,
            "end": self._end,
        }

    def answer(self, line: bytes) -> Message | None:
        """The answer to a line, None if it needs none; a message of the error if the agent fails.

        If it fails where no answer is due, the error goes to standard error, and answers the
        game's next view.
        """
        message: Message = {}
        try:
            message = messages.decoded(line)
            if message["type"] not in self._answers:
                raise ValueError(f"there is no message of type {message['type']!r}")
            return self._answers[message["type"]](message)
        except (Exception, SystemExit) as error:
            told = f"{type(error).__name__}: {error}"
            if message.get("type") in ("events", "end"):
                self._failure = error
                sys.stderr.write(f"{told}\n")
                return None
            return {"type": "error", "message": told}

    def _hello(self, message: Message) -> Message:
        if message.get("protocol") != messages.PROTOCOL:
            spoken = message.get("protocol")
            raise ValueError(f"protocol is {spoken!r}; known: {messages.PROTOCOL!r}")
        wants_events = self._agent.needs_events or self._agent.needs_belief
        return {"type": "hello", "name": self._agent.name, "events": wants_events}

    def _start(self, message: Message) -> Message:
        self._own = self._failure = self._followed = None  # any previous game is over
        self._unread.clear()
        self._own = seat_copy(self._agent, *messages.to_start(message))
        return {"type": "ready"}

    def _seated(self) -> Agent:
        if self._own is None:
            raise ValueError("no game has begun")
        return self._own

    def _hear(self, message: Message) -> None:
        own = self._seated()
        if self._failure is not None:
            return
        events = messages.to_events(message)
        if own.needs_belief:
            self._unread.append(events)
        if own.needs_events:
            own.observe(events)

    def _act(self, message: Message) -> Message:
        own = self._seated()
        if self._failure is not None:
            raise self._failure
        view = View(*messages.to_arrays(message, own.rules.num_actions))
        if own.needs_belief:
            view = View(view.observation, view.mask, self._resampler(message, view))
        return {"type": "action", "id": as_action(own.act(view))}

    def _resampler(self, message: Message, view: View) -> Resampler:
        """Games from the host if it draws some, as under other rules; else from what was heard."""
        if self._exchange is None or message.get("resample") is not True:
            return self._follow(view)
        self._unread.clear()
        return FromHost(self._exchange, self._seated().rules)

    def _follow(self, view: View) -> Resampler:
        """The game as the seat has followed it so far."""
        own = self._seated()
        if self._followed is None:
            first = self._unread[0][0].seat if self._unread else own.seat
            self._followed = FollowedGame(own.rules, own.seat, _board(view), first)
        for events in self._unread:
            self._followed.follow(events)
        self._unread.clear()
        seen = self._followed.view()
        if seen.observation.tobytes() != view.observation.tobytes():
            raise ValueError("the view doesn't follow from the events; all decisions are needed")
        return seen

    def _end(self, message: Message) -> None:
        own = self._seated()
        self._own = self._followed = None
        try:
            own.end(messages.to_result(message, own.seat))
        finally:
            own.close()


def _board(view: View) -> Board:
    """The board that a view shows."""
    segments = view.segments
    return Board(
        tuple(segments["hex_terrain"].argmax(axis=1).tolist()),
        tuple(np.asarray(segments["hex_number_token"]).tolist()),
        tuple(segments["harbor"].argmax(axis=1).tolist()),
    )


def serve(agent: Agent, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
    """Answer messages until `incoming` ends.

    If an agent still thinks some seconds later, the process is ended.
    """
    lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    has_ended = threading.Event()

    def read() -> None:
        for line in incoming:
            lines.put(line)
        lines.put(None)
        if not has_ended.wait(EOF_SECONDS):
            os._exit(1)

    def send(message: Message) -> None:
        outgoing.write(messages.encoded(message))
        outgoing.flush()

    def exchange(message: Message) -> Message:
        send(message)
        line = lines.get()
        if line is None:
            lines.put(None)
            raise EOFError("the host is gone")
        return messages.decoded(line)

    threading.Thread(target=read, daemon=True).start()
    session = Session(agent, exchange)
    with contextlib.suppress(BrokenPipeError):
        while (line := lines.get()) is not None:
            answer = session.answer(line)
            if answer is not None:
                send(answer)
    has_ended.set()


def standard_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Standard input and output, reserved for messages: `print` writes to standard error."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing if sys.stderr is None else 2, 1)
    os.close(nothing)
    sys.stdout = sys.stderr
    return incoming, outgoing


def main() -> None:
    """Serve the agent that is pickled in the first line of standard input."""
    incoming, outgoing = standard_streams()
    preparation, pickled = pickle.loads(base64.b64decode(incoming.readline()))
    try:
        spawn.prepare(preparation)
        registrations, source = pickle.loads(pickled)
        registrations.adopt()
        agent = as_agent(source)
    except Exception as error:
        incoming.readline()
        told = f"{type(error).__name__}: {error}"
        outgoing.write(messages.encoded({"type": "error", "message": told}))
        outgoing.close()
    else:
        serve(agent, incoming, outgoing)
