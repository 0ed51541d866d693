"""Rollouts: games continued from a position by a fast player, as compiled rules.

All chance comes from one seed, which reseeds the random generator at each roll. So the same turn
has the same dice whatever was stolen before, and results of different actions are comparable.
"""

from typing import NamedTuple

import numpy as np

from catan_pz.actions import ROLL
from catan_pz.agents.random import EVOLVED, HEURISTIC, RANDOM, VALUE
from catan_pz.agents.value.choice import MARGIN, policy_action
from catan_pz.agents.value.network import Workspace, write_values
from catan_pz.engine.chance import GAMMA, number_below, scramble, shuffle_rest_of_deck
from catan_pz.engine.legal import count_legal, pick_legal
from catan_pz.engine.play import step
from catan_pz.engine.state import State, States
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Int8Matrix
from catan_pz.terms import Phase

PLAYERS = {
    "random": RANDOM,
    "heuristic": HEURISTIC,
    "evolved": EVOLVED,
    "value": VALUE,
}
"""Rollout players by name."""

DELAY = 1e-4
"""Win probability that a turn costs, so that the faster of two wins is chosen."""

MOST_OFFERS = 1
"""Most offers per turn in rollouts: more take time and didn't measurably win more.

The heuristic player, which distinguishes its offers by the number left, then offers two cards for
one, its last of three offers.
"""

_PLAYERS_SALT = np.uint64(0x5851F42D4C957F2D)


class Rollout(NamedTuple):
    """The player of simulations, a number of `PLAYERS`, and the number of turns."""

    player: int
    turns: int


@kernel
def begin_simulation(s: State, seed: np.uint64) -> None:
    """Redraw future chance: the order of the deck and all later randomness."""
    s.rng = scramble(seed)
    shuffle_rest_of_deck(s)


@kernel
def play_decision(s: State, a: int, seed: np.uint64, script: Int8Matrix) -> None:
    """Play a decision; each roll reseeds the random generator."""
    if a == ROLL:
        s.rng = scramble(seed + GAMMA * np.uint64(s.turn + 1))
    step(s, a, script)


@kernel
def play_forced(s: State, seed: np.uint64, script: Int8Matrix) -> int:
    """Play forced decisions; return the number of legal actions of the next one, 0 at the end."""
    n = count_legal(s)
    while n == 1:
        play_decision(s, pick_legal(s, 0), seed, script)
        n = count_legal(s)
    return n


@kernel
def choose(games: States, policy: int, random_bits: np.uint64, w: Workspace) -> int:
    """The action of a rollout player, if there is a choice."""
    if policy == RANDOM:
        return pick_legal(games[0], number_below(random_bits, count_legal(games[0])))
    return policy_action(games, policy, MARGIN, False, random_bits, w)


@kernel
def play_on(games: States, policy: int, seed: np.uint64, last_turn: int, w: Workspace) -> None:
    """Play until a turn begins, no earlier than `last_turn`, or the game is finished."""
    s = games[0]
    s.max_offers = min(s.max_offers, MOST_OFFERS)
    rng_state = scramble(seed ^ _PLAYERS_SALT)
    n = count_legal(s)
    while n > 0 and not (s.turn >= last_turn and s.phase == Phase.ROLL and not s.card_played):
        if n == 1:
            a = pick_legal(s, 0)
        else:
            rng_state += GAMMA
            a = choose(games, policy, scramble(rng_state), w)
        play_decision(s, a, seed, w.script)
        n = count_legal(s)


@kernel
def write_win_probabilities(s: State, viewer: int, since: int, w: Workspace) -> None:
    """Write each seat's win probability: the result of a finished game, else the value.

    Each turn between turn `since` and the end reduces the winner's by `DELAY`.
    """
    write_values(s, viewer, w)
    if s.phase == Phase.OVER:
        w.values[int(s.winner)] -= DELAY * min(1000, int(s.turn) - since)


@kernel
def play_and_judge(
    games: States, viewer: int, since: int, seed: np.uint64, rollout: Rollout, w: Workspace
) -> None:
    """Continue the first game for some turns since one, and write each seat's win probability."""
    play_on(games, rollout.player, seed, since + rollout.turns, w)
    write_win_probabilities(games[0], viewer, since, w)
