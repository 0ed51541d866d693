"""Shared parts of file readers: moves that are spread over several entries."""

from collections import Counter
from collections.abc import Iterable

from catan_pz.events import Outcome
from catan_pz.tables.records.moves import (
    Act,
    BankTrade,
    Bundle,
    Discards,
    Marks,
    Move,
    Offer,
    Rob,
)
from catan_pz.terms import Resource


class Telling:
    """The moves of a game, in order of play.

    Attributes:
        place: the present place in the file.
        robber: place, seat and hex of a robber move that a theft may follow.
        discards: of seats after a seven, until another move follows.
        unknown: entries of unknown kinds, by kind.
    """

    def __init__(self) -> None:
        self.moves: list[Move] = []
        self.place = ""
        self.robber: tuple[str, int, int] | None = None
        self.discards: dict[int, list[Resource]] = {}
        self.unknown: Counter[str] = Counter()
        self._discarders: dict[int, Marks] = {}

    def marks(self, seat: int) -> Marks:
        """Marks of a seat's decisions at this place."""
        raise NotImplementedError

    def flush(self) -> None:
        """Complete pending moves: all have discarded, and the robber took nothing."""
        if self.discards:
            self.moves.append(Discards(self.place, self.discards, self._discarders))
            self.discards, self._discarders = {}, {}
        self.rob(None, None)

    def add(self, seat: int, action: int, outcome: Outcome = None) -> None:
        """Add a move that is one action here."""
        self.flush()
        self.moves.append(Act(self.place, seat, action, outcome, self.marks(seat)))

    def discard(self, seat: int, cards: list[Resource]) -> None:
        """Record a seat's discard; the last report counts."""
        self.discards[seat], self._discarders[seat] = cards, self.marks(seat)

    def move_robber(self, seat: int, hex_id: int) -> None:
        """Record a robber move; a theft may follow."""
        self.flush()
        self.robber = self.place, seat, hex_id

    def rob(self, victim: int | None, card: Resource | None) -> None:
        """Record the robber's theft; the first report counts."""
        if self.robber is not None:
            (place, seat, hex_id), self.robber = self.robber, None
            self.moves.append(Rob(place, seat, hex_id, victim, card, self.marks(seat)))

    def trade_with_bank(self, seat: int, give: Bundle, get: Bundle) -> None:
        """Add a trade of some lots with the bank."""
        self.flush()
        self.moves.append(BankTrade(self.place, seat, give, get, self.marks(seat)))

    def offer(self, seat: int, give: Bundle, get: Bundle) -> Offer:
        """Add an offer of the player in turn."""
        self.flush()
        made = Offer(self.place, seat, give, get, marks=self.marks(seat))
        self.moves.append(made)
        return made

    def trade(
        self, seat: int, other: int, give: Bundle, get: Bundle, offers: Iterable[Offer]
    ) -> None:
        """Add a trade of the player in turn, from one of its offers or an answer to it."""
        made = self.offer(seat, give, get)
        made.other, made.answers = other, {other: True}
        for offer in offers:
            countered = offer.answers.get(other) == (get, give)
            if countered or (offer.give, offer.get) == (give, get):
                made.give, made.get = offer.give, offer.get
                made.answers = offer.answers | ({} if countered else {other: True})
                offer.stands_later = True
