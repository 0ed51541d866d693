"""Matches of an agent against the robots of a JSettlers server."""

import asyncio
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Final

from catan_pz import __version__
from catan_pz.agents.base import Agent
from catan_pz.agents.hosting import dismiss, seat_copy
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.result import result_for
from catan_pz.arena import Interrupted
from catan_pz.arena.entrants import AgentSpec, Entrant, as_entrant
from catan_pz.arena.progress import ProgressBar
from catan_pz.arena.results import VICTORY, GameResult, Result, result_of_drawn_seats
from catan_pz.arena.results_file import DRAWN_SEATS, FORMAT, ResultsFile, found_seed
from catan_pz.arena.schedule import block_seed
from catan_pz.bridges.jsettlers.client import Outcome, RobotClient, ServerError
from catan_pz.bridges.jsettlers.decisions import JSETTLERS
from catan_pz.bridges.jsettlers.organizer import Organizer
from catan_pz.bridges.jsettlers.playing import SeatedAgent
from catan_pz.bridges.jsettlers.server import FAST, KINDS, SMART, OwnServer, class_path, kind_of
from catan_pz.checks import check_count, check_seed, not_possible
from catan_pz.rules import Rules
from catan_pz.runtime.followed import FollowedGame
from catan_pz.runtime.game import Game, drawn_seed

THIRD_PARTY: Final = "third party"
"""What robots are called that are not the server's own."""

MOST_BROKEN: Final = 20
"""Games broken off in a row after which a match gives up."""

_WARM_UP_DECISIONS: Final = 40
_OWN_PREFIXES: Final = ("robot ", "droid ", "extrabot ")


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


@dataclass
class Match:
    """A match as it was played.

    Attributes:
        name: of the agent.
        result: the games played to their end. Seat 0 is the one that goes first.
        refused: commands that the server refused, in the games played now.
        late: commands that were refused because their offer or turn was over already.
        broken: why games of now were broken off; they are played again.
        reconnects: connections that were lost and opened anew.
    """

    name: str
    result: Result
    refused: list[str] = field(default_factory=list)
    late: int = 0
    broken: list[str] = field(default_factory=list)
    reconnects: int = 0


def seat_weighted_rate(result: Result, name: str) -> float | None:
    """The win rate as it would be with each seat drawn equally often; None if one never was."""
    rates = [rate for rate in result.win_rates_by_seat(name) if rate is not None]
    whole = len(rates) == result.rules.num_players
    return sum(rates) / len(rates) if whole else None


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
    robot waits to be invited.

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
        The match.

    Raises:
        ValueError: names the option, its value and what is allowed; or the file of results
            is of another match.
        ServerError: if there is no server, or it refuses the robot, or is gone.
        Interrupted: by Ctrl-C.
    """
    if against not in KINDS:
        raise not_possible("against", against, f"one of {list(KINDS)}")
    rules = Rules(num_players=players, trading=trading, first_player="random", max_turns=None)
    entrant = as_entrant(agent)
    entrant.make().check_rules(rules)
    if seed is None:
        seed = found_seed(results)
    plan = _Plan(
        entrant=entrant,
        rules=rules,
        games=check_count("games", games),
        seed=drawn_seed() if seed is None else check_seed(seed),
        workers=check_count("workers", workers),
        parallel=check_count("parallel", parallel),
    )
    path = class_path(classes) if server is None else None
    file = ResultsFile(results, plan.header(against if server is None else ""), None, plan.names)
    running = _Running(plan, file)
    try:
        with ExitStack() as stack:
            bar = stack.enter_context(ProgressBar(plan.games, len(file.games), progress))
            running.advance = lambda: bar.advance(forfeit=False)
            if len(file.games) < plan.games:
                warm_up(plan.entrant.make(), rules)
                if path is not None:
                    own = stack.enter_context(OwnServer(path, against, players))
                    server = ServerAddress("127.0.0.1", own.port, own.cookie)
                assert server is not None
                asyncio.run(running.play(server, creates=path is not None))
    except KeyboardInterrupt:
        raise Interrupted(len(file.games), plan.games, file.path) from None
    finally:
        file.close()
    return running.match()


def warm_up(agent: Agent, rules: Rules) -> None:
    """Let an agent decide in a followed game, so that nothing is compiled at the table.

    A server ends the turns of those who take too long.
    """
    game = Game(rules, 0)
    follower = FollowedGame.from_snapshot(game.snapshot(), 0, JSETTLERS)
    game.listeners.append(follower.listen)
    own = seat_copy(agent, 0, rules, 0)
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
    rules: Rules
    games: int
    seed: int
    workers: int
    parallel: int

    @property
    def names(self) -> tuple[str, ...]:
        return (self.entrant.name, SMART, FAST, THIRD_PARTY)

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

    def seat_agent(self, number: int, game: str, seat: int, trading: bool) -> SeatedAgent:
        """The agent for a game."""
        seed = seat_seeds(block_seed(self.seed, number), self.rules.num_players)[0]
        return SeatedAgent(self.entrant.make(), game, seat, trading, seed)


class _Running:
    """A match while it is played."""

    def __init__(self, plan: _Plan, file: ResultsFile) -> None:
        self.advance: Callable[[], None] = lambda: None
        self._plan = plan
        self._file = file
        self._refused: list[str] = []
        self._late = 0
        self._broken: list[str] = []
        self._broken_in_row = 0
        self._reconnects = 0
        self._first = len(file.games)
        self._begun = 0
        self._under_way = 0
        self._organizer: Organizer | None = None
        self._all_played: asyncio.Event | None = None

    async def play(self, server: ServerAddress, creates: bool) -> None:
        """Play what is missing."""
        self._all_played = asyncio.Event()
        with ThreadPoolExecutor(self._plan.workers) as threads:
            name = f"catan-pz-{os.getpid()}"
            client = RobotClient(
                server.host, server.port, server.cookie, name, self._seat, self._over, threads
            )
            tasks = {asyncio.create_task(client.run())}
            try:
                await _first_of(tasks, client.wait_until_welcome())
                if creates:
                    tasks.add(await self._organize(server))
                await _first_of(tasks, self._all_played.wait())
            finally:
                self._reconnects += client.reconnects
                self._all_played = None
                if self._organizer is not None:
                    await self._organizer.close()
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _organize(self, server: ServerAddress) -> "asyncio.Task[None]":
        """Have the first games created."""
        rules = self._plan.rules
        prefix = f"catan-pz {os.getpid()}"
        self._organizer = Organizer(
            server.host, server.port, rules.num_players, rules.trading, prefix
        )
        await self._organizer.start()
        for _ in range(self._plan.parallel):
            self._create()
        return asyncio.create_task(self._organizer.wait())

    def _create(self) -> None:
        """Have a game created, unless enough are under way."""
        assert self._organizer is not None
        if len(self._file.games) + self._under_way < self._plan.games:
            self._organizer.create()
            self._under_way += 1

    def _seat(self, game: str, seat: int, trading: bool) -> SeatedAgent:
        self._begun += 1
        number = self._first + self._begun
        return self._plan.seat_agent(number, game, seat, trading)

    def _over(self, outcome: Outcome) -> None:
        """A game has ended: note it, and have the next one created."""
        if self._all_played is None or self._all_played.is_set():
            return
        self._refused += outcome.seated.refused
        self._late += outcome.seated.late
        self._under_way -= 1
        if outcome.broken:
            self._broken.append(f"{outcome.game}: {outcome.broken}")
            self._broken_in_row += 1
        else:
            self._broken_in_row = 0
            self._add(outcome.seated)
        if len(self._file.games) >= self._plan.games or self._broken_in_row >= MOST_BROKEN:
            self._all_played.set()
        elif self._organizer is not None:
            self._create()

    def _add(self, seated: SeatedAgent) -> None:
        number = 1 + max(self._file.games, default=-1)
        self._file.add(game_result(self._plan.entrant.name, number, seated))
        self.advance()

    def match(self) -> Match:
        """What was played."""
        plan = self._plan
        result = result_of_drawn_seats(plan.names, plan.rules, plan.seed, self._file.games.values())
        return Match(
            name=plan.entrant.name,
            result=result,
            refused=self._refused,
            late=self._late,
            broken=self._broken,
            reconnects=self._reconnects,
        )


async def _first_of(tasks: Iterable["asyncio.Task[None]"], waited: Any) -> None:
    """Wait for something while some tasks run, none of which may end.

    Raises:
        Exception: what ended a task.
    """
    goal = asyncio.ensure_future(waited)
    done, _ = await asyncio.wait({goal, *tasks}, return_when=asyncio.FIRST_COMPLETED)
    if goal not in done:
        goal.cancel()
        for task in done:
            task.result()
        raise ServerError("the server is gone")


def robot_name(robot: str) -> str:
    """What one of the others is called in results."""
    return kind_of(robot) if robot.startswith(_OWN_PREFIXES) else THIRD_PARTY


def game_result(name: str, number: int, seated: SeatedAgent) -> GameResult:
    """The result of a game; its seats go round from the one that went first.

    Args:
        name: of the agent.
        number: of the game.
        seated: the agent as it played.
    """
    reader = seated.reader
    count, first = len(reader.numbers), reader.first
    order = [(first + k) % count for k in range(count)]
    who = [name if s == reader.seat else robot_name(reader.names[reader.numbers[s]]) for s in order]
    assert reader.points is not None
    assert reader.winner is not None
    refused = seated.refused
    return GameResult(
        number=number,
        lineup=0,
        block=number,
        seats=tuple(who),
        winner=order.index(reader.winner),
        end=VICTORY,
        offender=None,
        reason=f"{len(refused)} commands refused: {refused[0]}" if refused else "",
        turns=reader.game.turn,
        points=tuple(reader.points[s] for s in order),
        decisions=tuple(seated.decisions if s == reader.seat else 0 for s in order),
        seconds=tuple(seated.seconds if s == reader.seat else 0.0 for s in order),
    )
