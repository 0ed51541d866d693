"""From choices of the network to actions: what several single actions or choices make up.

Letters: K decisions, N numbers of an observation, A actions, C choices, R resources.
"""

from collections.abc import Callable
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import DISCARD, NO_ACTION, PLENTY_ACTIONS
from catan_pz.agents.network import sample_actions
from catan_pz.agents.random_stream import scramble_all
from catan_pz.encoders import load
from catan_pz.engine.chance import GAMMA
from catan_pz.observation.segments import PLACES
from catan_pz.published.gendre import choices as c
from catan_pz.published.gendre.encoder import GendreEncoder
from catan_pz.terms import NUM_RESOURCES, YEAR_OF_PLENTY

UNDECIDED: Final = -1
"""Stands in hands to keep where none was chosen."""

Seen = dict[str, NDArray[np.float32]]
Choose = Callable[[NDArray[np.intp], Seen, NDArray[np.bool_]], NDArray[np.int64]]
"""From rows (k,), what the encoder gives for them and the legal choices (k, C) to one choice each;
a row may be asked up to three times in a decision."""

Evaluate = Callable[[Seen], NDArray[np.float32]]
"""From what the encoder gives for k rows to logits (k, C)."""

_HAND: Final = PLACES["own_hand"]
_BANK: Final = PLACES["bank"]
_TO_DISCARD: Final = PLACES["to_discard"].start
_CARD_PLAYED: Final = PLACES["card_played"].start
_PLENTY: Final = PLACES["own_cards"].start + YEAR_OF_PLENTY
_ENCODERS: Final = {name: cast(GendreEncoder, load(name)) for name in c.NUM_CHOICES}


def decide(
    units: NDArray[np.int8],
    masks: NDArray[np.int8],
    keeping: NDArray[np.int8],
    random_bits: NDArray[np.uint64],
    choose: Choose,
    *,
    skip_forced: bool = True,
    encoder: str = "gendre",
) -> NDArray[np.int64]:
    """Choose an action in each of K games.

    Args:
        units: (K, N) observations in natural units.
        masks: (K, A) legal actions.
        keeping: (K, R) the hand that the seat to move keeps, `UNDECIDED` where it discards
            nothing; written to. It must be given back at the seat's next decision.
        random_bits: (K,) they draw the cards beyond four that are kept, and the order of discards.
        choose: the network.
        skip_forced: whether the engine plays decisions with a single legal action.
        encoder: name of the encoder, which tells the choices, too.

    Returns:
        (K,) legal actions.
    """
    found = np.full(len(masks), NO_ACTION, np.int64)
    discards = c.discarding(masks)
    keeping[~discards] = UNDECIDED
    asked = np.flatnonzero(keeping[:, 0] == UNDECIDED)
    if len(asked):
        legal = c.legal_choices(units[asked], masks[asked], encoder)
        chosen = choose(asked, _ENCODERS[encoder].encode(units[asked]), legal)
        found[asked] = c.ACTIONS[chosen]
        kept = (chosen >= c.KEEP) & (chosen < c.VICTIM)
        if kept.any():
            rows = asked[kept]
            sets = c.KEEP_SETS[chosen[kept] - c.KEEP]
            keeping[rows] = kept_hands(units[rows], sets, random_bits[rows])
        plenty = asked[chosen == c.PLENTY]
        if len(plenty):
            found[plenty] = _plenty(plenty, units[plenty], masks[plenty], choose, encoder)
    rows = np.flatnonzero(discards)
    if len(rows):
        found[rows] = _next_discards(units, keeping, random_bits, rows, skip_forced)
    return found


def kept_hands(
    units: NDArray[np.int8], sets: NDArray[np.int8], random_bits: NDArray[np.uint64]
) -> NDArray[np.int8]:
    """(K, R) hands to keep: the four cards chosen, the others drawn from the rest one by one.

    Args:
        units: (K, N) observations before the first discard.
        sets: (K, R) the four cards.
        random_bits: (K,) for the draws.
    """
    hands, kept = units[:, _HAND], sets.copy()
    sizes = hands.sum(axis=1) - units[:, _TO_DISCARD]
    bits = random_bits
    for size in range(c.KEPT, int(sizes.max())):
        bits = scramble_all(bits + GAMMA)
        rows = np.flatnonzero(sizes > size)
        drawn = sample_actions(hands[rows] - kept[rows], bits[rows])
        kept[rows, drawn] += 1
    return kept


def _next_discards(
    units: NDArray[np.int8],
    keeping: NDArray[np.int8],
    random_bits: NDArray[np.uint64],
    rows: NDArray[np.intp],
    skip_forced: bool,
) -> NDArray[np.int64]:
    """(k,) the next single discard in some rows; after the last one `keeping` is forgotten."""
    hands = units[rows, _HAND]
    resources = sample_actions(hands - keeping[rows], scramble_all(~random_bits[rows]))
    hands[np.arange(len(rows)), resources] -= 1
    over = units[rows, _TO_DISCARD] == 1
    if skip_forced:  # with one resource left the engine plays what is left to discard
        over |= (hands > 0).sum(axis=1) == 1
    keeping[rows[over]] = UNDECIDED
    return np.asarray(DISCARD + resources)


def _plenty(
    rows: NDArray[np.intp],
    units: NDArray[np.int8],
    masks: NDArray[np.int8],
    choose: Choose,
    encoder: str,
) -> NDArray[np.int64]:
    """(k,) years of plenty: two choices, each seen as if the card were on the table."""
    units, games = units.copy(), np.arange(len(rows))
    units[:, _PLENTY] -= 1
    units[:, _CARD_PLAYED] = 1
    taken: list[NDArray[np.int64]] = []
    for left in (2, 1):
        seen = _ENCODERS[encoder].encode(units)
        seen["scalars"][:, _ENCODERS[encoder].free_resources] = left
        legal = c.legal_resources(masks, taken[0] if taken else None, encoder)
        taken.append(c.resource_of(choose(rows, seen, legal)))
        units[games, _HAND.start + taken[-1]] += 1
        units[games, _BANK.start + taken[-1]] -= 1
    return np.asarray(PLENTY_ACTIONS[taken[0], taken[1]])


def legal_logits(evaluate: Evaluate, seen: Seen, legal: NDArray[np.bool_]) -> NDArray[np.float32]:
    """(k, C) logits of legal choices, -inf of others; a single legal one isn't evaluated."""
    logits = np.where(legal, np.float32(0), np.float32(-np.inf))
    several = legal.sum(axis=1) > 1
    if several.any():
        found = evaluate({name: array[several] for name, array in seen.items()})
        logits[several] += found
    return logits


def undecided(count: int) -> NDArray[np.int8]:
    """(count, R) hands to keep where nothing is discarded."""
    return np.full((count, NUM_RESOURCES), UNDECIDED, np.int8)
