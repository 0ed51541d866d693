"""Calls on many games at once, by the same rules as for one; compiled on first use.

Each takes the games from `first` up to `last`, so that threads can share a batch. The
parameters of a deal are those of `engine.options.Table`.
"""

from catan_pz import rewards
from catan_pz.engine import chance, deal, legal, step
from catan_pz.engine.rule import entry, rule
from catan_pz.engine.seats import places_from
from catan_pz.engine.turn import is_finished, is_truncated
from catan_pz.observation import encode
from catan_pz.terms import MAX_PLAYERS, Phase

ALL_LEGAL = -1


WHERE_FINISHED = 0
EVERYWHERE = 1
FROM_SEEDS = 2
"""Where games are started: the next one in places whose game is finished, the next one
in every place, or in every place the one of its seed."""


@rule
def show(s, i, observing, players, masks, observations):
    """Write who is to move in game i, the mask and, if wanted, what that player sees."""
    players[i] = s.player
    legal.write_mask(s, masks[i])
    if observing:
        encode.observe(s, int(s.player), observations[i])


@rule
def deal_in_place(games, i, blank, where, seeds, layouts, spiral, no_adjacent_red, random_first):
    """Start a game in place i; the seed of the next one there is a hash of the last one's."""
    if where != FROM_SEEDS:
        seeds[i] = chance.scramble(seeds[i] + chance.GAMMA)
    games[i] = blank[0]
    deal.deal(games[i], seeds[i], layouts, spiral, no_adjacent_red, random_first)


@rule
def pay(i, happenings, weights, payments):
    """Weigh what happened in game i into the reward of each seat."""
    for p in range(MAX_PLAYERS):
        reward = 0.0
        for kind in range(weights.shape[0]):
            reward += weights[kind] * happenings[i, p, kind]
        payments[i, p] = reward


@rule
def draw_action(s, i, samplers):
    """A legal action of game i, each equally likely; -1 where it is finished."""
    samplers[i] += chance.GAMMA
    n = legal.count_legal(s)
    if n == 0:
        return -1
    return legal.pick_legal(s, chance.number_below(chance.scramble(samplers[i]), n))


@rule
def pay_learner(i, happenings, weights, seats, gains):
    """Add what the learner of game i gets for what happened."""
    for kind in range(weights.shape[0]):
        n = happenings[i, int(seats[i]), kind]
        if n != 0:
            gains[i] += weights[kind] * n


@rule
def play_and_note(s, i, a, script, noting, happenings):
    """Play a decision in game i and note what happened; return whether anything may pay.

    Where the end alone pays (not `noting`), nothing else is noted.
    """
    if noting:
        rewards.advance_noting(s, a, script, happenings[i])
        return True
    step.advance(s, a, script)
    if s.phase != Phase.OVER:
        return False
    happenings[i, :, :] = 0
    rewards.note_end(s, happenings[i])
    return True


@rule
def play_in_place(s, i, a, script, noting, happenings, weights, seats, gains, done):
    """Play a decision in game i, and add what it pays the learner unless its episode is done."""
    if play_and_note(s, i, a, script, noting, happenings) and not done[i]:
        pay_learner(i, happenings, weights, seats, gains)


@rule
def play_drawn(s, i, drawn, samplers, script, noting, happenings, weights, seats, gains, done):
    """Play on in game i while those are to move whose actions are drawn at random.

    `drawn` is the set of their places, counted clockwise from the learner's seat.
    """
    while not is_finished(s) and (drawn >> places_from(s, int(seats[i]), int(s.player))) & 1 == 1:
        a = draw_action(s, i, samplers)
        play_in_place(s, i, a, script, noting, happenings, weights, seats, gains, done)


@rule
def show_to_seat(s, i, seats, waiting, masks, observations):
    """Write what the player to move sees, or the learner once game i is finished, and the mask.

    Notes whether an opponent is to move.
    """
    viewer = int(s.player)
    if is_finished(s):
        viewer = int(seats[i])
    waiting[i] = viewer != int(seats[i])
    legal.write_mask(s, masks[i])
    encode.observe(s, viewer, observations[i])


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
    where,
    observing,
    players,
    masks,
    observations,
):
    """Start games."""
    for i in range(first, last):
        if where != WHERE_FINISHED or is_finished(games[i]):
            deal_in_place(
                games, i, blank, where, seeds, layouts, spiral, no_adjacent_red, random_first
            )
            show(games[i], i, observing, players, masks, observations)


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
        actions[i] = draw_action(games[i], i, samplers)


@entry
def step_games(
    games,
    first,
    last,
    actions,
    script,
    noting,
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
        payments[i, :] = 0
        if play_and_note(s, i, actions[i], script, noting, happenings):
            pay(i, happenings, weights, payments)
        truncated[i] = is_truncated(s)
        done[i] = is_finished(s)
        if done[i]:
            finished += 1
        show(s, i, observing, players, masks, observations)
    return finished


@entry
def deal_seats(
    games,
    first,
    last,
    blank,
    seeds,
    layouts,
    spiral,
    no_adjacent_red,
    random_first,
    where,
    seat,
    drawn,
    samplers,
    script,
    noting,
    happenings,
    weights,
    seats,
    gains,
    done,
    waiting,
    masks,
    observations,
):
    """Start games for learners and play up to their first decision, as far as others are drawn.

    The learner's seat is drawn if it is negative. The game's seed settles all that is drawn.
    """
    for i in range(first, last):
        if where != WHERE_FINISHED or is_finished(games[i]):
            deal_in_place(
                games, i, blank, where, seeds, layouts, spiral, no_adjacent_red, random_first
            )
            s = games[i]
            samplers[i] = ~seeds[i]
            seats[i] = seat
            if seat < 0:
                seats[i] = chance.number_below(chance.scramble(samplers[i]), int(s.num_players))
            play_drawn(
                s, i, drawn, samplers, script, noting, happenings, weights, seats, gains, done
            )
            show_to_seat(s, i, seats, waiting, masks, observations)


@entry
def play_seats(
    games,
    first,
    last,
    actions,
    drawn,
    samplers,
    script,
    noting,
    happenings,
    weights,
    seats,
    gains,
    done,
    truncated,
    waiting,
    masks,
    observations,
):
    """Play a legal action in every game that waits for one, and the drawn ones that follow.

    Returns how many games have come to their end.
    """
    finished = 0
    for i in range(first, last):
        if waiting[i]:
            s = games[i]
            a = actions[i]
            play_in_place(s, i, a, script, noting, happenings, weights, seats, gains, done)
            play_drawn(
                s, i, drawn, samplers, script, noting, happenings, weights, seats, gains, done
            )
            if is_finished(s):
                finished += 1
                done[i] = True
                truncated[i] = is_truncated(s)
            show_to_seat(s, i, seats, waiting, masks, observations)
    return finished


@entry
def draw_waiting(games, first, last, drawn, seats, waiting, samplers, actions):
    """Draw an action in every game that waits for one of those whose actions are drawn."""
    for i in range(first, last):
        if waiting[i]:
            s = games[i]
            if (drawn >> places_from(s, int(seats[i]), int(s.player))) & 1 == 1:
                actions[i] = draw_action(s, i, samplers)


@entry
def scale_observations(games, first, last, observations, scaled_observations):
    """Scale observations into [0, 1]."""
    for i in range(first, last):
        encode.scale(observations[i], scaled_observations[i])
