"""A game followed from one seat alone, by the events that the seat sees."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, Self

import numpy as np

from catan_pz.actions import NUM_ACTIONS
from catan_pz.belief import Belief
from catan_pz.checks import not_possible
from catan_pz.engine.options import table_of
from catan_pz.events import Event, Events, as_seen_by
from catan_pz.notation.actions import describe_action
from catan_pz.rules import Board, Rules
from catan_pz.runtime.game import Game
from catan_pz.runtime.reported import ReportedDecision
from catan_pz.runtime.view import View, view_of

_SEED: Final = 0


class ContradictionError(ValueError):
    """A report of something impossible; the followed game is as it was."""


class FollowedGame:
    """A game at somebody else's table, as one seat sees it.

    Args:
        rules: a `Rules`, a preset's name, or None for the defaults.
        seat: the seat.
        board: the board on the table, a `Board` or its JSON form. None where the rules fix it.
        first_player: who goes first; None where the rules fix it.

    Attributes:
        rules: the `Rules`.
        seat: the seat.
        belief: all that the seat can conclude now; the next decision replaces it.
        sampled: a game that looks to the seat as the true one does. Public facts can be read
            from it; what is hidden in it is made up. Don't play on it.

    Raises:
        ValueError: if board, first player or seat are missing or not possible.
    """

    def __init__(
        self,
        rules: Rules | str | None,
        seat: int,
        board: Board | Mapping[str, Any] | None = None,
        first_player: int | None = None,
    ) -> None:
        rules = Rules.make(rules)
        dealt = rules if board is None else replace(rules, board=board)
        if len(table_of(dealt).layouts) != 1:
            raise ValueError("board=None is not possible where the rules draw it; give the board")
        if first_player is None:
            if rules.first_player == "random":
                raise ValueError("first_player=None is not possible where the rules draw it")
            first_player = int(rules.first_player)
        _check_seat("first_player", first_player, rules)
        game = Game(replace(dealt, first_player=0), seed=_SEED)
        game.state["turn_player"] = game.state["player"] = first_player
        self._start(Game.from_games(game.games, rules), seat)

    @classmethod
    def from_snapshot(cls, data: Mapping[str, Any], seat: int) -> Self:
        """Follow a game from a state on, also from its middle.

        Args:
            data: the state as JSON. What is hidden from the seat may be anything that agrees
                with what the seat knows: it has no part in what follows.
            seat: the seat.

        Raises:
            ValueError: names the entry that is wrong, or the rules that the state breaks.
        """
        followed = cls.__new__(cls)
        followed._start(Game.from_snapshot(data), seat)
        return followed

    def _start(self, game: Game, seat: int) -> None:
        _check_seat("seat", seat, game.rules)
        self.rules = game.rules
        self.seat = seat
        self.belief = Belief(seat, game.state)
        self._rng = np.random.default_rng(_SEED)
        self.sampled = Game.from_games(self.belief.resample(game.state, self._rng), game.rules)

    def listen(self, _game: Game, events: Events) -> None:
        """Take in one decision of a hosted game, as a listener of it.

        Raises:
            ContradictionError: as `follow`.
        """
        self.follow(as_seen_by(events, self.seat))

    def follow(self, events: Iterable[Event]) -> None:
        """Take in one decision; forced ones are decisions of their own.

        Args:
            events: what the seat sees of it, as `events.as_seen_by` gives it. Their order
                and `seen_by` don't matter, but the `DECISION` comes first.

        Raises:
            ContradictionError: says what of it can't be.
        """
        events = tuple(events)
        decision = ReportedDecision(self.sampled, self.belief, events, self._rng)
        try:
            decision.play()
        except ValueError as error:
            raise ContradictionError(f"{_described(events)}: {error}") from error
        self.belief = decision.belief
        self.sampled.games[0] = decision.games[0]
        self.sampled.mask[:] = decision.mask

    def restart(self, games: np.ndarray) -> None:
        """Go on from the state that a table shows, where it doesn't play by these rules.

        Args:
            games: (1,) `STATE` of these rules. What is hidden from the seat may be anything
                that agrees with what the seat knows. It isn't validated.
        """
        self._start(Game.from_games(games, self.rules), self.seat)

    def amend(self, games: np.ndarray) -> None:
        """Put right what lies open on the board or is said of the turn; hands stay as they are.

        Args:
            games: (1,) `STATE`, `sampled` but for that. It isn't validated.
        """
        self.sampled = Game.from_games(games, self.rules)

    def view(self) -> View:
        """What the seat may know now; `View.resample` is answered."""
        return view_of(self.sampled, self.seat, self.resample)

    def resample(self, rng: np.random.Generator) -> Game:
        """A full game that looks to the seat as the true one does, drawn from its belief.

        Args:
            rng: where the draws come from.
        """
        return Game.from_games(self.belief.resample(self.sampled.state, rng), self.rules)


def _check_seat(name: str, seat: Any, rules: Rules) -> None:
    if not isinstance(seat, int) or not 0 <= seat < rules.num_players:
        raise not_possible(name, seat, f"0 to {rules.num_players - 1}")


def _described(events: Events) -> str:
    """The decision in words, for an error."""
    if not events:
        return "no events"
    action = events[0].what
    if not 0 <= action < NUM_ACTIONS:
        return f"seat {events[0].seat}, hidden action"
    return f"seat {events[0].seat}, {describe_action(action)}"
