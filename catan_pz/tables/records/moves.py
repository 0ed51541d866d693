"""Moves of files, in one form for all formats, and how our rules play each."""

from dataclasses import dataclass, field, replace
from operator import eq
from typing import Final, NamedTuple

import numpy as np

from catan_pz import actions
from catan_pz.actions import SWAP_ACTIONS, describe_action
from catan_pz.events import Decision, Outcome
from catan_pz.game.game import Game, IllegalActionError
from catan_pz.tables.records.sight import UNTOLD, Values, first_difference
from catan_pz.terms import NUM_RESOURCES, Card, Phase, Resource

INVENTED: Final = "invented"
"""Marks a decision that isn't in the file but that our games require."""
TIMEOUT: Final = "timeout"
"""Marks a decision made by the table because time was up."""
BOT: Final = "bot"
"""Marks a decision of a seat that a program plays, or may play for an absent player."""
INFERRED: Final = "inferred"
"""Marks a decision whose outcome the file hides, with only one that fits the rest of the file."""
AMBIGUOUS: Final = "ambiguous"
"""Marks a decision whose outcome the file hides, with several that fit the rest of the file."""

NOT_A_PERSONS: Final = (BOT, INVENTED, TIMEOUT)
"""Marks of decisions that may not be a person's."""

BUILDING: Final = (actions.BUILD_ROAD, actions.BUILD_SETTLEMENT, actions.BUILD_CITY)
"""The first actions that place a road, a settlement, a city."""

Marks = tuple[str, ...]
Bundle = tuple[int, ...]
"""(R,) cards of each resource."""

_CHAPTERS: Final = (
    (actions.ROLL, "production"),
    (actions.END_TURN, "turn"),
    (actions.BUY_DEVELOPMENT_CARD, "building"),
    (actions.MOVE_ROBBER - 1, "development cards"),
    (actions.MARITIME_TRADE - 1, "robber"),
    (actions.NUM_ACTIONS, "trade"),
)
"""The last action of each kind of rule."""

_POINTS: Final = "special cards and points"

_FIELDS: Final = {
    **dict.fromkeys(("on_vertex", "on_edge"), "building"),
    **dict.fromkeys(("points", "visible_points", "road_length"), _POINTS),
    **dict.fromkeys(("longest_road_owner", "largest_army_owner"), _POINTS),
    "turn_player": "turn",
}
"""The kind of rule of fields for which it doesn't depend on the last action."""

_LAST_OF_CARDS: Final = (
    (actions.PLAY_KNIGHT, Card.KNIGHT),
    (actions.PLAY_ROAD_BUILDING, Card.ROAD_BUILDING),
    (actions.PLAY_MONOPOLY - 1, Card.YEAR_OF_PLENTY),
    (actions.MOVE_ROBBER - 1, Card.MONOPOLY),
)


def chapter(action: int) -> str:
    """The kind of rule of an action."""
    return next(name for last, name in _CHAPTERS if action <= last)


def card_played(action: int) -> Card | None:
    """The development card that an action plays, None for other actions."""
    if not actions.PLAY_KNIGHT <= action < actions.MOVE_ROBBER:
        return None
    return next(card for last, card in _LAST_OF_CARDS if action <= last)


class Fault(Exception):  # noqa: N818 (it isn't the program's)
    """A file contradicts our rules: the kind of rule, our view and the file's."""


class HiddenOutcome(NamedTuple):
    """A chance outcome that the file hides.

    Attributes:
        before: the table before the move.
        decision: number of the decision.
        others: untried possibilities, the likeliest last.
    """

    before: "PlayedTable"
    decision: int
    others: list[Resource]


@dataclass
class PlayedTable:
    """A game on which the file's moves are played.

    Attributes:
        at: number of the present move.
        decisions: the decisions so far.
        compared: number of state values that agreed so far.
        in_vain: number of decisions of offers without a trade.
        left_out: number of such offers that have no form here.
        choices: hidden outcomes so far.
        chosen: the next hidden outcome, None for the likeliest.
    """

    game: Game
    at: int = 0
    decisions: list[Decision] = field(default_factory=list)
    compared: int = 0
    in_vain: int = 0
    left_out: int = 0
    choices: list[HiddenOutcome] = field(default_factory=list)
    chosen: Resource | None = None

    def copy(self) -> "PlayedTable":
        """An independent table in the same position."""
        return replace(self, game=self.game.copy(), decisions=list(self.decisions))

    def act(self, seat: int, action: int, outcome: Outcome = None, marks: Marks = ()) -> None:
        """Play an action of a seat."""
        if self.game.player != seat:
            raise Fault("turn", f"seat {self.game.player} is to move", _words(seat, action))
        try:
            self.game.step(action, outcome)
        except ValueError as error:
            ours = str(error) if isinstance(error, IllegalActionError) else f"{outcome} can't come"
            raise Fault(chapter(action), ours, _words(seat, action)) from None
        self.decisions.append(Decision(seat, action, outcome, marks))

    def choose(self, action: int, before: "PlayedTable") -> Resource:
        """The resource of a hidden theft, played next; other possibilities are kept for later.

        Args:
            action: the theft.
            before: the table before the file's move.
        """
        if self.chosen is not None:
            taken, self.chosen = self.chosen, None
            return taken
        odds = self.game.outcomes(action)
        possible = [one for one in sorted(odds, key=odds.__getitem__) if isinstance(one, Resource)]
        taken = possible.pop()
        self.choices.append(HiddenOutcome(before, len(self.decisions), possible))
        return taken


class Act(NamedTuple):
    """A move that is one action here."""

    place: str
    seat: int
    action: int
    outcome: Outcome = None
    marks: Marks = ()

    def play(self, table: PlayedTable) -> None:
        """Play the action."""
        table.act(self.seat, self.action, self.outcome, self.marks)


class Rob(NamedTuple):
    """A robber move, with a theft if there is a victim; the card is None if hidden."""

    place: str
    seat: int
    hex_id: int
    victim: int | None
    resource: Resource | None
    marks: Marks = ()

    def play(self, table: PlayedTable) -> None:
        """Play the move; with several possible victims the theft is a separate decision."""
        game = table.game
        hidden = self.victim is not None and self.resource is None
        before = table.copy() if hidden else table
        action = actions.MOVE_ROBBER + self.hex_id
        steals = bool(game.outcomes(action))  # at once, from the only possible victim
        if not steals:
            table.act(self.seat, action, None, self.marks)
            steals = game.phase == Phase.STEAL
            if steals and self.victim is not None:
                action = actions.STEAL + _places(table, self.seat, self.victim)
        if steals != (self.victim is not None):
            ours = ("nobody can be robbed", "somebody has to be robbed")[steals]
            told = "nobody is" if self.victim is None else f"seat {self.victim} is"
            raise Fault("robber", ours, told)
        if self.victim is None:
            return
        cards = int(game.state["hand_size"][self.victim])
        resource = table.choose(action, before) if hidden else self.resource
        table.act(self.seat, action, resource, self.marks)
        if game.state["hand_size"][self.victim] != cards - 1:
            raise Fault("robber", "another seat is robbed", f"seat {self.victim} is")


class Discards(NamedTuple):
    """The discards of all seats after a seven: in any order in the file, played in turn order."""

    place: str
    cards: dict[int, list[Resource]]
    marks: dict[int, Marks]

    def play(self, table: PlayedTable) -> None:
        """Play the discards card by card."""
        left = dict(self.cards)
        while table.game.phase == Phase.DISCARD:
            seat = table.game.player
            if seat not in left:
                raise Fault("robber", f"seat {seat} has to discard", "it discards nothing more")
            for r in left.pop(seat):
                table.act(seat, actions.DISCARD + r, None, self.marks.get(seat, ()))
        if left:
            raise Fault("robber", "nobody has to discard", f"seat {min(left)} discards")


class BankTrade(NamedTuple):
    """A trade with the bank, possibly of several lots."""

    place: str
    seat: int
    give: Bundle
    get: Bundle
    marks: Marks = ()

    def play(self, table: PlayedTable) -> None:
        """Play the trade lot by lot."""
        rates = table.game.state["rate"][self.seat].tolist()
        lots = [r for r in range(NUM_RESOURCES) for _ in range(self.give[r] // rates[r])]
        wanted = cards_in(self.get)
        paid = all(n % rate == 0 for n, rate in zip(self.give, rates, strict=True))
        if not paid or len(lots) != len(wanted):
            told = f"seat {self.seat} trades {list(self.give)} for {list(self.get)}"
            raise Fault("trade", f"its rates are {rates}", told)
        shifts = (wanted[k:] + wanted[:k] for k in range(len(wanted)))
        wanted = next((w for w in shifts if not any(map(eq, lots, w))), wanted)
        for give, get in zip(lots, wanted, strict=True):
            table.act(self.seat, int(SWAP_ACTIONS[give, get]), None, self.marks)


@dataclass
class Offer:
    """An offer of the player in turn.

    Attributes:
        answers: by seat, as far as known: whether it accepts, or both sides of its
            counter-offer.
        other: the partner of the player in turn; None if there is no trade.
        stands_later: whether the offer is played at the place of the trade.
    """

    place: str
    seat: int
    give: Bundle
    get: Bundle
    answers: dict[int, bool | tuple[Bundle, Bundle]] = field(default_factory=dict)
    other: int | None = None
    stands_later: bool = False
    marks: Marks = ()

    def play(self, table: PlayedTable) -> None:
        """Play the offer at once: in files other things happen before the answers.

        An offer without a trade is left out if it has no form here. A trade that can't be played as
        it happened is played as an offer of the cards exchanged.
        """
        if self.stands_later:
            return
        trial = PlayedTable(table.game.copy())
        try:
            self.play_through(trial)
        except Fault:
            if self.other is None:
                table.left_out += 1
                return
            counter = self.answers.get(self.other)
            sides = counter[::-1] if isinstance(counter, tuple) else (self.give, self.get)
            plain = replace(self, give=sides[0], get=sides[1], answers={self.other: True})
            plain.play_through(table, (INVENTED,) if isinstance(counter, tuple) else ())
            return
        table.game = trial.game
        table.decisions += trial.decisions
        if self.other is None:
            table.in_vain += len(trial.decisions)

    def play_through(self, table: PlayedTable, more: Marks = ()) -> None:
        """Play the offer, with further marks, then the answers and the trade, if any."""
        _offer(table, self.seat, self.give, self.get, self.marks + more)
        while table.game.phase == Phase.ANSWER:
            seat = table.game.player
            answer = self.answers.get(seat)
            if isinstance(answer, tuple):
                _offer(table, seat, *answer, ())
            elif answer:
                table.act(seat, actions.ACCEPT)
            else:
                table.act(seat, actions.REJECT, None, (INVENTED,) if answer is None else ())
        if self.other is not None:
            close = actions.CLOSE_WITH + _places(table, self.seat, self.other)
            table.act(self.seat, close, None, self.marks)
        elif table.game.phase == Phase.CLOSE:
            table.act(self.seat, actions.WITHDRAW, None, (INVENTED,))


class Check(NamedTuple):
    """A state in the file, as `Sight.values`."""

    place: str
    values: Values

    def play(self, table: PlayedTable) -> None:
        """Compare the state with the game."""
        found = first_difference(table.game.games, self.values)
        if found is not None:
            last = table.decisions[-1].action if table.decisions else actions.END_TURN
            rule = _FIELDS.get(found.field) or chapter(last)
            raise Fault(rule, f"{found.what} is {found.ours}", f"it is {found.told}")
        table.compared += int(np.count_nonzero(self.values != UNTOLD))


class Over(NamedTuple):
    """The end of the game in the file, including wins by concession."""

    place: str
    winner: int

    def play(self, table: PlayedTable) -> None:
        """Compare the winner with the game."""
        if table.game.is_over and table.game.winner != self.winner:
            raise Fault(_POINTS, f"seat {table.game.winner} has won", f"seat {self.winner} has")


class Foreign(NamedTuple):
    """A move that our rules don't have."""

    place: str
    told: str

    def play(self, _table: PlayedTable) -> None:
        """Refuse the move."""
        raise Fault("turn", "there is no such move", self.told)


Move = Foreign | Act | Rob | Discards | BankTrade | Offer | Check | Over


def _places(table: PlayedTable, seat: int, other: int) -> int:
    """The argument of a seat's action that refers to another seat."""
    return (other - seat - 1) % table.game.rules.num_players


def cards_in(bundle: Bundle) -> list[Resource]:
    """The cards of a bundle, one by one."""
    return [r for r in Resource for _ in range(bundle[r])]


def _words(seat: int, action: int) -> str:
    if action < 0:
        return f"seat {seat} trades cards for the same"
    kind, *told = describe_action(action).values()
    return " ".join(map(str, [f"seat {seat}:", kind, *told]))


def _offer(table: PlayedTable, seat: int, give: Bundle, get: Bundle, marks: Marks) -> None:
    """Make an offer, with one action if possible."""
    template = actions.template_of(give, get)
    for action in actions.composing(give, get) if template is None else (template,):
        table.act(seat, action, None, marks)
