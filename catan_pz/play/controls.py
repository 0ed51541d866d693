"""What a person can press in the picture, and which actions each press plays.

`controls` turns a game and what the person has laid out so far into a list of areas of the
picture; `control_at` finds the one under a point. Nothing here draws or opens a window.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from catan_pz import actions as table
from catan_pz.actions import RESOURCE_NAMES, action_id, bundle_to_dict, describe_action
from catan_pz.board.topology import HEX_VERTICES
from catan_pz.game.game import Game
from catan_pz.play.desk_layout import button_box, card_box, hand_box, tray_box
from catan_pz.play.offers import MOST_LAID_OUT, offer_actions, terms_words
from catan_pz.render.geometry import HEX_POSITIONS, VERTEX_POSITIONS, edge_ends, shortened
from catan_pz.render.layout import Area, Bar, Box, Disc, Layout, layout, on_board
from catan_pz.render.log import bundle_words
from catan_pz.render.view import CARD_WORDS, Bundle, TableView
from catan_pz.render.words import edge_words, hex_words, vertex_words
from catan_pz.terms import CARD_NAMES, NUM_RESOURCES, Card, Phase

NOTHING: Final[Bundle] = (0,) * NUM_RESOURCES
_TEMPLATES: Final = (
    "offers here are 1 card for 1, 2 for 1 or 1 for 2 (--offers both: up to "
    f"{MOST_LAID_OUT} a side)"
)
"""What limits offers that are one action each."""

_VERTEX_REACH: Final = 17.0
_EDGE_REACH: Final = 11.0
_HEX_REACH: Final = 44.0


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

    @property
    def is_empty(self) -> bool:
        """Whether nothing is laid out."""
        return not (any(self.give) or any(self.get) or self.card)


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


def vertex_area(vertex: int) -> Disc:
    """Where a vertex is pressed."""
    return Disc(*on_board(VERTEX_POSITIONS[vertex]), _VERTEX_REACH)


def edge_area(edge: int) -> Bar:
    """Where an edge is pressed."""
    start, end = shortened(*edge_ends(edge), 12)
    return Bar(on_board(start), on_board(end), _EDGE_REACH)


def hex_area(hex_id: int) -> Disc:
    """Where a hex is pressed."""
    return Disc(*on_board(HEX_POSITIONS[hex_id]), _HEX_REACH)


def controls(game: Game, seat: int, view: TableView, draft: Draft) -> tuple[Control, ...]:
    """All that a person in a seat can press now, upper things first; none if another decides."""
    if game.player != seat or not game.mask.any():
        return ()
    return tuple(_Decision(game, view, draft).controls())


def control_at(pressable: Sequence[Control], x: float, y: float) -> Control | None:
    """The control under a point of the picture, in its own units, also one that isn't active."""
    return next((c for c in pressable if c.area.covers(x, y)), None)


def _one_more(bundle: Bundle, resource: int, count: int = 1) -> Bundle:
    return tuple(n + count * (r == resource) for r, n in enumerate(bundle))


class _Decision:
    """Gathers the controls of one decision."""

    def __init__(self, game: Game, view: TableView, draft: Draft) -> None:
        self.game = game
        self.view = view
        self.draft = draft
        self.seat = game.player
        self.phase = game.phase
        self.legal: list[int] = game.legal_actions().tolist()
        self.places: Layout = layout(view)
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
        elif self.phase == Phase.DISCARD:
            yield from self.discards()
        elif self.phase == Phase.COMPOSE:
            yield from self.composing()
            yield from self.answers()
        else:
            yield from self.answers()
            yield from self.trade()
        if not self.draft.is_empty:
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
        box = button_box(self._buttons)
        self._buttons += 1
        return Control(name, box, words, play, draft, key, label or name.capitalize())

    def board(self) -> Iterator[Control]:
        view = self.view
        for first, verb in (
            (table.BUILD_SETTLEMENT, "build a settlement"),
            (table.BUILD_CITY, "build a city"),
        ):
            for a in self.has(first, len(VERTEX_POSITIONS)):
                v = a - first
                words = f"{verb}: {vertex_words(view, v)}"
                yield Control(f"vertex {v}", vertex_area(v), words, (a,))
        for a in self.has(table.BUILD_ROAD, table.BUILD_SETTLEMENT - table.BUILD_ROAD):
            e = a - table.BUILD_ROAD
            words = f"build a road: {edge_words(view, e)}"
            yield Control(f"edge {e}", edge_area(e), words, (a,))
        for a in self.has(table.MOVE_ROBBER, len(HEX_POSITIONS)):
            h = a - table.MOVE_ROBBER
            words = f"move the robber here: {hex_words(view, h)}"
            yield Control(f"hex {h}", hex_area(h), words, (a,))

    def victims(self) -> Iterator[Control]:
        """Those to steal from: their panels, and their buildings beside the robber."""
        for a in self.has(table.STEAL, 3):
            q = (self.seat + a - table.STEAL + 1) % len(self.view.seats)
            words = f"steal a card from {self.view.name(q)}"
            yield Control(f"seat {q}", self.places.seats[q], words, (a,))
            there = self.view.seats[q]
            for v in map(int, HEX_VERTICES[self.view.robber]):
                if v in there.settlements + there.cities:
                    yield Control(f"seat {q}", vertex_area(v), words, (a,))

    def dice_and_turn(self) -> Iterator[Control]:
        if self.has(table.ROLL):
            roll = self.button("roll", "roll the dice", key="r", play=(table.ROLL,))
            status = self.places.status
            dice = Box(status.x + 8, status.y + 8, 112, status.height - 16)
            yield from (roll, replace(roll, area=dice, label=""))
        if self.has(table.END_TURN):
            yield self.button(
                "end turn", "end the turn", key="e", play=(table.END_TURN,), label="End turn"
            )
        if self.has(table.BUY_DEVELOPMENT_CARD):
            yield self.button(
                "buy card",
                "buy a development card for wool, grain and ore",
                key="b",
                play=(table.BUY_DEVELOPMENT_CARD,),
                label="Buy card",
            )

    def cards(self) -> Iterator[Control]:
        for card, action, key in (
            (Card.KNIGHT, table.PLAY_KNIGHT, "k"),
            (Card.ROAD_BUILDING, table.PLAY_ROAD_BUILDING, ""),
        ):
            if self.has(action):
                words = f"play {'a knight' if card == Card.KNIGHT else CARD_WORDS[card]}"
                name = f"card {CARD_WORDS[card]}"
                yield Control(name, card_box(card), words, (action,), key=key)
        for card, first, count in (
            (Card.YEAR_OF_PLENTY, table.PLAY_YEAR_OF_PLENTY, len(table.PLENTY_PAIRS)),
            (Card.MONOPOLY, table.PLAY_MONOPOLY, NUM_RESOURCES),
        ):
            if self.has(first, count):
                chosen = self.draft.card == CARD_NAMES[card]
                words = "put the card back" if chosen else f"play {CARD_WORDS[card]}"
                yield Control(
                    f"card {CARD_WORDS[card]}",
                    card_box(card),
                    words,
                    draft=Draft() if chosen else Draft(card=CARD_NAMES[card]),
                )

    def resources_of_card(self) -> Iterator[Control]:
        """The resources to choose for year of plenty or monopoly."""
        if self.draft.card == CARD_NAMES[Card.MONOPOLY]:
            for a in self.has(table.PLAY_MONOPOLY, NUM_RESOURCES):
                r = a - table.PLAY_MONOPOLY
                words = f"take all {RESOURCE_NAMES[r]} from everybody"
                yield Control(f"get {RESOURCE_NAMES[r]}", tray_box("get", r), words, (a,))
            return
        for r, name in enumerate(RESOURCE_NAMES):
            wanted = _one_more(self.draft.get, r)
            pairs = [
                a
                for a in self.has(table.PLAY_YEAR_OF_PLENTY, len(table.PLENTY_PAIRS))
                if _covers(_pair(a), wanted)
            ]
            if not pairs:
                continue
            words = f"take {bundle_words(bundle_to_dict(wanted))} from the bank"
            box = tray_box("get", r)
            if sum(wanted) == 2:
                yield Control(f"get {name}", box, words, (pairs[0],))
            else:
                further = replace(self.draft, get=wanted)
                yield Control(f"get {name}", box, words, draft=further)

    def discards(self) -> Iterator[Control]:
        for a in self.has(table.DISCARD, NUM_RESOURCES):
            r = a - table.DISCARD
            box = hand_box(r)
            name = RESOURCE_NAMES[r]
            yield Control(f"hand {name}", box, f"discard 1 {name}", (a,))

    def composing(self) -> Iterator[Control]:
        """An offer that is being composed in the game itself."""
        for side, first, words in (
            ("give", table.COMPOSE_GIVE, "add 1 {} to what you give"),
            ("get", table.COMPOSE_GET, "add 1 {} to what you ask for"),
        ):
            for a in self.has(first, NUM_RESOURCES):
                name = RESOURCE_NAMES[a - first]
                box = tray_box(side, a - first)
                yield Control(f"{side} {name}", box, words.format(name), (a,))
        if self.has(table.COMPOSE_SEND):
            yield self.button("send", "send the offer", key="o", play=(table.COMPOSE_SEND,))

    def trade(self) -> Iterator[Control]:
        """The tray, and what can be done with the cards in it."""
        bank = self.has(table.MARITIME_TRADE, len(table.MARITIME_SWAPS))
        offers = self.has(table.OFFER, table.COMPOSE_SEND - table.OFFER)
        if not bank and not offers:
            return
        give, get = self.draft.give, self.draft.get
        most = MOST_LAID_OUT, MOST_LAID_OUT
        if offers and self.by_templates:
            # A trade with the bank may be laid out with all the cards that it takes.
            most = MOST_LAID_OUT if bank else 1 + (sum(get) < 2), 1 + (sum(give) < 2)
        yield from self.tray("give", "to give", give, get, most[0])
        yield from self.tray("get", "to get", get, give, most[1])
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
        play = offer_actions(self.game, give, get)
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
        given = [r for r, n in enumerate(give) if n]
        got = [r for r, n in enumerate(get) if n]
        if len(given) == 1 and len(got) == 1 and get[got[0]] == 1:
            names = (RESOURCE_NAMES[given[0]], RESOURCE_NAMES[got[0]])
            action = action_id("maritime_trade", give=names[0], get=names[1])
            rate = int(self.game.games["rate"][0, self.seat, given[0]])
            label = f"Bank {rate}:1"
            if action in bank:
                words = f"give the bank {rate} {names[0]} for 1 {names[1]}"
                return self.button("bank", words, label=label, key="t", play=(action,))
            if self.hand[given[0]] < rate:
                words = f"the bank takes {rate} {names[0]}: you have {self.hand[given[0]]}"
            else:
                words = f"the bank has no {names[1]}"
            return self.button("bank", words, label=label)
        return self.button("bank", "lay out a card to give and one to get")

    def tray(
        self, side: str, words: str, bundle: Bundle, other: Bundle, most: int
    ) -> Iterator[Control]:
        """One side of the tray, on which at most so many cards are laid out."""
        is_full = sum(bundle) >= most
        full = f"no more than {most} a side" if most == MOST_LAID_OUT else _TEMPLATES
        for r, name in enumerate(RESOURCE_NAMES):
            box = tray_box(side, r)
            if bundle[r]:
                less = _laid_out(self.draft, side, _one_more(bundle, r, -1))
                corner = Disc(box.x + box.width - 6, box.y + box.height - 6, 9)
                yield Control(f"less {side} {name}", corner, f"take 1 {name} back", draft=less)
            held = side == "get" or bundle[r] < self.hand[r]
            if not held or other[r]:
                continue
            if is_full:
                yield Control(f"{side} {name}", box, full)
                continue
            more = _laid_out(self.draft, side, _one_more(bundle, r))
            line = f"lay out 1 {name} {words}"
            yield Control(f"{side} {name}", box, line, draft=more)
            if side == "give":
                yield Control(f"{side} {name}", hand_box(r), line, draft=more)

    def answers(self) -> Iterator[Control]:
        terms = terms_words(self.view, self.view.turn_player)
        if self.has(table.ACCEPT):
            yield self.button("accept", f"accept: {terms}", key="a", play=(table.ACCEPT,))
        if self.has(table.REJECT):
            yield self.button("reject", f"reject: {terms}", key="x", play=(table.REJECT,))
        for a in self.has(table.CLOSE_WITH, 3):
            q = (self.seat + a - table.CLOSE_WITH + 1) % len(self.view.seats)
            name = self.view.name(q)
            words = f"trade with {name}: {terms_words(self.view, q)}"
            yield self.button(f"close {q}", words, label=name, key=str(q), play=(a,))
            yield Control(f"seat {q}", self.places.seats[q], words, (a,))
        if self.has(table.WITHDRAW):
            words = "take the offer back"
            yield self.button("withdraw", words, key="x", play=(table.WITHDRAW,))


def _laid_out(draft: Draft, side: str, bundle: Bundle) -> Draft:
    return replace(draft, give=bundle) if side == "give" else replace(draft, get=bundle)


def _pair(action: int) -> Bundle:
    first, second = describe_action(action)["pair"]
    return tuple((name == first) + (name == second) for name in RESOURCE_NAMES)


def _covers(pair: Bundle, wanted: Bundle) -> bool:
    return all(n >= m for n, m in zip(pair, wanted, strict=True))
