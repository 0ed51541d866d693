"""All random draws; a caller can name the outcome of a draw through `s.outcome`.

The generator is SplitMix64 (Steele, Lea and Flood, 2014), counter-based: the state
advances by a constant and each number is a hash of it. A named outcome is used once:
6 * (first die - 1) + (second die - 1) for a roll, the resource for a theft, the
kind of card for a purchase.
"""

import numpy as np

from catan_pz.board.topology import HEX_NEIGHBORS, SPIRALS
from catan_pz.engine import bits
from catan_pz.engine.state import MOST_SEVENS, RECENT_ROLLS, State
from catan_pz.kernels.rule import rare, rule
from catan_pz.kernels.types import ConstInt64Array, Int8Array, Int8Matrix
from catan_pz.terms import (
    DECK_COUNTS,
    DECK_SIZE,
    HARBOR_COUNTS,
    LETTERED_TOKENS,
    NUM_HARBORS,
    NUM_HEXES,
    NUMBER_TOKENS,
    TERRAIN_COUNTS,
    Terrain,
)

NO_OUTCOME = -1
ALL_ROLLS = (1 << 36) - 1
FEWEST_ROLLS_LEFT = 13

WEIGHT, WEIGHT_LOST = 100, 34
"""Dice with memory: the weight of a sum, and the reduction for each recent roll of that sum."""
BALANCE, RUN = 10, 4
"""The factor of a seven at an even share, and the change for each seven of a run."""

GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
_S27 = np.uint64(27)
_S30 = np.uint64(30)
_S31 = np.uint64(31)
_S32 = np.uint64(32)

ROLLS_OF_SUM = np.array(
    [sum(1 << k for k in range(36) if k // 6 + k % 6 + 2 == total) for total in range(13)],
    np.int64,
)
"""(13,) the set of rolls that make each sum."""

TERRAINS = np.repeat(np.arange(len(TERRAIN_COUNTS)), TERRAIN_COUNTS)
HARBORS = np.repeat(np.arange(len(HARBOR_COUNTS)), HARBOR_COUNTS)
CARDS = np.repeat(np.arange(len(DECK_COUNTS)), DECK_COUNTS)
TOKENS = np.array(NUMBER_TOKENS, np.int64)
LETTERED = np.array(LETTERED_TOKENS, np.int64)


@rule
def scramble(seed: np.uint64) -> np.uint64:
    """A hash from 64 bits to 64 bits."""
    z = (seed ^ (seed >> _S30)) * MIX_1
    z = (z ^ (z >> _S27)) * MIX_2
    return z ^ (z >> _S31)


@rule
def number_below(seed: np.uint64, n: int) -> int:
    """Turn 64 random bits into an integer from 0 to n - 1, uniform to 1 in 2**32."""
    return int(np.int64(((seed >> _S32) * np.uint64(n)) >> _S32))


@rule
def draw_below(s: State, n: int) -> int:
    """Draw an integer from 0 to n - 1 uniformly."""
    s.rng = s.rng + GAMMA
    return number_below(scramble(s.rng), n)


@rule
def take_named_outcome(s: State) -> int:
    """Return the outcome named by the caller and clear it, or NO_OUTCOME."""
    outcome = int(s.outcome)
    s.outcome = NO_OUTCOME
    return outcome


@rule
def rolls_left(s: State) -> int:
    """The set of rolls that the dice draw from next."""
    left = s.balanced_dice and bits.count(s.dice_left) >= FEWEST_ROLLS_LEFT
    return s.dice_left if left else ALL_ROLLS


@rule
def due_share(s: State) -> int:
    """The factor of sums other than seven: `BALANCE` for each seven rolled, at least `BALANCE`."""
    sevens = 0
    for q in range(s.num_players):
        sevens += int(s.sevens[q])
    return BALANCE * max(sevens, 1)


@rule
def share_of_seven(s: State, due: int) -> int:
    """The factor of a seven: smaller for a player with more sevens than the others, or in a run."""
    p, n, balance = int(s.turn_player), int(s.num_players), due
    sevens = due // BALANCE
    if sevens >= n:
        balance = 2 * due - BALANCE * n * int(s.sevens[p])
    run = RUN * sevens * int(s.seven_run)
    balance += -run if s.seven_roller == p else run
    return min(max(balance, 0), 2 * due)


@rule
def rolled_recently(s: State) -> int:
    """The recent rolls of each sum, in four bits each, lowest sum first."""
    rolled = 0
    for k in range(RECENT_ROLLS):
        rolled += 1 << 4 * int(s.recent_sums[k])
    return rolled


@rule
def weight_of(total: int, rolled: int, due: int, seven: int) -> int:
    """The weight of each roll of a sum, given the recent rolls and the factors above."""
    weight = WEIGHT - WEIGHT_LOST * (rolled >> 4 * total & 15)
    return max(weight, 0) * (seven if total == 7 else due)


@rule
def weight_of_sum(s: State, total: int) -> int:
    """The weight of each roll of a sum, 1 for dice without memory."""
    if not s.dice_memory:
        return 1
    due = due_share(s)
    return weight_of(total, rolled_recently(s), due, share_of_seven(s, due))


@rule
@rare
def draw_roll(s: State) -> int:
    """Draw one of the rolls left by their weights."""
    left = rolls_left(s)
    if not s.dice_memory:
        return bits.pick(left, draw_below(s, bits.count(left)))
    rolled, due = rolled_recently(s), due_share(s)
    seven, weights = share_of_seven(s, due), 0
    for total in range(2, 13):
        alike = bits.count(left & ROLLS_OF_SUM[total])
        weights += weight_of(total, rolled, due, seven) * alike
    k, total = draw_below(s, weights), 2
    weight = weight_of(total, rolled, due, seven)
    while k >= weight * bits.count(left & ROLLS_OF_SUM[total]):
        k -= weight * bits.count(left & ROLLS_OF_SUM[total])
        total += 1
        weight = weight_of(total, rolled, due, seven)
    return bits.pick(left & ROLLS_OF_SUM[total], k // weight)


@rule
@rare
def remember_roll(s: State) -> None:
    total, p = int(s.dice[0]) + int(s.dice[1]), int(s.turn_player)
    for k in range(RECENT_ROLLS - 1, 0, -1):
        s.recent_sums[k] = s.recent_sums[k - 1]
    s.recent_sums[0] = total
    if total == 7:
        s.sevens[p] = min(MOST_SEVENS, int(s.sevens[p]) + 1)
        s.seven_run = min(MOST_SEVENS, int(s.seven_run) + 1) if s.seven_roller == p else 1
        s.seven_roller = p


@rule
def roll_dice(s: State, script: Int8Matrix) -> None:
    """Roll both dice: named, scripted, balanced or independent."""
    roll = take_named_outcome(s)
    if roll < 0 and s.script_place < script.shape[0]:
        place = int(s.script_place)
        roll = 6 * (int(script[place, 0]) - 1) + int(script[place, 1]) - 1
    if s.script_place < script.shape[0]:
        s.script_place += 1
    if roll < 0:
        roll = draw_roll(s) if s.balanced_dice or s.dice_memory else draw_below(s, 36)
    if s.balanced_dice:
        s.dice_left = rolls_left(s) & ~(1 << roll)
    s.dice[0] = roll // 6 + 1
    s.dice[1] = roll % 6 + 1
    if s.dice_memory:
        remember_roll(s)


@rule
def draw_stolen_resource(s: State, victim: int) -> int:
    """Draw the card stolen from a hand, each card equally likely, and return its resource."""
    r = take_named_outcome(s)
    if r >= 0:
        return r
    k = draw_below(s, int(s.hand_size[victim]))
    r = 0
    while k >= s.hand[victim, r]:
        k -= s.hand[victim, r]
        r += 1
    return r


@rule
def draw_development_card(s: State) -> int:
    """Take the top card of the deck; a named card first swaps places with the top card."""
    top = DECK_SIZE - int(s.deck_left)
    named = take_named_outcome(s)
    if named >= 0:
        place = top
        while s.deck[place] != named:
            place += 1
        s.deck[place] = s.deck[top]
        s.deck[top] = named
    card = int(s.deck[top])
    s.deck[top] = 0
    s.deck_left -= 1
    return card


@rule
def shuffle(s: State, items: Int8Array, first: int) -> None:
    """Shuffle the items from index `first` on, uniformly.

    Pass fields of a record as slices: numba needs arrays.
    """
    for k in range(len(items) - 1, first, -1):
        j = first + draw_below(s, k + 1 - first)
        item = items[k]
        items[k] = items[j]
        items[j] = item


@rule
def shuffle_all(s: State, items: Int8Array, parts: ConstInt64Array) -> None:
    """Fill `items` with the parts in a random order."""
    for k in range(len(items)):
        items[k] = parts[k]
    shuffle(s, items, 0)


@rule
def shuffle_rest_of_deck(s: State) -> None:
    shuffle(s, s.deck[:], DECK_SIZE - int(s.deck_left))


@rule
def has_adjacent_red(s: State) -> bool:
    for h in range(NUM_HEXES):
        if s.token[h] == 6 or s.token[h] == 8:
            for k in range(6):
                n = HEX_NEIGHBORS[h, k]
                if n >= 0 and (s.token[n] == 6 or s.token[n] == 8):
                    return True
    return False


@rule
def shuffle_tokens(s: State) -> None:
    """Place the number tokens at random on every hex except the desert."""
    k = 0
    for h in range(NUM_HEXES):
        s.token[h] = 0
        if s.terrain[h] != Terrain.DESERT:
            s.token[h] = TOKENS[k]
            k += 1
    for h in range(NUM_HEXES - 1, 0, -1):
        j = draw_below(s, h + 1)
        while s.terrain[h] != Terrain.DESERT and s.terrain[j] == Terrain.DESERT:
            j = draw_below(s, h + 1)
        if s.terrain[h] != Terrain.DESERT:
            token = s.token[h]
            s.token[h] = s.token[j]
            s.token[j] = token


@rule
def lay_lettered_tokens(s: State) -> None:
    """Place the number tokens by their letters along a spiral from a random corner."""
    corner = draw_below(s, SPIRALS.shape[0])
    k = 0
    for place in range(NUM_HEXES):
        h = SPIRALS[corner, place]
        s.token[h] = 0
        if s.terrain[h] != Terrain.DESERT:
            s.token[h] = LETTERED[k]
            k += 1


@rule
def shuffle_board(s: State, spiral: int, no_adjacent_red: int) -> None:
    shuffle_all(s, s.terrain[:], TERRAINS)
    shuffle_all(s, s.harbor[:], HARBORS)
    if spiral:
        lay_lettered_tokens(s)
        return
    shuffle_tokens(s)
    while no_adjacent_red and has_adjacent_red(s):
        shuffle_tokens(s)


@rule
def draw_layout(s: State, layouts: Int8Matrix) -> None:
    """Lay one of the fixed boards, each equally likely; a single board needs no draw."""
    k = draw_below(s, layouts.shape[0]) if layouts.shape[0] > 1 else 0
    for h in range(NUM_HEXES):
        s.terrain[h] = layouts[k, h]
        s.token[h] = layouts[k, NUM_HEXES + h]
    for b in range(NUM_HARBORS):
        s.harbor[b] = layouts[k, 2 * NUM_HEXES + b]
