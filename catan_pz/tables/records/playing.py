"""Plays games of files by our rules, finds hidden outcomes, and reports disagreements."""

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any, Final

from catan_pz.actions import BUY_DEVELOPMENT_CARD, describe_action
from catan_pz.events import Outcome
from catan_pz.game.game import Game
from catan_pz.game.record import RESIGNED, GameRecord, result_of
from catan_pz.rules import Board, Rules
from catan_pz.tables.records.moves import (
    AMBIGUOUS,
    INFERRED,
    Act,
    Fault,
    Move,
    Over,
    PlayedTable,
    card_played,
)
from catan_pz.terms import DECK_COUNTS, Card

MOST_OFFERS: Final = 100
MOST_OFFER_CARDS: Final = 19
MOST_MOVES: Final = 200_000
"""The most moves of the search for hidden outcomes."""


@dataclass(frozen=True)
class Disagreement:
    """A disagreement of a file with our rules; the game is kept up to there.

    Attributes:
        place: in the file.
        rule: the kind of rule.
        ours, told: both views.
    """

    place: str
    rule: str
    ours: str
    told: str

    def __str__(self) -> str:
        return f"{self.place} ({self.rule}): by our rules {self.ours}; the file says {self.told}"


@dataclass
class Report:
    """The findings about a file.

    Attributes:
        format: the file's format.
        seats: seats whose hidden cards are in the file.
        compared: number of state values on which the file and our game agree.
        in_vain: decisions of offers without a trade; `left_out`: such offers that have no form
            here.
        hidden_thefts: by number of the decision, whether other cards would fit as well.
        unknown: entries of unknown kinds, by kind.
        notes: further remarks, a sentence each.
        disagreement: None if there is none.
    """

    format: str
    seats: list[int] = field(default_factory=list)
    compared: int = 0
    in_vain: int = 0
    left_out: int = 0
    hidden_thefts: dict[int, bool] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    disagreement: Disagreement | None = None


@dataclass
class ReadGame:
    """A game read from a file, checked by our rules."""

    record: GameRecord
    report: Report

    def actions(self) -> Counter[str]:
        """The number of actions of each kind played."""
        return Counter(describe_action(one.action)["kind"] for one in self.record.decisions)

    def to_dict(self) -> dict[str, Any]:
        """The report, with the game's rules and result, as JSON values."""
        rules = Rules.from_dict(self.record.start["rules"]).differences()
        rules.pop("board", None)
        told = {"rules": rules, "decisions": len(self.record.decisions)}
        return asdict(self.report) | told | {"result": self.record.result}


@dataclass
class ToldGame:
    """A game in a file, before it is checked by our rules.

    Attributes:
        report: the findings so far.
        names: of the players, None without names.
    """

    rules: Rules
    moves: list[Move]
    report: Report
    names: list[str] | None = None


def rules_at(players: int, board: Board, **options: Any) -> Rules:
    """Rules of another table, which allow any offer made there."""
    return Rules(
        num_players=players,
        board=board,
        offer_form="both",
        max_offers_per_turn=MOST_OFFERS,
        max_offer_cards=MOST_OFFER_CARDS,
        max_turns=None,
        **options,
    )


def played(told: ToldGame) -> ReadGame:
    """Play a file's game to its end, or up to a disagreement with our rules."""
    name_cards(told.moves)
    start = Game(told.rules, seed=0)  # its deck is arbitrary
    search = _Search(told.moves, start.copy())
    search.run()
    table, report = search.best, told.report
    report.compared, report.in_vain = table.compared, table.in_vain
    report.left_out, report.hidden_thefts = table.left_out, search.ambiguous
    if search.fault is not None:
        report.disagreement = Disagreement(told.moves[table.at].place, *search.fault.args)
    if search.left <= 0:
        report.notes.append("The search for hidden cards was cut short.")
    for number, ambiguous in search.ambiguous.items():
        one = table.decisions[number]
        mark = AMBIGUOUS if ambiguous else INFERRED
        table.decisions[number] = replace(one, marks=(*one.marks, mark))
    record = GameRecord(start.snapshot(), table.decisions, result_of(table.game), told.names)
    won = next((move for move in reversed(told.moves) if isinstance(move, Over)), None)
    if won is not None and search.fault is None and not table.game.is_over:
        if any(AMBIGUOUS in d.marks and d.player == won.winner for d in table.decisions):
            report.notes.append(f"Seat {won.winner} has won, perhaps by cards that the file hides.")
        else:
            record.result |= {"winner": won.winner, "end": RESIGNED}
    return ReadGame(record, report)


def name_cards(moves: list[Move]) -> None:
    """Name hidden cards that were bought, in place.

    A played card is its player's oldest hidden one; a card never played becomes the kind with the
    most left.
    """
    hidden: dict[int, list[int]] = defaultdict(list)
    held: Counter[tuple[int, Card]] = Counter()
    left = Counter(dict(zip(Card, DECK_COUNTS, strict=True)))
    for number, move in enumerate(moves):
        if not isinstance(move, Act):
            continue
        card, unnamed = card_played(move.action), hidden[move.seat]
        if move.action == BUY_DEVELOPMENT_CARD:
            if isinstance(move.outcome, Card):
                held[move.seat, move.outcome] += 1
                left[move.outcome] -= 1
            else:
                unnamed.append(number)
        elif card is not None and held[move.seat, card]:
            held[move.seat, card] -= 1
        elif card is not None and unnamed:
            mark = AMBIGUOUS if len(unnamed) > 1 else INFERRED
            _name(moves, unnamed.pop(0), card, mark)
            left[card] -= 1
    for number in sorted(chain(*hidden.values())):
        card = left.most_common(1)[0][0]
        _name(moves, number, card, AMBIGUOUS)
        left[card] -= 1


def _name(moves: list[Move], number: int, card: Card, mark: str) -> None:
    move = moves[number]
    if isinstance(move, Act):
        moves[number] = move._replace(outcome=card, marks=(*move.marks, mark))


class _Search:
    """Plays the moves of a file's game, depth first over hidden outcomes.

    Attributes:
        best: the table of the first complete path, or of the longest one.
        fault: the fault at its end.
        ambiguous: for each hidden outcome there, by number of its decision, whether another one
            fits as well.
    """

    def __init__(self, moves: list[Move], start: Game) -> None:
        self.moves = moves
        self.table = self.best = PlayedTable(start)
        self.fault: Fault | None = None
        self.left = MOST_MOVES
        self.ambiguous: dict[int, bool] = {}

    def run(self) -> None:
        """Try all hidden outcomes within the limit of moves."""
        farthest, fits = -1, False
        outcomes: dict[int, set[Outcome]] = defaultdict(set)  # fitting ones, by number of the move
        while True:
            fault, table = self._forward(), self.table
            if not fits and (fault is None or table.at > farthest):
                farthest, self.fault, self.best = table.at, fault, table
            if fault is None:
                fits = True
                for hidden in table.choices:
                    outcomes[hidden.before.at].add(table.decisions[hidden.decision].outcome)
            choices = list(table.choices)
            while choices and not choices[-1].others:
                choices.pop()
            if not choices or self.left <= 0:
                break
            before, other = choices[-1].before.copy(), choices[-1].others.pop()
            self.table = replace(before, choices=choices, chosen=other)
        unsure = not fits or self.left <= 0
        self.ambiguous = {
            hidden.decision: unsure or len(outcomes[hidden.before.at]) > 1
            for hidden in self.best.choices
        }

    def _forward(self) -> Fault | None:
        """Play to the end or to a fault."""
        table = self.table
        try:
            for at in range(table.at, len(self.moves)):
                table.at = at
                self.moves[at].play(table)
                self.left -= bool(table.choices)
        except Fault as fault:
            return fault
        return None
