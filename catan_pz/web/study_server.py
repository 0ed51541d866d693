"""The study's page and socket: each connection has its own study."""

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from catan_pz.agents import registry
from catan_pz.game.record import outcome_to_json
from catan_pz.render.view import table_view
from catan_pz.render.words import table_words
from catan_pz.web.drawn import BOX, areas, board_layers, places_json, symbols, view_json
from catan_pz.web.responses import (
    LEFT,
    POLICY_VIOLATION,
    TRY_AGAIN_LATER,
    Visitor,
    heard,
    is_own_origin,
    page,
    send,
)
from catan_pz.web.study import Study, StudyError, TreeNode

MOST_BYTES: Final = 2 * 2**20
"""Largest message: it holds a recorded game of 1,000 turns of random players."""

MOST_STUDIES: Final = 20
"""Concurrent studies."""

IDLE_SECONDS: Final = 600.0
"""Seconds after which an idle study may be closed for another one, if all are taken."""

T = TypeVar("T")

_LONGEST_PAUSE: Final = 60.0
_SHORTEST_PAUSE: Final = 0.05


class Studies:
    """All open studies; their agents share one thread, separate from the tables' threads.

    Args:
        opened: text of the initial position, None for an empty board.
    """

    def __init__(self, opened: str | None = None) -> None:
        self._opened = opened
        self._connections: list[StudyConnection] = []
        self.pool = ThreadPoolExecutor(1, "study")
        self.begin()

    def begin(self) -> Study:
        """A study of the initial position."""
        study = Study()
        if self._opened is None:
            study.new({}, seed=1)
        else:
            study.open(self._opened)
        study.forget()
        return study

    def routes(self) -> list[BaseRoute]:
        """Routes of the page and the socket."""
        return [Route("/study", self._page), WebSocketRoute("/study/socket", self._socket)]

    async def _page(self, _request: Request) -> Response:
        return page("study", symbols=symbols())

    async def _socket(self, socket: WebSocket) -> None:
        if not is_own_origin(socket):
            await socket.close(POLICY_VIOLATION)
            return
        await socket.accept()
        if not self._has_room():
            await socket.close(TRY_AGAIN_LATER, "Enough people study here.")
            return
        connection = StudyConnection(socket, self)
        self._connections.append(connection)
        try:
            await connection.run()
        finally:
            if connection in self._connections:
                self._connections.remove(connection)

    def _has_room(self) -> bool:
        """Whether another study can start, if need be in place of an idle one."""
        if len(self._connections) < MOST_STUDIES:
            return True
        idle = min(self._connections, key=lambda connection: connection.used, default=None)
        if idle is None or time.monotonic() - idle.used < IDLE_SECONDS:
            return False
        self._connections.remove(idle)
        idle.make_room()
        return True

    async def in_thread(self, work: Callable[..., T], *given: Any) -> T:
        """Run slow work, outside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, work, *given)

    def close(self) -> None:
        """Release the thread."""
        self.pool.shutdown(wait=False, cancel_futures=True)


class StudyConnection(Visitor):
    """One browser's study: sends changes, receives requests."""

    _study: Study

    def __init__(self, socket: WebSocket, studies: Studies) -> None:
        super().__init__(socket, "This study made room for another.")
        self.used = time.monotonic()  # time of the last request
        self._studies = studies
        self._board: Any = None
        self._known: tuple[Any, int] = (None, 0)  # the tree, and how many of its nodes the page has
        self._lock = asyncio.Lock()
        self._playing: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve until the browser leaves, or is closed for a newer one."""
        # Replaying a long record takes a while.
        self._study = await self._studies.in_thread(self._studies.begin)
        leaver = asyncio.create_task(self._leave())
        try:
            await send(
                self._socket,
                {
                    "board": BOX,
                    "areas": areas(),
                    "known_agents": registry.names(),
                    "most_bytes": MOST_BYTES,
                },
            )
            await self._tell(lambda: None)
            await self._hear()
        except LEFT:
            pass
        finally:
            leaver.cancel()
            await self._stop()
            self._study.close()

    async def _hear(self) -> None:
        async for text in heard(self._socket, MOST_BYTES):
            self.used = time.monotonic()
            try:
                await self._answer(text)
            except StudyError as error:
                await send(self._socket, {"refused": str(error)})

    async def _answer(self, text: str) -> None:
        try:
            message = await asyncio.to_thread(json.loads, text)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict) or len(message) != 1:
            raise StudyError("a message is a JSON object with one entry")
        ((kind, value),) = message.items()
        if kind == "save":
            await self._save(value)
            return
        if kind == "play_on":
            await self._play_on(value)
            return
        await self._stop()
        change = self._changes().get(kind)
        if change is None:
            raise StudyError("this message isn't known here")
        async with self._lock:
            try:
                await self._tell(partial(change, value))
            except (LookupError, TypeError, AttributeError) as error:
                raise StudyError(f"this message can't be understood: {error}") from error

    def _changes(self) -> dict[str, Callable[[Any], None]]:
        study = self._study
        return {
            "new": lambda v: study.new(v["rules"], v["seed"], v["phase"]),
            "open": study.open,
            "edit": study.edit,
            "agents": study.seat_agents,
            "action": study.play,
            "undo": lambda _value: study.undo(),
            "go": study.go,
            "ask": study.ask,
            "stop": lambda _value: None,
        }

    async def _save(self, what: Any) -> None:
        files = {"position": "position.json", "record": "game.jsonl"}
        if not isinstance(what, str) or what not in files:
            raise StudyError("a position or a record can be saved")

        def told() -> str:
            study = self._study
            text = study.record.text() if what == "record" else study.position_text()
            if len(json.dumps({"open": text})) > MOST_BYTES:
                raise StudyError(
                    f"this {what} is too long to be opened again: a study opens and saves up to "
                    f"{MOST_BYTES // 1024} KiB"
                )
            return json.dumps({"file": files[what], "text": text})

        async with self._lock:
            text = await self._studies.in_thread(told)
        await send(self._socket, text)

    async def _play_on(self, wanted: Any) -> None:
        """Let agents decide, once or until the end."""
        if not isinstance(wanted, Mapping):
            raise StudyError("a message says how many decisions to play, and with which pause")
        decisions, pause = wanted.get("decisions"), wanted.get("pause")
        if decisions is not None and (type(decisions) is not int or decisions < 1):
            raise StudyError("decisions are a number from 1 or null")
        if isinstance(pause, bool) or not isinstance(pause, int | float):
            raise StudyError("the pause is a number of seconds")
        await self._stop()
        pause = min(_LONGEST_PAUSE, max(_SHORTEST_PAUSE, pause))
        self._playing = asyncio.create_task(self._play(decisions, pause))

    async def _play(self, decisions: int | None, pause: float) -> None:
        played = 0
        try:
            while played != decisions:
                async with self._lock:
                    played += 1
                    await self._tell(self._study.step, is_playing=played != decisions)
                    if not self._study.is_playable:
                        return
                await asyncio.sleep(pause)
        except StudyError as error:
            async with self._lock:
                await self._tell(lambda: None)  # no agent is playing
            await send(self._socket, {"refused": str(error)})

    async def _stop(self) -> None:
        """Stop playing after the current decision."""
        playing, self._playing = self._playing, None
        if playing is None:
            return
        async with self._lock:
            playing.cancel()
        with contextlib.suppress(asyncio.CancelledError, *LEFT):
            await playing

    async def _tell(self, change: Callable[[], None], *, is_playing: bool = False) -> None:
        """Make a change in the studies' thread, and send the changes."""
        self.used = time.monotonic()
        await send(self._socket, await self._studies.in_thread(self._news, change, is_playing))

    def _news(self, change: Callable[[], None], is_playing: bool) -> str:
        study = self._study
        change()
        view = table_view(study.game.snapshot())
        is_playing = is_playing and study.is_playable
        news = {
            "layers": self._changed(board_layers(view)),
            "view": view_json(view),
            "words": table_words(view),
            "is_playing": is_playing,
            "advice": None if is_playing else study.advice(),
            **study.status(),
        }
        tree, known = study.tree, self._known
        first = known[1] if known[0] is tree else 0
        self._known = tree, len(tree.nodes)
        news["nodes"] = [_node_json(node) for node in tree.nodes[first:]]
        news["first_node"] = first
        if first == 0:
            news["start"] = json.dumps(tree.start)
        board = view.terrains, view.tokens, view.harbors
        if board != self._board:
            self._board = board
            news["places"] = places_json(view)
        return json.dumps(news)


def _node_json(node: TreeNode) -> list[Any]:
    """A node's parent, its log line, and its action."""
    decision = node.decision
    played = [] if decision is None else [decision.action, outcome_to_json(decision.outcome)]
    return [node.parent, node.line, *played]
