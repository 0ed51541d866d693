"""Matches at catanatron tables: its engine is the referee, its bots see everything it shows."""

import random
import time
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any, Final

from catan_pz.agents.base import ABORTED, Agent
from catan_pz.agents.hosting import AGENT_ERRORS
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.arena.entrants import Entrant
from catan_pz.arena.executors import InlineExecutor, ProcessExecutor, Task
from catan_pz.arena.forfeits import Forfeit, error_reason
from catan_pz.arena.games import result_of, warned_at_end
from catan_pz.arena.results import TRUNCATED, VICTORY, End, GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.checks import check_count, not_possible
from catan_pz.game.view import View
from catan_pz.rules import Rules
from catan_pz.tables.catanatron import installed
from catan_pz.tables.catanatron.bots import CatanatronAgent
from catan_pz.tables.catanatron.moves import COLORS
from catan_pz.tables.catanatron.players import AgentPlayer

_NUMBERS: Final = {"spiral": "official_spiral", "random": "random"}
"""The placement of number tokens for each kind of board."""


class TableBot(CatanatronAgent):
    """A bot at a catanatron table, as an entrant of a match there; it sees the true state."""

    compiles = False

    def check_rules(self, rules: Rules) -> None:
        """Refuse rules that catanatron's engine doesn't support."""
        standard = table_rules(rules.num_players)
        fixed = "trading", "dice", "first_player", "no_adjacent_red"
        for name in (*fixed, "dice_memory", "robber_spares_mover"):
            if getattr(rules, name) != getattr(standard, name):
                allowed = f"{getattr(standard, name)!r} at a table of catanatron"
                raise not_possible(name, getattr(rules, name), allowed)
        if rules.board not in ("random", standard.board):
            allowed = f"'random' or {standard.board!r} at a table of catanatron"
            raise not_possible("board", rules.board, allowed)
        if rules.friendly_robber and not installed.has_records():
            allowed = f"False with catanatron {self.catanatron}"
            raise not_possible("friendly_robber", True, allowed)

    def act(self, view: View) -> int:
        """Not possible: it only plays at catanatron tables."""
        raise RuntimeError(f"{self.name} plays at a table of catanatron; use CatanatronAgent here")


def table_rules(num_players: int) -> Rules:
    """The rules of a catanatron table, as far as our rules can express them."""
    board = "spiral" if hasattr(installed.module("models.map"), "NumberPlacement") else "random"
    return Rules(num_players=num_players, trading=False, board=board)


class CatanatronTables:
    """Plays a match's games at catanatron tables, as an `Executor` of the arena.

    Entrants are `TableBot`s, and agents, which get their seat's information. One worker plays in
    this process, several in others.
    """

    def __init__(self, workers: int = 1) -> None:
        self.workers = check_count("workers", workers)

    def run(
        self, config: MatchConfig, entrants: Sequence[Entrant], tasks: Sequence[Task]
    ) -> Generator[GameResult, None, None]:
        """Play all tasks, as `Executor.run`."""
        for name, reason in (
            ("seconds_per_decision", "decisions have no time limit"),
            ("records", "games are not recorded"),
            ("true_state", "bots always see it and agents never do"),
        ):
            value = getattr(config, name)
            if value not in (None, ()):
                allowed = f"none at a table of catanatron, where {reason}"
                raise not_possible(name, str(value), allowed)
        games = [Task((game,), "single") for task in tasks for game in task.games]
        there = replace(config, play=play_game)
        executor = InlineExecutor() if self.workers == 1 else ProcessExecutor(self.workers)
        yield from executor.run(there, entrants, games)


def play_game(config: MatchConfig, scheduled: ScheduledGame, agents: Sequence[Agent]) -> GameResult:
    """Play one game at a catanatron table, with one agent per entrant."""
    rules, seed = config.rules, config.seed_of(scheduled)
    hosted = _HostedGame(rules, deal(rules, seed))
    seated = zip(
        scheduled.seats, hosted.game.state.colors, seat_seeds(seed, rules.num_players), strict=True
    )
    players = [_player(agents[k], color, rules, own_seed) for k, color, own_seed in seated]
    hosted.game.state.players = players
    try:
        hosted.play(players)
    finally:
        for player in players:
            if isinstance(player, AgentPlayer):
                with warned_at_end():
                    player.leave(hosted.winner, hosted.points, hosted.turn, hosted.end or ABORTED)
    return result_of(config, scheduled, hosted, hosted.decisions, hosted.seconds, hosted.forfeit)


class _HostedGame:
    """A catanatron game and its players' clocks."""

    def __init__(self, rules: Rules, game: Any) -> None:
        self.rules = rules
        self.game = game
        self.decisions = [0] * rules.num_players
        self.seconds = [0.0] * rules.num_players
        self.forfeit: Forfeit | None = None

    def play(self, players: Sequence[Any]) -> None:
        """Play to the end, to the turn limit, or until an agent fails."""
        game = self.game
        while self.end is None:
            seat, offered = game.state.current_player_index, installed.moves_offered(game)
            installed.set_playable_actions(game, offered)
            start = time.perf_counter()
            try:
                action = players[seat].decide(game, offered)
            except AGENT_ERRORS as error:
                self.forfeit = Forfeit(seat, error_reason(error))
                return
            finally:
                self.seconds[seat] += time.perf_counter() - start
                self.decisions[seat] += 1
            game.execute(action)

    @property
    def winner(self) -> int | None:
        """The seat that has won; None for no seat."""
        color = self.game.winning_color()
        return None if color is None else int(self.game.state.color_to_index[color])

    @property
    def end(self) -> End | None:
        """How the game ended, if it ended regularly."""
        if self.winner is not None:
            return VICTORY
        most = self.rules.max_turns
        return TRUNCATED if most is not None and self.turn >= most else None

    @property
    def turn(self) -> int:
        """Turns that have ended; catanatron counts most of the set-up too."""
        return max(0, int(self.game.state.num_turns) - (2 * self.rules.num_players - 2))

    @property
    def points(self) -> tuple[int, ...]:
        """Points of each seat, hidden ones included."""
        state = self.game.state.player_state
        return tuple(state[f"P{p}_ACTUAL_VICTORY_POINTS"] for p in range(self.rules.num_players))


def deal(rules: Rules, seed: int) -> Any:
    """A new game; seats have the same colors in all games, whoever plays them."""
    players, maps = installed.module("models.player"), installed.module("models.map")
    random.seed(seed)
    options = {"friendly_robber": rules.friendly_robber} if installed.has_records() else {}
    parts = [_NUMBERS[rules.board]] if hasattr(maps, "NumberPlacement") else []
    return installed.module("game").Game(
        [players.Player(players.Color[name]) for name in COLORS[: rules.num_players]],
        seed=seed or 1,
        discard_limit=rules.discard_limit,
        vps_to_win=rules.victory_points,
        catan_map=maps.CatanMap.from_template(maps.BASE_MAP_TEMPLATE, *parts),
        **options,
    )


def _player(agent: Agent, color: Any, rules: Rules, seed: int) -> Any:
    if isinstance(agent, TableBot):
        return agent.player(color)
    return AgentPlayer(color, agent, rules, seed)
