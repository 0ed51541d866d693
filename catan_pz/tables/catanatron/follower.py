"""Follows a catanatron table from one seat, as a game by our rules."""

from collections import deque
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from catan_pz.actions import DISCARD, MARITIME_TRADE, MOVE_ROBBER, PLAY_MONOPOLY, ROLL, STEAL
from catan_pz.agents.hosting import FromBelief
from catan_pz.checks import quoted
from catan_pz.events import EventKind, Events, NamedOutcome, as_seen_by
from catan_pz.game.followed import FollowedGame
from catan_pz.game.game import Game
from catan_pz.game.view import View, view_of
from catan_pz.rules import Board, Rules
from catan_pz.tables.catanatron.facts import Facts, agree_on_cards, write_cards, write_position
from catan_pz.tables.catanatron.moves import (
    CARD_OF,
    RESOURCE_OF,
    Move,
    actions_of,
    victim_of,
)
from catan_pz.terms import Card, Phase

_ENDS: Final = (EventKind.WON, EventKind.TRUNCATED)
_PLENTY: Final = 4
"""Cards of each resource, enough to pay any cost."""


class TableFollower:
    """Follows a table by its moves, and by the facts it shows if its rules differ from ours."""

    def __init__(self, rules: Rules, seat: int, colors: Sequence[str], board: Board) -> None:
        self.seat = seat
        self.game = FollowedGame(rules, seat, board, 0)
        self.restarts = 0
        """number of times that hands were read from the table and beliefs restarted"""
        self.amendments = 0
        """number of times that only the position was corrected"""
        self._colors = list(colors)
        self._rng = np.random.default_rng(0)
        self._waiting: deque[tuple[Move, int]] = deque()
        self._is_lost = False  # a move was impossible by our rules
        self._hands: Any = np.zeros((len(colors), 5), np.int64)
        self._turns = 0
        self._bought: list[Card | None] = []
        self._dice = (0, 0)

    def take(self, move: Move) -> list[Events]:
        """The events of a move as the seat sees them; fewer if the table's rules differ.

        Information hidden from the seat only counts the cards of a monopoly, which is public.
        """
        self._note(move)
        if self._is_lost:
            return []
        try:
            return self._take(move)
        except ValueError:
            self._is_lost = True
            self._waiting.clear()
            return []

    def _note(self, move: Move) -> None:
        if move.kind == "END_TURN":
            self._turns += 1
            self._bought = []
        elif move.kind == "ROLL":
            self._dice = _dice_of(move)
        elif move.kind == "BUY_DEVELOPMENT_CARD":
            own = move.seat == self.seat
            self._bought.append(_card_of(move) if own else None)

    def _take(self, move: Move) -> list[Events]:
        actions = actions_of(move, self._colors)
        if actions is None:
            raise ValueError(f"there is no action for {move}")
        if move.kind in ("DISCARD", "DISCARD_RESOURCE"):
            self._waiting.extend((move, action) for action in actions)
            return self._play_discards()
        if self._waiting:
            raise ValueError("a player moves before all have discarded")
        told = [self._play(move, actions[0])]
        if len(actions) > 1 and self.game.sampled.phase == Phase.STEAL:
            told.append(self._play(move, actions[1]))
        return told

    def _play_discards(self) -> list[Events]:
        """Play the discards due; the table's order of seats differs."""
        told = []
        while self.game.sampled.phase == Phase.DISCARD:
            seat = self.game.sampled.player
            due = next((one for one in self._waiting if one[0].seat == seat), None)
            if due is None:
                break
            self._waiting.remove(due)
            told.append(self._play(*due))
        return told

    def _play(self, move: Move, action: int) -> Events:
        """Play one decision, with events from the rules and the reported move."""
        games = self.game.sampled.games.copy()
        record = games[0]
        if record["player"] != move.seat:
            raise ValueError(f"seat {record['player']} is to move by our rules")
        outcome = self._outcome(move, action)
        self._make_possible(record, move, action, outcome)
        events = Game.from_games(games, self.game.rules).step_once(action, outcome)
        events = tuple(event for event in events if event.kind not in _ENDS)
        seen = as_seen_by(events, self.seat)
        self.game.follow(seen)
        self._count(events, move)
        return seen

    def _outcome(self, move: Move, action: int) -> NamedOutcome | None:
        """The chance outcome of an action, as far as the seat sees it."""
        if action == ROLL:
            return _dice_of(move)
        if move.kind == "BUY_DEVELOPMENT_CARD" and move.seat == self.seat:
            return _card_of(move)
        victim = victim_of(move, self._colors) if move.kind == "MOVE_ROBBER" else None
        if victim is None or self.seat not in (move.seat, victim) or not self._steals(action):
            return None
        if move.brought is None:
            raise ValueError("the resource stolen is missing")
        return RESOURCE_OF[move.brought]

    def _steals(self, action: int) -> bool:
        """Whether a robber action steals at once, without a choice of victim."""
        if action >= STEAL:
            return True
        copy = self.game.sampled.copy()
        copy.step_once(action)
        return copy.phase != Phase.STEAL

    def _make_possible(
        self, record: Any, move: Move, action: int, outcome: NamedOutcome | None
    ) -> None:
        """Deal hidden cards in a sampled game so that the move can be played."""
        seat = move.seat
        if PLAY_MONOPOLY <= action < MOVE_ROBBER and self._hands is not None:
            for p in range(len(self._colors)):
                if p not in (seat, self.seat):
                    resource = action - PLAY_MONOPOLY
                    record["hand"][p, resource] = self._hands[p, resource]
        if MOVE_ROBBER <= action < DISCARD and outcome is not None:
            victim = victim_of(move, self._colors)
            if victim != self.seat:
                record["hand"][victim, outcome] += 1
        if seat == self.seat:
            return
        if move.kind.startswith("PLAY_"):
            record["cards"][seat] += 1
        elif move.kind.startswith(("BUILD", "BUY", "DISCARD")) or action >= MARITIME_TRADE:
            record["hand"][seat] += _PLENTY

    def _count(self, events: Events, move: Move) -> None:
        """Update the counts of all hands, as long as everything is reported."""
        if self._hands is None:
            return
        for event in events:
            match event.kind:
                case EventKind.GAINED:
                    self._hands[event.seat, event.what] += event.amount
                case EventKind.PAID:
                    self._hands[event.seat, event.what] -= event.amount
                case EventKind.GIVEN:
                    self._hands[event.seat, event.what] -= event.amount
                    self._hands[event.other, event.what] += event.amount
                case EventKind.STOLEN:
                    if move.brought is None:
                        self._hands = None
                        return
                    self._hands[event.other, RESOURCE_OF[move.brought]] -= 1
                    self._hands[event.seat, RESOURCE_OF[move.brought]] += 1

    def agree(self, facts: Facts) -> None:
        """Adopt the table's facts if playing the moves by our rules led elsewhere."""
        if facts.position["phase"] == Phase.DISCARD and not self._is_lost:
            return
        games = self.game.sampled.games.copy()
        record = games[0]
        moved = write_position(facts, record)
        if self._is_lost or not agree_on_cards(facts, record):
            write_cards(facts, record, self._bought, self._rng)
            n = len(facts.to_discard)
            record["to_discard"][:n] = facts.to_discard
            record["turn"] = self._turns
            record["dice"] = self._dice
            self.game.restart(games)
            self._hands = None if facts.hands is None else np.array(facts.hands)
            self.restarts += 1
            self._is_lost = False
        else:
            if moved:
                self.game.amend(games)
                self.amendments += 1
            self.game.confirm()

    def view(self) -> View:
        """The seat's view when it is to decide.

        If opponents that discard later by our rules have already discarded, or the reverse, the
        view shows their hands before the discards.
        """
        sampled = self.game.sampled
        if sampled.player == self.seat:
            return self.game.view()
        return self._asked_now(sampled)

    def view_after(self, action: int) -> View:
        """The seat's view after its action without chance, for a move of two actions."""
        copy = self.game.sampled.copy()
        copy.step_once(action)
        return self._asked_now(copy)

    def _asked_now(self, game: Game) -> View:
        """The view of a game in which the seat is to move.

        Opponents that discard before it by our rules owe nothing there, as no state has them wait.
        """
        games = game.games.copy()
        games[0]["player"] = self.seat
        before = (self.seat - game.turn_player) % game.rules.num_players
        for k in range(before):
            games[0]["to_discard"][(game.turn_player + k) % game.rules.num_players] = 0
        now = Game.from_games(games, self.game.rules)
        return view_of(now, self.seat, FromBelief(self.game.belief, now))


def _dice_of(move: Move) -> tuple[int, int]:
    try:
        first, second = move.brought
        return int(first), int(second)
    except (TypeError, ValueError):
        raise ValueError(f"{quoted(move)} has no two dice") from None


def _card_of(move: Move) -> Card:
    if not isinstance(move.brought, str) or move.brought not in CARD_OF:
        raise ValueError("the card bought is missing")
    return CARD_OF[move.brought]
