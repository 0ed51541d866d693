"""Which offers the player by the value makes, in which order, and to whom."""

from itertools import product

import numpy as np
import pytest

from catan_pz.actions import ACCEPT, COMPOSE_SEND, END_TURN, OFFER, REJECT, WITHDRAW
from catan_pz.agents import load
from catan_pz.agents.hosting import FromBelief
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.agents.value.agent import ValueAgent
from catan_pz.agents.value.choice import Judge
from catan_pz.agents.value.exchanges import NUM_TERMS, first_to_try, weigh
from catan_pz.agents.value.network import shipped, workspace
from catan_pz.agents.value.trader import Trader, all_offers
from catan_pz.engine.state import as_games
from catan_pz.game.game import Game
from catan_pz.game.view import view_of
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS, NUM_RESOURCES, Phase
from tests.agents.search.play import in_the_middle, seen

BOTH = Rules(offer_form="both", max_offers_per_turn=12)


def weighed(game: Game) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """All offers with their chances (K, P) and values (K, P), and the value as things are."""
    swaps, _ = all_offers()
    chances, values = np.zeros((2, len(swaps), MAX_PLAYERS))
    types, posterior = np.zeros((1, NUM_TERMS)), np.ones((MAX_PLAYERS, 1))
    types[0, 0] = 1.0
    refused = np.zeros((len(swaps), MAX_PLAYERS), np.int8)
    work = workspace(shipped(4).weights, game.rules.num_actions)
    args = (game.player, swaps, refused, types, posterior, work, np.zeros(NUM_TERMS))
    now = weigh(as_games(game.games), *args, chances, values)
    return swaps, chances, values / np.maximum(chances, 1e-9), now


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_exchanges_are_judged_as_the_positions_after_them(seed: int) -> None:
    """Only what a hand changes is computed anew; who is likeliest to win must not gain more."""
    game, _ = in_the_middle(BOTH, seed, 300)
    p, judge = game.player, Judge(BOTH, shipped(4))
    before = judge.win_probabilities(game.games, p)
    swaps, chances, values, now = weighed(game)
    assert now == pytest.approx(before[p], rel=1e-5)
    leader, compared = max((q for q in range(4) if q != p), key=lambda q: before[q]), 0
    rng = np.random.default_rng(seed)
    fits = ((game.state["hand"][p] + swaps) >= 0).all(1)
    for k, q in product(rng.permutation(np.flatnonzero(fits))[:200], {0, 1, 2, 3} - {p}):
        hands = game.state["hand"].astype(int)
        hands[p] += swaps[k]
        hands[q] -= swaps[k]
        if (hands[q] < 0).any():
            continue
        after = game.games.copy()
        after["hand"][0] = hands
        after["hand_size"][0, [p, q]] += np.array([1, -1], np.int8) * swaps[k].sum()
        found = judge.win_probabilities(after, p)
        gain, of_leader = found[p] - before[p], found[leader] - before[leader]
        if min(abs(gain), abs(gain - of_leader)) > 1e-5:
            compared += 1
            assert (chances[k, q] > 0) == (gain > 0 and of_leader <= gain)
            if chances[k, q] > 0:
                assert values[k, q] == pytest.approx(found[p], rel=1e-4)
    assert compared > 5


def test_an_exchange_that_helps_the_leader_more_is_worth_less_than_none() -> None:
    judge, kept, game = Judge(BOTH, shipped(4)), 0, Game(BOTH, seed=1)
    table = Table(game, ["heuristic"] * 4, seat_seeds(1, 4))
    while not game.is_over:
        if game.phase == Phase.ANSWER and game.mask[ACCEPT]:
            p, maker = game.player, game.turn_player
            swap = game.state["offer_give"][maker] - game.state["offer_get"][maker]
            after = game.games.copy()
            after["hand"][0, [p, maker]] += np.array([swap, -swap])
            after["hand_size"][0, [p, maker]] += np.array([1, -1], np.int8) * swap.sum()
            before, found = (judge.win_probabilities(games, p) for games in (game.games, after))
            leader = max({0, 1, 2, 3} - {p}, key=lambda q: before[q])
            helps = found[leader] - before[leader] > found[p] - before[p]
            accepted, rejected = judge.worths(game.games, np.array([ACCEPT, REJECT]), 1)
            assert (accepted < rejected) if helps else accepted == pytest.approx(found[p], rel=1e-5)
            kept += helps and found[p] > before[p]
        table.step()
    assert kept > 0


@pytest.mark.parametrize("tries", [1, 2, 4])
def test_the_first_offer_is_that_of_the_best_order(tries: int) -> None:
    rng = np.random.default_rng(tries)
    chances, values = rng.random(5), np.sort(rng.random(5))[::-1].copy()
    found = {}
    for order in product(range(-1, 5), repeat=tries):
        worth = 0.3
        for k in reversed([k for k in order if k >= 0]):
            worth = chances[k] * values[k] + (1 - chances[k]) * worth
        if len({k for k in order if k >= 0}) == sum(k >= 0 for k in order):
            found[order] = worth
    best = np.zeros(tries + 1)
    first = first_to_try(chances, values, 0.3, tries, best)
    assert best[tries] == pytest.approx(max(found.values()))
    assert first in {
        next(k for k in order if k >= 0)
        for order, worth in found.items()
        if worth == pytest.approx(best[tries])
    }


def refusing(game: Game, agent: ValueAgent) -> list[np.ndarray]:
    """What the agent offers in a turn in which all refuse."""
    made = []
    while game.phase in (Phase.MAIN, Phase.COMPOSE, Phase.ANSWER):
        if game.phase == Phase.ANSWER:
            game.step(REJECT)
            continue
        action = agent.act(seen(game))
        if action == END_TURN:
            break
        assert action != WITHDRAW
        game.step(action)
        if game.phase == Phase.ANSWER:
            p, state = game.turn_player, game.state
            made.append(state["offer_get"][p].astype(int) - state["offer_give"][p])
    return made


def test_what_was_refused_is_not_asked_again_nor_for_less() -> None:
    made = []
    for seed in range(12):
        game, _ = in_the_middle(BOTH, seed, 200)
        if game.phase == Phase.MAIN:
            agent = ValueAgent()
            agent.reset(game.player, BOTH, 1)
            made.append(refusing(game, agent))
    assert max(map(len, made)) > 3
    for offers in made:
        for k, offer in enumerate(offers):
            assert not any((offer >= before).all() for before in offers[:k])


def test_offers_and_answers_follow_from_what_the_seat_may_know() -> None:
    """In a game with other hidden cards that looks the same, the same is done."""
    game, compared = Game(BOTH, seed=5), 0
    with Table(game, ["value", *["heuristic"] * 3], seat_seeds(5, 4)) as table:
        while game.turn < 24:
            view = table.view(0)
            if game.player == 0 and game.phase in (Phase.MAIN, Phase.ANSWER):
                other = view.resample(np.random.default_rng(compared))
                hidden = FromBelief(view._resampler._belief, other)
                chosen = []
                for seen_as in (view, view_of(other, 0, hidden)):
                    agent = ValueAgent()
                    agent.reset(0, BOTH, 3)
                    chosen.append(agent.act(seen_as))
                assert chosen[0] == chosen[1]
                compared += OFFER <= chosen[0] <= COMPOSE_SEND
            table.step()
    assert compared > 5


class Listening(Trader):
    """Notes how likely it took answers to be, and how they came."""

    def heard(self, terms: np.ndarray, agreed: bool) -> None:
        q = self.acceptance.prior @ self.acceptance.chances(terms)
        self.noted.append((q, agreed))


@pytest.mark.parametrize("games", [6, pytest.param(60, marks=pytest.mark.slow)])
def test_answers_come_about_as_often_as_foreseen(games: int) -> None:
    """In games that the models weren't fitted to."""
    noted: list[tuple[float, bool]] = []
    for seed in range(900, 900 + games):
        agent, game = load("value"), Game(seed=seed)
        with Table(game, [agent, *["heuristic"] * 3], seat_seeds(seed, 4)) as table:
            seated = table._seated[0].agent
            seated._trader = Listening(0, game.rules, shipped(4))
            seated._trader.noted = noted
            table.play()
    foreseen, agreed = np.array(noted).T
    assert len(noted) > 50 * games
    assert abs(foreseen.mean() - agreed.mean()) < 0.1
    likely = foreseen > np.median(foreseen)
    assert agreed[likely].mean() > 2 * agreed[~likely].mean()


def test_swaps_are_all_offers_of_up_to_four_cards_a_side() -> None:
    swaps, templates = all_offers()
    assert swaps.shape == (4000, NUM_RESOURCES)
    assert sorted(templates[templates >= 0]) == list(range(120))
