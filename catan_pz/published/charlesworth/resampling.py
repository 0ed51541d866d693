"""Charlesworth's way to draw what a seat can't see, beside the exact belief.

Unknown development cards of the opponents and the deck are shuffled together. Of each resource
the opponents get the fewest cards that they can hold; the rest is handed out card by card at
random, and all of it again where it doesn't come out. Hands drawn so are possible, but neither
uniform nor as likely as what was seen makes them. At a table where hands and bank needn't add up,
there is nothing to hand out: the belief's draw is taken. Letters: P seats, R resources, C card
kinds.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.belief import bounds_of, resampling
from catan_pz.engine.violations import Violation
from catan_pz.game.game import Game
from catan_pz.game.view import View
from catan_pz.rules import Rules
from catan_pz.terms import BANK_PER_RESOURCE, DECK_SIZE, NUM_CARD_KINDS, NUM_RESOURCES

_TRIES: Final = 100
"""After so many the draw of the belief is taken."""

Hands = NDArray[np.int64]


def shuffled(view: View, seat: int, rules: Rules, rng: np.random.Generator) -> Game:
    """A full game that the seat could be in.

    Args:
        view: of the seat; it must answer `resample`.
        seat: the viewer.
        rules: of the game.
        rng: where the draws come from.
    """
    drawn = view.resample(rng)
    if drawn.validate() != Violation.NONE:
        return drawn
    for _ in range(_TRIES):
        games = drawn.games.copy()
        hands = _hands(games[0], seat, rng)
        if hands is None:
            continue
        _write_hands(games[0], seat, hands)
        _deal_cards(games[0], seat, rng)
        resampling.settle(games, seat)
        game = Game.from_games(games, rules)
        if game.validate() == Violation.NONE:
            return game
    return drawn


def _hands(record: Any, seat: int, rng: np.random.Generator) -> Hands | None:
    """(P, R) all hands, or None where the cards didn't come out."""
    hands, most = bounds_of(record, seat)
    sizes = record["hand_size"][: len(hands)].astype(np.int64)
    left = BANK_PER_RESOURCE - record["bank"].astype(np.int64) - hands.sum(0)
    for r in rng.permutation(np.repeat(np.arange(NUM_RESOURCES), left)):
        room = np.flatnonzero((hands[:, r] < most[:, r]) & (hands.sum(1) < sizes))
        if not len(room):
            return None
        hands[rng.choice(room), r] += 1
    return hands


def _write_hands(record: Any, seat: int, hands: Hands) -> None:
    """Write hands, and bounds of all observers that allow them."""
    n = len(hands)
    for o in range(n):
        least, most = bounds_of(record, o)
        record["below"][o, :n] = hands - (least if o == seat else np.minimum(least, hands))
        record["above"][o, :n] = (most if o == seat else np.maximum(most, hands)) - hands
        record["below"][o, o] = record["above"][o, o] = 0
    record["hand"][:n] = hands


def _deal_cards(record: Any, seat: int, rng: np.random.Generator) -> None:
    """Shuffle the development cards of the others and the deck together."""
    others = [p for p in range(int(record["num_players"])) if p != seat]
    held = [int(record["cards"][p].sum()) for p in others]
    deck = int(record["deck_left"])
    start = DECK_SIZE - deck
    kinds = np.bincount(record["deck"][start:].astype(np.int64), minlength=NUM_CARD_KINDS)
    kinds = kinds + record["cards"][others].sum(0)
    cards = rng.permutation(np.repeat(np.arange(NUM_CARD_KINDS), kinds))
    for p, own in zip(others, np.split(cards, np.cumsum(held)), strict=False):
        record["cards"][p] = np.bincount(own, minlength=NUM_CARD_KINDS)
        if p == record["turn_player"]:
            new = int(record["new_cards"].sum())
            record["new_cards"] = np.bincount(own[:new], minlength=NUM_CARD_KINDS)
    record["deck"][start:] = cards[sum(held) :]
