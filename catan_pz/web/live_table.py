"""A table that is played: agents decide, persons press, and whoever looks on hears of it."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from catan_pz.agents.adviser import Question
from catan_pz.events import ONLOOKER
from catan_pz.names import shown
from catan_pz.web.advice import advice_json, drawn_advice
from catan_pz.web.failures import AGENT_ERRORS, log_failure
from catan_pz.web.saved import TableFile
from catan_pz.web.table import HostedGame, PressError

Moment = tuple[HostedGame, int, str | None]
"""What a viewer was sent last: the game, the version of its picture, and the warning."""


class LiveTable:
    """A table that is played: agents decide in threads, viewers wait for what is new.

    Args:
        hosted: the game.
        path: where the table is saved, at the start and after each decision; None for nowhere.
        pause: seconds that an agent's decision is shown before the next.
        pool: threads in which agents decide.
        advisers: threads in which advice is worked out; None for those of `pool`.
        keeps_links: whether the file holds the links, too, or the recorded game alone.
    """

    def __init__(
        self,
        hosted: HostedGame,
        path: Path | None,
        pause: float,
        pool: ThreadPoolExecutor,
        advisers: ThreadPoolExecutor | None = None,
        *,
        keeps_links: bool = True,
    ) -> None:
        self.hosted = hosted
        self.failure: str | None = None
        self._file = TableFile(path, keeps_links)
        self._pause = pause
        self._pool = pool
        self._advisers = advisers or pool
        self._advice: dict[int, _Advised] = {}
        self._changed = asyncio.Condition()

    def moment_of(self, viewer: int) -> Moment:
        """What there is to be sent to a viewer now."""
        return self.hosted, self.hosted.version_of(viewer), self._file.warning

    async def run(self) -> None:
        """Let agents play whenever it is for them, as long as the server runs."""
        loop = asyncio.get_running_loop()
        try:
            await self.tell()  # the links are known before anything is played
            while self.failure is None:
                hosted, moment = self.hosted, self.moment_of(ONLOOKER)
                if hosted.session.is_finished or hosted.session.waits_for_person:
                    await self.wait_for_change(ONLOOKER, moment)
                    continue
                action = await loop.run_in_executor(self._pool, hosted.session.decide)
                hosted.session.play(action)
                await self.tell()
                await asyncio.sleep(self._pause)
        except AGENT_ERRORS as error:
            await self._fail(error)

    async def _fail(self, error: BaseException) -> None:
        """Stop the table for good, and say whose agent failed to all who look on."""
        session = self.hosted.session
        seat = session.failed
        who = "an agent" if seat is None else f"the agent in seat {seat}"
        names = ", ".join(map(shown, session.names))
        log_failure(f"The table of {names} stopped: {who} failed.", error)
        self.failure = f"the table stopped: {who} failed"
        await self.tell()  # what was played last is saved, too

    async def tell(self) -> None:
        """Save the game and wake those who wait for a change, also if the caller is cancelled."""
        await asyncio.shield(self._tell())

    async def _tell(self) -> None:
        try:
            await self._file.save(self.hosted)
        finally:
            async with self._changed:
                self._changed.notify_all()

    async def wait_for_change(self, viewer: int, moment: Moment) -> None:
        """Wait until there is something else to be told to a viewer, or the table has failed."""
        async with self._changed:
            await self._changed.wait_for(
                lambda: self.moment_of(viewer) != moment or self.failure is not None
            )

    def adviser_of(self, viewer: int) -> str | None:
        """Name of the agent that advises a viewer, None for nobody."""
        adviser = self.hosted.session.adviser
        return None if adviser is None or viewer == ONLOOKER else shown(adviser.name)

    async def advise(self, viewer: int, decision: int) -> dict[str, Any] | None:
        """Advice on a decision of a viewer, worked out once; None where it is decided by then."""
        hosted, known = self.hosted, self._advice.get(viewer)
        if known is None or known.hosted is not hosted or known.decision != decision:
            work = partial(_work_out, hosted, hosted.question(viewer), decision)
            loop = asyncio.get_running_loop()
            known = _Advised(hosted, decision, loop.run_in_executor(self._advisers, work))
            self._advice[viewer] = known
        return await asyncio.shield(known.advice)

    async def answer(self, viewer: int, message: Mapping[str, Any]) -> str | None:
        """Do what a viewer's message says; why not, if it can't be done."""
        if self.failure is not None:
            return self.failure
        if viewer == ONLOOKER:
            return "onlookers have nothing to press"
        try:
            if message.get("again") is True:
                return await self._begin_again()
            name, version = message.get("press"), message.get("version")
            if not isinstance(name, str) or type(version) is not int:
                return "a message names what to press and the version of the picture"
            self.hosted.press(viewer, name, version)
            await self.tell()
        except PressError as error:
            return str(error)
        except AGENT_ERRORS as error:  # agents hear of it, and begin and end games
            await self._fail(error)
            return self.failure
        return None

    async def _begin_again(self) -> str | None:
        """Start another game of the same seats, once this one is over."""
        finished = self.hosted
        if not finished.session.is_finished:
            return "the game isn't over"
        loop = asyncio.get_running_loop()
        self.hosted = await loop.run_in_executor(self._pool, finished.again)
        await self.tell()
        await loop.run_in_executor(self._advisers, finished.session.close)
        return None

    async def close(self) -> None:
        """Save what isn't saved yet, and let the agents go."""
        await self._file.save(self.hosted)
        self.hosted.session.close()


@dataclass(frozen=True)
class _Advised:
    """The last decision of a viewer on which advice was asked for, and the advice."""

    hosted: HostedGame
    decision: int
    advice: asyncio.Future[dict[str, Any] | None]


def _work_out(hosted: HostedGame, question: Question, decision: int) -> dict[str, Any] | None:
    if len(hosted.session.record.decisions) != decision:  # while it waited for a thread
        return None
    try:
        advice = question.advice()
        found = advice_json(advice) | {"drawn": drawn_advice(advice)}
    except AGENT_ERRORS as error:  # the table goes on without
        log_failure(f"The adviser of seat {question.adviser.seat} failed.", error)
        found = {"failure": "no advice: the adviser failed"}
    return found | {"decision": decision}
