"""Trade of the agent "value": its offers and their order.

Letters: K offers, P seats, R resources, X terms of an answer, T types of players.
"""

from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import (
    COMPOSE_GET,
    COMPOSE_GIVE,
    COMPOSE_SEND,
    OFFER,
    OFFER_GET,
    OFFER_GIVE,
    WITHDRAW,
)
from catan_pz.agents.value.acceptance import Acceptance, shipped_acceptance
from catan_pz.agents.value.exchanges import NUM_TERMS, first_to_try, terms_of_answer, weigh
from catan_pz.agents.value.network import ValueNet, workspace
from catan_pz.engine.state import as_games
from catan_pz.engine.trade import ACCEPTED, NO_ANSWER
from catan_pz.game.view import View
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS, MOST_COMPOSED, NUM_RESOURCES, Phase

OFFER_MARGIN: Final = 0.002
"""Least gain in win probability for which an offer is made."""

MOST_TRIES: Final = 12
"""The most offers planned for a turn, in sequence."""


@cache
def all_offers() -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """(K, R) the maker's net cards of each offer; (K,) its template or -1."""
    templates = {tuple(row): k for k, row in enumerate((OFFER_GET - OFFER_GIVE).tolist())}
    most = range(-MOST_COMPOSED, MOST_COMPOSED + 1)
    rows = [
        row
        for row in product(most, repeat=NUM_RESOURCES)
        if 0 < sum(n for n in row if n > 0) <= MOST_COMPOSED
        and 0 < -sum(n for n in row if n < 0) <= MOST_COMPOSED
    ]
    return np.array(rows, np.int8), np.array([templates.get(row, -1) for row in rows])


class Ask(NamedTuple):
    """An offer."""

    swap: NDArray[np.int8]  # (R,) its maker's net cards
    template: int  # -1 for one to compose

    def first_action(self, view: View) -> int:
        """The action that makes or begins it."""
        if self.template >= 0 and view.mask[OFFER + self.template]:
            return OFFER + self.template
        return COMPOSE_GIVE + int((self.swap < 0).argmax())


class Offered(NamedTuple):
    """Possible offers, in order of value."""

    swaps: NDArray[np.int8]  # (K, R) the maker's net cards
    templates: NDArray[np.int64]  # (K,) -1 for those to compose
    chances: NDArray[np.float64]  # (K,) probabilities that somebody agrees
    values: NDArray[np.float64]  # (K,) the maker's win probability after the exchange
    now: float  # its win probability without one

    def first_actions(
        self, view: View, base: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Their first actions, and the worth of the best of each, given `base` without an offer."""
        found: dict[int, float] = {}
        for swap, template, chance, value in zip(*self[:4], strict=True):
            action = Ask(swap, template).first_action(view)
            worth = base + chance * (value - base)
            found[action] = max(worth, found.get(action, 0.0))
        return np.array([*found], np.int64), np.array([*found.values()])


@dataclass
class Tried:
    """An offer that waits for answers."""

    swap: NDArray[np.int8]
    most: NDArray[np.int8]  # (P, R) most cards of each hand before it, the maker's first
    terms: dict[int, NDArray[np.float64]]  # of the answers of players who can pay, by seat


@dataclass
class Trader:
    """Finds offers for one seat of a game, and learns from the answers."""

    seat: int
    rules: Rules
    net: ValueNet
    acceptance: Acceptance = field(default_factory=shipped_acceptance)

    def __post_init__(self) -> None:
        self._work = workspace(self.net.weights, self.rules.num_actions)
        self._posterior = np.tile(self.acceptance.prior, (MAX_PLAYERS, 1))
        self._refused: dict[int, tuple[bytes, list[NDArray[np.int8]]]] = {}
        self._tried: Tried | None = None
        self._composing: NDArray[np.int8] | None = None

    def begin(self, view: View, games: np.ndarray, offer: Ask) -> int:
        """Begin an offer or a counter-offer: its first action."""
        action = offer.first_action(view)
        if action >= COMPOSE_GIVE:
            self._composing = offer.swap
        if view.segments["phase"][Phase.MAIN]:
            self._remember(view, games[:1], offer.swap)
        return action

    def next_card(self, view: View) -> int | None:
        """The next action of an own offer in composition; None if there is none."""
        segments, swap = view.segments, self._composing
        if swap is None or not segments["phase"][Phase.COMPOSE]:
            self._composing = None
            return None
        lacking = swap - (segments["offer_get"][0] - segments["offer_give"][0])
        action = COMPOSE_SEND
        for r in range(NUM_RESOURCES):
            if lacking[r] != 0:
                action = COMPOSE_GIVE + r if lacking[r] < 0 else COMPOSE_GET + r
        return action if view.mask[action] else WITHDRAW

    # -- answers of others

    def _holdings(self, view: View, q: int) -> bytes:
        """The seat's knowledge of another hand."""
        k, segments = (q - self.seat) % self.rules.num_players, view.segments
        return segments["hand_min"][k].tobytes() + segments["hand_max"][k].tobytes()

    def _remember(self, view: View, game: np.ndarray, swap: NDArray[np.int8]) -> None:
        """Record an offer to all others."""
        terms = self.terms(game, swap)
        self._tried = Tried(swap, view.segments["hand_max"].copy(), terms)

    def terms(self, game: np.ndarray, swap: NDArray[np.int8]) -> dict[int, NDArray[np.float64]]:
        """The terms (X,) of answers to an exchange, by players who can pay, by seat."""
        found = {}
        for q in range(self.rules.num_players):
            row = np.zeros(NUM_TERMS)
            if q != self.seat and terms_of_answer(game, self.seat, q, swap, self._work, row):
                found[q] = row
        return found

    def learn(self, view: View) -> None:
        """Learn from the answers to the last offer, if the view shows them."""
        tried, segments, seats = self._tried, view.segments, self.rules.num_players
        if tried is None or segments["phase"][Phase.COMPOSE]:
            return
        self._tried = None
        if not segments["turn_player"][0]:
            return
        others = [(k, (self.seat + k) % seats) for k in range(1, seats)]
        if segments["phase"][Phase.CLOSE]:
            answers = segments["answer"].argmax(1)
            for k, q in others:
                if answers[k] != NO_ANSWER:
                    self._note(view, tried, q, bool(answers[k] == ACCEPTED))
        elif segments["phase"][Phase.MAIN]:
            more = segments["hand_max"] - tried.most
            for k, q in others:
                if not more[0].any():
                    self._note(view, tried, q, False)
                elif (more[k] == -tried.swap).all():
                    self._note(view, tried, q, True)

    def _note(self, view: View, tried: Tried, q: int, agreed: bool) -> None:
        if q in tried.terms:
            chances = self.acceptance.chances(tried.terms[q])
            self._posterior[q] *= chances if agreed else 1 - chances
            self._posterior[q] /= self._posterior[q].sum()
            self.heard(tried.terms[q], agreed)
        if not agreed:
            held = self._holdings(view, q)
            before, swaps = self._refused.get(q, (held, []))
            self._refused[q] = held, [*(swaps if before == held else []), tried.swap]

    def heard(self, terms: NDArray[np.float64], agreed: bool) -> None:
        """Called with each answer; an override can collect them."""

    def _has_refused(self, view: View, swaps: NDArray[np.int8]) -> NDArray[np.int8]:
        """(K, P) whether a seat has refused an offer, or a cheaper one, with its present cards."""
        found = np.zeros((len(swaps), MAX_PLAYERS), np.int8)
        for q, (held, refused) in self._refused.items():
            if held == self._holdings(view, q):
                dearer = swaps.T[:, None] >= np.array(refused).T[:, :, None]
                found[:, q] = dearer.all(0).any(0)
        return found

    # -- own offers

    def offers(self, view: View, games: np.ndarray, *, composed: bool = True) -> Offered:
        """The possible offers, or counter-offers, with a gain for the seat.

        Probabilities are means over games (D,) drawn from the seat's belief. Without `composed`
        only the templates are considered.
        """
        swaps, templates = all_offers()
        held = games["hand"][:, : self.rules.num_players].max((0, 1))
        legal = ((view.segments["own_hand"] >= -swaps) & (held >= swaps)).all(1)
        if not (composed and view.mask[COMPOSE_GIVE:COMPOSE_SEND].any()):
            legal &= (templates >= 0) & (view.mask[OFFER + templates] != 0)
        swaps, templates = np.ascontiguousarray(swaps[legal]), templates[legal]
        shape = len(swaps), MAX_PLAYERS
        chances, values = np.zeros(shape), np.zeros(shape)
        now = weigh(
            as_games(games),
            self.seat,
            swaps,
            self._has_refused(view, swaps),
            self.acceptance.types,
            self._posterior,
            self._work,
            np.zeros(NUM_TERMS),
            chances,
            values,
        )
        values /= np.maximum(chances, 1e-9)
        chances /= len(games)
        # Of the players who agree, the seat takes the one with its highest win probability.
        order = np.argsort(-values, 1)
        chances, values = (np.take_along_axis(a, order, 1) for a in (chances, values))
        others = np.cumprod(1 - chances, 1) / np.maximum(1 - chances, 1e-9)
        agreed = chances * others
        chance = agreed.sum(1)
        value = (agreed * values).sum(1) / np.maximum(chance, 1e-9)
        kept = np.flatnonzero(chance > 0)
        kept = kept[np.argsort(-value[kept], kind="stable")]
        return Offered(swaps[kept], templates[kept], chance[kept], value[kept], now / len(games))

    def chosen(self, offered: Offered, base: float, tries: int) -> Ask | None:
        """The first offer to make with some tries left, given the value `base` without; or None."""
        tries = min(tries, MOST_TRIES)
        best, asked = np.zeros(tries + 1), base + OFFER_MARGIN
        k = first_to_try(offered.chances, offered.values, asked, tries, best)
        return None if k < 0 else Ask(offered.swaps[k], int(offered.templates[k]))
