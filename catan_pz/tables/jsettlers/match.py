"""Matches of an agent against the robots of a JSettlers server."""

import asyncio
import os
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from catan_pz import __version__
from catan_pz.agents.base import Agent
from catan_pz.agents.programs.agent import end_programs
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import decide_once
from catan_pz.arena import Interrupted
from catan_pz.arena.entrants import AgentSpec, as_entrant
from catan_pz.arena.results import VICTORY, GameResult, Result, result_of_drawn_seats
from catan_pz.arena.results_file import DRAWN_SEATS, FORMAT, ResultsFile, found_seed, results_file
from catan_pz.arena.schedule import block_seed
from catan_pz.checks import check_count, check_seed, not_possible
from catan_pz.game.game import drawn_seed
from catan_pz.names import shown
from catan_pz.progress import progress_bar
from catan_pz.tables.jsettlers.client import (
    LONGEST_REASON,
    MOST_GAMES,
    Organizer,
    RobotClient,
    ServerAddress,
    ServerError,
)
from catan_pz.tables.jsettlers.contents import Invitation
from catan_pz.tables.jsettlers.decisions import MOST_OFFERS, table_rules
from catan_pz.tables.jsettlers.player import TablePlayer
from catan_pz.tables.jsettlers.server import FAST, KINDS, SMART, class_path, kind_of, own_server

MOST_BROKEN: Final = 20
"""Games broken off in a row that end a match."""

MOST_OTHERS: Final = 100
"""The most games that a match lists without counting them."""

SECONDS_TO_INVITE = 60.0
"""Seconds that the own server may take to invite the robot to a requested game."""

THIRD_PARTY: Final = "third party"
"""The name for robots that are not the server's own."""

_OTHERS: Final = (SMART, FAST, THIRD_PARTY)
_OWN_PREFIXES: Final = ("robot ", "droid ", "extrabot ")


@dataclass
class TableMatch:
    """A played match of an agent."""

    name: str
    result: Result  # the finished games; seat 0 is the first player
    refusals: int = 0  # commands that the server refused in the present run
    refused: list[str] = field(default_factory=list)  # the first refusals of each game, as text
    broken: list[str] = field(default_factory=list)  # why games of this run were broken off
    agent_failed: int = 0  # number of these games in which the agent failed
    gave_up: str = ""  # why the match ended early, if it did
    # Uncounted games to which the robot was invited, with other numbers of players or rules.
    others: list[str] = field(default_factory=list)

    def seat_weighted_rate(self) -> float | None:
        """The win rate with each seat drawn equally often; None if some seat was never drawn."""
        rates = [rate for rate in self.result.win_rates_by_seat(self.name) if rate is not None]
        whole = len(rates) == self.result.rules.num_players
        return sum(rates) / len(rates) if whole else None


def play_match(  # wide: what a match is and how it is played, named by its caller
    agent: AgentSpec,
    against: str = SMART,
    players: int = 2,
    trading: bool = False,
    games: int = 200,
    seed: int | None = None,
    *,
    max_offers: int = MOST_OFFERS,
    server: ServerAddress | None = None,
    classes: str | None = None,
    workers: int = 1,
    parallel: int = 4,
    results: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> TableMatch:
    """Play games of one agent against the robots of a JSettlers server.

    The server draws seats, board and dice, so a match can't be repeated. On its own server the
    match creates its games; on a running server the robot waits for invitations. Games with
    another number of players don't count; games with other rules, trade included, are declined. A
    warning says so.

    Args:
        agent: as for `arena.play_match`.
        against: robots of the own server: "smart", "fast" or "mixed".
        players: players of each game, 2 to 4.
        trading: whether players trade with each other.
        games: number of games, including those in `results`.
        seed: from 0 to 2**64 - 1, of the agent's random choices; None for that of the results
            file, or a drawn one.
        max_offers: offers that the agent may make in a turn, from 0 to 100.
        server: a running server; None for an own one.
        classes: class path of the own server; None for that of the environment variable.
        workers: threads in which agents decide.
        parallel: games at the same time on the own server.
        results: file to which each result is appended; its games are not played again.
        progress: whether to show a progress bar; None for one on a terminal.

    Returns:
        The match. If it has too few games its `gave_up` says why: it ends after `MOST_BROKEN`
        games broken off in a row.
    """
    if against not in KINDS:
        raise not_possible("against", against, f"one of {list(KINDS)}")
    rules = table_rules(players, trading, max_offers)
    entrant = as_entrant(agent)
    if entrant.name in _OTHERS:
        allowed = f"other than the names of robots: {', '.join(_OTHERS)}"
        raise not_possible("name of the agent", entrant.name, allowed)
    own = entrant.make()
    own.check_rules(rules)
    seed = found_seed(results) if seed is None else check_seed(seed)
    seed = drawn_seed() if seed is None else seed
    path = class_path(classes) if server is None else None
    names = (entrant.name, *_OTHERS)
    header = {
        "format": FORMAT,
        "version": __version__,
        "seating": DRAWN_SEATS,
        "table": "JSettlers",
        "against": against if server is None else "",
        "agents": [entrant.description, *({"name": name} for name in _OTHERS)],
        "seed": seed,
        "rules": rules.to_dict(),
    }
    workers, parallel = check_count("workers", workers), check_count("parallel", parallel)
    wanted = check_count("games", games)
    with results_file(results, header, None) as file:
        begun = result_of_drawn_seats(names, rules, seed, file.games.values())
        match = TableMatch(entrant.name, begun)
        try:
            with ExitStack() as stack:
                bar = stack.enter_context(progress_bar(progress))
                task = bar.add_task("games", total=wanted, completed=len(file.games), note="")
                if len(file.games) < wanted:
                    with suppress(Exception):  # the error recurs in a game, which then ends
                        decide_once(rules, own)
                    if path is not None:
                        server = stack.enter_context(own_server(path, against, players))
                    assert server is not None
                    advance = partial(bar.advance, task)
                    running = _Running(match, own, file, wanted, parallel, advance, len(file.games))
                    asyncio.run(running.play(server, workers, creates=path is not None))
        except KeyboardInterrupt:
            raise Interrupted(len(file.games), wanted, file.path) from None
        finally:
            end_programs([own])
    match.result = result_of_drawn_seats(names, rules, seed, file.games.values())
    return match


@dataclass(eq=False)
class _Running:
    """A match in progress."""

    match: TableMatch
    agent: Agent
    file: ResultsFile
    games: int
    parallel: int
    played: Callable[[], None]
    begun: int  # games started, those of the file included
    broken_in_row: int = 0
    # Requested games without an invitation yet, with the timers that give them up.
    asked_for: dict[str, asyncio.TimerHandle] = field(default_factory=dict)
    under_way: set[str] = field(default_factory=set)
    said: set[str] = field(default_factory=set)
    organizer: Organizer | None = None
    is_over: asyncio.Event = field(default_factory=asyncio.Event)

    async def play(self, server: ServerAddress, workers: int, creates: bool) -> None:
        """Play the missing games."""
        with ThreadPoolExecutor(workers) as threads:
            most = self.parallel if creates else max(self.parallel, MOST_GAMES)
            name = f"catan-pz-{os.getpid()}"
            client = RobotClient(server, name, self._seat, self._over, threads, most)
            tasks = {asyncio.create_task(client.run())}
            try:
                await _first_of(tasks, client.welcomed.wait())
                if creates:
                    rules, prefix = self.match.result.rules, f"catan-pz {os.getpid()}"
                    organizer = Organizer(server, rules.num_players, rules.trading, prefix)
                    tasks.add(asyncio.create_task(organizer.run()))
                    await _first_of(tasks, organizer.welcomed.wait())
                    self.organizer = organizer
                    self._create()
                await _first_of(tasks, self.is_over.wait())
            finally:
                self.is_over.set()
                for waiting in self.asked_for.values():
                    waiting.cancel()
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    def _create(self) -> None:
        """Create games until enough are in progress."""
        if self.organizer is None:
            return
        begun = len(self.asked_for) + len(self.under_way)
        missing = self.games - len(self.file.games)
        for _ in range(min(missing, self.parallel) - begun):
            game = self.organizer.create()
            self.asked_for[game] = asyncio.get_running_loop().call_later(
                SECONDS_TO_INVITE, self._give_up, game
            )

    def _give_up(self, game: str) -> None:
        """Give up a game whose invitation is overdue."""
        assert self.organizer is not None
        del self.asked_for[game]
        self.organizer.leave(game)
        self._note_broken(game, "the server didn't invite the robot")
        self._go_on()

    def _seat(self, invitation: Invitation) -> TablePlayer | None:
        """The player of a game; None if the robot declines it."""
        game, others = invitation.game, list(invitation.other_rules)
        if self.organizer is not None:
            if game not in self.asked_for:
                return None  # already given up
            self.asked_for.pop(game).cancel()
        if invitation.trading != self.match.result.rules.trading:
            others.append(f"{'with' if invitation.trading else 'without'} trade")
        if others:
            self._note_other(game, ", ".join(others))
            return None
        self.under_way.add(game)
        self.begun += 1
        block = block_seed(self.match.result.seed, self.begun)
        seed = seat_seeds(block, self.match.result.rules.num_players)[0]
        most, trading = self.match.result.rules.max_offers_per_turn, invitation.trading
        return TablePlayer(self.agent, game, invitation.number, trading, seed, most)

    def _over(self, player: TablePlayer, broken: str, agent_failed: bool) -> None:
        """Record the end of a game, and create the next one."""
        self.under_way.discard(player.game)
        if self.is_over.is_set():
            return
        match = self.match
        match.refusals += player.refusals
        match.refused += player.refused
        seats = len(player.reader.numbers)
        if player.reader.table is not None and seats != self.match.result.rules.num_players:
            self._note_other(player.game, f"{seats} players")
        elif broken:
            match.agent_failed += agent_failed
            self._note_broken(player.game, f"{'the agent failed: ' * agent_failed}{broken}")
        else:
            self.broken_in_row = 0
            number = 1 + max(self.file.games, default=-1)
            self.file.add(game_result(match.name, number, player))
            self.played()
        self._go_on()

    def _note_broken(self, game: str, reason: str) -> None:
        self.match.broken.append(f"{game}: {reason}")
        self.broken_in_row += 1

    def _note_other(self, game: str, difference: str) -> None:
        """Record a game that doesn't count, and warn about the first of its kind."""
        difference = shown(difference, LONGEST_REASON)
        if len(self.match.others) < MOST_OTHERS:
            self.match.others.append(f"{shown(game, LONGEST_REASON)}: {difference}")
            if difference not in self.said:
                self.said.add(difference)
                warnings.warn(f"games with {difference} don't count in this match", stacklevel=2)

    def _go_on(self) -> None:
        """Create the next games, unless all are played or too many were broken off."""
        match, played = self.match, len(self.file.games)
        if played >= self.games:
            self.is_over.set()
        elif self.broken_in_row >= MOST_BROKEN:
            match.gave_up = (
                f"gave up after {played:,} of {self.games:,} games, as {MOST_BROKEN} in a "
                f"row were broken off, the last because: {match.broken[-1]}"
            )
            self.is_over.set()
        else:
            self._create()


def game_result(name: str, number: int, player: TablePlayer) -> GameResult:
    """The result of a game, with seats counted from the first player."""
    reader = player.reader
    count, first = len(reader.numbers), reader.first
    order = [(first + k) % count for k in range(count)]
    called = [reader.names[number] for number in reader.numbers]
    who = [kind_of(robot) if robot.startswith(_OWN_PREFIXES) else THIRD_PARTY for robot in called]
    who[reader.seat] = name
    assert reader.points is not None
    assert reader.winner is not None
    refused = player.refused
    return GameResult(
        number=number,
        lineup=0,
        block=number,
        seats=tuple(who[s] for s in order),
        winner=order.index(reader.winner),
        end=VICTORY,
        offender=None,
        reason=f"{player.refusals} commands refused: {refused[0]}" if refused else "",
        turns=reader.game.turn,
        points=tuple(reader.points[s] for s in order),
        decisions=tuple(player.decisions if s == reader.seat else 0 for s in order),
        seconds=tuple(player.seconds if s == reader.seat else 0.0 for s in order),
    )


async def _first_of(tasks: Iterable["asyncio.Task[None]"], waited: Any) -> None:
    """Wait for something while some tasks run, none of which may end."""
    goal = asyncio.ensure_future(waited)
    done, _ = await asyncio.wait({goal, *tasks}, return_when=asyncio.FIRST_COMPLETED)
    if goal not in done:
        goal.cancel()
        for task in done:
            task.result()
        raise ServerError("the connection to the server is lost")
