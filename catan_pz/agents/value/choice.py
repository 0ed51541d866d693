"""The values of actions, as compiled rules.

The first of `games` is the position. The worth of an action is the mover's value after it: for a
purchase the mean over the cards of the deck, for a theft over those of the victim's hand. Trades
with others count as done.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from catan_pz import actions
from catan_pz.agents.heuristic.choose import evolved_action, heuristic_action
from catan_pz.agents.random import EVOLVED, VALUE
from catan_pz.agents.value.network import (
    ValueNet,
    Workspace,
    clear_base,
    leader_but,
    set_base,
    workspace,
    write_values,
)
from catan_pz.engine import bits
from catan_pz.engine.hands import move_cards
from catan_pz.engine.legal import count_legal, pick_legal, write_mask
from catan_pz.engine.outcomes import NUM_OUTCOMES, outcomes_of, ways_of
from catan_pz.engine.play import step
from catan_pz.engine.state import State, States, as_games, seat_after
from catan_pz.engine.trade import ACCEPTED
from catan_pz.engine.turn import is_setup
from catan_pz.kernels.rule import entry, kernel
from catan_pz.kernels.types import Float64Array, Float64Matrix, Int64Array
from catan_pz.observation.encode import observe
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS, NUM_RESOURCES, Phase

MARGIN = 0.02
"""Gain in win probability by which an action replaces the evolved player's choice."""

TEMPERATURE = 0.02
"""Win probability that multiplies an action's probability by e."""


@kernel
def value_of(s: State, viewer: int, w: Workspace) -> float:
    """The viewer's win probability."""
    write_values(s, viewer, w)
    return w.values[viewer]


@kernel
def worth_over_chance(games: States, a: int, codes: int, w: Workspace) -> float:
    """The worth of an action with outcomes of chance: the mean over them."""
    s, p = w.spare[0], int(games[0].player)
    total, ways = 0.0, 0
    while codes != 0:
        code = bits.first(codes)
        codes &= codes - 1
        count = ways_of(games[0], a, code)
        w.spare[0] = games[0]
        s.outcome = code
        step(s, a, w.script)
        total += count * value_of(s, p, w)
        ways += count
    return total / ways


@kernel
def write_traded(games: States, maker: int, q: int, w: Workspace) -> None:
    """Write each seat's win probability after q has taken the maker's offer."""
    w.spare[0] = games[0]
    s = w.spare[0]
    for r in range(NUM_RESOURCES):
        traded = int(s.offer_get[maker, r]) - int(s.offer_give[maker, r])
        move_cards(s, q, maker, r, traded)
    write_values(s, int(games[0].player), w)


@kernel
def worth_of_answer(games: States, a: int, w: Workspace) -> float:
    """The worth of an answer, or of closing with somebody, to the seat to move.

    Rejecting and withdrawing have the position's value. An exchange that helps the most probable
    winner among the others more than the seat itself is worth less than that.
    """
    s = games[0]
    p = int(s.player)
    write_values(s, p, w)
    now, leader = w.values[p], leader_but(p, int(s.num_players), w.values)
    of_leader = w.values[leader]
    if a == actions.ACCEPT:
        write_traded(games, int(s.turn_player), p, w)
    elif actions.CLOSE_WITH <= a < actions.CLOSE_WITH + int(s.num_players) - 1:
        q = seat_after(s, p, a - actions.CLOSE_WITH + 1)
        if s.answer[q] == ACCEPTED:
            write_traded(games, p, q, w)
        else:
            write_traded(games, q, p, w)
    gain = w.values[leader] - of_leader
    return w.values[p] if gain <= w.values[p] - now else min(w.values[p], now - gain)


@kernel
def choice_by_view(s: State, is_evolved: bool, random_bits: np.uint64, w: Workspace) -> int:
    """The action of the evolved or the heuristic player in the seat to move."""
    observe(s, int(s.player), w.obs)
    write_mask(s, w.mask)
    if is_evolved:
        return evolved_action(w.obs, w.mask, random_bits)
    return heuristic_action(w.obs, w.mask, random_bits)


@kernel
def worth_of_action(games: States, a: int, random_bits: np.uint64, w: Workspace) -> float:
    """The win probability of the seat to move after an action.

    A roll has the position's value, a placement the value at the end of the set-up.
    """
    s, p = w.spare[0], int(games[0].player)
    if a >= actions.OFFER:
        return worth_of_answer(games, a, w)
    if a == actions.ROLL:
        return value_of(games[0], p, w)
    codes = outcomes_of(games[0], a)
    if codes != 0:
        return worth_over_chance(games, a, codes, w)
    w.spare[0] = games[0]
    step(s, a, w.script)
    while is_setup(s):  # p continues as the evolved player, the others as the heuristic one
        step(s, choice_by_view(s, s.player == p, random_bits, w), w.script)
    return value_of(s, p, w)


@kernel
def is_certain(s: State, a: int) -> bool:
    """Whether an action of a turn leads to one position, in which the same seat continues."""
    return a != actions.END_TURN and a < actions.OFFER and outcomes_of(s, a) == 0


@kernel
def worth_of(games: States, a: int, with_next: bool, random_bits: np.uint64, w: Workspace) -> float:
    """The worth of an action; `with_next`: with the turn's best second one if that is more."""
    worth, p = worth_of_action(games, a, random_bits, w), int(games[0].player)
    if not with_next or games[0].phase != Phase.MAIN or not is_certain(games[0], a):
        return worth
    w.spare[1] = w.spare[0]  # the position after the action
    after, s = w.spare[1], w.spare[0]
    if after.phase != Phase.MAIN:
        return worth
    for k in range(count_legal(after)):
        following = pick_legal(after, k)
        if is_certain(after, following):
            w.spare[0] = w.spare[1]
            step(s, following, w.script)
            worth = max(worth, value_of(s, p, w))
    return worth


@kernel
def value_action(
    games: States, margin: float, with_next: bool, random_bits: np.uint64, w: Workspace
) -> int:
    """The action of `ValueAgent` given the true state; the evolved player trades with others.

    `with_next` counts a second action of the turn, as the agent does.
    """
    s = games[0]
    chosen = choice_by_view(s, True, random_bits, w)
    if chosen >= actions.OFFER:
        return chosen
    if is_setup(s):
        margin = 0.0
    set_base(s, int(s.player), w)
    best, most, of_chosen = chosen, -1.0, 0.0
    for k in range(count_legal(s)):
        a = pick_legal(s, k)
        if a < actions.OFFER:
            worth = worth_of(games, a, with_next, random_bits, w)
            if a == chosen:
                of_chosen = worth
            if worth > most:
                best, most = a, worth
    clear_base(w)
    return best if most - of_chosen > margin else chosen


@kernel
def policy_action(
    games: States,
    policy: int,
    margin: float,
    with_next: bool,
    random_bits: np.uint64,
    w: Workspace,
) -> int:
    """The action of "heuristic", "evolved" or "value"; margin and `with_next` are for the last."""
    if policy == VALUE:
        return value_action(games, margin, with_next, random_bits, w)
    return choice_by_view(games[0], policy == EVOLVED, random_bits, w)


@entry
def judge(
    games: States,
    judged: Int64Array,
    with_next: bool,
    seed: np.uint64,
    w: Workspace,
    worths: Float64Array,
) -> None:
    """Sum the mover's worths (K,) of actions (K,) over games (D,)."""
    for i in range(games.shape[0]):
        set_base(games[i], int(games[i].player), w)
        for k in range(judged.shape[0]):
            worths[k] += worth_of(games[i : i + 1], judged[k], with_next, seed, w)
        clear_base(w)


@entry
def estimate(games: States, viewer: int, w: Workspace, totals: Float64Array) -> None:
    """Sum each seat's win probability (P,), by the viewer's knowledge, over games (D,)."""
    for i in range(games.shape[0]):
        write_values(games[i], viewer, w)
        for p in range(totals.shape[0]):
            totals[p] += w.values[p]


@entry
def weigh_outcomes(  # wide: the outputs are the parts of `ActionOutcomes`
    games: States,
    a: int,
    viewer: int,
    random_bits: np.uint64,
    w: Workspace,
    chances: Float64Array,
    values: Float64Matrix,
    cards: Float64Matrix,
) -> None:
    """Sum the outcomes of an action over games (D,); `ActionOutcomes` has the means."""
    s = w.spare[0]
    for i in range(games.shape[0]):
        codes = 0 if a < 0 else outcomes_of(games[i], a)
        certain, total, rest = codes == 0, 0, codes
        set_base(games[i], viewer, w)
        while rest != 0:
            total += ways_of(games[i], a, bits.first(rest))
            rest &= rest - 1
        if certain:
            codes = 1  # only code 0
        while codes != 0:
            code, chance = bits.first(codes), 1.0
            codes &= codes - 1
            w.spare[0] = games[i]
            if not certain:
                chance = ways_of(games[i], a, code) / total
                s.outcome = code
            if a >= 0:
                step(s, a, w.script)
            while is_setup(s):
                step(s, choice_by_view(s, True, random_bits, w), w.script)
            write_values(s, viewer, w)
            chances[code] += chance
            for p in range(s.num_players):
                values[code, p] += chance * w.values[p]
                cards[code, p] += chance * (int(s.hand_size[p]) - int(games[i].hand_size[p]))
    clear_base(w)


class ActionOutcomes(NamedTuple):
    """The outcomes of an action by chance code; without chance only code 0."""

    chances: NDArray[np.float64]  # (C,)
    values: NDArray[np.float64]  # (C, P) each seat's win probability after each outcome
    cards: NDArray[np.float64]  # (C, P) change of resource cards in each hand


class Judge:
    """Estimates win probabilities with a network, for games with the same rules."""

    def __init__(self, rules: Rules, net: ValueNet) -> None:
        self._seats, self._work = rules.num_players, workspace(net.weights, rules.num_actions)

    def worths(
        self, games: np.ndarray, actions: NDArray[np.int64], seed: int, *, with_next: bool = False
    ) -> NDArray[np.float64]:
        """(K,) worths of actions (K,) to the seat to move, means over games (D,).

        Actions that make an offer have the position's value. The seed is for the players that
        complete the set-up. `with_next` includes the best second action, if that is more.
        """
        totals = np.zeros(len(actions))
        judge(as_games(games), actions, with_next, np.uint64(seed), self._work, totals)
        return totals / len(games)

    def win_probabilities(self, games: np.ndarray, viewer: int) -> NDArray[np.float64]:
        """(P,) win probabilities by the viewer's knowledge, means over games (D,)."""
        totals = np.zeros(self._seats)
        estimate(as_games(games), viewer, self._work, totals)
        return totals / len(games)

    def outcomes(
        self, games: np.ndarray, action: int, viewer: int, seed: int = 0
    ) -> ActionOutcomes:
        """The outcomes of an action by the viewer's knowledge, means over games (D,).

        `NO_ACTION` keeps the position itself. The set-up is first completed by the evolved player,
        with random bits from the seed.
        """
        chances = np.zeros(NUM_OUTCOMES)
        values, cards = np.zeros((2, NUM_OUTCOMES, MAX_PLAYERS))
        weigh_outcomes(
            as_games(games), action, viewer, np.uint64(seed), self._work, chances, values, cards
        )
        found = np.maximum(chances, 1e-12)[:, None]
        return ActionOutcomes(
            chances / len(games), values[:, : self._seats] / found, cards[:, : self._seats] / found
        )
