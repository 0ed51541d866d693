"""Offers between players at a JSettlers table: own ones, and what is under way to the server."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from catan_pz.engine.trade import MOST_COMPOSED
from catan_pz.game.followed import Bundles
from catan_pz.tables.jsettlers.messages import Kind, Message

_CANNOT_MAKE_OFFER: Final = "3"
"""Reason of a refusal: the player in turn is another, or the seat lacks what it gives."""

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


class Acceptance(NamedTuple):
    """An acceptance of somebody's offer.

    Attributes:
        maker: the seat that made the offer.
        bundles: the offer.
        in_own_turn: whether the offer is an answer to an own one.
    """

    maker: int
    bundles: Bundles
    in_own_turn: bool

    def is_late(self, offers: Mapping[int, Bundles], turn_player: int, hand: Sequence[int]) -> bool:
        """Whether the offer is gone.

        Args:
            offers: those that are open, by seat.
            turn_player: the seat in turn.
            hand: the own resources.
        """
        return offers.get(self.maker) is not self.bundles


class SentOffer(NamedTuple):
    """An offer of the own seat, or a counter-offer to the seat in turn.

    Attributes:
        turn: the seat in whose turn it was sent.
        give: the resources given.
        in_own_turn: whether that is the own seat.
    """

    turn: int
    give: Sequence[int]
    in_own_turn: bool

    def is_late(self, offers: Mapping[int, Bundles], turn_player: int, hand: Sequence[int]) -> bool:
        """Whether the turn is over, or what it gives is gone; arguments as of `Acceptance`."""
        is_covered = all(given <= held for given, held in zip(self.give, hand, strict=True))
        return turn_player != self.turn or not is_covered


class TradesUnderWay:
    """Offers and acceptances that the server has neither confirmed nor refused, in their order."""

    def __init__(self) -> None:
        self._acceptances: deque[Acceptance] = deque()
        self._offers: deque[SentOffer] = deque()

    def accept(self, acceptance: Acceptance) -> None:
        """An offer is accepted."""
        self._acceptances.append(acceptance)

    def offer(self, offer: SentOffer) -> None:
        """An offer is made."""
        self._offers.append(offer)

    def is_traded(self) -> None:
        """The server confirms the first acceptance."""
        if self._acceptances:
            self._acceptances.popleft()

    def is_offered(self) -> None:
        """The server confirms the first offer."""
        if self._offers:
            self._offers.popleft()

    def refused(self, message: Message) -> Acceptance | SentOffer | None:
        """What a message refuses, which isn't under way any longer; None for anything else."""
        if message.kind != Kind.REJECT_OFFER:
            return None
        if message.fields[2] == _CANNOT_MAKE_OFFER:
            return self._offers.popleft() if self._offers else None
        return self._acceptances.popleft() if self._acceptances else None


def is_refusal(message: Message) -> bool:
    """Whether the server refuses a command."""
    if message.kind == Kind.REJECT_OFFER:
        return len(message.fields) > 2 and message.fields[2] != "0"
    if message.kind == Kind.BANK_TRADE:
        return message.integer(len(message.fields) - 1) < 0
    return message.kind == Kind.DECLINE_REQUEST


def is_out_of_turn(message: Message) -> bool:
    """Whether the server refuses a command because the turn is over."""
    return message.kind == Kind.DECLINE_REQUEST and message.fields[2:3] == (_NOT_YOUR_TURN,)


def is_fair(bundles: Bundles) -> bool:
    """Whether an offer is one that this package's rules know."""
    give, get = bundles
    overlap = any(a and b for a, b in zip(give, get, strict=True))
    return not overlap and all(0 < sum(side) <= MOST_COMPOSED for side in bundles)
