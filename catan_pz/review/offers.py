"""Offers under review: the probability that somebody agrees, and the value of the exchange.

An offer that nobody accepts leaves the turn unchanged. So the value of an offer is the value of
none, plus the probability that somebody agrees times the gain of closing it over withdrawing it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import (
    ACCEPT,
    CLOSE_WITH,
    COMPOSE_GIVE,
    COMPOSE_SEND,
    OFFER,
    OFFER_GET,
    OFFER_GIVE,
    REJECT,
    WITHDRAW,
)
from catan_pz.agents.value.trader import Ask, Trader
from catan_pz.engine.state import as_games
from catan_pz.game.game import Game
from catan_pz.game.view import View, view_of
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS, Phase

MOST_OFFERS: Final = 4
"""Offers considered besides the one made."""

_SWAPS: Final = (OFFER_GET - OFFER_GIVE).astype(np.int8)
"""(T, R) the maker's net cards of each offer of the list."""


Price = Callable[[View, np.ndarray, NDArray[np.int64]], NDArray[np.float64]]
"""The mover's win probabilities after actions (K,), from its view and games drawn from it."""


class _Drawn:
    """Answers `View.resample` with games that were drawn before."""

    def __init__(self, games: np.ndarray, rules: Rules) -> None:
        self._games, self._rules = games, rules

    def resample(self, rng: np.random.Generator) -> Game:
        return Game.from_games(self.resample_many(rng, 1), self._rules)

    def resample_many(self, rng: np.random.Generator, count: int) -> np.ndarray:
        return self._games[rng.integers(len(self._games), size=count)]


@dataclass(frozen=True)
class ReviewedOffer:
    """An offer of the player in turn, and the expected answer."""

    action: int
    chance: float  # probability that somebody agrees
    partner: int  # the seat most likely to agree
    is_last: bool  # whether it is the turn's last one
    games: np.ndarray  # (D,) games drawn before the offer
    rules: Rules

    @cached_property
    def closing(self) -> tuple[View, np.ndarray, NDArray[np.int64]] | None:
        """Its maker's view and drawn games after the partner has agreed, to close or withdraw.

        None if nobody agrees.
        """
        agreed = []
        for k in range(len(self.games)):
            game = Game.from_games(self.games[k : k + 1].copy(), self.rules)
            maker = game.player
            game.step_once(self.action)
            while game.phase == Phase.ANSWER:
                agrees = game.player == self.partner and game.mask[ACCEPT]
                game.step_once(ACCEPT if agrees else REJECT)
            if game.phase == Phase.CLOSE:
                agreed.append(game)
        if not agreed:
            return None
        games = np.concatenate([game.games for game in agreed])
        view = view_of(agreed[0], maker, _Drawn(games, self.rules))
        place = (self.partner - maker) % self.rules.num_players
        return view, games, np.array([CLOSE_WITH + place - 1, WITHDRAW])

    def gain(self, price: Price, otherwise: float = 0.0) -> float:
        """Its gain by given prices, if later offers may still gain `otherwise`."""
        exchange = 0.0
        if self.closing is not None:
            closed, kept = price(*self.closing)
            exchange = float(closed - kept)
        rest = 0.0 if self.is_last else (1 - self.chance) * otherwise
        return self.chance * exchange + rest


class Offers(Trader):
    """Probabilities that others agree to a seat's offers, from its information."""

    def offer(self, view: View, games: np.ndarray, action: int) -> ReviewedOffer | None:
        """The offer of an action of the player in turn; None if it isn't one."""
        if not view.segments["turn_player"][0]:
            return None
        if OFFER <= action < COMPOSE_GIVE:
            swap = _SWAPS[action - OFFER]
        elif action == COMPOSE_SEND:
            swap = view.segments["offer_get"][0] - view.segments["offer_give"][0]
        else:
            return None
        chances = np.zeros((len(games), MAX_PLAYERS))
        for k, row in enumerate(chances):
            for q, terms in self.terms(as_games(games[k : k + 1]), swap).items():
                row[q] = self._posterior[q] @ self.acceptance.chances(terms)
        chances[:, self._has_refused(view, swap[None])[0] != 0] = 0
        chance, partner = float(1 - (1 - chances).prod(1).mean()), int(chances.mean(0).argmax())
        is_last = bool(view.segments["offers_left"][0] <= 1)
        return ReviewedOffer(action, chance, partner, is_last, games, self.rules)

    def remember(self, view: View, games: np.ndarray, action: int) -> None:
        """Record that an offer of the list is made."""
        if OFFER <= action < COMPOSE_GIVE:
            self.begin(view, games, Ask(_SWAPS[action - OFFER], action - OFFER))

    def best(self, view: View, games: np.ndarray) -> tuple[float, list[int]]:
        """The gain of the list's best offer by the value, and the offers, the best first."""
        found = self.offers(view, games, composed=False)
        gains = found.chances * (found.values - found.now)
        return gains.max(initial=0.0), (OFFER + found.templates[np.argsort(-gains)]).tolist()
