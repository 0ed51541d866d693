"""A live table: agents decide, people press controls, and all viewers are updated."""

import asyncio
import logging
import traceback
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar

from catan_pz.actions import describe_action
from catan_pz.agents.adviser import Question
from catan_pz.agents.hosting import AGENT_ERRORS
from catan_pz.events import ONLOOKER
from catan_pz.names import printable, shown
from catan_pz.play.session import PlayedGame
from catan_pz.web.advice import advice_json, drawn_advice
from catan_pz.web.saved import TableFile
from catan_pz.web.table import HostedGame, PressError

LONGEST_DECISION: Final = 300.0
"""Seconds after which an agent that hasn't returned from a call counts as failed."""

LONGEST_LEAVING: Final = 10.0
"""Time limit for closing agents when the server stops, in seconds."""

_PAUSES: Final = {
    "end_turn": 0.0,
    "offer": 0.0,
    "compose_give": 0.0,
    "compose_get": 0.0,
    "compose_send": 0.0,
    "accept": 0.0,
    "reject": 0.0,
    "withdraw": 0.0,
    "discard": 0.5,
    "move_robber": 1.5,
    "steal": 1.5,
    "close_with": 1.5,
    "play_monopoly": 2.0,
}
"""Display time of an action by its kind, in pauses; others get one."""

Moment = tuple[HostedGame, int, str | None]
"""The state last sent to a viewer: the game, the version of its picture, and the warning."""

_Advised = tuple[tuple[HostedGame, int], asyncio.Future[dict[str, Any] | None]]
"""The last decision on which a viewer asked for advice, and the advice."""

_LOGGER: Final = logging.getLogger("catan_pz.web")

T = TypeVar("T")


def log_failure(what: str, error: BaseException) -> None:
    """Write an error and its traceback to the server's log.

    Viewers only learn whose agent failed, since its error may reveal hidden cards.
    """
    lines = "".join(traceback.format_exception(error)).rstrip("\n").split("\n")
    _LOGGER.error("%s\n%s", what, "\n".join(map(printable, lines)))


class LiveTable:
    """A live table; slow work runs in threads, outside the event loop.

    Args:
        hosted: the game.
        path: file for saving the table, at the start and after each decision; None for none.
        pause: seconds for which an agent's decision is shown, scaled by its kind.
        keeps_links: whether the file holds the links, too, or only the recorded game.
    """

    def __init__(
        self,
        hosted: HostedGame,
        path: Path | None = None,
        pause: float = 0.0,
        *,
        keeps_links: bool = True,
    ) -> None:
        self.hosted = hosted
        self.failure: str | None = None
        self._file = TableFile(path, keeps_links)
        self._pause = pause
        self._agents = ThreadPoolExecutor(1, "agent")
        self._advisers = ThreadPoolExecutor(1, "adviser")
        self._lane = asyncio.Lock()
        self._advised: dict[int, _Advised] = {}
        self._changed = asyncio.Condition()

    def moment_of(self, viewer: int) -> Moment:
        """The current state to send to a viewer."""
        return self.hosted, self.hosted.version_of(viewer), self._file.warning

    async def in_lane(self, work: Callable[..., T], *given: Any, longest: float | None = None) -> T:
        """Run work on the game in a thread, one piece at a time.

        Args:
            work: a function; it completes even if the caller is cancelled.
            given: its arguments.
            longest: seconds after which it counts as failed and other work runs; None for no limit.
        """

        def tried() -> tuple[T | None, BaseException | None]:
            try:
                return work(*given), None
            except AGENT_ERRORS as error:
                return None, error

        async def done() -> tuple[T | None, BaseException | None]:
            async with self._lane:
                try:
                    return await asyncio.wait_for(asyncio.to_thread(tried), longest)
                except TimeoutError as error:
                    return None, error

        found, error = await asyncio.shield(done())
        if error is not None:
            raise error
        return found  # type: ignore[return-value]

    async def run(self) -> None:
        """Let agents play in their turns, while the server runs."""
        try:
            await self.tell()  # send the links before the first decision
            while self.failure is None:
                session, moment = self.hosted.session, self.moment_of(ONLOOKER)
                if session.is_finished or session.waits_for_person:
                    await self.wait_for_change(ONLOOKER, moment)
                    continue
                action = await self._decision(session)
                if action is None:
                    continue
                await self.in_lane(self._play, session, action, longest=LONGEST_DECISION)
                await self.tell()
                kind = describe_action(action)["kind"]
                await asyncio.sleep(self._pause * _PAUSES.get(kind, 1.0))
        except AGENT_ERRORS as error:
            await self._fail(error)

    async def _decision(self, session: PlayedGame) -> int | None:
        """The choice of the agent that is to move; people's presses don't wait for it.

        None if the session has been replaced because somebody returned to a seat.
        """
        deciding = asyncio.get_running_loop().run_in_executor(self._agents, session.decide)
        try:
            return await asyncio.wait_for(deciding, LONGEST_DECISION)
        except AGENT_ERRORS:
            if session is not self.hosted.session:
                return None
            session.failed = session.game.player
            raise

    def _play(self, session: PlayedGame, action: int) -> None:
        if session is self.hosted.session:
            self.hosted.play(action)

    async def arrive(self, seat: int) -> None:
        """A person has opened the first page of a seat."""
        await asyncio.shield(self._refusal_of(self._do(self.hosted.arrive, seat)))

    async def leave(self, seat: int) -> None:
        """A person has closed the last page of a seat."""
        await asyncio.shield(self._refusal_of(self._do(self.hosted.leave, seat)))

    async def _do(self, work: Callable[..., None], *given: Any) -> None:
        await self.in_lane(work, *given, longest=LONGEST_DECISION)
        await self.tell()

    async def _fail(self, error: BaseException) -> None:
        """Stop the table permanently, and tell all viewers whose agent failed."""
        session = self.hosted.session
        seat = session.failed
        who = "an agent" if seat is None else f"the agent in seat {seat}"
        names = ", ".join(map(shown, session.names))
        log_failure(f"The table of {names} stopped: {who} failed.", error)
        self.failure = f"the table stopped: {who} failed"
        await self.tell()  # saves the last decision, too

    async def tell(self) -> None:
        """Save the game and wake waiting viewers, even if the caller is cancelled."""
        await asyncio.shield(self._tell())

    async def _tell(self) -> None:
        try:
            await self._file.save(self.hosted, self.in_lane)
        finally:
            async with self._changed:
                self._changed.notify_all()

    async def wait_for_change(self, viewer: int, moment: Moment) -> None:
        """Wait until a viewer's state has changed, or the table has failed."""
        async with self._changed:
            await self._changed.wait_for(
                lambda: self.moment_of(viewer) != moment or self.failure is not None
            )

    def adviser_of(self, viewer: int) -> str | None:
        """Name of the agent that advises a viewer; None for none."""
        adviser = self.hosted.session.adviser
        return None if adviser is None or viewer == ONLOOKER else shown(adviser.name)

    async def advise(self, viewer: int, decision: int) -> dict[str, Any] | None:
        """Advice on a viewer's decision, computed once; None if it has been decided by then."""
        hosted = self.hosted
        asked, advice = self._advised.get(viewer, (None, None))
        if advice is None or asked != (hosted, decision):
            question = hosted.session.advisers[viewer].question()
            loop = asyncio.get_running_loop()
            advice = loop.run_in_executor(self._advisers, _advice_on, hosted, question, decision)
            self._advised[viewer] = (hosted, decision), advice
        return await asyncio.shield(advice)

    async def answer(self, viewer: int, message: Mapping[str, Any]) -> str | None:
        """Handle a viewer's message; returns the reason if it is refused."""
        if self.failure is not None:
            return self.failure
        if viewer == ONLOOKER:
            return "onlookers have nothing to press"
        name, version = message.get("press"), message.get("version")
        if message.get("again") is True:
            work = self._begin_again()
        elif isinstance(name, str) and type(version) is int:
            work = self._do(self.hosted.press, viewer, name, version)
        else:
            return "a message names what to press and the version of the picture"
        return await asyncio.shield(self._refusal_of(work))  # even if the viewer leaves

    async def _refusal_of(self, work: Coroutine[Any, Any, str | None]) -> str | None:
        try:
            return await work
        except PressError as error:
            return str(error)
        except AGENT_ERRORS as error:  # agents observe it, and begin and end games
            await self._fail(error)
            return self.failure

    async def _begin_again(self) -> str | None:
        """Start another game with the same seats, once this one is over."""

        def again() -> None:
            if self.hosted is finished:  # nobody else has started one
                self.hosted = finished.again()

        finished = self.hosted
        if not finished.session.is_finished:
            return "the game isn't over"
        await self.in_lane(again, longest=LONGEST_DECISION)
        await self.tell()
        loop = asyncio.get_running_loop()
        leaving = loop.run_in_executor(self._advisers, finished.session.close)
        await asyncio.wait_for(leaving, LONGEST_DECISION)
        return None

    async def close(self) -> None:
        """Save unsaved decisions, and close the agents."""
        for pool in (self._agents, self._advisers):
            pool.shutdown(wait=False, cancel_futures=True)
        await self._file.save(self.hosted, self.in_lane)
        await self.in_lane(self.hosted.session.close, longest=LONGEST_LEAVING)


def _advice_on(hosted: HostedGame, question: Question, decision: int) -> dict[str, Any] | None:
    if len(hosted.session.record.decisions) != decision:  # changed while waiting for a thread
        return None
    try:
        advice = question.advice()
        view = hosted.view(question.adviser.seat)
        found = advice_json(advice, view) | {"drawn": drawn_advice(advice)}
    except AGENT_ERRORS as error:  # the table continues without advice
        log_failure(f"The adviser of seat {question.adviser.seat} failed.", error)
        found = {"failure": "no advice: the adviser failed"}
    return found | {"decision": decision}
