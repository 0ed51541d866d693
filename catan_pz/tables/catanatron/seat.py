"""An agent in a seat of a catanatron table: what it is shown, and the moves that it makes.

Nothing here needs catanatron: moves and documents are plain values.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from catan_pz.agents.base import ABORTED, Agent, SeatResult
from catan_pz.agents.hosting import dismiss, seat_copy
from catan_pz.checks import as_action, not_possible
from catan_pz.game.game import IllegalActionError
from catan_pz.game.view import View
from catan_pz.rules import Board, Rules
from catan_pz.tables.catanatron.facts import Facts, all_hands
from catan_pz.tables.catanatron.follower import TableFollower
from catan_pz.tables.catanatron.moves import Actions, Move, actions_of

_TURNED_DOWN: Final = ("REJECT_TRADE", "CANCEL_TRADE")
"""What is answered where others want to trade."""


class AgentSeat:
    """A copy of an agent that plays one game at a table.

    Args:
        agent: the agent.
        rules: of the game, as the agent is told them.
        board: the board on the table.
        colors: (P,) of each seat.
        seat: the agent's.
        seed: of its random stream.

    Attributes:
        follower: what follows the table for it.
        decisions: how often the agent was asked.
        unmatched: how often none of its legal actions was a move of the table; the first one
            offered is played then.
    """

    def __init__(
        self,
        agent: Agent,
        rules: Rules,
        board: Board,
        colors: Sequence[str],
        seat: int,
        seed: int,
    ) -> None:
        self.follower = TableFollower(rules, seat, colors, board)
        self.decisions = 0
        self.unmatched = 0
        self._agent = seat_copy(agent, seat, rules, seed)
        self._colors = list(colors)
        self._seen = 0

    def choose(
        self,
        records: Sequence[tuple[Any, Any]],
        document: Mapping[str, Any],
        offered: Sequence[Any],
    ) -> int:
        """Choose a move.

        Args:
            records: the game's moves from its start on, as written, with what chance brought.
            document: of the game as it stands.
            offered: the moves that the table allows, as written.

        Returns:
            The index of the move among those that are offered.
        """
        moves = [Move.read(self._colors, written) for written in offered]
        if not moves:
            raise ValueError("the table asks for a move, and offers none")
        self.catch_up(records, document)
        if len(moves) == 1:
            return 0
        for k, move in enumerate(moves):
            if move.kind in _TURNED_DOWN:
                return k
        return self._ask(moves)

    def catch_up(self, records: Sequence[tuple[Any, Any]], document: Mapping[str, Any]) -> None:
        """Take in the moves since the last call."""
        new, self._seen = records[self._seen :], len(records)
        for record in new:
            try:
                written, result = record
            except (TypeError, ValueError):
                allowed = "a pair of move and result"
                raise not_possible("the record of a move", record, allowed) from None
            for events in self.follower.take(Move.read(self._colors, written, result)):
                if self._agent.needs_events:
                    self._agent.observe(events)
        seat = self.follower.seat
        self.follower.agree(Facts.read(document, seat), all_hands(document))

    def _ask(self, moves: Sequence[Move]) -> int:
        """Let the agent choose among moves of the table that are legal by our rules too."""
        found: dict[Actions, int] = {}
        for k, move in enumerate(moves):
            actions = actions_of(move, self._colors)
            if actions is not None:
                found.setdefault(actions, k)
        view = self.follower.view()
        first = self._decide(view, {actions[0] for actions in found})
        if first is None:
            self.unmatched += 1
            return 0
        left = {actions: k for actions, k in found.items() if actions[0] == first}
        if len(left) > 1:
            view = self.follower.view_after(first)
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
        action = as_action(self._agent.act(view))
        if not (0 <= action < len(view.mask) and view.mask[action]):
            raise IllegalActionError(
                f"agent {self._agent.name!r} chose {action}, which isn't legal"
            )
        return action

    def leave(self, winner: int | None, points: Sequence[int], turns: int, reason: str) -> None:
        """The game is over, or broken off."""
        result = SeatResult(self.follower.seat, winner, tuple(points), turns, reason)
        dismiss([(self._agent, result)])

    def abort(self) -> None:
        """The game is broken off."""
        count = len(self._colors)
        self.leave(None, (0,) * count, 0, ABORTED)
