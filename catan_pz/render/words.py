"""Places and tables in words, for screen readers and hints."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from catan_pz.actions import RESOURCE_NAMES, bundle_to_dict, describe_action
from catan_pz.board.topology import EDGE_VERTICES, HEX_EDGES, VERTEX_HARBOR, VERTEX_HEXES
from catan_pz.render.log import Places, action_words, bundle_words
from catan_pz.render.view import CARD_WORDS, AnswerView, Bounds, Bundle, SeatView, TableView

_HEXES_OF_EDGE = {
    edge: tuple(h for h, edges in enumerate(HEX_EDGES.tolist()) if edge in edges)
    for edge in range(len(EDGE_VERTICES))
}


def hex_words(view: TableView, hex_id: int) -> str:
    """A hex by its number token and terrain: "6 forest", "desert"."""
    token = view.tokens[hex_id]
    return f"{token} {view.terrains[hex_id]}" if token else view.terrains[hex_id]


def vertex_words(view: TableView, vertex: int) -> str:
    """A vertex by the hexes around it and its harbor: "6 forest, 8 hills, wool harbor"."""

    def harbor_words(harbor: int) -> str:
        return f"{view.harbors[harbor][1] or '3:1'} harbor"

    return ", ".join(around_vertex(vertex, partial(hex_words, view), harbor_words))


def edge_words(view: TableView, edge: int) -> str:
    """An edge by the hexes beside it: "6 forest, 8 hills", "6 forest, sea"."""
    return ", ".join(beside_edge(edge, partial(hex_words, view)))


def places_of(view: TableView) -> Places:
    """Names places by their surroundings: "6 forest / 8 hills"."""
    named = {"vertex": vertex_words, "edge": edge_words, "hex": hex_words}

    def name(words: Callable[[TableView, int], str], at: int) -> str:
        return words(view, at).replace(", ", " / ")

    return {kind: partial(name, words) for kind, words in named.items()}


Words = Callable[[int], str]
"""Gives the words for a hex, or for a harbor, by its number."""


def around_vertex(vertex: int, hex_words: Words, harbor_words: Words) -> list[str]:
    """The words for each hex at a vertex, and for the harbor there."""
    parts = [hex_words(h) for h in VERTEX_HEXES[vertex].tolist() if h >= 0]
    harbor = int(VERTEX_HARBOR[vertex])
    return parts if harbor < 0 else [*parts, harbor_words(harbor)]


def beside_edge(edge: int, hex_words: Words) -> list[str]:
    """The words for each hex beside an edge, "sea" among them on the coast."""
    parts = [hex_words(h) for h in _HEXES_OF_EDGE[edge]]
    return parts if len(parts) > 1 else [*parts, "sea"]


def table_words(view: TableView) -> list[str]:
    """A viewer's knowledge of a table: a sentence or two on each seat, bank, robber and offer."""
    seat, doing = view.decision()
    lines = [f"Turn {view.turn}. {view.name(seat)} {doing}."]
    if any(view.dice):
        lines[0] += f" The dice show {view.dice[0]} and {view.dice[1]}."
    lines += [_seat_words(view, seat) for seat in view.seats]
    bank = _bundle_words(view.bank) or "no resources"
    lines.append(f"Bank: {bank}; {view.deck_size} development cards.")
    lines.append(f"The robber stands on {hex_words(view, view.robber)}.")
    if view.offer is not None and view.offer.sent:
        offer = f"{_bundle_words(view.offer.give)} for {_bundle_words(view.offer.get)}"
        lines.append(f"{view.name(view.offer.seat)} offers {offer}.")
        lines += [_answer_words(view, answer) for answer in view.offer.answers]
    return lines


def _seat_words(view: TableView, seat: SeatView) -> str:
    mine = " (you)" if view.viewer == seat.seat else ""
    points = seat.visible_points if seat.points is None else seat.points
    parts = [_count(points, "point"), f"{_count(seat.hand_size, 'card')}{_hand_words(seat.hand)}"]
    if seat.cards is None:
        parts.append(_count(seat.card_count, "development card"))
    elif any(seat.cards):
        parts.append(f"development cards: {_kinds(seat.cards, CARD_WORDS)}")
    if any(seat.cards_played):
        parts.append(f"played: {_kinds(seat.cards_played, CARD_WORDS)}")
    parts.append(f"{_count(len(seat.roads), 'road')}, longest {seat.road_length}")
    if seat.has_longest_road:
        parts.append("holds the longest road")
    if seat.has_largest_army:
        parts.append("holds the largest army")
    for kind, places in (("settlement", seat.settlements), ("city", seat.cities)):
        parts += [f"{kind} at {vertex_words(view, v)}" for v in places]
    return f"{view.name(seat.seat)}{mine}: {'; '.join(parts)}."


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _kinds(counts: Iterable[int], names: Sequence[str]) -> str:
    return ", ".join(f"{n} {name}" for n, name in zip(counts, names, strict=True) if n)


def _bundle_words(bundle: Bundle) -> str:
    return _kinds(bundle, RESOURCE_NAMES)


def _hand_words(hand: Bounds) -> str:
    parts = [
        f"{low} {name}" if low == high else f"{low} to {high} {name}"
        for (low, high), name in zip(hand, RESOURCE_NAMES, strict=True)
        if high
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _answer_words(view: TableView, answer: AnswerView) -> str:
    name = view.name(answer.seat)
    if answer.kind == "counter":
        sides = f"{_bundle_words(answer.give)} for {_bundle_words(answer.get)}"
        return f"{name} counters with {sides}."
    words = {
        "waiting": "hasn't answered",
        "accept": "accepts",
        "reject": "rejects",
        "composing": "composes a counter-offer",
    }
    return f"{name} {words[answer.kind]}."


def decision_words(action: int, view: TableView) -> str:
    """An action at a table, as an order: "accept: give 1 ore, get 1 brick"."""
    described, seat, offer = describe_action(action), view.player_to_move, view.offer
    kind, other = described["kind"], view.turn_player
    if "seat" in described:
        other = (seat + described["seat"]) % len(view.seats)
    if kind == "steal":
        return f"steal from {view.name(other)}"
    if kind == "compose_send" and offer is not None:
        own = next((a for a in offer.answers if a.seat == seat and a.give), offer)
        return f"offer {_offered(own.give)} for {_offered(own.get)}"
    words = f"trade with {view.name(other)}" if kind == "close_with" else kind
    if kind in ("close_with", "accept", "reject"):
        return f"{words}: {terms_words(view, seat, other).removeprefix('you ')}"
    return action_words(action, places_of(view))


def terms_words(view: TableView, seat: int, other: int) -> str:
    """A trade with another player from a seat's perspective: "you give 1 ore, get 1 brick"."""
    offer = view.offer
    if offer is None:
        return ""
    counter = next((a for a in offer.answers if a.seat == other and a.give), None)
    give, get = (offer.give, offer.get) if counter is None else (counter.give, counter.get)
    # `give` is from the perspective of the maker of the offer or counter-offer.
    if counter is not None or offer.seat != seat:
        give, get = get, give
    return f"you give {_offered(give)}, get {_offered(get)}"


def _offered(side: Bundle) -> str:
    return bundle_words(bundle_to_dict(side))
