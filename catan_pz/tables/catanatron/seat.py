"""An agent at tables of catanatron: what it is shown, and the moves that it makes.

Nothing here needs catanatron: moves and documents are plain values.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from catan_pz.agents.base import ABORTED, Agent, SeatResult
from catan_pz.agents.hosting import dismiss, seat_copy
from catan_pz.agents.registry import as_agent
from catan_pz.checks import as_action, not_possible
from catan_pz.game.game import IllegalActionError
from catan_pz.game.view import View
from catan_pz.rules import Board, Rules
from catan_pz.tables.catanatron.facts import Facts, rules_in
from catan_pz.tables.catanatron.follower import TableFollower
from catan_pz.tables.catanatron.moves import Actions, Move, actions_of

_TURNED_DOWN: Final = ("REJECT_TRADE", "CANCEL_TRADE")
"""What is answered where others want to trade."""


class TableAgent:
    """An agent, given itself or by name, that plays at tables, one game after the other.

    Each further game has another seed of its random choices. The agent is told the rules given, or
    with None those of each game.
    """

    def __init__(self, agent: Agent | str, seed: int = 0, rules: Rules | None = None) -> None:
        self.agent = as_agent(agent)
        self.follower: TableFollower | None = None
        """what follows the present game for it; None outside of one"""
        self.decisions = 0
        """how often the agent was asked in this game"""
        self.unmatched = 0
        """how often none of its legal actions was a move of the table, which offers the first"""
        self._seed = seed
        self._rules = rules

    def begin(self, document: Mapping[str, Any], color: str) -> None:
        """Begin a game; the one before is left, if its end wasn't told."""
        rules, colors = rules_in(document), list(document["colors"])
        if color not in colors:
            raise not_possible("color", color, f"one of {colors}")
        self.leave()
        board = rules.board
        assert isinstance(board, Board)
        rules, seat = self._rules or rules, colors.index(color)
        self._own = seat_copy(self.agent, seat, rules, self._seed)
        self.follower = TableFollower(rules, seat, colors, board)
        self._seed = (self._seed + 1) % 2**64
        self._colors = colors
        self.decisions = self.unmatched = self._seen = 0

    def choose(
        self,
        records: Sequence[tuple[Any, Any]],
        document: Mapping[str, Any],
        offered: Sequence[Any],
    ) -> int:
        """Choose a move; the index of it among those that the table offers, as written.

        Records are the game's moves from its start on, as written, with what chance brought; the
        document is that of the game as it stands.
        """
        follower = self.follower
        assert follower is not None
        moves = [Move.read(self._colors, written) for written in offered]
        if not moves:
            raise ValueError("the table asks for a move, and offers none")
        self._catch_up(follower, records)
        follower.agree(Facts.read(document, follower.seat))
        if len(moves) == 1:
            return 0
        for k, move in enumerate(moves):
            if move.kind in _TURNED_DOWN:
                return k
        return self._ask(follower, moves)

    def _catch_up(self, follower: TableFollower, records: Sequence[tuple[Any, Any]]) -> None:
        """Take in the moves since the last call."""
        new, self._seen = records[self._seen :], len(records)
        for record in new:
            try:
                written, result = record
            except (TypeError, ValueError):
                allowed = "a pair of move and result"
                raise not_possible("the record of a move", record, allowed) from None
            for events in follower.take(Move.read(self._colors, written, result)):
                if self._own.needs_events:
                    self._own.observe(events)

    def _ask(self, follower: TableFollower, moves: Sequence[Move]) -> int:
        """Let the agent choose among moves of the table that are legal by our rules too."""
        found: dict[Actions, int] = {}
        for k, move in enumerate(moves):
            actions = actions_of(move, self._colors)
            if actions is not None:
                found.setdefault(actions, k)
        first = self._decide(follower.view(), {actions[0] for actions in found})
        if first is None:
            self.unmatched += 1
            return 0
        left = {actions: k for actions, k in found.items() if actions[0] == first}
        if len(left) > 1:
            view = follower.view_after(first)
            second = self._decide(view, {actions[-1] for actions in left})
            left = {actions: k for actions, k in left.items() if actions[-1] == second} or left
        return next(iter(left.values()))

    def _decide(self, view: View, possible: set[int]) -> int | None:
        """The agent's choice among possible actions; None if no legal one is possible."""
        allowed = np.zeros_like(view.mask)
        allowed[[a for a in possible if a < len(allowed)]] = 1
        view.mask[:] &= allowed
        if not view.mask.any():
            return None
        self.decisions += 1
        action = as_action(self._own.act(view))
        if not (0 <= action < len(view.mask) and view.mask[action]):
            raise IllegalActionError(f"agent {self._own.name!r} chose {action}, which isn't legal")
        return action

    def leave(
        self,
        winner: int | None = None,
        points: Sequence[int] | None = None,
        turns: int = 0,
        reason: str = ABORTED,
    ) -> None:
        """The present game is over, or broken off, if there is one."""
        follower, self.follower = self.follower, None
        if follower is not None:
            told = (0,) * len(self._colors) if points is None else tuple(points)
            dismiss([(self._own, SeatResult(follower.seat, winner, told, turns, reason))])
