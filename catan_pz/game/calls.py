"""The engine's calls from Python on arrays of games, compiled on first use."""

import numpy as np

from catan_pz import rewards
from catan_pz.engine import chance, deal, derive, invariants, knowledge, legal, outcomes, step
from catan_pz.engine.state import States
from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import Float32Array, Int8Array, Int8Matrix, Int16Matrix, Int64Array
from catan_pz.observation import encode, encode_global


@entry
def deal_game(
    games: States,
    i: int,
    seed: np.uint64,
    layouts: Int8Matrix,
    spiral: int,
    no_adjacent_red: int,
    random_first: int,
    mask: Int8Array,
) -> None:
    """Start game i, whose record holds its rules and is zero elsewhere, and write the mask."""
    s = games[i]
    deal.deal(s, seed, layouts, spiral, no_adjacent_red, random_first)
    legal.write_mask(s, mask)


@entry
def play(games: States, i: int, a: int, script: Int8Matrix, mask: Int8Array) -> None:
    """Play a legal action in game i, forced ones that follow included, and write the mask."""
    s = games[i]
    step.advance(s, a, script)
    legal.write_mask(s, mask)


@entry
def play_decision(
    games: States,
    i: int,
    a: int,
    script: Int8Matrix,
    forced: int,
    mask: Int8Array,
    events: Int16Matrix,
    terms: Int8Matrix,
) -> int:
    """Play one decision in game i, and write the mask, its events and its reward terms.

    Returns the forced action that follows, or NO_ACTION; `rewards.play_decision` says more.
    """
    s = games[i]
    following = rewards.play_decision(s, a, script, forced, events, terms)
    legal.write_mask(s, mask)
    return following


@entry
def refresh(games: States, i: int, mask: Int8Array) -> None:
    """Make a state that was read from outside playable, and write the mask.

    Works out the derived fields, and narrows the bounds on hidden hands as play keeps them.
    """
    s = games[i]
    for o in range(s.num_players):
        knowledge.tighten(s, o)
    derive.derive(s)
    legal.write_mask(s, mask)


@entry
def violations(games: States, spare: States, i: int) -> int:
    """What game i breaks, as the sum of `Violation` flags; `spare` is scratch space."""
    spare[i] = games[i]
    return invariants.find_violations(games[i], spare[i])


@entry
def count_outcomes(games: States, i: int, a: int, ways: Int64Array) -> None:
    """Write how many equally likely draws bring each outcome to an action in game i.

    `ways` is (NUM_OUTCOMES,), zero where there is no chance.
    """
    s = games[i]
    possible = outcomes.outcomes_of(s, a)
    for code in range(outcomes.NUM_OUTCOMES):
        ways[code] = outcomes.ways_of(s, a, code) if possible >> code & 1 else 0


@entry
def observe(games: States, i: int, viewer: int, obs: Int8Array) -> None:
    """Write what the viewer sees of game i, in natural units."""
    encode.observe(games[i], viewer, obs)


@entry
def observe_scaled(
    games: States, i: int, viewer: int, obs: Int8Array, scaled: Float32Array
) -> None:
    """Write what the viewer sees of game i, in natural units and scaled."""
    encode.observe(games[i], viewer, obs)
    encode.scale(obs, scaled)


@entry
def play_with_terms(
    games: States,
    i: int,
    a: int,
    script: Int8Matrix,
    dense: int,
    mask: Int8Array,
    events: Int16Matrix,
    terms: Int8Matrix,
) -> int:
    """Like `play`, and write the reward terms; return the step as `rewards.step_code` tells it.

    Where the reward depends on the end of the game alone (not `dense`), only terms of the end
    are counted.
    """
    s = games[i]
    if not rewards.advance_and_count(s, a, script, dense, events, terms):
        rewards.clear_terms(terms)
    legal.write_mask(s, mask)
    return rewards.step_code(s, terms)


@entry
def code_of_step(games: States, i: int, terms: Int8Matrix) -> int:
    """`rewards.step_code` of the step that has just been played in game i."""
    return rewards.step_code(games[i], terms)


@entry
def look(
    games: States, i: int, viewer: int, obs: Int8Array, scaled: Float32Array, mask: Int8Array
) -> None:
    """Like `observe_scaled`, and write the mask: zeros unless the viewer is to move."""
    s = games[i]
    encode.observe(s, viewer, obs)
    encode.scale(obs, scaled)
    if s.player == viewer:
        legal.write_mask(s, mask)
    else:
        mask[:] = 0


@entry
def look_at_units(games: States, i: int, viewer: int, obs: Int8Array, mask: Int8Array) -> None:
    """Like `look`, in natural units alone."""
    s = games[i]
    encode.observe(s, viewer, obs)
    if s.player == viewer:
        legal.write_mask(s, mask)
    else:
        mask[:] = 0


@entry
def look_at_all(games: States, i: int, vector: Int8Array, scaled: Float32Array) -> None:
    """Write everything about game i, in natural units and scaled."""
    encode_global.observe_all(games[i], vector)
    encode_global.scale_all(vector, scaled)


@entry
def play_randomly(games: States, i: int, most: int, script: Int8Matrix, mask: Int8Array) -> int:
    """Play up to `most` decisions of game i at random, and return how many were played."""
    s = games[i]
    played = 0
    n = legal.count_legal(s)
    while played < most and n > 0:
        step.advance(s, legal.pick_legal(s, chance.draw_below(s, n)), script)
        legal.write_mask(s, mask)
        played += 1
        n = legal.count_legal(s)
    return played
