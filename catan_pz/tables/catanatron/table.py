"""Matches at a catanatron table: its engine is the judge, its bots see all that it shows them."""

import random
import signal
import time
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from multiprocessing import active_children, get_context
from typing import Any, Final

from catan_pz.agents.base import ABORTED, Agent
from catan_pz.agents.programs.agent import end_programs
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.arena.entrants import Entrant
from catan_pz.arena.executors import Task
from catan_pz.arena.forfeits import PASSED_ON, error_reason, forfeit_winner
from catan_pz.arena.games import warm_up, warned_at_end
from catan_pz.arena.results import FORFEIT, TRUNCATED, VICTORY, End, GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.checks import check_count, not_possible
from catan_pz.game.view import View
from catan_pz.rules import Rules
from catan_pz.tables.catanatron.bots import BotSpec
from catan_pz.tables.catanatron.installed import (
    has_records,
    installed_version,
    module,
    moves_offered,
    set_playable_actions,
)
from catan_pz.tables.catanatron.moves import COLORS
from catan_pz.tables.catanatron.players import AgentPlayer

_NUMBERS: Final = {"spiral": "official_spiral", "random": "random"}
"""How number tokens are placed on each kind of board."""


class TableBot(Agent):
    """A bot of catanatron at its own table, as an entrant of a match there.

    Args:
        bot: its name, as for `bots.CatanatronAgent`; it is shown the true state.
    """

    def __init__(self, bot: str) -> None:
        self.bot = bot
        self.name = f"catanatron:{bot}"
        self.catanatron = installed_version()
        self.player(module("models.player").Color.RED)

    def player(self, color: Any) -> Any:
        """The player of catanatron."""
        return BotSpec.read(self.bot).player(color)

    def check_rules(self, rules: Rules) -> None:
        """Refuse rules by which catanatron's engine doesn't play."""
        check_table_rules(rules)

    def act(self, view: View) -> int:
        """Not possible: it plays at its own table."""
        raise RuntimeError(f"{self.name} plays at a table of catanatron; use CatanatronAgent here")


def table_rules(num_players: int) -> Rules:
    """The rules of a table of catanatron, as far as our rules have words for them."""
    board = "spiral" if hasattr(module("models.map"), "NumberPlacement") else "random"
    return Rules(num_players=num_players, trading=False, board=board)


def check_table_rules(rules: Rules) -> None:
    """Refuse rules by which catanatron's engine doesn't play."""
    standard = table_rules(rules.num_players)
    for name in ("trading", "dice", "first_player", "no_adjacent_red"):
        if getattr(rules, name) != getattr(standard, name):
            allowed = f"{getattr(standard, name)!r} at a table of catanatron"
            raise not_possible(name, getattr(rules, name), allowed)
    if rules.board not in ("random", standard.board):
        allowed = f"'random' or {standard.board!r} at a table of catanatron"
        raise not_possible("board", rules.board, allowed)
    if rules.friendly_robber and not has_records():
        allowed = f"False with catanatron {installed_version()}"
        raise not_possible("friendly_robber", True, allowed)


class CatanatronTables:
    """Plays the games of a match at tables of catanatron, as an `Executor` of the arena.

    Entrants are `TableBot`, and agents, which get what their seat may know.

    Args:
        workers: processes; 1 for none beside this one.
    """

    def __init__(self, workers: int = 1) -> None:
        self.workers = check_count("workers", workers)

    def run(
        self, config: MatchConfig, entrants: Sequence[Entrant], tasks: Sequence[Task]
    ) -> Generator[GameResult, None, None]:
        """Play all tasks, as `Executor.run`."""
        _check_match(config)
        games = [game for task in tasks for game in task.games]
        if self.workers == 1:
            agents = [entrant.make() for entrant in entrants]
            try:
                _get_ready(config, agents)
                for game in games:
                    yield play_game(config, game, agents)
            finally:
                end_programs(agents)
            return
        others = set(active_children())
        pool = ProcessPoolExecutor(
            self.workers, get_context("spawn"), _start, (config, tuple(entrants))
        )
        try:
            futures = [pool.submit(_play, game) for game in games]
            for future in as_completed(futures):
                yield future.result()
        finally:
            # Also in the middle of a game, which may take long.
            for worker in set(active_children()) - others:
                worker.terminate()
            pool.shutdown(cancel_futures=True)


def _check_match(config: MatchConfig) -> None:
    """Refuse what matches here don't have, so that nobody takes it for granted."""
    for name, reason in (
        ("seconds_per_decision", "decisions have no limit of time"),
        ("records", "games are not recorded"),
        ("true_state", "bots always see it and agents never do"),
    ):
        value = getattr(config, name)
        if value not in (None, ()):
            allowed = f"none at a table of catanatron, where {reason}"
            raise not_possible(name, str(value), allowed)


_process: list[Any] = []
"""In a worker process: the match and its agents."""


def _start(config: MatchConfig, entrants: Sequence[Entrant]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to act on
    agents = [entrant.make() for entrant in entrants]
    _process[:] = config, agents
    _get_ready(config, agents)


def _get_ready(config: MatchConfig, agents: Sequence[Agent]) -> None:
    for agent in agents:
        if not isinstance(agent, TableBot):
            warm_up(config, agent)


def _play(game: ScheduledGame) -> GameResult:
    return play_game(_process[0], game, _process[1])


def play_game(config: MatchConfig, scheduled: ScheduledGame, agents: Sequence[Agent]) -> GameResult:
    """Play one game at a table of catanatron.

    Args:
        config: of the match.
        scheduled: the game.
        agents: one for each entrant.
    """
    hosted = _HostedGame(config, scheduled, agents)
    try:
        hosted.play()
        return hosted.result()
    finally:
        hosted.leave()


class _HostedGame:
    """A game of catanatron, its players and their clocks."""

    def __init__(
        self, config: MatchConfig, scheduled: ScheduledGame, agents: Sequence[Agent]
    ) -> None:
        self.config = config
        self.scheduled = scheduled
        self.game = deal(config.rules, config.seed_of(scheduled))
        count = config.rules.num_players
        self.decisions = [0] * count
        self.seconds = [0.0] * count
        self.offender: int | None = None
        self.reason = ""
        seeds = seat_seeds(config.seed_of(scheduled), count)
        self.players = [
            _player(agents[k], color, config.rules, seed)
            for k, color, seed in zip(scheduled.seats, self.game.state.colors, seeds, strict=True)
        ]
        self.game.state.players = self.players

    def play(self) -> None:
        """Play to the end, to the limit of turns, or until somebody fails."""
        while self.winner is None and self.offender is None and not self.is_truncated:
            self._step()

    @property
    def winner(self) -> int | None:
        """The seat that has won; None for nobody."""
        color = self.game.winning_color()
        return None if color is None else int(self.game.state.color_to_index[color])

    @property
    def is_truncated(self) -> bool:
        """Whether all turns that are allowed have ended."""
        most = self.config.rules.max_turns
        return most is not None and self.turns >= most

    @property
    def turns(self) -> int:
        """Turns that have ended; catanatron counts most of the set-up, too."""
        return max(0, int(self.game.state.num_turns) - (2 * len(self.players) - 2))

    def _step(self) -> None:
        game, seat = self.game, self.game.state.current_player_index
        offered = moves_offered(game)
        set_playable_actions(game, offered)
        start = time.perf_counter()
        try:
            action = self.players[seat].decide(game, offered)
        except PASSED_ON:
            raise
        except BaseException as error:
            self.offender, self.reason = seat, error_reason(error)
            return
        finally:
            self.seconds[seat] += time.perf_counter() - start
            self.decisions[seat] += 1
        game.execute(action)

    @property
    def points(self) -> tuple[int, ...]:
        """Points of each seat, hidden ones included."""
        count, state = len(self.players), self.game.state.player_state
        return tuple(state[f"P{p}_ACTUAL_VICTORY_POINTS"] for p in range(count))

    def leave(self) -> None:
        """Tell the agents how the game ended, and let them go."""
        winner, reason = self.winner, ABORTED
        if winner is not None:
            reason = VICTORY
        elif self.is_truncated:
            reason = TRUNCATED
        for player in self.players:
            if isinstance(player, AgentPlayer):
                with warned_at_end():
                    player.leave(winner, self.points, self.turns, reason)

    def result(self) -> GameResult:
        """The result of the game, finished or forfeited."""
        winner, points = self.winner, self.points
        end: End = TRUNCATED if winner is None else VICTORY
        if self.offender is not None:
            winner, end = forfeit_winner(points, self.offender), FORFEIT
        return GameResult(
            number=self.scheduled.number,
            lineup=self.scheduled.lineup,
            block=self.scheduled.block,
            seats=tuple(self.config.names[k] for k in self.scheduled.seats),
            winner=winner,
            end=end,
            offender=self.offender,
            reason=self.reason,
            turns=self.turns,
            points=points,
            decisions=tuple(self.decisions),
            seconds=tuple(self.seconds),
        )


def deal(rules: Rules, seed: int) -> Any:
    """A new game; seats have the same colors in all games, whoever sits there."""
    players, maps = module("models.player"), module("models.map")
    random.seed(seed)
    options: dict[str, Any] = {}
    parts: tuple[Any, ...] = ()
    if has_records():
        options["friendly_robber"] = rules.friendly_robber
    if hasattr(maps, "NumberPlacement"):
        parts = (_NUMBERS[rules.board],)
    game = module("game").Game(
        [players.Player(players.Color[name]) for name in COLORS[: rules.num_players]],
        seed=seed or 1,
        discard_limit=rules.discard_limit,
        vps_to_win=rules.victory_points,
        catan_map=maps.CatanMap.from_template(maps.BASE_MAP_TEMPLATE, *parts),
        **options,
    )
    return game


def _player(agent: Agent, color: Any, rules: Rules, seed: int) -> Any:
    if isinstance(agent, TableBot):
        return agent.player(color)
    return AgentPlayer(color, agent, replace(rules), seed)
