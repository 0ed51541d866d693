"""What a person can press in the picture, and which actions each press plays."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from catan_pz import actions as table
from catan_pz.actions import RESOURCE_NAMES, action_id, bundle_to_dict, describe_action
from catan_pz.board.topology import HEX_VERTICES
from catan_pz.game.game import Game
from catan_pz.game.view import view_of
from catan_pz.render.geometry import HEX_POSITIONS, VERTEX_POSITIONS, edge_ends, shortened
from catan_pz.render.layout import (
    GAP,
    HEIGHT,
    MARGIN,
    WIDTH,
    Area,
    Bar,
    Box,
    Disc,
    covers,
    layout,
    on_board,
)
from catan_pz.render.log import bundle_words
from catan_pz.render.view import CARD_WORDS, Bundle, TableView
from catan_pz.render.words import edge_words, hex_words, terms_words, vertex_words
from catan_pz.terms import (
    CARD_NAMES,
    MOST_COMPOSED,
    NUM_EDGES,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    Card,
    Phase,
)
from catan_pz.text.commands import offer_actions

DESK_HEIGHT: Final = 158.0
"""How much higher a picture with a player's desk is."""

DESK: Final = Box(MARGIN, HEIGHT - MARGIN + GAP, WIDTH - 2 * MARGIN, DESK_HEIGHT - GAP)
"""The desk, below the picture of the game."""

NOTHING: Final[Bundle] = (0,) * NUM_RESOURCES
_TEMPLATES: Final = (
    "offers here are 1 card for 1, 2 for 1 or 1 for 2 (--offers both: up to "
    f"{MOST_COMPOSED} a side)"
)


def hand_box(resource: int) -> Box:
    """Where the cards of a resource lie on the desk."""
    return Box(DESK.x + 14 + 56 * resource, DESK.y + 42, 52.0, 76.0)


def card_box(card: int) -> Box:
    """Where the development cards of a kind lie on the desk."""
    return Box(DESK.x + 310 + 56 * card, DESK.y + 42, 52.0, 76.0)


def tray_box(side: str, resource: int) -> Box:
    """A cell of the tray, where cards to "give" and to "get" are laid out."""
    row = ("give", "get").index(side)
    return Box(DESK.x + 650 + 46 * resource, DESK.y + 36 + 54 * row, 42.0, 46.0)


def _button_box(place: int) -> Box:
    """The box of a button, two in a row."""
    return Box(DESK.x + 890 + 103 * (place % 2), DESK.y + 34 + 38 * (place // 2), 98, 33)


def vertex_area(vertex: int) -> Disc:
    """Where a vertex is pressed."""
    return Disc(*on_board(VERTEX_POSITIONS[vertex]), 17.0)


def edge_area(edge: int) -> Bar:
    """Where an edge is pressed."""
    start, end = shortened(*edge_ends(edge), 12)
    return Bar(on_board(start), on_board(end), 11.0)


def hex_area(hex_id: int) -> Disc:
    """Where a hex is pressed."""
    return Disc(*on_board(HEX_POSITIONS[hex_id]), 44.0)


PLACES: Final[dict[str, tuple[int, Callable[[int], Any], Callable[[TableView, int], str]]]] = {
    "vertex": (NUM_VERTICES, vertex_area, vertex_words),
    "edge": (NUM_EDGES, edge_area, edge_words),
    "hex": (NUM_HEXES, hex_area, hex_words),
}
"""Kinds of places on the board, upper ones first: how many, the area of each, and its words."""


@dataclass(frozen=True)
class Draft:
    """What a person has laid out and not played yet.

    Attributes:
        give: (R,) cards laid out to be given.
        get: (R,) cards asked for; with `card` those taken from the bank.
        card: "year_of_plenty" or "monopoly" while its resources are chosen, else "".
    """

    give: Bundle = NOTHING
    get: Bundle = NOTHING
    card: str = ""


@dataclass(frozen=True)
class Control:
    """A part of the picture to be pressed.

    Attributes:
        name: what it is, unique but for areas that do the same: "vertex 12", "roll", "get ore".
        area: where it lies.
        words: what pressing it does, or why it can't be pressed.
        play: the actions that pressing it plays, one after the other.
        draft: what is laid out once it is pressed, if it plays nothing.
        key: key of the keyboard that does the same, if any.
        label: what stands on a button.
    """

    name: str
    area: Area
    words: str
    play: tuple[int, ...] = ()
    draft: Draft | None = None
    key: str = ""
    label: str = ""

    @property
    def is_active(self) -> bool:
        """Whether it can be pressed."""
        return bool(self.play) or self.draft is not None


def controls(game: Game, seat: int, view: TableView, draft: Draft) -> tuple[Control, ...]:
    """All that a person in a seat can press now, upper things first; none if another decides."""
    if game.player != seat or not game.mask.any():
        return ()
    return tuple(_Decision(game, view, draft).controls())


def control_at(pressable: Sequence[Control], x: float, y: float) -> Control | None:
    """The control under a point of the picture, in its own units, also one that isn't active."""
    return next((c for c in pressable if covers(c.area, x, y)), None)


def _one_more(bundle: Bundle, resource: int, count: int = 1) -> Bundle:
    return tuple(n + count * (r == resource) for r, n in enumerate(bundle))


class _Decision:
    """Gathers the controls of one decision."""

    def __init__(self, game: Game, view: TableView, draft: Draft) -> None:
        self.game, self.view, self.draft = game, view, draft
        self.seat, self.phase = game.player, game.phase
        self.legal: list[int] = game.legal_actions().tolist()
        self.places = layout(view)
        self.hand: Bundle = tuple(low for low, _ in view.seats[self.seat].hand)
        self._buttons = 0

    def has(self, first: int, count: int = 1) -> list[int]:
        """The legal actions among `count` from `first` on."""
        return [a for a in self.legal if first <= a < first + count]

    def controls(self) -> Iterator[Control]:
        yield from self.board()
        yield from self.victims()
        yield from self.dice_and_turn()
        yield from self.cards()
        if self.draft.card:
            yield from self.resources_of_card()
        elif self.phase == Phase.COMPOSE:
            yield from self.composing()
            yield from self.answers()
        else:
            yield from self.discards()
            yield from self.answers()
            yield from self.trade()
        if self.draft != Draft():
            yield self.button("clear", "put back what is laid out", key="escape", draft=Draft())

    def button(
        self,
        name: str,
        words: str,
        *,
        label: str = "",
        key: str = "",
        play: tuple[int, ...] = (),
        draft: Draft | None = None,
    ) -> Control:
        self._buttons += 1
        box = _button_box(self._buttons - 1)
        return Control(name, box, words, play, draft, key, label or name.capitalize())

    def board(self) -> Iterator[Control]:
        for first, kind, verb in (
            (table.BUILD_SETTLEMENT, "vertex", "build a settlement"),
            (table.BUILD_CITY, "vertex", "build a city"),
            (table.BUILD_ROAD, "edge", "build a road"),
            (table.MOVE_ROBBER, "hex", "move the robber here"),
        ):
            count, area, words = PLACES[kind]
            for a in self.has(first, count):
                at = a - first
                yield Control(f"{kind} {at}", area(at), f"{verb}: {words(self.view, at)}", (a,))

    def victims(self) -> Iterator[Control]:
        """Those to steal from: their panels, and their buildings beside the robber."""
        for a in self.has(table.STEAL, 3):
            q = (self.seat + a - table.STEAL + 1) % len(self.view.seats)
            there = self.view.seats[q]
            control = Control(
                f"seat {q}", self.places.seats[q], f"steal a card from {self.view.name(q)}", (a,)
            )
            yield control
            for v in map(int, HEX_VERTICES[self.view.robber]):
                if v in there.settlements + there.cities:
                    yield replace(control, area=vertex_area(v))

    def dice_and_turn(self) -> Iterator[Control]:
        if self.has(table.ROLL):
            roll = self.button("roll", "roll the dice", key="r", play=(table.ROLL,))
            status = self.places.status
            dice = Box(status.x + 8, status.y + 8, 112, status.height - 16)
            yield from (roll, replace(roll, area=dice, label=""))
        if self.has(table.END_TURN):
            yield self.button("end turn", "end the turn", key="e", play=(table.END_TURN,))
        if self.has(table.BUY_DEVELOPMENT_CARD):
            words = "buy a development card for wool, grain and ore"
            yield self.button("buy card", words, key="b", play=(table.BUY_DEVELOPMENT_CARD,))

    def cards(self) -> Iterator[Control]:
        for card, first, count in (
            (Card.KNIGHT, table.PLAY_KNIGHT, 1),
            (Card.ROAD_BUILDING, table.PLAY_ROAD_BUILDING, 1),
            (Card.YEAR_OF_PLENTY, table.PLAY_YEAR_OF_PLENTY, len(table.PLENTY_PAIRS)),
            (Card.MONOPOLY, table.PLAY_MONOPOLY, NUM_RESOURCES),
        ):
            if not self.has(first, count):
                continue
            name, box = f"card {CARD_WORDS[card]}", card_box(card)
            if count == 1:
                is_knight = card == Card.KNIGHT
                words = f"play {'a ' * is_knight}{CARD_WORDS[card]}"
                yield Control(name, box, words, (first,), key="k" * is_knight)
            elif self.draft.card == CARD_NAMES[card]:
                yield Control(name, box, "put the card back", draft=Draft())
            else:
                chosen = Draft(card=CARD_NAMES[card])
                yield Control(name, box, f"play {CARD_WORDS[card]}", draft=chosen)

    def resources_of_card(self) -> Iterator[Control]:
        """The resources to choose for year of plenty or monopoly."""
        for r, name in enumerate(RESOURCE_NAMES):
            box = tray_box("get", r)
            if self.draft.card == CARD_NAMES[Card.MONOPOLY]:
                words = f"take all {name} from everybody"
                yield Control(f"get {name}", box, words, (table.PLAY_MONOPOLY + r,))
                continue
            wanted = _one_more(self.draft.get, r)
            pairs = [
                a
                for a in self.has(table.PLAY_YEAR_OF_PLENTY, len(table.PLENTY_PAIRS))
                if Counter(bundle_to_dict(wanted)) <= Counter(describe_action(a)["pair"])
            ]
            if pairs:
                whole = sum(wanted) == 2
                words = f"take {bundle_words(bundle_to_dict(wanted))} from the bank"
                play = (pairs[0],) if whole else ()
                further = None if whole else replace(self.draft, get=wanted)
                yield Control(f"get {name}", box, words, play, further)

    def discards(self) -> Iterator[Control]:
        for a in self.has(table.DISCARD, NUM_RESOURCES):
            r = a - table.DISCARD
            name = RESOURCE_NAMES[r]
            yield Control(f"hand {name}", hand_box(r), f"discard 1 {name}", (a,))

    def composing(self) -> Iterator[Control]:
        """An offer that is being composed in the game itself."""
        for side, first, words in (
            ("give", table.COMPOSE_GIVE, "give"),
            ("get", table.COMPOSE_GET, "ask for"),
        ):
            for a in self.has(first, NUM_RESOURCES):
                name, box = RESOURCE_NAMES[a - first], tray_box(side, a - first)
                yield Control(f"{side} {name}", box, f"add 1 {name} to what you {words}", (a,))
        if self.has(table.COMPOSE_SEND):
            yield self.button("send", "send the offer", key="o", play=(table.COMPOSE_SEND,))

    def trade(self) -> Iterator[Control]:
        """The tray, and what can be done with the cards in it."""
        bank = self.has(table.MARITIME_TRADE, len(table.MARITIME_SWAPS))
        offers = self.has(table.OFFER, table.COMPOSE_SEND - table.OFFER)
        if not bank and not offers:
            return
        give, get = self.draft.give, self.draft.get
        most = MOST_COMPOSED, MOST_COMPOSED
        if offers and self.by_templates:
            # A trade with the bank may be laid out with all the cards that it takes.
            most = MOST_COMPOSED if bank else 1 + (sum(get) < 2), 1 + (sum(give) < 2)
        yield from self.tray("give", give, get, most[0])
        yield from self.tray("get", get, give, most[1])
        if bank:
            yield self.bank_button(bank, give, get)
        if offers:
            yield self.offer_button(give, get)

    @property
    def by_templates(self) -> bool:
        return self.game.rules.offer_form == "templates"

    def offer_button(self, give: Bundle, get: Bundle) -> Control:
        counter = self.phase == Phase.ANSWER
        given, wanted = (bundle_words(bundle_to_dict(side)) for side in (give, get))
        play = offer_actions(view_of(self.game, self.game.player), give, get)
        if play:
            words = f"{'counter with' if counter else 'offer'} {given} for {wanted}"
        elif not given or not wanted:
            words = "lay out what to give and what to get"
        elif self.by_templates and sum(give) + sum(get) > 3:
            words = _TEMPLATES
        else:
            can = f"{self.view.name(self.view.turn_player)} can't" if counter else "nobody can"
            words = f"{can} have {wanted}"
        return self.button("counter" if counter else "offer", words, key="o", play=play)

    def bank_button(self, bank: list[int], give: Bundle, get: Bundle) -> Control:
        given, got = ([r for r, n in enumerate(side) if n] for side in (give, get))
        if len(given) != 1 or len(got) != 1 or get[got[0]] != 1:
            return self.button("bank", "lay out a card to give and one to get")
        start, end = RESOURCE_NAMES[given[0]], RESOURCE_NAMES[got[0]]
        action = action_id("maritime_trade", give=start, get=end)
        rate = int(self.game.games["rate"][0, self.seat, given[0]])
        label = f"Bank {rate}:1"
        if action in bank:
            words = f"give the bank {rate} {start} for 1 {end}"
            return self.button("bank", words, label=label, key="t", play=(action,))
        words = f"the bank has no {end}"
        if self.hand[given[0]] < rate:
            words = f"the bank takes {rate} {start}: you have {self.hand[given[0]]}"
        return self.button("bank", words, label=label)

    def tray(self, side: str, bundle: Bundle, other: Bundle, most: int) -> Iterator[Control]:
        """One side of the tray, on which at most some cards are laid out."""
        full = f"no more than {most} a side" if most == MOST_COMPOSED else _TEMPLATES
        for r, name in enumerate(RESOURCE_NAMES):
            box = tray_box(side, r)
            changed = (_one_more(bundle, r, count) for count in (1, -1))
            more, less = (
                replace(self.draft, give=cards)
                if side == "give"
                else replace(self.draft, get=cards)
                for cards in changed
            )
            if bundle[r]:
                corner = Disc(box.x + box.width - 6, box.y + box.height - 6, 9)
                yield Control(f"less {side} {name}", corner, f"take 1 {name} back", draft=less)
            if other[r] or (side == "give" and bundle[r] >= self.hand[r]):
                continue
            if sum(bundle) >= most:
                yield Control(f"{side} {name}", box, full)
                continue
            words = f"lay out 1 {name} to {side}"
            yield Control(f"{side} {name}", box, words, draft=more)
            if side == "give":
                yield Control(f"{side} {name}", hand_box(r), words, draft=more)

    def answers(self) -> Iterator[Control]:
        terms = terms_words(self.view, self.view.turn_player)
        for action, name, key in ((table.ACCEPT, "accept", "a"), (table.REJECT, "reject", "x")):
            if self.has(action):
                yield self.button(name, f"{name}: {terms}", key=key, play=(action,))
        for a in self.has(table.CLOSE_WITH, 3):
            q = (self.seat + a - table.CLOSE_WITH + 1) % len(self.view.seats)
            name = self.view.name(q)
            words = f"trade with {name}: {terms_words(self.view, q)}"
            yield self.button(f"close {q}", words, label=name, key=str(q), play=(a,))
            yield Control(f"seat {q}", self.places.seats[q], words, (a,))
        if self.has(table.WITHDRAW):
            words = "take the offer back"
            yield self.button("withdraw", words, key="x", play=(table.WITHDRAW,))
