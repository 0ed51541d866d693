"""A game followed from one seat through the events that the seat sees."""

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
    """A report of something impossible; the followed game is unchanged."""


class FollowedGame:
    """A game at another table, as one seat sees it.

    Args:
        rules: a `Rules`, a preset's name, or None for the defaults.
        seat: the viewer.
        board, first_player: those of the table; None if the rules fix them.
        customs: differences between the table and a game of this package.

    Attributes:
        belief: everything that the seat can conclude now; the next decision replaces it.
        sampled: a game consistent with the seat's view. Public facts can be read from it; its
            hidden information is made up. Don't play on it.
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
            dealt = replace(rules, board=board, no_adjacent_red=False)  # it is already drawn
            if isinstance(rules.board, Board) and dealt.board != rules.board:
                raise not_possible("board", board, "the one in the rules")
        if len(deal_of(dealt).layouts) != 1:
            raise ValueError("board must be given if the rules draw it, got None")
        if first_player is None:
            if rules.first_player == "random":
                raise ValueError("first_player must be given if the rules draw it, got None")
            first_player = int(rules.first_player)
        first_player = check_seat(first_player, rules.num_players)
        game = Game(replace(dealt, first_player=0), seed=_SEED)
        game.state["turn_player"] = game.state["player"] = first_player
        self._start(Game.from_games(game.games, rules), seat, customs)

    @classmethod
    def from_snapshot(
        cls, data: Mapping[str, Any], seat: int, customs: TableCustoms = OWN_CUSTOMS
    ) -> Self:
        """Follow a game from a state, which may be mid-game.

        Its hidden information may be anything that agrees with the seat's knowledge.
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
        """Process one decision of a hosted game, as its listener."""
        self.follow(as_seen_by(events, self.seat))

    def follow(self, events: Iterable[Event]) -> Events:
        """Process one decision; forced ones are decisions of their own.

        Args:
            events: the events as the seat sees them, from `events.as_seen_by`. Their order
                and `seen_by` don't matter, but the `DECISION` comes first.

        Returns all events, including those omitted by a table that reports in part.
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
        """Process a trade that didn't follow this package's form of offers.

        `bundles` is what the first seat gives, and what it gets.
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
        """Count an offer of the player in turn; a table may allow more offers than the rules."""
        made = int(self.sampled.state["offers_made"])
        if made < self.rules.max_offers_per_turn:
            self.sampled.state["offers_made"] = made + 1
        game_calls.end_decision(self.sampled.games, 0, 0, self.sampled._mask)

    def with_offers(self, offers: Mapping[int, Bundles]) -> Self:
        """A copy of the game in which the seat has to decide about some offers now.

        In another player's turn the seat answers that player's offer, which the seats before it
        have refused. In its own turn it closes with one of the seats that countered its offer.

        Args:
            offers: of the player in turn and of seats that countered, by seat.
        """
        self._check_trading()
        if not offers.keys() <= {*range(self.rules.num_players)}:
            raise ContradictionError(f"these seats can't make offers: {quoted(list(offers))}")
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
        """Sample a game that fits a belief changed outside of a decision."""
        games = self.belief.resample(self.sampled.state, self._rng)
        if self.belief.customs.loose_sums:
            games["bank"] = self.belief.shown_bank()
        self.sampled.games[0] = games[0]
        game_calls.end_decision(self.sampled.games, 0, 0, self.sampled._mask)

    def restart(self, games: np.ndarray) -> None:
        """Continue from the state (1,) shown by a table whose play departed from these rules."""
        self._start(Game.from_games(games, self.rules), self.seat, self.belief.customs)

    def amend(self, games: np.ndarray) -> None:
        """Correct the open board and whose turn it is; hands are unchanged.

        If that changes any visible points, conclusions from them about hidden victory points are
        dropped, back to the last `confirm`.
        """
        followed = self.sampled.state["visible_points"].copy()
        self.sampled = Game.from_games(games, self.rules)
        self.belief = self.belief.copy()  # views may hold the old one
        self.belief.cards.recount(self.sampled.state)
        if (self.sampled.state["visible_points"] != followed).any():
            self.belief.cards.withdraw(self.sampled.state)

    def confirm(self) -> None:
        """Accept the conclusions so far, after the table has shown the same position."""
        self.belief.cards.confirm()

    def view(self) -> View:
        """The seat's current view; it answers `View.resample` even after the game has gone on."""
        now = copy(self)
        now.sampled = self.sampled.copy()  # the next decision replaces the belief
        return view_of(self.sampled, self.seat, now)

    def resample(self, rng: np.random.Generator) -> Game:
        """A full game consistent with the seat's view, drawn from its belief."""
        return self._game_of(self.belief.resample(self.sampled.state, rng))

    def resample_many(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """(count,) `STATE` of several such games, drawn in one call."""
        games = self.belief.resample(self.sampled.state, rng, count)
        if self.belief.customs.loose_sums:
            games = np.concatenate([self._game_of(games[i : i + 1]).games for i in range(count)])
        return games

    def _game_of(self, games: np.ndarray) -> Game:
        """A game on a record drawn by the belief."""
        game = Game._on(games, self.rules)
        if self.belief.customs.loose_sums:
            # A game narrows bounds by the sums of resources, which are unknown here.
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
