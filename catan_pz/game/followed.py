"""A game followed from one seat alone, by the events that the seat sees."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from typing import Any, Final, Self

import numpy as np

from catan_pz.actions import NUM_ACTIONS, describe_action
from catan_pz.belief import OWN_CUSTOMS, Belief, HandsChanged, HoldingShown, TableCustoms
from catan_pz.checks import check_seat, not_possible, quoted
from catan_pz.engine.deal import deal_of
from catan_pz.engine.ranges import MOST_CARDS
from catan_pz.engine.trade import COUNTERED, REJECTED
from catan_pz.events import Event, Events, as_seen_by
from catan_pz.game import calls as game_calls
from catan_pz.game.game import Game
from catan_pz.game.reports import ReportedDecision, is_event
from catan_pz.game.view import View, view_of
from catan_pz.rules import Board, Rules
from catan_pz.terms import NUM_RESOURCES, Phase

_SEED: Final = 0

Bundles = tuple[Sequence[int], Sequence[int]]
"""(R,) cards that the maker of an offer gives, and (R,) cards that it gets."""


class ContradictionError(ValueError):
    """A report of something impossible; the followed game is as it was."""


class FollowedGame:
    """A game at somebody else's table, as one seat sees it.

    Args:
        rules: a `Rules`, a preset's name, or None for the defaults.
        seat: whose view it is.
        board, first_player: those of the table; None where the rules fix them.
        customs: how the table differs from a game of this package.

    Attributes:
        belief: all that the seat can conclude now; the next decision replaces it.
        sampled: a game that looks to the seat as the true one does. Public facts can be read
            from it; what is hidden in it is made up. Don't play on it.
    """

    def __init__(
        self,
        rules: Rules | str | None,
        seat: int,
        board: Board | Mapping[str, Any] | None = None,
        first_player: int | None = None,
        customs: TableCustoms = OWN_CUSTOMS,
    ) -> None:
        rules = Rules.make(rules)
        dealt = rules
        if board is not None:
            dealt = replace(rules, board=board, no_adjacent_red=False)  # it is drawn already
            if isinstance(rules.board, Board) and dealt.board != rules.board:
                raise not_possible("board", board, "the one in the rules")
        if len(deal_of(dealt).layouts) != 1:
            raise ValueError("board must be given where the rules draw it, got None")
        if first_player is None:
            if rules.first_player == "random":
                raise ValueError("first_player must be given where the rules draw it, got None")
            first_player = int(rules.first_player)
        first_player = check_seat(first_player, rules.num_players)
        game = Game(replace(dealt, first_player=0), seed=_SEED)
        game.state["turn_player"] = game.state["player"] = first_player
        self._start(Game.from_games(game.games, rules), seat, customs)

    @classmethod
    def from_snapshot(
        cls, data: Mapping[str, Any], seat: int, customs: TableCustoms = OWN_CUSTOMS
    ) -> Self:
        """Follow a game from a state on, also from its middle.

        What is hidden from the seat there may be anything that agrees with what the seat knows.
        """
        followed = cls.__new__(cls)
        followed._start(Game.from_snapshot(data), seat, customs)
        return followed

    def _start(self, game: Game, seat: int, customs: TableCustoms) -> None:
        self.rules = game.rules
        self.seat = check_seat(seat, game.rules.num_players)
        self.belief = Belief(self.seat, game.state, customs=customs)
        self._rng = np.random.default_rng(_SEED)
        self.sampled = self._game_of(self.belief.resample(game.state, self._rng))

    def listen(self, _game: Game, events: Events) -> None:
        """Take in one decision of a hosted game, as a listener of it."""
        self.follow(as_seen_by(events, self.seat))

    def follow(self, events: Iterable[Event]) -> Events:
        """Take in one decision; forced ones are decisions of their own.

        Args:
            events: what the seat sees of it, as `events.as_seen_by` gives it. Their order
                and `seen_by` don't matter, but the `DECISION` comes first.

        Returns all of them, also those that a table which tells in part has left out.
        """
        events = tuple(events)
        decision = ReportedDecision(self.sampled, self.belief, events, self._rng)
        try:
            decision.play()
        except ValueError as error:
            raise ContradictionError(f"{_described(events)}: {error}") from error
        self.belief = decision.belief
        self.sampled.games[0] = decision.games[0]
        self.sampled._mask[:] = decision.mask
        return decision.seen

    def copy(self) -> Self:
        """An independent followed game in the same position."""
        other = copy(self)
        other.belief = self.belief.copy()
        other.sampled = self.sampled.copy()
        other._rng = deepcopy(self._rng)
        return other

    def follow_trade(self, seat: int, other: int, bundles: Bundles) -> None:
        """Take in a trade that came about outside of this package's form of offers.

        `bundles` are what the first seat gives, and what it gets.
        """
        self._check_trading()
        seats = range(self.rules.num_players)
        if seat not in seats or other not in seats or seat == other:
            raise ContradictionError(f"seats {seat} and {other} can't trade")
        given, got = _checked(bundles)
        changes = np.zeros((len(seats), NUM_RESOURCES), np.int64)
        changes[seat] = np.subtract(got, given)
        changes[other] = -changes[seat]
        after = self.copy()
        record = after.sampled.games[0]
        try:
            for giver, bundle in ((seat, given), (other, got)):
                after.belief.update(HoldingShown(giver, bundle))
            after.belief.update(HandsChanged(tuple(tuple(row) for row in changes.tolist())))
            record["hand"][: len(seats)] += changes.astype(np.int8)
            record["hand_size"][: len(seats)] += changes.sum(1).astype(np.int8)
            after._draw_anew()
        except ValueError as error:
            raise ContradictionError(f"seats {seat} and {other} trade {bundles}: {error}") from None
        self.belief, self._rng = after.belief, after._rng
        self.sampled.games[0] = record
        self.sampled._mask[:] = after.sampled.mask

    def _check_trading(self) -> None:
        if not self.rules.trading:
            raise ContradictionError("players don't trade with each other in this game")

    def note_offer(self) -> None:
        """The player in turn has made an offer; a table may allow more of them than the rules."""
        made = int(self.sampled.state["offers_made"])
        if made < self.rules.max_offers_per_turn:
            self.sampled.state["offers_made"] = made + 1
        game_calls.end_decision(self.sampled.games, 0, 0, self.sampled._mask)

    def with_offers(self, offers: Mapping[int, Bundles]) -> Self:
        """A copy of the game as it would stand if the seat had to decide about some offers now.

        In the turn of another it answers this player's offer, which the seats before it have
        refused. In the own turn it closes with one of those who have countered its offer.

        Args:
            offers: of the player in turn and of those who countered, by seat.
        """
        self._check_trading()
        if not offers.keys() <= {*range(self.rules.num_players)}:
            raise ContradictionError(f"there are no such seats to offer: {quoted(list(offers))}")
        offers = {seat: _checked(bundles) for seat, bundles in offers.items()}
        other = self.copy()
        record = other.sampled.games[0]
        maker, count = int(record["turn_player"]), self.rules.num_players
        for seat, (give, get) in offers.items():
            record["offer_give"][seat], record["offer_get"][seat] = give, get
        for k in range(1, count):
            seat = (maker + k) % count
            if seat == self.seat:
                break
            record["answer"][seat] = COUNTERED if seat in offers else REJECTED
        record["phase"] = Phase.CLOSE if maker == self.seat else Phase.ANSWER
        record["player"] = self.seat
        record["offers_made"] = max(1, record["offers_made"])
        try:
            for seat, (give, _) in offers.items():
                other.belief.update(HoldingShown(seat, tuple(give)))
        except ValueError as error:
            raise ContradictionError(f"offers {dict(offers)}: {error}") from None
        other._draw_anew()
        return other

    def _draw_anew(self) -> None:
        """Sample a game that fits a belief which has changed outside of a decision."""
        games = self.belief.resample(self.sampled.state, self._rng)
        if self.belief.customs.loose_sums:
            games["bank"] = self.belief.shown_bank()
        self.sampled.games[0] = games[0]
        game_calls.end_decision(self.sampled.games, 0, 0, self.sampled._mask)

    def restart(self, games: np.ndarray) -> None:
        """Go on from the state (1,) that a table shows, where it doesn't play by these rules."""
        self._start(Game.from_games(games, self.rules), self.seat, self.belief.customs)

    def amend(self, games: np.ndarray) -> None:
        """Correct what lies open on the board and whose turn it is; hands stay as they are.

        Where that changes anybody's visible points, what was concluded from them about hidden
        victory points is dropped, back to the last `confirm`.
        """
        followed = self.sampled.state["visible_points"].copy()
        self.sampled = Game.from_games(games, self.rules)
        self.belief = self.belief.copy()  # views may hold the one before
        self.belief.cards.recount(self.sampled.state)
        if (self.sampled.state["visible_points"] != followed).any():
            self.belief.cards.withdraw(self.sampled.state)

    def confirm(self) -> None:
        """The table shows what was followed so far: what was concluded from it holds."""
        self.belief.cards.confirm()

    def view(self) -> View:
        """The seat's view now; it answers `View.resample` even after the game has gone on."""
        now = copy(self)
        now.sampled = self.sampled.copy()  # what is decided next replaces the belief
        return view_of(self.sampled, self.seat, now)

    def resample(self, rng: np.random.Generator) -> Game:
        """A full game that looks to the seat as the true one does, drawn from its belief."""
        return self._game_of(self.belief.resample(self.sampled.state, rng))

    def resample_many(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """(count,) `STATE` of several such games, drawn at once."""
        games = self.belief.resample(self.sampled.state, rng, count)
        if self.belief.customs.loose_sums:
            games = np.concatenate([self._game_of(games[i : i + 1]).games for i in range(count)])
        return games

    def _game_of(self, games: np.ndarray) -> Game:
        """A game on a record that the belief has drawn."""
        game = Game._on(games, self.rules)
        if self.belief.customs.loose_sums:
            # What a game narrows by the sums of resources is more than is known here.
            self.belief.write_knowledge(game.games, game.state)
            game_calls.end_decision(game.games, 0, 0, game._mask)
        return game


def _checked(bundles: Bundles) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Both sides of an offer or trade, as plain counts of cards."""
    give, get = (tuple(map(int, side)) for side in bundles)
    if not all(0 <= n <= MOST_CARDS for n in give + get):
        raise ContradictionError(f"cards must be from 0 to {MOST_CARDS}, got {quoted(bundles)}")
    return give, get


def _described(events: Events) -> str:
    """The decision in words, for an error."""
    if not events:
        return "no events"
    if not is_event(events[0]):
        return "no event"
    action = events[0].what
    if not 0 <= action < NUM_ACTIONS:
        return f"seat {events[0].seat}, hidden action"
    return f"seat {events[0].seat}, {describe_action(action)}"
