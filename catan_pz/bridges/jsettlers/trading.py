"""Offers between players at a JSettlers table: own ones, and answers that are under way."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from catan_pz.bridges.jsettlers.messages import Kind, Message
from catan_pz.engine.trade import MOST_COMPOSED
from catan_pz.runtime.followed import Bundles

_CANNOT_MAKE_OFFER: Final = "3"
"""Reason of a refusal: a counter-offer to a player who isn't in turn."""

_NOT_YOUR_TURN: Final = "2"
"""Reason of a refusal: the server has ended the turn."""


@dataclass
class OwnOffer:
    """An offer that the seat has made in its turn.

    Attributes:
        bundles: what it gives and gets.
        waiting: seats that have not answered.
        counters: offers that others made instead.
        is_chosen: whether the agent has chosen among these.
    """

    bundles: Bundles
    waiting: set[int]
    counters: dict[int, Bundles] = field(default_factory=dict)
    is_chosen: bool = False


class Answer(NamedTuple):
    """An answer to somebody's offer.

    Attributes:
        maker: the seat that made the offer.
        bundles: the offer that is accepted, None for a counter-offer.
    """

    maker: int
    bundles: Bundles | None

    def is_late(self, offers: Mapping[int, Bundles], turn_player: int) -> bool:
        """Whether the offer, or the turn in which it can be countered, is gone.

        Args:
            offers: those that are open, by seat.
            turn_player: the seat in turn.
        """
        if self.bundles is None:
            return turn_player != self.maker
        return offers.get(self.maker) is not self.bundles


class AnswersUnderWay:
    """Answers to offers of others that the server has neither confirmed nor refused."""

    def __init__(self) -> None:
        self._accepted: deque[Answer] = deque()
        self._countered: Answer | None = None

    def accept(self, maker: int, bundles: Bundles) -> None:
        """An offer is accepted."""
        self._accepted.append(Answer(maker, bundles))

    def counter(self, maker: int) -> None:
        """An offer is countered."""
        self._countered = Answer(maker, None)

    def is_traded(self) -> None:
        """The server confirms the first acceptance."""
        if self._accepted:
            self._accepted.popleft()

    def is_offered(self) -> None:
        """The server confirms the counter-offer."""
        self._countered = None

    def refused(self, message: Message) -> Answer | None:
        """The answer that a message refuses, which isn't under way any longer; None for none."""
        if message.kind != Kind.REJECT_OFFER:
            return None
        if message.fields[2] == _CANNOT_MAKE_OFFER:
            answer, self._countered = self._countered, None
            return answer
        return self._accepted.popleft() if self._accepted else None


def is_refusal(message: Message) -> bool:
    """Whether the server refuses a command."""
    if message.kind == Kind.REJECT_OFFER:
        return len(message.fields) > 2 and message.fields[2] != "0"
    if message.kind == Kind.BANK_TRADE:
        return int(message.fields[-1]) < 0
    return message.kind == Kind.DECLINE_REQUEST


def is_out_of_turn(message: Message) -> bool:
    """Whether the server refuses a command because the turn is over."""
    return message.kind == Kind.DECLINE_REQUEST and message.fields[2:3] == (_NOT_YOUR_TURN,)


def is_fair(bundles: Bundles) -> bool:
    """Whether an offer is one that this package's rules know."""
    give, get = bundles
    overlap = any(a and b for a, b in zip(give, get, strict=True))
    return not overlap and all(0 < sum(side) <= MOST_COMPOSED for side in bundles)
