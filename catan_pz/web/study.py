"""A position to study: set up by hand or opened, played on by agents, and saved.

All hands, cards and the deck are open here. A study holds a separate game and no data of any
table.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from zlib import compress, decompress

import numpy as np
from msgspec import Struct

from catan_pz.actions import BUY_DEVELOPMENT_CARD
from catan_pz.agents import registry
from catan_pz.agents.adviser import Adviser
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.checks import quoted, shaped
from catan_pz.engine.chance import GAMMA
from catan_pz.engine.state import STATE
from catan_pz.engine.violations import Violation
from catan_pz.events import Decision, Events, as_outcome
from catan_pz.files import RepeatedNameError, read_json
from catan_pz.game.game import Game
from catan_pz.game.position import award
from catan_pz.game.record import GameRecord
from catan_pz.game.state_json import derived_differences, state_from_dict
from catan_pz.render.log import action_words, log_line
from catan_pz.render.view import table_view
from catan_pz.render.words import places_of
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS
from catan_pz.web.advice import advice_json, drawn_advice
from catan_pz.web.edits import edited

FORMAT: Final = "catan-pz-study/1"
"""Format of a position with the decisions played from it."""

MOST_UNDONE: Final = 200
"""Changes by hand that can be undone."""

MOST_KEPT: Final = 2 * 2**20
"""Most characters kept for undo; the oldest are dropped. 200 typical changes take less."""

_SENTENCES: Final = {
    Violation.RESOURCE_COUNT: "Hands and bank don't add up to 19 cards of each resource.",
    Violation.DECK_COUNT: "Deck, hands and played cards don't add up to 25 development cards.",
    Violation.PIECE_COUNT: "A player has more roads, settlements or cities than pieces.",
    Violation.OVERLAP: "Two pieces stand on one vertex or edge.",
    Violation.DISTANCE_RULE: "Two buildings stand on adjacent vertices.",
    Violation.LOOSE_ROAD: "A road touches no other road or building of its owner.",
    Violation.LONGEST_ROAD: "The longest road is held by the wrong player.",
    Violation.LARGEST_ARMY: "The largest army is held by the wrong player.",
    Violation.KNOWLEDGE: "What is known of a hand contradicts the hand or the bank.",
    Violation.TURN: "Phase, who moves, roll, free roads, discards or victims don't fit together.",
    Violation.SETUP: "Settlements and roads aren't those that the order of the set-up gives.",
    Violation.OFFER: "An offer or an answer isn't possible.",
    Violation.WINNER: "The player in turn has the points to win but hasn't won, or the reverse.",
    Violation.NO_ACTION: "The player to move has no legal action.",
    Violation.STALE: "Road lengths, points or rates differ from what the pieces give.",
}


class StudyError(ValueError):
    """A request isn't possible, for the reason given. The study is unchanged."""


@contextmanager
def _refusing(words: str = "") -> Iterator[None]:
    """Turn errors into a `StudyError`, with a prefix."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise StudyError(f"{words}{error}") from error


class TreeNode(NamedTuple):
    """A position of the tree, and the decision that led to it from its parent."""

    parent: int
    decision: Decision | None
    line: str
    packed: bytes


class _Kept(Struct):
    """A study as JSON: each position of its tree by parent, action and outcome."""

    start: dict[str, Any]
    tree: list[tuple[int, int, Any]] = []
    at: int = 0


@dataclass(eq=False)
class _Tree:
    """The tree of decisions from a position; the first child is the main line."""

    start: dict[str, Any]
    rules: Rules
    errors: list[str]

    def __post_init__(self) -> None:
        self.size = len(json.dumps(self.start))
        self.nodes: list[TreeNode] = []
        self._children: dict[tuple[int, Decision | None], int] = {}

    def add(self, parent: int, decision: Decision | None, line: str, game: Game) -> int:
        """The number of the position after a decision; a known decision adds none."""
        known = self._children.setdefault((parent, decision), len(self.nodes))
        if known == len(self.nodes):
            self.nodes.append(TreeNode(parent, decision, line, compress(game.games.tobytes(), 1)))
        return known

    def game(self, at: int) -> Game:
        """The position with a number, to continue from."""
        unpacked = bytearray(decompress(self.nodes[at].packed))
        return Game.from_games(np.frombuffer(unpacked, STATE), self.rules)


class Study:
    """One position under study, and a tree of the decisions from it.

    Attributes:
        game: the position; it can't be continued if it breaks the rules.
        at: the number of the position in the tree, 0 for the root.
        agents: names of the agents that continue it, one for each seat.
        adviser: name of the agent that advises on positions, "" for none.
    """

    def __init__(self, game: Game | None = None) -> None:
        self.agents: list[str] = []
        self.adviser = ""
        self._past: list[tuple[_Tree, int]] = []
        self._table: Table | None = None
        self._begin(Game(Rules(), 0) if game is None else game, [])

    def _begin(self, game: Game, errors: list[str]) -> None:
        """Start a tree with a position."""
        tree = _Tree(game.snapshot(), game.rules, errors)
        tree.add(-1, None, "", game)
        self._take(tree, 0)

    def _take(self, tree: _Tree, at: int) -> None:
        self.tree = tree
        self._places = places_of(table_view(tree.start))
        self.agents = [*self.agents, *["heuristic"] * MAX_PLAYERS][: tree.rules.num_players]
        self._show(at)

    def _show(self, at: int) -> None:
        self.close()
        self.at = at
        self.game = self.tree.game(at)
        self.game.listeners.append(self._listen)

    def _listen(self, game: Game, events: Events) -> None:
        line = log_line(events, places=self._places)
        self.at = self.tree.add(self.at, Decision.of(events), line, game)

    def _path(self) -> list[TreeNode]:
        """The decisions that lead to the position."""
        path, at = [], self.at
        while at > 0:
            path.append(self.tree.nodes[at])
            at = path[-1].parent
        return path[::-1]

    @property
    def errors(self) -> list[str]:
        """The position's violations of the rules."""
        return self.tree.errors

    @property
    def record(self) -> GameRecord:
        """The decisions up to the position."""
        record = GameRecord.of(self.tree.game(self.at))
        record.start = self.tree.start
        record.decisions[:] = [node.decision for node in self._path() if node.decision]
        return record

    def _remember(self) -> None:
        self._past = [*self._past[1 - MOST_UNDONE :], (self.tree, self.at)]
        while len(self._past) > 1 and sum(tree.size for tree, _ in self._past) > MOST_KEPT:
            del self._past[0]

    @_refusing()
    def new(self, options: Mapping[str, Any], seed: int, phase: str = "main") -> None:
        """Start with an empty board, in "setup_settlement" or a phase to set up by hand."""
        game = Game(Rules.make(None, **options), seed)
        if phase != "setup_settlement":
            game = Game.from_snapshot(edited(game.snapshot(), {"set": "phase", "to": phase}))
        self._remember()
        self._begin(game, [])

    @_refusing()
    def open(self, text: str) -> None:
        """Open a position, a recorded game at its last position, or a study with its tree.

        A position that breaks the rules is shown with its violations.
        """
        try:
            data = read_json(text)
        except RepeatedNameError:
            raise
        except (ValueError, RecursionError):
            return self._open_record(text)
        if not isinstance(data, dict):
            raise StudyError("a position is a JSON object with the format 'catan-pz-state/1'")
        is_study = data.get("format") == FORMAT
        kept = shaped(data, _Kept, "study") if is_study else _Kept(data)
        games, rules = state_from_dict(kept.start)
        game = Game.from_games(games, rules)
        errors = derived_differences(game.games[0], kept.start) + _errors_of(game)
        self._grow(game, errors, [] if errors else kept.tree, 0 if errors else kept.at)
        return None

    @_refusing("neither a position nor a recorded game: ")
    def _open_record(self, text: str) -> None:
        record = GameRecord.from_lines(text)
        for _ in record.replay():
            pass
        rows = [(k, d.action, d.outcome) for k, d in enumerate(record.decisions)]
        self._grow(Game.from_snapshot(record.start), [], rows, len(rows))

    def _grow(
        self, start: Game, errors: list[str], rows: Iterable[tuple[int, int, Any]], at: int
    ) -> None:
        """Start a tree with a position, and play its rows."""
        grown = Study(start)
        grown.tree.errors = errors
        for parent, action, outcome in rows:
            if parent != grown.at:
                grown.go(parent)
            if outcome is not None and action != BUY_DEVELOPMENT_CARD:
                # A named roll or theft draws nothing: advance the RNG as if it had been drawn.
                grown.game.games["rng"] += GAMMA
            grown.game.step_once(action, None if outcome is None else as_outcome(action, outcome))
        grown.go(at)
        self._remember()
        self._take(grown.tree, at)

    @_refusing()
    def edit(self, change: Mapping[str, Any]) -> None:
        """Change the position by hand with `edits.edited`, and start a new tree."""
        games, rules = state_from_dict(edited(self.game.snapshot(), change))
        Game.from_games(games, rules)  # computes the lengths of roads
        award(games[0])
        game = Game.from_games(games, rules)
        self._remember()
        self._begin(game, _errors_of(game))

    def seat_agents(self, names: Sequence[str]) -> None:
        """Choose the agents that continue, one for each seat."""
        for name in names:
            _check_agent(name)
        if len(names) != self.game.rules.num_players:
            raise StudyError(f"agents must be one a seat, got {len(names)}")
        self.close()
        self.agents = list(names)

    def ask(self, name: str) -> None:
        """Choose the adviser; "" for none."""
        if name:
            _check_agent(name)
        self.adviser = name

    @property
    def is_playable(self) -> bool:
        """Whether the position follows the rules and isn't finished."""
        return not self.errors and bool(self.game.mask.any())

    def _check_playable(self) -> None:
        if self.errors:
            raise StudyError("the position breaks the rules")
        if not self.is_playable:
            raise StudyError("the game is over")

    def step(self) -> None:
        """Let the agent that is to move decide."""
        self._check_playable()
        try:
            if self._table is None:
                count = self.game.rules.num_players
                seeds = seat_seeds(int(self.game.games["rng"][0]), count)
                self._table = Table(self.game, self.agents, seeds)
            action = self._table.decide()
        except Exception as error:
            raise StudyError(f"{type(error).__name__}: {error}") from error
        self.game.step(action)

    @_refusing()
    def play(self, action: int) -> None:
        """Play a legal action by hand."""
        self._check_playable()
        self.game.step(action)

    def go(self, at: int) -> None:
        """Go to the position of the tree with a number."""
        if type(at) is not int or not 0 <= at < len(self.tree.nodes):
            raise StudyError(f"positions are numbered 0 to {len(self.tree.nodes) - 1}")
        self._show(at)

    def forget(self) -> None:
        """Clear the undo history."""
        self._past = []

    def undo(self) -> None:
        """Go back to the previous decision, or to the state before the position was set up."""
        if self.at > 0:
            self._show(self.tree.nodes[self.at].parent)
        elif self._past:
            self._take(*self._past.pop())
        else:
            raise StudyError("there is nothing to undo")

    def advice(self) -> dict[str, Any] | None:
        """The adviser's advice on the position, as JSON values; None without an adviser."""
        if not self.adviser or not self.is_playable:
            return None
        seat = self.game.player
        adviser = Adviser(self.game, seat, self.adviser, seat_seeds(0, MAX_PLAYERS)[seat])
        try:
            question = adviser.question()
            advice, wins = question.advice(), question.win_probabilities()
        except Exception as error:
            return {"failure": f"{type(error).__name__}: {error}"}
        finally:
            adviser.close()
        shares = None if wins is None else [round(float(share), 3) for share in wins]
        view = table_view(self.game.snapshot())
        return advice_json(advice, view) | {"drawn": drawn_advice(advice), "wins": shares}

    def position_text(self) -> str:
        """The position as JSON."""
        return json.dumps(self.game.snapshot(), indent=1) + "\n"

    def status(self) -> dict[str, Any]:
        """The page's content besides the picture, as JSON values."""
        playable = self.is_playable
        legal = self.game.legal_actions().tolist() if playable else []
        return {
            # As text: a browser's numbers have too few digits for the RNG's state.
            "position": self.position_text(),
            "errors": self.errors,
            "agents": self.agents,
            "is_playable": playable,
            "legal": [[action, action_words(action, self._places)] for action in legal],
            "can_undo": self.at > 0 or bool(self._past),
            "at": self.at,
        }

    def close(self) -> None:
        """Close the agents; new ones are made when they are to decide."""
        table, self._table = self._table, None
        if table is not None:
            table.close()


def _check_agent(name: str) -> None:
    # Neither programs nor files: anybody who reaches the server may send this.
    if name not in registry.names():
        raise StudyError(f"there is no agent {quoted(name)} here")


def _errors_of(game: Game) -> list[str]:
    return [_SENTENCES[flag] for flag in game.validate()]
