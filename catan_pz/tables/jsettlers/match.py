"""Matches of an agent against the robots of a JSettlers server."""

import asyncio
import os
import time
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final

from catan_pz import __version__
from catan_pz.agents.base import Agent, result_for
from catan_pz.agents.hosting import dismiss, seat_copy
from catan_pz.agents.programs.agent import end_programs
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.arena import Interrupted
from catan_pz.arena.entrants import AgentSpec, Entrant, as_entrant
from catan_pz.arena.forfeits import PASSED_ON
from catan_pz.arena.results import Result, result_of_drawn_seats
from catan_pz.arena.results_file import DRAWN_SEATS, FORMAT, ResultsFile, found_seed
from catan_pz.arena.schedule import block_seed
from catan_pz.checks import check_count, check_flag, check_seed, not_possible
from catan_pz.events import Events, as_seen_by
from catan_pz.game.followed import FollowedGame
from catan_pz.game.game import Game, drawn_seed
from catan_pz.names import shown
from catan_pz.progress import progress_bar
from catan_pz.rules import Rules
from catan_pz.tables.jsettlers.client import (
    LONGEST_REASON,
    MOST_GAMES,
    Outcome,
    RobotClient,
    ServerError,
)
from catan_pz.tables.jsettlers.contents import Invitation
from catan_pz.tables.jsettlers.decisions import JSETTLERS
from catan_pz.tables.jsettlers.organizer import Organizer
from catan_pz.tables.jsettlers.outcomes import THIRD_PARTY, Match, game_result
from catan_pz.tables.jsettlers.playing import SeatedAgent
from catan_pz.tables.jsettlers.server import FAST, KINDS, SMART, OwnServer, class_path

MOST_BROKEN: Final = 20
"""Games broken off in a row after which a match gives up."""

SECONDS_TO_INVITE = 60.0
"""How long the own server may take to invite the robot to a game that was asked for."""

_OTHERS: Final = (SMART, FAST, THIRD_PARTY)
_SECONDS_BETWEEN_LOOKS: Final = 0.5
_WARM_UP_DECISIONS: Final = 40


@dataclass(frozen=True)
class ServerAddress:
    """A server that runs already.

    Attributes:
        host: of it.
        port: of it.
        cookie: that its robots must present.
    """

    host: str
    port: int
    cookie: str


def play_match(
    agent: AgentSpec,
    against: str = SMART,
    players: int = 2,
    trading: bool = False,
    games: int = 200,
    seed: int | None = None,
    *,
    server: ServerAddress | None = None,
    classes: str | None = None,
    workers: int = 1,
    parallel: int = 4,
    results: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Match:
    """Play games of one agent against the robots of a JSettlers server.

    The server draws seats, board and dice, so that a match can't be repeated. On a server of
    its own, the match has the games created that it wants; on one that runs already, the
    robot waits to be invited. Games of another number of players, or with trade where the match
    is without, it plays to their end, but they don't count; those of other rules it doesn't join.
    A warning says so.

    Args:
        agent: as for `arena.play_match`.
        against: robots of the own server: "smart", "fast" or "mixed".
        players: 2 to 4, in each game.
        trading: whether players trade with each other.
        games: how many, those included that `results` holds.
        seed: from 0 to 2**64 - 1, of the agent's random choices; None for that of the file
            of results, or a drawn one.
        server: a server that runs; None for one of its own.
        classes: class path of the own server; None for what the environment says.
        workers: threads in which agents decide.
        parallel: games at the same time on the own server.
        results: file to which each result is appended; its games are not played again.
        progress: whether to show a progress bar; None for one on a terminal.

    Returns:
        The match. Its `gave_up` says why where it has fewer games than it should: it ends after
        `MOST_BROKEN` games broken off in a row.
    """
    if against not in KINDS:
        raise not_possible("against", against, f"one of {list(KINDS)}")
    rules = Rules(num_players=players, trading=trading, first_player="random", max_turns=None)
    entrant = as_entrant(agent)
    if entrant.name in _OTHERS:
        allowed = f"another than what robots are called: {', '.join(_OTHERS)}"
        raise not_possible("name of the agent", entrant.name, allowed)
    player = entrant.make()
    player.check_rules(rules)
    if seed is None:
        seed = found_seed(results)
    plan = _Plan(
        entrant=entrant,
        agent=player,
        rules=rules,
        games=check_count("games", games),
        seed=drawn_seed() if seed is None else check_seed(seed),
        workers=check_count("workers", workers),
        parallel=check_count("parallel", parallel),
    )
    if progress is not None:
        check_flag("progress", progress)
    path = class_path(classes) if server is None else None
    file = ResultsFile(results, plan.header(against if server is None else ""), None, plan.names)
    running = _Running(plan, file)
    try:
        with ExitStack() as stack:
            bar = stack.enter_context(progress_bar(progress))
            shown = bar.add_task("games", total=plan.games, completed=len(file.games), note="")
            running.advance = lambda: bar.advance(shown)
            if len(file.games) < plan.games:
                warm_up(player, rules)
                if path is not None:
                    own = stack.enter_context(OwnServer(path, against, players))
                    server = ServerAddress("127.0.0.1", own.port, own.cookie)
                assert server is not None
                asyncio.run(running.play(server, creates=path is not None))
    except KeyboardInterrupt:
        raise Interrupted(len(file.games), plan.games, file.path) from None
    finally:
        file.close()
        end_programs([player])
    return running.match()


def warm_up(agent: Agent, rules: Rules) -> None:
    """Let an agent decide in a followed game, so that nothing is compiled at the table.

    A server ends the turns of those who take too long. Errors are ignored here: they come up
    again in a game, which is then broken off.
    """
    try:
        _warm_up(agent, rules)
    except PASSED_ON:
        raise
    except BaseException:
        return


def _warm_up(agent: Agent, rules: Rules) -> None:
    game = Game(rules, 0)
    follower = FollowedGame.from_snapshot(game.snapshot(), 0, JSETTLERS)
    own = seat_copy(agent, 0, rules, 0)

    def tell(_game: Game, events: Events) -> None:
        seen = follower.follow(as_seen_by(events, 0))
        if own.needs_events:
            own.observe(seen)

    game.listeners.append(tell)
    try:
        for k in range(_WARM_UP_DECISIONS):
            own_move = game.player == 0
            legal = game.legal_actions()
            game.step(own.act(follower.view()) if own_move else int(legal[k % len(legal)]))
    finally:
        dismiss([(own, result_for(game.state, rules, 0))])


@dataclass(frozen=True)
class _Plan:
    """What is to be played."""

    entrant: Entrant
    agent: Agent
    rules: Rules
    games: int
    seed: int
    workers: int
    parallel: int

    @property
    def names(self) -> tuple[str, ...]:
        return (self.entrant.name, *_OTHERS)

    def header(self, against: str) -> dict[str, Any]:
        """All that defines the match, as JSON values, but not how many games it has."""
        others = [{"name": name} for name in self.names[1:]]
        return {
            "format": FORMAT,
            "version": __version__,
            "seating": DRAWN_SEATS,
            "table": "JSettlers",
            "against": against,
            "agents": [self.entrant.description, *others],
            "seed": self.seed,
            "rules": self.rules.to_dict(),
        }

    def seat_agent(self, number: int, invitation: Invitation) -> SeatedAgent:
        """The agent for a game; a copy of it sits down."""
        seed = seat_seeds(block_seed(self.seed, number), self.rules.num_players)[0]
        game, seat, trading, _ = invitation
        return SeatedAgent(self.agent, game, seat, trading, seed)

    def difference(self, seated: SeatedAgent) -> str:
        """How a game differs from those of the match, in words; empty if it doesn't."""
        reader, found = seated.reader, []
        players = self.rules.num_players if reader.table is None else len(reader.numbers)
        if players != self.rules.num_players:
            found.append(f"{players} players")
        if reader.trading != self.rules.trading:
            found.append(f"{'with' if reader.trading else 'without'} trade")
        return ", ".join(found)


class _Running:
    """A match while it is played."""

    def __init__(self, plan: _Plan, file: ResultsFile) -> None:
        self.advance: Callable[[], None] = lambda: None
        self._plan = plan
        self._file = file
        self._match = Match(plan.entrant.name, _result(plan, file))
        self._broken_in_row = 0
        self._first = len(file.games)
        self._begun = 0
        self._asked_for: dict[str, float] = {}
        """Games that the own server was asked for and the robot isn't invited to, and when."""
        self._under_way: set[str] = set()
        self._said: set[str] = set()
        self._client: RobotClient | None = None
        self._organizer: Organizer | None = None
        self._all_played: asyncio.Event | None = None

    async def play(self, server: ServerAddress, creates: bool) -> None:
        """Play what is missing."""
        self._all_played = asyncio.Event()
        with ThreadPoolExecutor(self._plan.workers) as threads:
            self._client = client = RobotClient(
                server.host,
                server.port,
                server.cookie,
                f"catan-pz-{os.getpid()}",
                self._seat,
                self._over,
                threads,
                self._create,
                self._plan.parallel if creates else max(self._plan.parallel, MOST_GAMES),
            )
            tasks = {asyncio.create_task(client.run())}
            try:
                await _first_of(tasks, client.wait_until_welcome())
                if creates:
                    tasks |= await self._organize(server)
                await _first_of(tasks, self._all_played.wait())
            finally:
                self._match.reconnects += client.reconnects
                self._all_played = None
                if self._organizer is not None:
                    await self._organizer.close()
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _organize(self, server: ServerAddress) -> "set[asyncio.Task[None]]":
        """Have the first games created."""
        rules = self._plan.rules
        prefix = f"catan-pz {os.getpid()}"
        self._organizer = Organizer(
            server.host, server.port, rules.num_players, rules.trading, prefix
        )
        await self._organizer.start()
        self._create()
        waits = self._organizer.wait(), self._replace_games()
        return {asyncio.create_task(wait) for wait in waits}

    def _create(self) -> None:
        """Have games created until enough are under way; those the robot isn't there for wait."""
        if self._organizer is None or self._client is None or not self._client.is_welcome:
            return
        begun = len(self._asked_for) + len(self._under_way)
        missing = self._plan.games - len(self._file.games)
        for _ in range(min(missing, self._plan.parallel) - begun):
            self._asked_for[self._organizer.create()] = time.monotonic()

    async def _replace_games(self) -> None:
        """Give up games to which the robot isn't invited in time."""
        while True:
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
            now = time.monotonic()
            for game, since in list(self._asked_for.items()):
                if now - since > SECONDS_TO_INVITE:
                    del self._asked_for[game]
                    assert self._organizer is not None
                    self._organizer.leave(game)
                    self._note_broken(game, "the server didn't invite the robot")
                    self._go_on()

    def _seat(self, invitation: Invitation) -> SeatedAgent | None:
        """What plays a game; None where the robot doesn't join it."""
        game, others = invitation.game, ", ".join(invitation.other_rules)
        if self._organizer is not None and self._asked_for.pop(game, None) is None:
            return None  # given up before
        if others:
            self._note_other(game, others, "not joined")
            return None
        self._under_way.add(game)
        self._begun += 1
        return self._plan.seat_agent(self._first + self._begun, invitation)

    def _over(self, outcome: Outcome) -> None:
        """A game has ended: note it, and have the next one created."""
        self._under_way.discard(outcome.game)
        if self._all_played is None or self._all_played.is_set():
            return
        match, seated = self._match, outcome.seated
        match.refusals += seated.refusals
        match.refused += seated.refused
        match.late += seated.late
        difference = self._plan.difference(seated)
        if difference:
            self._note_other(outcome.game, difference, outcome.broken or "not counted")
        elif outcome.broken:
            reason = outcome.broken
            if outcome.agent_failed:
                match.agent_failed += 1
                reason = f"the agent failed: {reason}"
            self._note_broken(outcome.game, reason)
        else:
            self._broken_in_row = 0
            self._add(seated)
        self._go_on()

    def _note_broken(self, game: str, reason: str) -> None:
        self._match.broken.append(f"{game}: {reason}")
        self._broken_in_row += 1

    def _note_other(self, game: str, difference: str, what: str) -> None:
        """Note a game that is none of the match, and warn of the first of its kind."""
        self._match.others.append(f"{game}: {difference}; {what}")
        if difference not in self._said:
            self._said.add(difference)
            told = shown(difference, LONGEST_REASON)
            warnings.warn(f"games with {told} don't count in this match", stacklevel=2)

    def _go_on(self) -> None:
        """Have the next games created, unless all are played or too many were broken off."""
        if self._all_played is None:
            return
        match, played = self._match, len(self._file.games)
        if played >= self._plan.games:
            self._all_played.set()
        elif self._broken_in_row >= MOST_BROKEN:
            match.gave_up = (
                f"gave up after {played:,} of {self._plan.games:,} games, as {MOST_BROKEN} in a "
                f"row were broken off, the last because: {match.broken[-1]}"
            )
            self._all_played.set()
        else:
            self._create()

    def _add(self, seated: SeatedAgent) -> None:
        number = 1 + max(self._file.games, default=-1)
        self._file.add(game_result(self._plan.entrant.name, number, seated))
        self.advance()

    def match(self) -> Match:
        """What was played."""
        self._match.result = _result(self._plan, self._file)
        return self._match


def _result(plan: _Plan, file: ResultsFile) -> Result:
    return result_of_drawn_seats(plan.names, plan.rules, plan.seed, file.games.values())


async def _first_of(tasks: Iterable["asyncio.Task[None]"], waited: Any) -> None:
    """Wait for something while some tasks run, none of which may end."""
    goal = asyncio.ensure_future(waited)
    done, _ = await asyncio.wait({goal, *tasks}, return_when=asyncio.FIRST_COMPLETED)
    if goal not in done:
        goal.cancel()
        for task in done:
            task.result()
        raise ServerError("the server is gone")
