"""A position to study: set up by hand or opened, played on by agents, and saved.

Everything is open here: all hands, cards and the deck. A study holds a game of its own and
nothing of any table.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from catan_pz.agents import registry
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.checks import quoted
from catan_pz.engine.violations import Violation
from catan_pz.events import Events
from catan_pz.files import RepeatedNameError, read_json
from catan_pz.game.game import Game
from catan_pz.game.position import award
from catan_pz.game.record import GameRecord
from catan_pz.game.state_json import derived_differences, state_from_dict
from catan_pz.render.log import action_words, log_line
from catan_pz.rules import Rules
from catan_pz.web.edits import EditError, edited

MOST_UNDONE: Final = 200
"""Changes and decisions that can be taken back."""

MOST_KEPT: Final = 2 * 2**20
"""Characters kept for that, beyond which the oldest are forgotten; 200 usual ones take less."""

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
    """What was asked for isn't possible; says why. The study is as it was."""


class _Moment(NamedTuple):
    """What undoing comes back to."""

    position: str
    record: int
    decisions: int
    errors: list[str]


@dataclass
class Study:
    """One position that somebody studies.

    Attributes:
        game: the position; one that breaks the rules isn't played on.
        agents: names of those who play on, one a seat.
        errors: what the position breaks of the rules.
        log: what was played since the position was set up, a line a decision.
        version: counts everything that changes what is shown.
    """

    game: Game = field(default_factory=lambda: Game(Rules(), 0))
    agents: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    version: int = 0

    def __post_init__(self) -> None:
        self._past: list[_Moment] = []
        self._records = 0
        self._table: Table | None = None
        self._begin(self.game)

    def _begin(self, game: Game, record: GameRecord | None = None) -> None:
        """Go on from a position, with a new record or the one that leads to it."""
        self._records += 1
        self._go_on(game, record)

    def _go_on(self, game: Game, record: GameRecord | None) -> None:
        self._leave_table()
        self.game = game
        count = game.rules.num_players
        self.agents = [*self.agents[:count], *["heuristic"] * (count - len(self.agents))]
        self.record = GameRecord.of(game)
        if record is not None:
            self.record.start, self.record.decisions[:] = record.start, record.decisions
        game.listeners.append(self._listen)
        self.version += 1

    def _listen(self, _game: Game, events: Events) -> None:
        self.log.append(log_line(events))
        self.version += 1

    def _leave_table(self) -> None:
        table, self._table = self._table, None
        if table is not None:
            table.close()

    def _remember(self) -> None:
        moment = _Moment(
            json.dumps(self.game.snapshot()), self._records, len(self.record.decisions), self.errors
        )
        self._past = [*self._past[1 - MOST_UNDONE :], moment]
        while len(self._past) > 1 and sum(len(past.position) for past in self._past) > MOST_KEPT:
            del self._past[0]

    def new(self, options: Mapping[str, Any], seed: int, phase: str = "main") -> None:
        """Begin with an empty board, in "setup_settlement" or a phase to set up by hand."""
        try:
            game = Game(Rules.make(None, **options), seed)
            if phase != "setup_settlement":
                game = Game.from_snapshot(edited(game.snapshot(), {"set": "phase", "to": phase}))
        except (TypeError, ValueError) as error:
            raise StudyError(str(error)) from error
        self._remember()
        self.errors, self.log = [], []
        self._begin(game)

    def open(self, text: str) -> None:
        """Open a position, or a recorded game at its last position.

        A position that breaks the rules is shown with what it breaks.
        """
        try:
            data = read_json(text)
        except RepeatedNameError as error:
            raise StudyError(str(error)) from error
        except (ValueError, RecursionError):
            return self._open_record(text)
        if not isinstance(data, dict):
            raise StudyError("a position is a JSON object with the format 'catan-pz-state/1'")
        try:
            games, rules = state_from_dict(data)
            game = Game.from_games(games, rules)
            errors = derived_differences(game.games[0], data) + _errors_of(game)
        except (TypeError, ValueError) as error:
            raise StudyError(str(error)) from error
        self._remember()
        self.errors, self.log = errors, []
        self._begin(game)
        return None

    def _open_record(self, text: str) -> None:
        try:
            record = GameRecord.from_lines(text)
            game = Game.from_snapshot(record.start)
            log: list[str] = []
            game.listeners.append(lambda _game, events: log.append(log_line(events)))
            for _ in record.replay(game):
                pass
        except (TypeError, ValueError) as error:
            raise StudyError(f"neither a position nor a recorded game: {error}") from error
        game.listeners.clear()
        self._remember()
        self.errors, self.log = [], log
        self._begin(game, record)

    def edit(self, change: Mapping[str, Any]) -> None:
        """Change the position by hand, as `edits.edited` does; the record begins anew."""
        try:
            games, rules = state_from_dict(edited(self.game.snapshot(), change))
            game = Game.from_games(games, rules)
            award(games[0])
            game = Game.from_games(games, rules)
        except (EditError, ValueError) as error:
            raise StudyError(str(error)) from error
        self._remember()
        self.errors, self.log = _errors_of(game), []
        self._begin(game)

    def seat_agents(self, names: Sequence[str]) -> None:
        """Choose who plays on, one a seat."""
        # Neither programs nor files: this may come from anybody who reaches the server.
        for name in names:
            if name not in registry.names():
                raise StudyError(f"there is no agent {quoted(name)} here")
        if len(names) != self.game.rules.num_players:
            raise StudyError(f"agents must be one a seat, got {len(names)}")
        self._leave_table()
        self.agents = list(names)
        self.version += 1

    @property
    def is_playable(self) -> bool:
        """Whether the position keeps the rules and the game goes on."""
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
        self._play(action)

    def play(self, action: int) -> None:
        """Play a legal action by hand."""
        self._check_playable()
        try:
            self.game.check(action)
        except (TypeError, ValueError) as error:
            raise StudyError(str(error)) from error
        self._play(action)

    def _play(self, action: int) -> None:
        self._remember()
        self.game.step(action)

    def forget(self) -> None:
        """Keep nothing that could be undone."""
        self._past = []

    def undo(self) -> None:
        """Take the last change or decision back."""
        if not self._past:
            raise StudyError("there is nothing to undo")
        moment = self._past.pop()
        game = Game.from_games(*state_from_dict(json.loads(moment.position)))
        self.errors = moment.errors
        if moment.record == self._records:
            before = GameRecord(self.record.start, self.record.decisions[: moment.decisions])
            self.log = self.log[: moment.decisions]
            self._go_on(game, before)
        else:
            # The decisions of a record that was left behind are not kept.
            self.log = []
            self._begin(game)

    def position_text(self) -> str:
        """The position as JSON."""
        return json.dumps(self.game.snapshot(), indent=1) + "\n"

    def record_text(self) -> str:
        """What was played, as JSON lines."""
        return "".join(f"{line}\n" for line in self.record.lines())

    def status(self) -> dict[str, Any]:
        """Everything that the page shows beside the picture, as JSON values."""
        playable = self.is_playable
        legal = self.game.legal_actions().tolist() if playable else []
        return {
            # As text: the numbers of a browser have too few digits for the RNG's state.
            "position": self.position_text(),
            "errors": self.errors,
            "agents": self.agents,
            "is_playable": playable,
            "legal": [[action, action_words(action)] for action in legal],
            "can_undo": bool(self._past),
        }

    def close(self) -> None:
        """Let the agents go."""
        self._leave_table()


def _errors_of(game: Game) -> list[str]:
    return [_SENTENCES[flag] for flag in game.validate()]
