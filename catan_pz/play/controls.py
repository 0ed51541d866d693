"""The controls of the picture for a person, and the actions of each."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from catan_pz import actions as table
from catan_pz.actions import RESOURCE_NAMES, action_id, bundle_to_dict, describe_action
from catan_pz.board.topology import HEX_VERTICES
from catan_pz.game.game import Game
from catan_pz.game.view import view_of
from catan_pz.render.log import bundle_words
from catan_pz.render.view import CARD_WORDS, AnswerView, Bundle, TableView
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

NOTHING: Final[Bundle] = (0,) * NUM_RESOURCES
_TEMPLATES: Final = (
    "offers here are 1 card for 1, 2 for 1 or 1 for 2 (--offers both: up to "
    f"{MOST_COMPOSED} a side)"
)


PLACES: Final[dict[str, tuple[int, Callable[[TableView, int], str]]]] = {
    "vertex": (NUM_VERTICES, vertex_words),
    "edge": (NUM_EDGES, edge_words),
    "hex": (NUM_HEXES, hex_words),
}
"""Kinds of places on the board: the number of each and its text."""


@dataclass(frozen=True)
class Draft:
    """Cards that a person has selected and not played yet.

    Attributes:
        give: (R,) cards selected to give.
        get: (R,) cards requested; with `card` those taken from the bank.
        card: "year_of_plenty" or "monopoly" while its resources are chosen, else "".
    """

    give: Bundle = NOTHING
    get: Bundle = NOTHING
    card: str = ""


@dataclass(frozen=True)
class Control:
    """A control, which may be inactive now.

    Attributes:
        name: its name, such as "vertex 12", "roll", "get ore".
        words: its effect, or why it is inactive.
        play: the actions that it plays, in order.
        draft: the draft after pressing it, if it plays nothing.
        key: its key on the keyboard, if any.
        label: the text of a button.
        places: further places of the board that activate it.
    """

    name: str
    words: str
    play: tuple[int, ...] = ()
    draft: Draft | None = None
    key: str = ""
    label: str = ""
    places: tuple[str, ...] = ()

    @property
    def is_active(self) -> bool:
        """Whether it can be pressed."""
        return bool(self.play) or self.draft is not None


def controls(game: Game, seat: int, view: TableView, draft: Draft) -> tuple[Control, ...]:
    """The current controls of a person in a seat; early answers during another seat's decision."""
    if not game.mask.any():
        return ()
    if game.player != seat:
        return tuple(_early_answers(view, seat))
    return tuple(_Decision(game, view, draft).controls())


def _early_answers(view: TableView, seat: int) -> Iterator[Control]:
    """Accept and reject for a seat whose turn to answer is later: all answer at the same time."""
    offer = view.offer
    if offer is None or AnswerView(seat, "waiting") not in offer.answers:
        return
    hand = zip(view.seats[seat].hand, offer.get, strict=True)
    yield from _answers(view, seat, all(low >= count for (low, _), count in hand))


def _answers(view: TableView, seat: int, can_accept: bool) -> Iterator[Control]:
    terms = terms_words(view, seat, view.turn_player)
    if can_accept:
        yield Control("accept", f"accept: {terms}", (table.ACCEPT,), key="a", label="Accept")
    yield Control("reject", f"reject: {terms}", (table.REJECT,), key="x", label="Reject")
    words = "reject this offer, and all others until my turn"
    yield Control("reject all", words, (table.REJECT,), label="Reject all until my turn")


def _one_more(bundle: Bundle, resource: int, count: int = 1) -> Bundle:
    return tuple(n + count * (r == resource) for r, n in enumerate(bundle))


def _button(
    name: str,
    words: str,
    *,
    label: str = "",
    key: str = "",
    play: tuple[int, ...] = (),
    draft: Draft | None = None,
) -> Control:
    return Control(name, words, play, draft, key, label or name.capitalize())


class _Decision:
    """Collects the controls of one decision."""

    def __init__(self, game: Game, view: TableView, draft: Draft) -> None:
        self.game, self.view, self.draft = game, view, draft
        self.seat, self.phase = game.player, game.phase
        self.legal: list[int] = game.legal_actions().tolist()
        self.hand: Bundle = tuple(low for low, _ in view.seats[self.seat].hand)

    def has(self, first: int, count: int = 1) -> list[int]:
        """The legal actions among `count` ids from `first` on."""
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
            yield _button("clear", "put the selected cards back", key="escape", draft=Draft())

    def board(self) -> Iterator[Control]:
        for first, kind, verb in (
            (table.BUILD_SETTLEMENT, "vertex", "build a settlement"),
            (table.BUILD_CITY, "vertex", "build a city"),
            (table.BUILD_ROAD, "edge", "build a road"),
            (table.MOVE_ROBBER, "hex", "move the robber here"),
        ):
            count, words = PLACES[kind]
            for a in self.has(first, count):
                at = a - first
                yield Control(f"{kind} {at}", f"{verb}: {words(self.view, at)}", (a,))

    def victims(self) -> Iterator[Control]:
        """The possible victims: their panels, and their buildings beside the robber."""
        for a in self.has(table.STEAL, 3):
            q = (self.seat + a - table.STEAL + 1) % len(self.view.seats)
            there = self.view.seats[q].settlements + self.view.seats[q].cities
            beside = HEX_VERTICES[self.view.robber].tolist()
            places = tuple(f"vertex {v}" for v in beside if v in there)
            words = f"steal a card from {self.view.name(q)}"
            yield Control(f"seat {q}", words, (a,), places=places)

    def dice_and_turn(self) -> Iterator[Control]:
        if self.has(table.ROLL):
            yield _button("roll", "roll the dice", key="r", play=(table.ROLL,))
        if self.has(table.END_TURN):
            yield _button("end turn", "end the turn", key="e", play=(table.END_TURN,))
        if self.has(table.BUY_DEVELOPMENT_CARD):
            words = "buy a development card for wool, grain and ore"
            yield _button("buy card", words, key="b", play=(table.BUY_DEVELOPMENT_CARD,))

    def cards(self) -> Iterator[Control]:
        for card, first, count in (
            (Card.KNIGHT, table.PLAY_KNIGHT, 1),
            (Card.ROAD_BUILDING, table.PLAY_ROAD_BUILDING, 1),
            (Card.YEAR_OF_PLENTY, table.PLAY_YEAR_OF_PLENTY, len(table.PLENTY_PAIRS)),
            (Card.MONOPOLY, table.PLAY_MONOPOLY, NUM_RESOURCES),
        ):
            if not self.has(first, count):
                continue
            name = f"card {CARD_WORDS[card]}"
            if count == 1:
                is_knight = card == Card.KNIGHT
                words = f"play {'a ' * is_knight}{CARD_WORDS[card]}"
                yield Control(name, words, (first,), key="k" * is_knight)
            elif self.draft.card == CARD_NAMES[card]:
                yield Control(name, "put the card back", draft=Draft())
            else:
                chosen = Draft(card=CARD_NAMES[card])
                yield Control(name, f"play {CARD_WORDS[card]}", draft=chosen)

    def resources_of_card(self) -> Iterator[Control]:
        """The resources to choose for year of plenty or monopoly."""
        for r, name in enumerate(RESOURCE_NAMES):
            if self.draft.card == CARD_NAMES[Card.MONOPOLY]:
                words = f"take all {name} from everybody"
                yield Control(f"get {name}", words, (table.PLAY_MONOPOLY + r,))
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
                yield Control(f"get {name}", words, play, further)

    def discards(self) -> Iterator[Control]:
        for a in self.has(table.DISCARD, NUM_RESOURCES):
            r = a - table.DISCARD
            name = RESOURCE_NAMES[r]
            yield Control(f"hand {name}", f"discard 1 {name}", (a,))

    def composing(self) -> Iterator[Control]:
        """Controls of an offer that is composed in the game itself."""
        for side, first, words in (
            ("give", table.COMPOSE_GIVE, "give"),
            ("get", table.COMPOSE_GET, "ask for"),
        ):
            for a in self.has(first, NUM_RESOURCES):
                name = RESOURCE_NAMES[a - first]
                yield Control(f"{side} {name}", f"add 1 {name} to what you {words}", (a,))
        if self.has(table.COMPOSE_SEND):
            yield _button("send", "send the offer", key="o", play=(table.COMPOSE_SEND,))

    def trade(self) -> Iterator[Control]:
        """The tray, and the trades with its cards."""
        bank = self.has(table.MARITIME_TRADE, len(table.MARITIME_SWAPS))
        offers = self.has(table.OFFER, table.COMPOSE_SEND - table.OFFER)
        if not bank and not offers:
            return
        give, get = self.draft.give, self.draft.get
        most = MOST_COMPOSED, MOST_COMPOSED
        if offers and self.by_templates:
            # Enough cards for any trade with the bank can be selected.
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
            words = "select what to give and what to get"
        elif self.by_templates and sum(give) + sum(get) > 3:
            words = _TEMPLATES
        else:
            can = f"{self.view.name(self.view.turn_player)} can't" if counter else "nobody can"
            words = f"{can} have {wanted}"
        return _button("counter" if counter else "offer", words, key="o", play=play)

    def bank_button(self, bank: list[int], give: Bundle, get: Bundle) -> Control:
        given, got = ([r for r, n in enumerate(side) if n] for side in (give, get))
        if len(given) != 1 or len(got) != 1 or get[got[0]] != 1:
            return _button("bank", "select a card to give and one to get")
        start, end = RESOURCE_NAMES[given[0]], RESOURCE_NAMES[got[0]]
        action = action_id("maritime_trade", give=start, get=end)
        rate = int(self.game.games["rate"][0, self.seat, given[0]])
        label = f"Bank {rate}:1"
        if action in bank:
            words = f"give the bank {rate} {start} for 1 {end}"
            return _button("bank", words, label=label, key="t", play=(action,))
        words = f"the bank has no {end}"
        if self.hand[given[0]] < rate:
            words = f"the bank takes {rate} {start}: you have {self.hand[given[0]]}"
        return _button("bank", words, label=label)

    def tray(self, side: str, bundle: Bundle, other: Bundle, most: int) -> Iterator[Control]:
        """One side of the tray, which holds at most `most` cards."""
        full = f"no more than {most} a side" if most == MOST_COMPOSED else _TEMPLATES
        for r, name in enumerate(RESOURCE_NAMES):
            changed = (_one_more(bundle, r, count) for count in (1, -1))
            more, less = (
                replace(self.draft, give=cards)
                if side == "give"
                else replace(self.draft, get=cards)
                for cards in changed
            )
            if bundle[r]:
                yield Control(f"less {side} {name}", f"take 1 {name} back", draft=less)
            if other[r] or (side == "give" and bundle[r] >= self.hand[r]):
                continue
            if sum(bundle) >= most:
                yield Control(f"{side} {name}", full)
            else:
                yield Control(f"{side} {name}", f"select 1 {name} to {side}", draft=more)

    def answers(self) -> Iterator[Control]:
        if self.has(table.REJECT):
            yield from _answers(self.view, self.seat, bool(self.has(table.ACCEPT)))
        for a in self.has(table.CLOSE_WITH, 3):
            q = (self.seat + a - table.CLOSE_WITH + 1) % len(self.view.seats)
            name = self.view.name(q)
            words = f"trade with {name}: {terms_words(self.view, self.seat, q)}"
            yield _button(f"close {q}", words, label=name, key=str(q), play=(a,))
        if self.has(table.WITHDRAW):
            words = "take the offer back"
            yield _button("withdraw", words, key="x", play=(table.WITHDRAW,))
