"""The choices of the cross-dimensional network, and the environment actions that play them.

A choice is one environment action, with three exceptions: a discard names four cards to keep,
which determine all single discards; a year of plenty is played first, then each of its two cards is
chosen; and a robber move also chooses whether to steal. Two players without trade have the
authors' 324 choices. Other games add victims and the actions of trade, 464 in all.
Letters: K decisions, N numbers of an observation, A actions (252, with
trade 389), C choices, R resources.
"""

from collections.abc import Callable
from itertools import product
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from catan_pz import actions
from catan_pz.actions import NO_ACTION, PLENTY_ACTIONS
from catan_pz.agents.network import sample_actions
from catan_pz.agents.random_stream import scramble_all
from catan_pz.board.topology import HEX_VERTICES
from catan_pz.encoders import load
from catan_pz.engine.chance import GAMMA
from catan_pz.observation.segments import PLACES
from catan_pz.published.gendre.encoder import RESOURCES, GendreEncoder
from catan_pz.terms import (
    MAX_PLAYERS,
    NUM_EDGES,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    YEAR_OF_PLENTY,
)

ROBBER: Final = 0
"""For each hex: a move without stealing, then with stealing."""
ROAD: Final = 38
BUILDING: Final = 110
"""For each vertex: a settlement, then a city."""
ROLL: Final = 218
END_TURN: Final = 219
TRADE: Final = 220
"""Bank trades: for each resource given, the four others."""
BUY: Final = 240
KNIGHT: Final = 241
ROAD_BUILDING: Final = 242
PLENTY: Final = 243
FREE_RESOURCE: Final = 244
MONOPOLY: Final = 249
KEEP: Final = 254
VICTIM: Final = 324
"""Relative seats 1 to 3; with a single victim the environment leaves no choice."""
PLAYER_TRADE: Final = 327
"""The actions from `actions.OFFER` on, in their order."""

NUM_CHOICES: Final = {"gendre": 324, "gendre_table": 464}
"""C for each encoder: two players without trade, or any game."""

NUM_PLANE_CHOICES: Final = ROLL
"""The first choices belong to places on the board."""

KEPT: Final = 4
"""The number of cards kept by the choice of a discard."""

LEAST_LIMIT: Final = 2 * (KEPT - 1)
"""The lowest discard limit; below it fewer cards would be kept."""

_ORDER: Final = np.array(RESOURCES)


def _multisets() -> NDArray[np.int8]:
    """(70, R) cards to keep: loops over brick, lumber, ore and grain; wool is the rest."""
    counts = [
        (*four, KEPT - sum(four))
        for four in product(range(KEPT + 1), repeat=NUM_RESOURCES - 1)
        if sum(four) <= KEPT
    ]
    sets = np.zeros((len(counts), NUM_RESOURCES), np.int8)
    sets[:, _ORDER] = counts
    sets.flags.writeable = False
    return sets


KEEP_SETS: Final = _multisets()
"""(70, R) the cards of each choice from `KEEP` on, by `Resource`."""


def _actions() -> NDArray[np.int64]:
    table = np.full(NUM_CHOICES["gendre_table"], NO_ACTION)
    hexes, vertices = np.arange(NUM_HEXES), np.arange(NUM_VERTICES)
    for offset in (0, 1):
        table[ROBBER + 2 * hexes + offset] = actions.MOVE_ROBBER + hexes
    table[ROAD : ROAD + NUM_EDGES] = actions.BUILD_ROAD + np.arange(NUM_EDGES)
    table[BUILDING + 2 * vertices] = actions.BUILD_SETTLEMENT + vertices
    table[BUILDING + 2 * vertices + 1] = actions.BUILD_CITY + vertices
    table[[ROLL, END_TURN]] = actions.ROLL, actions.END_TURN
    swaps = actions.SWAP_ACTIONS[np.ix_(_ORDER, _ORDER)]
    table[TRADE:BUY] = swaps[swaps != NO_ACTION]
    table[BUY] = actions.BUY_DEVELOPMENT_CARD
    table[[KNIGHT, ROAD_BUILDING]] = actions.PLAY_KNIGHT, actions.PLAY_ROAD_BUILDING
    table[MONOPOLY:KEEP] = actions.PLAY_MONOPOLY + _ORDER
    table[VICTIM:PLAYER_TRADE] = actions.STEAL + np.arange(actions.NUM_OPPONENTS)
    table[PLAYER_TRADE:] = np.arange(actions.OFFER, actions.NUM_ACTIONS)
    table.flags.writeable = False
    return table


ACTIONS: Final = _actions()
"""(464,) the action of each choice; `NO_ACTION` if more has to be decided first."""


_ROBBER_MOVES: Final = slice(actions.MOVE_ROBBER, actions.MOVE_ROBBER + NUM_HEXES)
_DISCARDS: Final = slice(actions.DISCARD, actions.DISCARD + NUM_RESOURCES)
_PLENTIES: Final = slice(actions.PLAY_YEAR_OF_PLENTY, actions.PLAY_MONOPOLY)
_HAND: Final = PLACES["own_hand"]
_BANK: Final = PLACES["bank"]
_TO_DISCARD: Final = PLACES["to_discard"].start
_CARD_PLAYED: Final = PLACES["card_played"].start
_PLENTY: Final = PLACES["own_cards"].start + YEAR_OF_PLENTY
_CORNERS: Final = (np.arange(NUM_VERTICES)[:, None, None] == HEX_VERTICES).any(-1)
"""(V, H) whether a vertex is a corner of a hex."""

_ENCODERS: Final = {name: cast(GendreEncoder, load(name)) for name in NUM_CHOICES}


def discarding(masks: NDArray[np.int8]) -> NDArray[np.bool_]:
    """(K,) whether cards are discarded, from masks (K, A)."""
    return np.asarray(masks[:, _DISCARDS].any(axis=1))


def steals(units: NDArray[np.int8]) -> NDArray[np.bool_]:
    """(K, H) whether the robber steals on a hex: an opponent is there and holds a card."""
    built = units[:, PLACES["vertex_building"]].reshape(-1, NUM_VERTICES, MAX_PLAYERS) > 0
    robbed = built & (units[:, PLACES["hand_size"]] > 0)[:, None]
    return np.asarray(robbed[..., 1:].any(-1) @ _CORNERS)


def legal_choices(
    units: NDArray[np.int8], masks: NDArray[np.int8], encoder: str = "gendre"
) -> NDArray[np.bool_]:
    """(K, C) the legal choices of an encoder, from observations (K, N) and masks (K, A)."""
    legal = np.zeros((len(masks), NUM_CHOICES[encoder]), np.bool_)
    of_choices = ACTIONS[: legal.shape[1]]
    direct = np.flatnonzero((of_choices != NO_ACTION) & (of_choices < masks.shape[1]))
    legal[:, direct] = masks[:, of_choices[direct]] != 0
    legal[:, PLENTY] = masks[:, _PLENTIES].any(axis=1)
    robbing = np.flatnonzero(masks[:, _ROBBER_MOVES].any(axis=1))
    if len(robbing):
        stealing = steals(units[robbing])
        legal[robbing, ROBBER:ROAD:2] &= ~stealing
        legal[robbing, ROBBER + 1 : ROAD : 2] &= stealing
    rows = np.flatnonzero(discarding(masks))
    if len(rows):
        hands = units[rows, _HAND]
        legal[rows, KEEP:VICTIM] = (hands[:, None] >= KEEP_SETS).all(-1)
    return legal


UNDECIDED: Final = -1
"""Stands in hands to keep for no choice."""

Seen = dict[str, NDArray[np.float32]]
Choose = Callable[[NDArray[np.intp], Seen, NDArray[np.bool_]], NDArray[np.int64]]
"""Takes rows (k,), their encoded observations and legal choices (k, C), and returns one choice
each; a row may occur up to three times in a decision."""


def undecided(count: int) -> NDArray[np.int8]:
    """(count, R) hands to keep without a discard."""
    return np.full((count, NUM_RESOURCES), UNDECIDED, np.int8)


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
    """(K,) a legal action in each of K games, from observations (K, N) and masks (K, A).

    `keeping` (K, R) is the hand that the seat to move keeps, `UNDECIDED` if it discards nothing; it
    is updated, and must be passed again at the seat's next decision. `random_bits` (K,) draw the
    kept cards beyond four, and the order of discards.
    """
    found = np.full(len(masks), NO_ACTION, np.int64)
    discards = discarding(masks)
    keeping[~discards] = UNDECIDED
    asked = np.flatnonzero(keeping[:, 0] == UNDECIDED)
    if len(asked):
        legal = legal_choices(units[asked], masks[asked], encoder)
        chosen = choose(asked, _ENCODERS[encoder].encode(units[asked]), legal)
        found[asked] = ACTIONS[chosen]
        kept = (chosen >= KEEP) & (chosen < VICTIM)
        if kept.any():
            rows = asked[kept]
            sets = KEEP_SETS[chosen[kept] - KEEP]
            keeping[rows] = kept_hands(units[rows], sets, random_bits[rows])
        plenty = asked[chosen == PLENTY]
        if len(plenty):
            found[plenty] = _plenty(plenty, units[plenty], masks[plenty], choose, encoder)
    rows = np.flatnonzero(discards)
    if len(rows):
        found[rows] = _next_discards(units, keeping, random_bits, rows, skip_forced)
    return found


def kept_hands(
    units: NDArray[np.int8], sets: NDArray[np.int8], random_bits: NDArray[np.uint64]
) -> NDArray[np.int8]:
    """(K, R) hands to keep: the four chosen cards (K, R), and others drawn from the rest."""
    hands, kept = units[:, _HAND], sets.copy()
    sizes = hands.sum(axis=1) - units[:, _TO_DISCARD]
    bits = random_bits
    for size in range(KEPT, int(sizes.max())):
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
    """(k,) the next single discard in some rows; after the last one `keeping` is reset."""
    hands = units[rows, _HAND]
    resources = sample_actions(hands - keeping[rows], scramble_all(~random_bits[rows]))
    hands[np.arange(len(rows)), resources] -= 1
    over = units[rows, _TO_DISCARD] == 1
    if skip_forced:  # with one resource left the engine plays the remaining discards
        over |= (hands > 0).sum(axis=1) == 1
    keeping[rows[over]] = UNDECIDED
    return np.asarray(actions.DISCARD + resources)


def _plenty(
    rows: NDArray[np.intp],
    units: NDArray[np.int8],
    masks: NDArray[np.int8],
    choose: Choose,
    encoder: str,
) -> NDArray[np.int64]:
    """(k,) years of plenty: two choices, each evaluated as if the card were open."""
    units, games = units.copy(), np.arange(len(rows))
    units[:, _PLENTY] -= 1
    units[:, _CARD_PLAYED] = 1
    pairs = masks[:, PLENTY_ACTIONS] != 0
    taken: list[NDArray[np.int64]] = []
    for left in (2, 1):
        seen = _ENCODERS[encoder].encode(units)
        seen["scalars"][:, _ENCODERS[encoder].free_resources] = left
        legal = np.zeros((len(rows), NUM_CHOICES[encoder]), np.bool_)
        possible = pairs[games, taken[0]] if taken else pairs.any(-1)
        legal[:, FREE_RESOURCE:MONOPOLY] = possible[:, _ORDER]
        taken.append(_ORDER[choose(rows, seen, legal) - FREE_RESOURCE])
        units[games, _HAND.start + taken[-1]] += 1
        units[games, _BANK.start + taken[-1]] -= 1
    return np.asarray(PLENTY_ACTIONS[taken[0], taken[1]])


def legal_logits(
    evaluate: Callable[[Seen], NDArray[np.float32]], seen: Seen, legal: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """(k, C) logits of legal choices, -inf for others; a single legal one isn't evaluated."""
    logits = np.where(legal, np.float32(0), np.float32(-np.inf))
    several = legal.sum(axis=1) > 1
    if several.any():
        logits[several] += evaluate({name: array[several] for name, array in seen.items()})
    return logits
