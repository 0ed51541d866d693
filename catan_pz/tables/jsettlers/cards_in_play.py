"""Year of plenty and monopoly: the table tells first the card, then what it brings."""

from catan_pz.actions import PLAY_MONOPOLY, PLENTY_ACTIONS
from catan_pz.engine.events import EventKind
from catan_pz.game.followed import ContradictionError
from catan_pz.tables.jsettlers.decisions import TableDecisions, event
from catan_pz.terms import Card


class CardInPlay:
    """The card whose effect hasn't been told yet.

    Attributes:
        card: its kind; None for none.
    """

    def __init__(self) -> None:
        self.card: Card | None = None
        self._taken: dict[int, int] = {}

    def begin(self, card: Card | None) -> None:
        """A card is played; with None it isn't any more."""
        self.card, self._taken = card, {}

    def take(self, victim: int, count: int) -> None:
        """A monopoly takes so many cards of a seat."""
        if self.card == Card.MONOPOLY:
            self._taken[victim] = count

    def pick(self, decisions: TableDecisions, counts: list[int]) -> None:
        """Year of plenty brings the player in turn cards (R,)."""
        pair = sorted(r for r, n in enumerate(counts) for _ in range(n))
        if len(pair) != 2 or self.card != Card.YEAR_OF_PLENTY:
            raise ContradictionError(f"cards {pair} are picked without year of plenty")
        seat = decisions.game.turn_player
        action = int(PLENTY_ACTIONS[pair[0], pair[1]])
        played = event(EventKind.CARD_PLAYED, seat, Card.YEAR_OF_PLENTY)
        gained = [event(EventKind.GAINED, seat, r, n) for r, n in enumerate(counts) if n]
        decisions.begin(seat, action, played, *gained)
        self.begin(None)

    def monopolize(self, decisions: TableDecisions, seat: int, named: int) -> None:
        """A seat takes a resource by monopoly; what others lose came before."""
        if self.card != Card.MONOPOLY:
            raise ContradictionError("a resource is monopolized without the card")
        given = [
            event(EventKind.GIVEN, victim, named, count, seat)
            for victim, count in self._taken.items()
        ]
        played = event(EventKind.CARD_PLAYED, seat, Card.MONOPOLY)
        decisions.begin(seat, PLAY_MONOPOLY + named, played, *given)
        self.begin(None)
