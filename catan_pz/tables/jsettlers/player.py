"""An agent in one seat of one game at a JSettlers table: messages in, commands out.

There is no network code here: `TablePlayer.take` gets the messages, and what it returns is to be
sent. Messages that can't be parsed raise `MessageError`, impossible ones `ContradictionError`.
"""

import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from catan_pz import actions
from catan_pz.agents.base import ABORTED, VICTORY, Agent, SeatResult
from catan_pz.agents.hosting import blamed, dismiss, seat_copy
from catan_pz.agents.programs.agent import ProgramAgent
from catan_pz.checks import as_action
from catan_pz.events import EventKind, Events
from catan_pz.game.followed import Bundles, ContradictionError, FollowedGame
from catan_pz.tables.jsettlers import contents
from catan_pz.tables.jsettlers.contents import SEATS
from catan_pz.tables.jsettlers.decisions import MOST_OFFERS, event
from catan_pz.tables.jsettlers.messages import Kind, Message, command
from catan_pz.tables.jsettlers.reader import Asks, TableReader
from catan_pz.terms import MOST_COMPOSED, NUM_RESOURCES, Card, Phase, Resource

MOST_REFUSALS: Final = 3
"""Refused commands in one turn that end the turn."""

MOST_TOLD: Final = 5
"""Refusals of a game that are reported as text."""

LONGEST_REFUSAL: Final = 500
"""The most characters of such a text."""

_CANNOT_MAKE_OFFER: Final = "3"
"""Reason of a refusal: another player is in turn, or the seat lacks what it gives."""


@dataclass
class OwnOffer:
    """An offer of the seat in its turn, until all have answered."""

    bundles: Bundles
    waiting: set[int]
    counters: dict[int, Bundles] = field(default_factory=dict)


class TablePlayer:
    """An agent that plays one game.

    Methods may be called from any thread, one call of the agent at a time.
    """

    def __init__(
        self,
        agent: Agent,
        game: str,
        number: int,
        trading: bool,
        seed: int,
        max_offers: int = MOST_OFFERS,
    ) -> None:
        self.game = game
        self.reader = TableReader(number, trading, self._observe, max_offers)
        self.decisions = 0
        self.seconds = 0.0  # spent in decisions
        self.refusals = 0
        """commands that the server refused, except answers to offers that were gone"""
        self.refused: list[str] = []
        """the first refusals, as text"""
        self.agent_failed = False
        """whether the agent raised an error or chose an illegal action"""
        self._agent = agent
        self._seed = seed
        self._own: Agent | None = None
        self._offer: OwnOffer | None = None
        # Offers neither confirmed nor refused by the server: whether each is of the own turn.
        self._offers: deque[bool] = deque()
        self._acceptances: deque[bool] = deque()
        self._pick: str | None = None
        self._last = ""
        self._refused_in_turn = 0
        self._is_over = False
        self._calls = Lock()

    @property
    def is_waiting(self) -> bool:
        """Whether answers to an own offer are pending."""
        return self._offer is not None

    def take(self, message: Message) -> list[str]:
        """Process a message; return the commands to send, none once the game is over."""
        with self._calls:
            return [] if self._is_over else self._answer(message)

    def _answer(self, message: Message) -> list[str]:
        asked = self.reader.take(message)
        if self.reader.table is None:
            return []
        own = len(message.fields) > 1 and message.fields[1] == str(self.reader.number)
        if message.kind == Kind.TURN:
            self._offer, self._refused_in_turn = None, 0
        if is_refusal(message):
            return self._note_refusal(message)
        if message.kind == Kind.ACCEPT_OFFER:
            self._offer = None
            if own and self._acceptances:
                self._acceptances.popleft()
        if message.kind == Kind.MAKE_OFFER and own and self._offers:
            self._offers.popleft()
        if message.kind == Kind.REJECT_OFFER and self.is_waiting:
            return self._answered(self.reader.seat_of(message.integer(1)), None)
        if asked is Asks.ANSWER:
            return self._consider(self.reader.seat_of(message.integer(1)))
        if asked is Asks.PICK:
            return [] if self._pick is None else [self._pick]
        if asked is Asks.DISCARD:
            return [self._discard()]
        return [] if asked is None or self.is_waiting else self._decide()

    def give_up_waiting(self) -> list[str]:
        """Count missing answers to an offer as rejections; return the commands to send."""
        with self._calls:
            if self._is_over or self._offer is None:
                return []
            return self._close_offer(self._offer)

    def stop(self) -> None:
        """End a finished or abandoned game: the agent makes no more decisions.

        A program that is deciding is stopped, as it may think forever.
        """
        self._is_over = True
        own = self._own
        if isinstance(own, ProgramAgent):
            own.interrupt()

    def leave(self) -> None:
        """Release the agent, once it has decided."""
        with self._calls:
            self._is_over = True
            own, self._own = self._own, None
            if own is None:
                return
            game, reader = self.reader.game, self.reader
            points = reader.points or tuple(game.points.tolist())
            reason = ABORTED if reader.winner is None else VICTORY
            with self._noted():
                dismiss([(own, SeatResult(own.seat, reader.winner, points, game.turn, reason))])

    # -- asking the agent

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """Record failures of the agent."""
        try:
            yield
        except Exception:
            self.agent_failed = True
            raise

    def _observe(self, events: Events) -> None:
        agent = self._seated()
        if agent.needs_events:
            with self._noted(), blamed(agent, agent.seat):
                agent.observe(events)

    def _seated(self) -> Agent:
        """The copy of the agent that plays."""
        if self._own is None and not self._is_over:
            followed = self.reader.followed
            with self._noted():
                self._own = seat_copy(self._agent, followed.seat, followed.rules, self._seed)
        if self._own is None or self._is_over:
            raise RuntimeError("the game is over")
        return self._own

    def _ask(self, followed: FollowedGame) -> int:
        """The agent's choice, checked to be legal."""
        view, agent = followed.view(), self._seated()
        start = time.perf_counter()
        with self._noted(), blamed(agent, agent.seat):
            action = as_action(agent.act(view))
            followed.sampled.check(action)
        self.seconds += time.perf_counter() - start
        self.decisions += 1
        return action

    def _note_refusal(self, message: Message) -> list[str]:
        """Record a refusal by the server, and decide again if needed."""
        if message.kind == Kind.REJECT_OFFER:
            offered = message.fields[2] == _CANNOT_MAKE_OFFER
            under_way = self._offers if offered else self._acceptances
            if under_way and not under_way.popleft():
                return []  # from another player's turn, which had gone on
        self.refusals += 1
        if len(self.refused) < MOST_TOLD:
            told = f"{self._last} (state {self.reader.state}): {message}"
            self.refused.append(told[:LONGEST_REFUSAL])
        self._offer = None
        self._refused_in_turn += 1
        if not self.reader.is_own_turn or self._last == command(Kind.END_TURN, self.game):
            return []  # also if a turn can't be ended: the next state says what is wanted
        if self._refused_in_turn > MOST_REFUSALS:
            return [self._command(Kind.END_TURN)]
        return self._decide()

    def _command(self, kind: Kind, *fields: object) -> str:
        self._last = command(kind, self.game, *fields)
        return self._last

    def _decide(self) -> list[str]:
        followed = self.reader.followed
        if followed.sampled.is_over or followed.sampled.player != followed.seat:
            return []
        action = self._ask(followed)
        if action < actions.OFFER:
            return [self._spoken(action)]
        bundles = self._composed(followed, action)
        followed.note_offer()
        if bundles is None:
            return self._decide()
        seats = set(range(len(self.reader.numbers))) - {self.reader.seat}
        self._offer = OwnOffer(bundles, seats)
        return [self._offer_command(seats, bundles)]

    def _spoken(self, action: int) -> str:
        """The command of an action other than trade with players."""
        number, numbers = self.reader.number, self.reader.numbers
        match actions.describe_action(action):
            case {"kind": kind} if kind in _PLAIN:
                return self._command(_PLAIN[kind])
            case {"kind": "build_road", "edge": edge}:
                return self._command(Kind.PUT_PIECE, number, 0, contents.EDGES[edge])
            case {"kind": "build_settlement" | "build_city" as kind, "vertex": vertex}:
                piece = 2 if kind == "build_city" else 1
                return self._command(Kind.PUT_PIECE, number, piece, contents.VERTICES[vertex])
            case {"kind": "move_robber", "hex": hex_id}:
                return self._command(Kind.MOVE_ROBBER, number, contents.LAND[hex_id])
            case {"kind": "steal", "seat": relative}:
                victim = (self.reader.seat + relative) % len(numbers)
                return self._command(Kind.CHOOSE_PLAYER, numbers[victim])
            case {"kind": "maritime_trade", "give": give, "get": get}:
                given, got = Resource[give.upper()], Resource[get.upper()]
                rate = int(self.reader.game.state["rate"][self.reader.seat, given])
                return self._command(Kind.BANK_TRADE, *_bundle({given: rate}), *_bundle({got: 1}))
            # The next two name resources when the table asks for them.
            case {"kind": "play_year_of_plenty" as kind, "pair": pair}:
                chosen = [Resource[name.upper()] for name in pair]
                counts = {int(r): chosen.count(r) for r in chosen}
                self._pick = command(Kind.PICK_RESOURCES, self.game, *_bundle(counts))
            case {"kind": "play_monopoly" as kind, "resource": name}:
                named = contents.resource_number(Resource[name.upper()])
                self._pick = command(Kind.PICK_RESOURCE_TYPE, self.game, named)
            case {"kind": kind}:
                pass
        card = Card[kind.removeprefix("play_").upper()]
        return self._command(Kind.PLAY_CARD, contents.CARD_NUMBERS[card])

    def _discard(self) -> str:
        """The agent's discards, one by one."""
        followed = self.reader.followed.copy()
        seat, game = followed.seat, followed.sampled
        cards: dict[int, int] = {}
        while game.phase == Phase.DISCARD and game.player == seat:
            action = self._ask(followed)
            what = action - actions.DISCARD
            cards[what] = cards.get(what, 0) + 1
            decision = event(EventKind.DECISION, seat, action, 0, game.turn_player)
            followed.follow([decision, event(EventKind.PAID, seat, what)])
        return self._command(Kind.DISCARD, *_bundle(cards), 0)

    # -- trade between players

    def _composed(self, followed: FollowedGame, action: int) -> Bundles | None:
        """The offer that the agent makes, starting with this action; None if it drops it."""
        if actions.OFFER <= action < actions.COMPOSE_GIVE:
            k = action - actions.OFFER
            return actions.OFFER_GIVE[k].tolist(), actions.OFFER_GET[k].tolist()
        composing = followed.copy()
        seat = followed.seat
        while True:
            composing.sampled.step_once(action)  # no information or card moves
            record = composing.sampled.state
            bundles = record["offer_give"][seat].tolist(), record["offer_get"][seat].tolist()
            action = self._ask(composing)
            if action == actions.WITHDRAW:
                return None
            if not actions.COMPOSE_GIVE <= action < actions.COMPOSE_GIVE + 2 * NUM_RESOURCES:
                return bundles

    def _offer_command(self, seats: set[int], bundles: Bundles) -> str:
        numbers = {self.reader.numbers[seat] for seat in seats}
        to = [number in numbers for number in range(SEATS)]
        give, get = (contents.to_theirs(side) for side in bundles)
        self._offers.append(self.reader.is_own_turn)
        return self._command(Kind.MAKE_OFFER, self.reader.number, *to, *give, *get)

    def _accept(self, maker: int) -> str:
        self._acceptances.append(self.reader.is_own_turn)
        return self._command(Kind.ACCEPT_OFFER, 0, self.reader.numbers[maker])

    def _answered(self, seat: int, counter: Bundles | None) -> list[str]:
        """Process another player's rejection of an own offer, or counter-offer."""
        assert self._offer is not None
        self._offer.waiting.discard(seat)
        if counter is not None:
            self._offer.counters[seat] = counter
        return [] if self._offer.waiting else self._close_offer(self._offer)

    def _close_offer(self, offer: OwnOffer) -> list[str]:
        """After all answers: trade with a player who countered, or continue the turn."""
        self._offer = None
        partner = self._chosen_partner(offer)
        if partner is not None:
            return [self._accept(partner)]
        refusals = [self._command(Kind.REJECT_OFFER, self.reader.number)] if offer.counters else []
        return [*refusals, command(Kind.CLEAR_OFFER, self.game, -1), *self._decide()]

    def _chosen_partner(self, offer: OwnOffer) -> int | None:
        """The seat whose counter-offer the agent accepts."""
        counters = {seat: one for seat, one in offer.counters.items() if is_fair(one)}
        if not counters:
            return None
        seat = self.reader.seat
        try:
            closing = self.reader.followed.with_offers({seat: offer.bundles, **counters})
        except ContradictionError:
            return None
        action = self._ask(closing)
        if action == actions.WITHDRAW:
            return None
        return int((seat + 1 + action - actions.CLOSE_WITH) % len(self.reader.numbers))

    def _consider(self, maker: int) -> list[str]:
        """Answer another player's offer."""
        bundles, game = self.reader.offers[maker], self.reader.game
        if self.is_waiting:
            return self._answered(maker, bundles)
        refusal = self._command(Kind.REJECT_OFFER, self.reader.number)
        if maker != game.turn_player or game.phase != Phase.MAIN or not is_fair(bundles):
            return [refusal]
        try:
            answering = self.reader.followed.with_offers({maker: bundles})
        except ContradictionError:
            return [refusal]
        action = self._ask(answering)
        if action == actions.ACCEPT:
            return [self._accept(maker)]
        counter = None if action == actions.REJECT else self._composed(answering, action)
        return [refusal] if counter is None else [self._offer_command({maker}, counter)]


_PLAIN: Final = {
    "roll": Kind.ROLL_DICE,
    "end_turn": Kind.END_TURN,
    "buy_development_card": Kind.BUY_CARD,
}


def is_refusal(message: Message) -> bool:
    """Whether a message refuses a command."""
    if message.kind == Kind.REJECT_OFFER:
        return len(message.fields) > 2 and message.fields[2] != "0"
    if message.kind == Kind.BANK_TRADE:
        return message.integer(len(message.fields) - 1) < 0
    return message.kind == Kind.DECLINE_REQUEST


def is_fair(bundles: Bundles) -> bool:
    """Whether this package's rules allow an offer."""
    give, get = bundles
    overlap = any(a and b for a, b in zip(give, get, strict=True))
    return not overlap and all(0 < sum(side) <= MOST_COMPOSED for side in bundles)


def _bundle(counts: Mapping[int, int]) -> list[int]:
    """Counts of resources, in JSettlers' order."""
    return contents.to_theirs([counts.get(r, 0) for r in range(NUM_RESOURCES)])
