"""An agent at catanatron tables: its view, and its moves.

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
"""Answers to trades of other players."""


class TableAgent:
    """An agent, as an object or a name, that plays at tables, one game after the other.

    Each further game has another seed for its random choices. The agent gets the given rules, or
    with None those of each game.
    """

    def __init__(self, agent: Agent | str, seed: int = 0, rules: Rules | None = None) -> None:
        self.agent = as_agent(agent)
        self.follower: TableFollower | None = None
        """follows the present game; None outside a game"""
        self.decisions = 0
        """number of the agent's decisions in this game"""
        self.unmatched = 0
        """decisions without a legal action among the moves, where the first move is played"""
        self._seed = seed
        self._rules = rules

    def begin(self, document: Mapping[str, Any], color: str) -> None:
        """Start a game; a previous one without a reported end is abandoned."""
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
        """Choose a move; return its index among the table's offered moves, as written.

        `records` is the game's moves from its start, as written, with their outcomes; the document
        describes the present game.
        """
        follower = self.follower
        assert follower is not None
        moves = [Move.read(self._colors, written) for written in offered]
        if not moves:
            raise ValueError("the table asks for a move but offers none")
        self._catch_up(follower, records)
        follower.agree(Facts.read(document, follower.seat))
        if len(moves) == 1:
            return 0
        for k, move in enumerate(moves):
            if move.kind in _TURNED_DOWN:
                return k
        return self._ask(follower, moves)

    def _catch_up(self, follower: TableFollower, records: Sequence[tuple[Any, Any]]) -> None:
        """Process the moves since the last call."""
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
        """Let the agent choose among the table's moves that are legal by our rules too."""
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
        """End the present game, finished or abandoned, if there is one."""
        follower, self.follower = self.follower, None
        if follower is not None:
            told = (0,) * len(self._colors) if points is None else tuple(points)
            dismiss([(self._own, SeatResult(follower.seat, winner, told, turns, reason))])
