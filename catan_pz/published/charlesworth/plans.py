"""Joint actions as what the environment takes: an offer is a sequence of single choices.

The environment makes every offer to all players. A joint action names one of them: the offer is
closed with that player alone, and withdrawn where it doesn't accept.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz import actions
from catan_pz.engine.trade import ACCEPTED
from catan_pz.observation.segments import PLACES
from catan_pz.published.charlesworth import choices as ch
from catan_pz.published.charlesworth.choices import COLUMN, Choices
from catan_pz.published.charlesworth.encoder import RESOURCES
from catan_pz.terms import MAX_PLAYERS, MONOPOLY, YEAR_OF_PLENTY

ANYBODY = -1
"""Stands for an offer of which it isn't known to whom it was made."""


@dataclass
class Plan:
    """What is left of a joint action.

    Attributes:
        actions: of the environment, in order.
        partner: the opponent, from 0, to whom an offer is made; `ANYBODY` to close with the
            first who accepts.
    """

    actions: list[int] = field(default_factory=list)
    partner: int = ANYBODY

    def next_action(self, units: NDArray[np.int8], mask: NDArray[Any]) -> int:
        """What to play now: the next action, or the end of the offer.

        Args:
            units: (N,) int8, the observation.
            mask: (A,) legal actions.
        """
        if self.actions:
            action = self.actions.pop(0)
            if mask[action]:
                return action
            self.actions.clear()
        return self._closing(units, mask)

    def _closing(self, units: NDArray[np.int8], mask: NDArray[Any]) -> int:
        answers = units[PLACES["answer"]].reshape(MAX_PLAYERS, -1)[1:, ACCEPTED]
        possible = (answers != 0) & (mask[actions.CLOSE_WITH : actions.WITHDRAW] != 0)
        if self.partner == ANYBODY:
            partner = int(possible.argmax())
        else:
            partner = self.partner
        return actions.CLOSE_WITH + partner if possible[partner] else actions.WITHDRAW


def plans_of(choices: Choices) -> list[Plan]:
    """The plan of each joint action, (K, S) choices."""
    single = single_actions(choices).tolist()
    return [
        _offer(row) if action == actions.NO_ACTION else Plan([action])
        for row, action in zip(choices, single, strict=True)
    ]


def _offer(row: NDArray[np.int8]) -> Plan:
    words = []
    for side, first in ((ch.GIVE, actions.COMPOSE_GIVE), (ch.GET, actions.COMPOSE_GET)):
        words += [first + int(RESOURCES[r]) for r in row[side] if 0 <= r < ch.STOP]
    return Plan([*words, actions.COMPOSE_SEND], int(row[COLUMN["player"]]))


def single_actions(choices: Choices) -> NDArray[np.int64]:
    """(K,) the action of each joint action that is a single one; `NO_ACTION` for offers."""
    place = {name: choices[:, k].astype(np.int64) for name, k in COLUMN.items()}
    kind, card, first, second = (place[name] for name in ("kind", "card", "first", "second"))
    of_card = np.where(
        card == YEAR_OF_PLENTY,
        ch.PLENTY[first, second],
        np.where(card == MONOPOLY, ch.MONOPOLIES[first], actions.PLAY_KNIGHT + card),
    )
    by_kind: dict[int, Any] = {
        ch.SETTLEMENT: actions.BUILD_SETTLEMENT + place["corner"],
        ch.ROAD: actions.BUILD_ROAD + place["edge"],
        ch.CITY: actions.BUILD_CITY + place["corner"],
        ch.BUY: actions.BUY_DEVELOPMENT_CARD,
        ch.PLAY: of_card,
        ch.EXCHANGE: ch.SWAPS[first, second],
        ch.PROPOSE: actions.NO_ACTION,
        ch.RESPOND: actions.ACCEPT + place["accept"],
        ch.ROBBER: actions.MOVE_ROBBER + place["tile"],
        ch.ROLL: actions.ROLL,
        ch.END_TURN: actions.END_TURN,
        ch.STEAL: actions.STEAL + place["player"],
        ch.DISCARD: ch.DISCARDS[place["discard"]],
    }
    return np.select([kind == k for k in by_kind], list(by_kind.values()), actions.NO_ACTION)
