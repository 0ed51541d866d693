"""Calls on many games at once, by the same rules as for one; compiled on first use.

Each takes the games from `first` up to `last`, so that threads can share a batch. The
parameters of a deal are those of `engine.options.Table`.
"""

from catan_pz import rewards
from catan_pz.engine import chance, deal, legal
from catan_pz.engine.rule import entry, rule
from catan_pz.engine.turn import is_finished, is_truncated
from catan_pz.observation import encode
from catan_pz.terms import MAX_PLAYERS

ALL_LEGAL = -1


@rule
def show(s, i, observing, players, masks, observations):
    """Write who is to move in game i, the mask and, if wanted, what that player sees."""
    players[i] = s.player
    legal.write_mask(s, masks[i])
    if observing:
        encode.observe(s, int(s.player), observations[i])


@rule
def deal_next(s, i, seeds, layouts, spiral, no_adjacent_red, random_first):
    """Start the game that follows in place i, whose seed is a hash of the last one's."""
    seeds[i] = chance.scramble(seeds[i] + chance.GAMMA)
    deal.deal(s, seeds[i], layouts, spiral, no_adjacent_red, random_first)


@rule
def pay(i, happenings, weights, payments):
    """Weigh what happened in game i into the reward of each seat."""
    for p in range(MAX_PLAYERS):
        reward = 0.0
        for kind in range(weights.shape[0]):
            reward += weights[kind] * happenings[i, p, kind]
        payments[i, p] = reward


@entry
def deal_games(
    games,
    first,
    last,
    blank,
    seeds,
    layouts,
    spiral,
    no_adjacent_red,
    random_first,
    observing,
    players,
    masks,
    observations,
):
    """Start every game from its seed."""
    for i in range(first, last):
        games[i] = blank[0]
        s = games[i]
        deal.deal(s, seeds[i], layouts, spiral, no_adjacent_red, random_first)
        show(s, i, observing, players, masks, observations)


@entry
def deal_finished_games(
    games,
    first,
    last,
    blank,
    seeds,
    layouts,
    spiral,
    no_adjacent_red,
    random_first,
    observing,
    players,
    masks,
    observations,
):
    """Start the next game in every place whose game is finished."""
    for i in range(first, last):
        if is_finished(games[i]):
            games[i] = blank[0]
            s = games[i]
            deal_next(s, i, seeds, layouts, spiral, no_adjacent_red, random_first)
            show(s, i, observing, players, masks, observations)


@entry
def find_illegal(games, first, last, actions, num_actions):
    """The first game whose action is not legal, or ALL_LEGAL."""
    for i in range(first, last):
        a = actions[i]
        if a < 0 or a >= num_actions or not legal.is_legal(games[i], a):
            return i
    return ALL_LEGAL


@entry
def sample_actions(games, first, last, samplers, actions):
    """Draw a legal action for each game, each equally likely; -1 where the game is finished."""
    for i in range(first, last):
        s = games[i]
        samplers[i] += chance.GAMMA
        n = legal.count_legal(s)
        actions[i] = -1
        if n > 0:
            k = chance.number_below(chance.scramble(samplers[i]), n)
            actions[i] = legal.pick_legal(s, k)


@entry
def step_games(
    games,
    first,
    last,
    actions,
    script,
    happenings,
    weights,
    payments,
    done,
    truncated,
    observing,
    players,
    masks,
    observations,
):
    """Play a legal action in every game; return how many are finished."""
    finished = 0
    for i in range(first, last):
        s = games[i]
        rewards.advance_noting(s, actions[i], script, happenings[i])
        pay(i, happenings, weights, payments)
        truncated[i] = is_truncated(s)
        done[i] = is_finished(s)
        if done[i]:
            finished += 1
        show(s, i, observing, players, masks, observations)
    return finished
