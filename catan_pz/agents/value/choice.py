"""What actions are worth by the value, as compiled rules.

`games` and `spare` hold one record each: the position, and scratch. Whatever an action leads to is
judged as the seat to move will know it. A purchase is averaged over the cards of the deck, a theft
over those of the victim's hand. Trades with others are judged as done.
"""

import numpy as np

from catan_pz.actions import (
    BUY_DEVELOPMENT_CARD,
    COMPOSE_GIVE,
    DISCARD,
    MOVE_ROBBER,
    OFFER,
    ROLL,
)
from catan_pz.agents.heuristic.choose import evolved_action, heuristic_action
from catan_pz.agents.policies import EVOLVED, VALUE
from catan_pz.agents.value.exchange import worth_of_offer, worth_of_trade
from catan_pz.agents.value.network import write_values
from catan_pz.engine.legal import count_legal, pick_legal, write_mask
from catan_pz.engine.outcomes import victim_of
from catan_pz.engine.play import step
from catan_pz.engine.state import State, States
from catan_pz.engine.turn import is_setup
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Float32Array, Float64Array, Int8Array, Int8Matrix
from catan_pz.observation.encode import observe
from catan_pz.terms import DECK_SIZE, NOBODY, NUM_CARD_KINDS, NUM_RESOURCES

MARGIN = 0.02
"""Gain in win probability for which another action than the evolved player's is taken."""

TEMPERATURE = 0.02
"""Win probability that makes an action e times as likely."""


@kernel
def value_of(
    s: State, viewer: int, net: Float32Array, work: Float32Array, values: Float64Array
) -> float:
    """The viewer's win probability."""
    write_values(s, viewer, net, work, values)
    return values[viewer]


@kernel
def worth_of_card(
    games: States,
    spare: States,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
    script: Int8Matrix,
) -> float:
    """What buying a development card is worth: the mean over the cards of the deck."""
    s = spare[0]
    p, top = int(games[0].player), DECK_SIZE - int(games[0].deck_left)
    total = 0.0
    for kind in range(NUM_CARD_KINDS):
        count, place = 0, top
        for k in range(top, DECK_SIZE):
            if games[0].deck[k] == kind:
                count, place = count + 1, k
        if count > 0:
            spare[0] = games[0]
            s.deck[place] = s.deck[top]
            s.deck[top] = kind
            step(s, BUY_DEVELOPMENT_CARD, script)
            total += count * value_of(s, p, net, work, values)
    return total / int(games[0].deck_left)


@kernel
def worth_of_theft(
    games: States,
    spare: States,
    a: int,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
    script: Int8Matrix,
) -> float:
    """What moving the robber, or robbing somebody, is worth: the mean over the victim's cards."""
    s, p = spare[0], int(games[0].player)
    victim = victim_of(games[0], a)
    if victim == NOBODY:
        spare[0] = games[0]
        step(s, a, script)
        return value_of(s, p, net, work, values)
    total = 0.0
    for r in range(NUM_RESOURCES):
        count = int(games[0].hand[victim, r])
        if count > 0:
            spare[0] = games[0]
            s.outcome = r
            step(s, a, script)
            total += count * value_of(s, p, net, work, values)
    return total / int(games[0].hand_size[victim])


@kernel
def finish_setup(
    s: State, p: int, random_bits: np.uint64, script: Int8Matrix, obs: Int8Array, mask: Int8Array
) -> None:
    """Play the set-up to its end: p as the evolved player, the others as the heuristic one."""
    while is_setup(s):
        observe(s, int(s.player), obs)
        write_mask(s, mask)
        if s.player == p:
            a = evolved_action(obs, mask, random_bits)
        else:
            a = heuristic_action(obs, mask, random_bits)
        step(s, a, script)


@kernel
def worth_of_action(
    games: States,
    spare: States,
    a: int,
    random_bits: np.uint64,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
    script: Int8Matrix,
    obs: Int8Array,
    mask: Int8Array,
) -> float:
    """The win probability of the seat to move after an action.

    To roll is worth what the position is worth; a placement, what it is at the end of the set-up.
    """
    s, p = spare[0], int(games[0].player)
    if a >= COMPOSE_GIVE:
        return worth_of_trade(games, spare, a, net, work, values)
    if a >= OFFER:
        return worth_of_offer(games, spare, a, net, work, values)
    if a == ROLL:
        return value_of(games[0], p, net, work, values)
    if a == BUY_DEVELOPMENT_CARD:
        return worth_of_card(games, spare, net, work, values, script)
    if MOVE_ROBBER <= a < DISCARD:
        return worth_of_theft(games, spare, a, net, work, values, script)
    spare[0] = games[0]
    step(s, a, script)
    finish_setup(s, p, random_bits, script, obs, mask)
    return value_of(s, p, net, work, values)


@kernel
def value_action(
    games: States,
    spare: States,
    margin: float,
    random_bits: np.uint64,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
    script: Int8Matrix,
    obs: Int8Array,
    mask: Int8Array,
) -> int:
    """What `ValueAgent` does in the game as it is; trades with others are the evolved player's."""
    s = games[0]
    observe(s, int(s.player), obs)
    write_mask(s, mask)
    chosen = evolved_action(obs, mask, random_bits)
    if chosen >= OFFER:
        return chosen
    if is_setup(s):
        margin = 0.0
    best, most, of_chosen = chosen, -1.0, 0.0
    for k in range(count_legal(s)):
        a = pick_legal(s, k)
        if a < OFFER:
            worth = worth_of_action(
                games, spare, a, random_bits, net, work, values, script, obs, mask
            )
            if a == chosen:
                of_chosen = worth
            if worth > most:
                best, most = a, worth
    return best if most - of_chosen > margin else chosen


@kernel
def policy_action(  # wide: arrays of compiled calls, not yet bundled
    games: States,
    spare: States,
    policy: int,
    margin: float,
    random_bits: np.uint64,
    net: Float32Array,
    work: Float32Array,
    values: Float64Array,
    script: Int8Matrix,
    obs: Int8Array,
    mask: Int8Array,
) -> int:
    """What "heuristic", "evolved" or "value" does; the margin is that of the last."""
    if policy == VALUE:
        return value_action(games, spare, margin, random_bits, net, work, values, script, obs, mask)
    s = games[0]
    observe(s, int(s.player), obs)
    write_mask(s, mask)
    if policy == EVOLVED:
        return evolved_action(obs, mask, random_bits)
    return heuristic_action(obs, mask, random_bits)
