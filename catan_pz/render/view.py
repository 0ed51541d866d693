"""The content of a picture: the state restricted to one viewer's information.

Pictures and text are drawn only from a `TableView`, so they can't show hidden information.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.checks import quoted
from catan_pz.events import ONLOOKER
from catan_pz.names import seat_names, shown
from catan_pz.terms import (
    CARD_NAMES,
    CITIES_PER_PLAYER,
    ROADS_PER_PLAYER,
    SETTLEMENTS_PER_PLAYER,
)

CARD_WORDS: Final = ("knight", "road building", "year of plenty", "monopoly", "victory point")
SHORT_CARD_WORDS: Final = ("knight", "roads", "plenty", "monopoly", "point")
"""Names of the development cards, in the order of `Card`."""

PHASE_WORDS: Final = {
    "setup_settlement": "places a settlement",
    "setup_road": "places a road",
    "roll": "is to roll the dice",
    "discard": "discards",
    "move_robber": "moves the robber",
    "steal": "chooses whom to rob",
    "main": "may trade, build and buy",
    "free_road": "places a free road",
    "compose": "composes an offer",
    "answer": "answers the offer",
    "close": "closes the trade or withdraws",
    "over": "has won",
}
"""The current task of the player to move, by the state's "phase"."""

State = Mapping[str, Any]
"""A game as JSON ("catan-pz-state/1", full information)."""

Bundle = tuple[int, ...]
"""(R,) cards of each resource."""

Bounds = tuple[tuple[int, int], ...]
"""(R,) least and most cards of each resource; equal if the number is known."""


@dataclass(frozen=True)
class SeatView:
    """One player as the viewer knows them."""

    seat: int
    hand_size: int
    hand: Bounds
    card_count: int
    cards: tuple[int, ...] | None  # development cards held by kind; None if hidden
    cards_played: tuple[int, ...]
    roads: tuple[int, ...]
    settlements: tuple[int, ...]
    cities: tuple[int, ...]
    road_length: int
    has_longest_road: bool
    has_largest_army: bool
    visible_points: int
    points: int | None  # all points; None if the viewer can't see them
    to_discard: int

    @property
    def hidden_points(self) -> int:
        """Points of hidden cards, 0 if the viewer can't see them."""
        return 0 if self.points is None else self.points - self.visible_points

    @property
    def pieces_left(self) -> tuple[int, int, int]:
        """Roads, settlements and cities not built yet."""
        return (
            ROADS_PER_PLAYER - len(self.roads),
            SETTLEMENTS_PER_PLAYER - len(self.settlements),
            CITIES_PER_PLAYER - len(self.cities),
        )


@dataclass(frozen=True)
class AnswerView:
    """One seat's answer to the offer: waiting, accept, reject, counter or composing."""

    seat: int
    kind: str
    give: Bundle = ()
    get: Bundle = ()


@dataclass(frozen=True)
class OfferView:
    """The current offer; empty bundles while another player composes it."""

    seat: int
    sent: bool
    give: Bundle
    get: Bundle
    answers: tuple[AnswerView, ...]


@dataclass(frozen=True)
class TableView:
    """A whole game as the viewer knows it.

    The viewer is a seat, `ONLOOKER`, or None, who knows everything except deck order and RNG.
    """

    viewer: int | None
    terrains: tuple[str, ...]
    tokens: tuple[int | None, ...]
    harbors: tuple[tuple[int, str | None], ...]
    robber: int
    bank: Bundle
    deck_size: int
    seats: tuple[SeatView, ...]
    phase: str
    turn: int
    turn_player: int
    player_to_move: int
    dice: tuple[int, int]
    rolled: bool
    free_roads: int
    trading: bool
    offers_made: int
    max_offers: int | None
    target_points: int
    offer: OfferView | None
    winner: int | None
    is_truncated: bool  # whether the turn limit was reached without a winner
    names: tuple[str, ...] | None = None  # of the seats, safe to show, if they have names

    def name(self, seat: int) -> str:
        """A seat's name, followed by its number if others have the same name."""
        return seat_names(self.names, len(self.seats))[seat]

    def decision(self) -> tuple[int, str]:
        """The seat to move (or that has won), and its task, in words.

        At the turn limit it is the seat whose turn would be next.
        """
        seat = self.player_to_move if self.winner is None else self.winner
        if self.is_truncated:
            return seat, "stops: no turns are left"
        words = PHASE_WORDS[self.phase]
        if self.phase == "free_road":
            words += f" ({self.free_roads} left)"
        if self.phase == "compose" and self.offer is not None and self.offer.seat != seat:
            words = "composes a counter-offer"
        if self.phase == "discard":
            words += f" {self.seats[seat].to_discard} more"
        return seat, words


def check_viewer(viewer: Any, num_players: int) -> int | None:
    """A viewer as a plain int, or None; it must be None, `ONLOOKER` or a seat of the game."""
    if viewer is None:
        return None
    if isinstance(viewer, bool) or viewer not in (ONLOOKER, *range(num_players)):
        raise ValueError(
            f"viewer must be None or a seat 0..{num_players - 1}, not {quoted(viewer)}"
        )
    return int(viewer)


@contextmanager
def named_entries() -> Iterator[None]:
    """Turn errors from missing or wrong entries of a state into a descriptive ValueError."""
    try:
        yield
    except (LookupError, TypeError, AttributeError, StopIteration) as error:
        raise ValueError(f"state: an entry is missing or wrong: {quoted(error)}") from error


@named_entries()
def table_view(
    state: State, viewer: int | None = None, names: Sequence[str] | None = None
) -> TableView:
    """Restrict a state to a seat's knowledge; `viewer` None keeps all, `ONLOOKER` no hand."""
    players = state["players"]
    viewer = check_viewer(viewer, len(players))
    if names is not None and len(names) != len(players):
        raise ValueError(
            f"names must be None or one for each of {len(players)} seats: {quoted(names)}"
        )
    rules = state["rules"]
    board = state["board"]
    turn, most_turns, winner = state["turn"], rules.get("max_turns"), state["winner"]
    first, second = state["dice"]
    return TableView(
        viewer=viewer,
        terrains=tuple(h["terrain"] for h in board["hexes"]),
        tokens=tuple(h["token"] for h in board["hexes"]),
        harbors=tuple((h["edge"], h["resource"]) for h in board["harbors"]),
        robber=state["robber"],
        bank=_bundle(state["bank"]),
        deck_size=len(state["deck"]),
        seats=tuple(_seat_view(state, seat, viewer) for seat in range(len(players))),
        phase=state["phase"],
        turn=turn,
        turn_player=state["turn_player"],
        player_to_move=state["player_to_move"],
        dice=(first, second),
        rolled=state["rolled"],
        free_roads=state["free_roads"],
        trading=rules.get("trading", True),
        offers_made=state["offers_made"],
        max_offers=rules.get("max_offers_per_turn"),
        target_points=rules.get("victory_points", 10),
        offer=_offer_view(state, viewer),
        winner=winner,
        is_truncated=winner is None and most_turns is not None and turn >= most_turns,
        names=None if names is None else tuple(map(shown, names)),
    )


def _bundle(cards: Mapping[str, int]) -> Bundle:
    return tuple(cards.get(name, 0) for name in RESOURCE_NAMES)


def _kinds(cards: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(cards.get(key, 0) for key in CARD_NAMES)


def _seat_view(state: State, seat: int, viewer: int | None) -> SeatView:
    player = state["players"][seat]
    open_hand = viewer is None or viewer == seat
    hand = _bundle(player["hand"])
    cards = _kinds(player["cards"])
    if open_hand:
        bounds = tuple((count, count) for count in hand)
    elif viewer == ONLOOKER:
        bounds = tuple((0, sum(hand)) for _ in hand)
    else:
        known = state["knowledge"][viewer][seat]
        bounds = tuple(zip(_bundle(known["min"]), _bundle(known["max"]), strict=True))
    return SeatView(
        seat=seat,
        hand_size=sum(hand),
        hand=bounds,
        card_count=sum(cards),
        cards=cards if open_hand else None,
        cards_played=_kinds(player["cards_played"]),
        roads=tuple(player["roads"]),
        settlements=tuple(player["settlements"]),
        cities=tuple(player["cities"]),
        road_length=player["road_length"],
        has_longest_road=state["longest_road_owner"] == seat,
        has_largest_army=state["largest_army_owner"] == seat,
        visible_points=player["visible_points"],
        points=player["points"] if open_hand else None,
        to_discard=state["to_discard"][seat],
    )


def _offer_view(state: State, viewer: int | None) -> OfferView | None:
    """The offer, without bundles that somebody else is still composing."""
    offer = state["offer"]
    if offer is None:
        return None
    seat = offer["from"]
    composer = state["player_to_move"] if state["phase"] == "compose" else None
    may_see = viewer is None or viewer == composer
    sent = composer != seat
    give, get = _bundle(offer["give"]), _bundle(offer["get"])
    if not sent and not may_see:
        give = get = ()
    answers = []
    for other in range(len(state["players"])):
        if other != seat and sent:
            hidden = other == composer and not may_see
            answers.append(_answer_view(offer["answers"][other], other, other == composer, hidden))
    return OfferView(seat, sent, give, get, tuple(answers))


def _answer_view(answer: Any, seat: int, composing: bool, hidden: bool) -> AnswerView:
    if answer is None or hidden:
        return AnswerView(seat, "composing" if composing else "waiting")
    if isinstance(answer, str):
        return AnswerView(seat, answer)
    kind = "composing" if composing else "counter"
    return AnswerView(seat, kind, _bundle(answer["give"]), _bundle(answer["get"]))
