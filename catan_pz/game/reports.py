"""One decision as a table reports it to a seat, played on a game sampled for that seat.

Cards that the decision proves are dealt first. Then the rules play it and write its events, which
must match the report. Hidden victory points are ignored until then: the report also says whether
a player has won, and contradicting cards are dealt again.
"""

from collections import Counter
from typing import Any, Final, TypeGuard

import numpy as np

from catan_pz.actions import BUY_DEVELOPMENT_CARD, COMPOSE_SEND, DISCARD, MOVE_ROBBER, PLAY_KNIGHT
from catan_pz.belief import Belief, hand_events
from catan_pz.belief.cards import ROBBER_MOVES
from catan_pz.belief.hands import allowing
from catan_pz.belief.resampling import DECK
from catan_pz.engine.deal import script_of
from catan_pz.engine.event_rows import AMOUNT
from catan_pz.engine.outcomes import NUM_OUTCOMES
from catan_pz.engine.play import EVENTS, new_log
from catan_pz.events import (
    UNKNOWN,
    Event,
    EventKind,
    Events,
    as_seen_by,
    decode,
    event_arrays,
    outcome_code,
    outcome_of,
)
from catan_pz.game import calls as game_calls
from catan_pz.game.game import Game
from catan_pz.terms import BANK_PER_RESOURCE, NUM_CARD_KINDS, NUM_RESOURCES, Card, Phase

_OF_RESOURCES: Final = (
    EventKind.GAINED,
    EventKind.PAID,
    EventKind.GIVEN,
    EventKind.STOLEN,
    EventKind.HOLDING_SHOWN,
    EventKind.OFFER_GIVES,
    EventKind.OFFER_ASKS,
)
_OF_TWO: Final = (EventKind.GIVEN, EventKind.STOLEN)
_OF_NOBODY: Final = (EventKind.LONGEST_ROAD, EventKind.LARGEST_ARMY, EventKind.TRUNCATED)
_ENDS: Final = (EventKind.WON, EventKind.TRUNCATED)
_SETUP: Final = (Phase.SETUP_SETTLEMENT, Phase.SETUP_ROAD)
_OUT_OF_REACH: Final = 127
"""Points that no player reaches."""
_LARGEST: Final = np.iinfo(np.int16).max
_UNLIMITED: Final = 100
"""Cards of each resource in an unlimited bank, while a decision is played."""


class ReportedDecision:
    """A decision to be played, as its viewer sees it.

    The given sampled game and belief are unchanged: once the decision is played, `games` (1,),
    `belief` and `mask` describe the position after it, and `seen` holds all its events.
    """

    def __init__(
        self, sampled: Game, belief: Belief, events: Events, rng: np.random.Generator
    ) -> None:
        self.games = sampled.games.copy()
        self.belief = belief.copy()
        self.mask = np.zeros_like(sampled.mask)
        self.seen = events
        self._customs = belief.customs
        self._rules = sampled.rules
        self._events = events
        self._rng = rng
        self._viewer = belief.viewer
        self._seats = sampled.rules.num_players

    @property
    def _record(self) -> Any:
        return self.games[0]

    def play(self) -> None:
        """Play the decision."""
        self._check_form()
        self._check_turn()
        decision = self._events[0]
        if self._customs.unlimited_bank:
            self.games["bank"] = _UNLIMITED
        if decision.what == UNKNOWN and self._is_hidden_discard():
            expected = self._discard_unseen()
        elif decision.what == UNKNOWN:
            if decision.seat == self._viewer or not game_calls.compose_unseen(self.games, 0):
                raise ValueError("the action is hidden, and it can't be a card of a composed offer")
            self.games = self.belief.resample(self._record, self._rng)
            expected = (decision,)
        else:
            self._deal_what_is_proved(decision)
            expected = self._play(decision)
        self._compare(expected)
        self._end()

    def _check_form(self) -> None:
        first = self._events[0] if self._events else None
        if not is_event(first) or first.kind != EventKind.DECISION:
            raise ValueError("the first event must be of the kind DECISION")
        most = _UNLIMITED if self._customs.unlimited_bank else BANK_PER_RESOURCE
        hidden = (EventKind.STOLEN, *[EventKind.PAID] * self._is_hidden_discard())
        for event in self._events:
            if not is_event(event):
                raise ValueError(f"{event} is not an event")
            nobody = -1 if event.kind in _OF_NOBODY else 0
            if not nobody <= event.seat < self._seats:
                raise ValueError(f"{event}: there is no such seat")
            if event.kind in _OF_TWO and not 0 <= event.other < self._seats:
                raise ValueError(f"{event}: there is no such other seat")
            if event.kind in _OF_RESOURCES:
                least = UNKNOWN if event.kind in hidden else 0
                if not (least <= event.what < NUM_RESOURCES and 0 < event.amount <= most):
                    raise ValueError(f"{event}: there are no such cards")

    def _is_hidden_discard(self) -> bool:
        """Whether a discarded card is hidden from the viewer."""
        others = self._events[0].seat != self._viewer
        hides = self._customs.hides_discards
        return bool(hides and others and self._record["phase"] == Phase.DISCARD)

    def _check_turn(self) -> None:
        record, decision = self._record, self._events[0]
        if not self._can_go_on():
            raise ValueError("the game is finished")
        if decision.seat != record["player"]:
            raise ValueError(f"seat {record['player']} is to move")
        if decision.other != record["turn_player"]:
            raise ValueError(f"it is the turn of seat {record['turn_player']}")

    def _can_go_on(self) -> bool:
        most = self._rules.max_turns
        record = self._record
        return bool(record["phase"] != Phase.OVER and (most is None or record["turn"] < most))

    def _discard_unseen(self) -> Events:
        """Discard a card of the sampled hand in place of the hidden one."""
        decision = self._events[0]
        held = np.flatnonzero(self._record["hand"][decision.seat] > 0)
        action = DISCARD + int(self._rng.choice(held))
        played = self._play(decision._replace(what=action))
        return tuple(
            event._replace(what=UNKNOWN)
            if event.kind in (EventKind.DECISION, EventKind.PAID)
            else event
            for event in played
        )

    def _deal_what_is_proved(self, decision: Event) -> None:
        hides = self._customs.hides_discards
        for event in hand_events(self._events, self._seats, hides):
            hands = self._record["hand"][None, : self._seats]
            if not allowing(hands, event)[0]:
                self.games = self.belief.resample(self._record, self._rng, coming=event)
        if decision.seat != self._viewer:
            self._deal_card_played(decision)
            # The seat may ask for any cards that it may think possible, as far as the viewer knows.
            record, p, n = self._record, decision.seat, self._seats
            record["above"][p, :n] = self.belief.shared.most[p] - record["hand"][:n]
            record["above"][p, p] = 0
            if decision.what == COMPOSE_SEND:
                self._write_offer(decision.seat)
        elif decision.what == BUY_DEVELOPMENT_CARD:
            card, record = self._card(EventKind.CARD_BOUGHT), self._record
            if card not in record["deck"][len(record["deck"]) - int(record["deck_left"]) :]:
                self.belief.cards.deal_with_card(self.games, DECK, card, self._rng)
                self._count_hidden_points()

    def _deal_card_played(self, decision: Event) -> None:
        if not PLAY_KNIGHT <= decision.what < MOVE_ROBBER:
            return
        card = self._card(EventKind.CARD_PLAYED)
        record, seat = self._record, decision.seat
        if seat == record["turn_player"] and (
            record["cards"][seat, card] <= record["new_cards"][card]
        ):
            self.belief.cards.deal_with_card(self.games, seat, card, self._rng)
            self._count_hidden_points()

    def _card(self, kind: EventKind) -> Card:
        for event in self._events:
            if event.kind == kind and 0 <= event.what < NUM_CARD_KINDS:
                return Card(event.what)
        raise ValueError(f"there is no {kind.name} event that names a card")

    def _count_hidden_points(self) -> None:
        record, n = self._record, self._seats
        hidden = record["cards"][:n, Card.VICTORY_POINT]
        record["points"][:n] = record["visible_points"][:n] + hidden

    def _write_offer(self, seat: int) -> None:
        """Write the composed offer, which this decision makes public."""
        give, get = np.zeros((2, NUM_RESOURCES), np.int64)
        for event in self._events:
            if event.kind == EventKind.OFFER_GIVES:
                give[event.what] += event.amount
            elif event.kind == EventKind.OFFER_ASKS:
                get[event.what] += event.amount
        if max(give.sum(), get.sum()) > self._rules.max_offer_cards or (give * get).any():
            raise ValueError("no offer is composed like that")
        if (give > self._record["hand"][seat]).any():
            raise ValueError("the offer gives more than its seat is shown to hold")
        self._record["offer_give"][seat], self._record["offer_get"][seat] = give, get

    def _play(self, decision: Event) -> Events:
        action = decision.what
        if not (0 <= action < len(self.mask) and game_calls.find_action(self.games, 0, action)):
            games = self.games.copy()
            if self._customs.unlimited_bank:
                games["bank"] = self.belief.shown_bank()
            Game.from_games(games, self._rules).check(action)
            raise ValueError("the action is illegal")
        self._name_outcome(action)
        rows, games = event_arrays(1)[0], self.games
        # No player wins yet, and forced decisions have reports of their own.
        kept = {name: games[name][0] for name in ("victory_points", "skip_forced")}
        games["victory_points"], games["skip_forced"] = _OUT_OF_REACH, 0
        log = new_log()._replace(detail=EVENTS, events=rows)
        game_calls.play(games, 0, action, script_of(self._rules), *log, self.mask)
        for name, value in kept.items():
            games[name] = value
        rows[1, AMOUNT] = decision.amount
        return as_seen_by(decode(rows), self._viewer)

    def _name_outcome(self, action: int) -> None:
        known = [event for event in self._events if event.what != UNKNOWN]
        outcome = outcome_of(known)
        if outcome is None:
            return
        code, ways = outcome_code(outcome), np.zeros(NUM_OUTCOMES, np.int64)
        game_calls.count_outcomes(self.games, 0, action, ways)
        if not (0 <= code < NUM_OUTCOMES and ways[code]):
            raise ValueError(f"the outcome {outcome!r} is impossible")
        self.games["outcome"][0] = code

    def _compare(self, expected: Events) -> None:
        by_rules, reported = _without_ends(expected), _without_ends(self._events)
        missing, surplus = by_rules - reported, reported - by_rules
        if self._customs.tells_in_part and not surplus:
            ends = [event for event in self._events if event.kind in _ENDS]
            self.seen = (*(event for event in expected if event.kind not in _ENDS), *ends)
        elif by_rules != reported:
            raise ValueError(
                f"the rules give {_listed(missing)}, the report has {_listed(surplus)}"
            )

    def _end(self) -> None:
        """Finish the sampled game if it is over, and update the belief with the decision."""
        record = self._record
        won = self._has_won()
        game_calls.end_decision(self.games, 0, int(won), self.mask)
        truncated = sum(event.kind == EventKind.TRUNCATED for event in self._events)
        if truncated != (not won and not self._can_go_on()):
            raise ValueError(f"{record['turn']} turns are over, of {self._rules.max_turns} allowed")
        self.belief.follow(self.seen, record)
        if self._customs.loose_sums:
            self._write_what_is_known()
        if record["phase"] in _SETUP:
            return
        if self._customs.robber_before_win and record["phase"] in ROBBER_MOVES:
            return
        turn_player = int(record["turn_player"])
        if won != (record["points"][turn_player] >= record["victory_points"]):
            if turn_player == self._viewer:
                raise ValueError(f"seat {turn_player} has {record['points'][turn_player]} points")
            self.belief.cards.deal(self.games, self._rng)
            self._count_hidden_points()
            game_calls.end_decision(self.games, 0, 0, self.mask)

    def _write_what_is_known(self) -> None:
        """Write bounds and bank from the belief, if the rules' own sums would say too much."""
        hands = self._record["hand"][: self._seats]
        shared = self.belief.shared
        if not ((shared.least <= hands) & (hands <= shared.most)).all():
            self.games = self.belief.resample(self._record, self._rng)
        self.games["bank"] = self.belief.shown_bank()
        self.belief.write_knowledge(self.games, self._record)
        game_calls.end_decision(self.games, 0, 0, self.mask)

    def _has_won(self) -> bool:
        """Whether the player in turn is reported to have won."""
        winners = [event.seat for event in self._events if event.kind == EventKind.WON]
        if winners and (
            winners != [self._record["turn_player"]] or self._record["phase"] in _SETUP
        ):
            raise ValueError(f"seat {winners[0]} can't have won")
        return bool(winners)


def is_event(thing: Any) -> TypeGuard[Event]:
    """Whether an object is an event whose numbers an engine can write."""
    return (
        isinstance(thing, Event)
        and isinstance(thing.kind, EventKind)
        and all(
            isinstance(number, int | np.integer) and -_LARGEST <= number <= _LARGEST
            for number in thing[1:-1]
        )
    )


def _without_ends(events: Events) -> Counter[Event]:
    """Events for comparison: without the end of the game and who sees what."""
    return Counter(event._replace(seen_by=0) for event in events if event.kind not in _ENDS)


def _listed(events: Counter[Event]) -> str:
    return ", ".join(map(str, events.elements())) or "nothing"
