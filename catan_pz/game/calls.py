"""The engine's calls from Python on arrays of games, compiled on first use."""

import numpy as np

from catan_pz.engine import chance, course, derive, hands, legal, outcomes, tally
from catan_pz.engine.deal import Deal, deal
from catan_pz.engine.play import COUNTED, TERMS_SHIFT, Log
from catan_pz.engine.play import play as play_step
from catan_pz.engine.state import State, States, seat_after
from catan_pz.engine.trade import begin_composing, may_offer
from catan_pz.engine.turn import end_as_won
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import Float32Array, Int8Array, Int8Matrix, Int16Matrix, Int64Array
from catan_pz.observation import encode, global_state
from catan_pz.terms import Phase


@entry
def deal_game(games: States, i: int, seed: np.uint64, how: Deal, mask: Int8Array) -> None:
    """Deal game i, and write the mask."""
    deal(games, i, seed, how)
    legal.write_mask(games[i], mask)


@entry
def play(  # flat arguments: a tuple from Python takes longer than the rest of the call
    games: States,
    i: int,
    a: int,
    script: Int8Matrix,
    detail: int,
    events: Int16Matrix,
    terms: Int8Matrix,
    mask: Int8Array,
) -> int:
    """Play a step in game i like `engine.play.play`, and write the mask.

    Returns the step's code, with the set of non-zero terms from bit `TERMS_SHIFT` on; terms that
    weren't counted are cleared.
    """
    s = games[i]
    code = play_step(s, a, script, Log(detail, events, terms))
    legal.write_mask(s, mask)
    if code & COUNTED:
        return code | tally.nonzero_terms(terms) << TERMS_SHIFT
    tally.clear_terms(terms)
    return code


@entry
def roll_ahead(games: States, i: int, script: Int8Matrix, rolls: Int8Array) -> None:
    """Write the codes of the next rolls of game i, in turn order."""
    s = games[i]
    for k in range(len(rolls)):
        chance.roll_dice(s, script)
        rolls[k] = 6 * (int(s.dice[0]) - 1) + int(s.dice[1]) - 1
        s.turn_player = seat_after(s, int(s.turn_player), 1)


@entry
def refresh(games: States, i: int, mask: Int8Array) -> None:
    """Make a state from outside playable, and write the mask.

    Recomputes the derived fields, and narrows the bounds on hidden hands as play does.
    """
    s = games[i]
    for o in range(s.num_players):
        hands.tighten(s, o)
    derive.derive(s)
    legal.write_mask(s, mask)


@entry
def violations(games: States, spare: States, i: int) -> int:
    """The rules that game i breaks, as a sum of `Violation` flags except `STALE`.

    `spare[i]` becomes the game with recomputed derived fields.
    """
    spare[i] = games[i]
    derive.derive(spare[i])
    return course.find_violations(games[i])


@entry
def count_outcomes(games: States, i: int, a: int, ways: Int64Array) -> None:
    """Write the number of equally likely draws that give each outcome of an action in game i.

    `ways` is (NUM_OUTCOMES,), zeros without chance.
    """
    s = games[i]
    possible = outcomes.outcomes_of(s, a)
    for code in range(outcomes.NUM_OUTCOMES):
        ways[code] = outcomes.ways_of(s, a, code) if possible >> code & 1 else 0


@kernel
def look_at(s: State, viewer: int, obs: Int8Array, mask: Int8Array) -> None:
    """Write the viewer's observation, and the mask: zeros unless the viewer is to move."""
    encode.observe(s, viewer, obs)
    if s.player == viewer:
        legal.write_mask(s, mask)
    else:
        mask[:] = 0


@entry
def look_at_units(games: States, i: int, viewer: int, obs: Int8Array, mask: Int8Array) -> None:
    """Write the viewer's observation of game i, in natural units, and the mask."""
    look_at(games[i], viewer, obs, mask)


@entry
def look(
    games: States, i: int, viewer: int, obs: Int8Array, scaled: Float32Array, mask: Int8Array
) -> None:
    """Like `look_at_units`, and also write the scaled observation."""
    look_at(games[i], viewer, obs, mask)
    encode.scale(obs, scaled)


@entry
def look_at_all(games: States, i: int, vector: Int8Array, scaled: Float32Array) -> None:
    """Write the full state of game i, in natural units and scaled."""
    global_state.observe_all(games[i], vector)
    global_state.scale_all(vector, scaled)


@entry
def play_randomly(
    games: States, i: int, most: int, script: Int8Matrix, log: Log, mask: Int8Array
) -> int:
    """Play up to `most` random steps of game i, and return the number played."""
    s = games[i]
    played = 0
    n = legal.count_legal(s)
    while played < most and n > 0:
        play_step(s, legal.pick_legal(s, chance.draw_below(s, n)), script, log)
        legal.write_mask(s, mask)
        played += 1
        n = legal.count_legal(s)
    return played


@entry
def find_action(games: States, i: int, a: int) -> int:
    """Find the legal actions of game i; whether `a` is one of them."""
    s = games[i]
    legal.find_legal(s)
    return int(legal.is_legal(s, a))


@entry
def compose_unseen(games: States, i: int) -> int:
    """Whether the player to move may add a card, unseen, to an offer.

    The offer being composed is unchanged.
    """
    s = games[i]
    in_turn = s.phase == Phase.MAIN and may_offer(s)
    answering = s.phase == Phase.ANSWER and s.counter_offers
    allowed = s.offer_composed and (s.phase == Phase.COMPOSE or in_turn or answering)
    if allowed:
        begin_composing(s)
    return int(allowed)


@entry
def end_decision(games: States, i: int, won: int, mask: Int8Array) -> None:
    """End the game for the player in turn if it is won, and write the mask."""
    s = games[i]
    if won:
        end_as_won(s)
    legal.find_legal(s)
    legal.write_mask(s, mask)
