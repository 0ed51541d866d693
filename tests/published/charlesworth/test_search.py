"""Forward search: candidates, bounds, returns, draws of what is hidden, and a won position."""

import numpy as np
import pytest

from catan_pz import actions
from catan_pz.agents.hosting import FromBelief
from catan_pz.arena.games import play_game, play_gathered
from catan_pz.arena.schedule import MatchConfig, Schedule
from catan_pz.belief import Belief
from catan_pz.game import position
from catan_pz.game.game import Game
from catan_pz.game.view import view_of
from catan_pz.observation.segments import named_views
from catan_pz.published.charlesworth import choices as ch
from catan_pz.published.charlesworth.agent import CharlesworthAgent
from catan_pz.published.charlesworth.candidates import Node, SearchRun, candidates, shuffled
from catan_pz.published.charlesworth.games import single_actions
from catan_pz.published.charlesworth.search import (
    ForwardOptions,
    ForwardSearch,
    Runs,
    SearchedDecision,
)
from catan_pz.rules import Rules
from tests.helpers import path
from tests.published.charlesworth.models import BOARD, RULES, UNIFORM, made


def nearly_won():
    """Eight points with the longest road; one city, for which the cards are there, wins."""
    winner = {
        "settlements": [19, 10],
        "cities": [4, 21],
        "roads": path(19, 20, 21, 22, 23, 24),
        "hand": {"ore": 3, "grain": 2, "brick": 1, "lumber": 1},
    }
    others = [{"hand": {"wool": 2}}, {"hand": {"ore": 1, "wool": 1}}, {}]
    rules = Rules.make(BOARD, victory_points=9)
    return position([winner, *others], rules=rules, turn=60, seed=1, rolled=True)


def seen_from(game, seat):
    return view_of(game, seat, FromBelief(Belief(seat, game.state), game))


def search_in(game, **options):
    options = ForwardOptions(**{"depth": 3, "wave": 8, "simulations": 24, **options})
    return ForwardSearch(UNIFORM, game.rules, game.player, options, 150.0, 150.0)


def choose(search, view, seed):
    decision = SearchedDecision(search, view, np.random.default_rng(seed))
    runs = Runs(search, decision.room)
    runs.add(decision)
    while not runs.go_on():
        pass
    return decision.best


def test_there_is_a_candidate_of_every_legal_kind():
    game = nearly_won()
    rng = np.random.default_rng(1)
    rows = candidates(UNIFORM, game.observe(0), game.mask, rng, 10)
    assert set(rows[:, 0].tolist()) >= {ch.CITY, ch.ROAD, ch.PROPOSE, ch.END_TURN}
    assert len(rows) == 10 == len(np.unique(rows, axis=0))
    assert (rows[:, 0] == ch.PROPOSE).sum() <= 3
    # Cities come before roads: both places are there.
    assert (rows[:, 0] == ch.CITY).sum() == 2


def test_the_order_of_cards_makes_no_candidate():
    owner = {"settlements": [10], "cards": {"year_of_plenty": 1}, "hand": {"ore": 1, "wool": 2}}
    game = position([owner, {}, {}, {"hand": {"brick": 2, "grain": 2}}], rules=BOARD, turn=40)
    rows = candidates(UNIFORM, game.observe(0), game.mask, np.random.default_rng(1), 30)
    single = single_actions(rows)
    played = single[single != actions.NO_ACTION].tolist()
    assert len(played) == len(set(played))
    assert {185 + k for k in range(15)} & set(played)
    offers = rows[single == actions.NO_ACTION]
    for side in (ch.GIVE, ch.GET):
        offers[:, side].sort(axis=1)
    assert len(np.unique(offers, axis=0)) == len(offers) > 0


def test_running_runs_count_as_visits():
    node = Node(np.zeros((3, ch.NUM_SLOTS), np.int8))
    assert [node.begin(2.0, 1.0) for _ in range(5)] == [0, 1, 2, 0, 1]
    assert node.running.tolist() == [2, 2, 1]
    for chosen, value in ((0, 4.0), (1, 10.0), (2, 4.0)):
        node.end(chosen, value)
    assert node.finished.tolist() == [1, 1, 1]
    assert node.means.tolist() == [4, 10, 4]
    # Three runs have ended: 10 + 2 sqrt(2 ln(3 + 2) / 2) against 4 + 2 sqrt(2 ln(3 + 2)).
    assert node.begin(2.0, 1.0) == 1
    assert node.begin(50.0, 1.0) == 2


@pytest.mark.parametrize("paired", [True, False])
def test_paired_runs_of_candidates_have_the_same_games_and_random_numbers(paired):
    game = nearly_won()
    search = search_in(game, paired=paired)
    decision = SearchedDecision(search, seen_from(game, 0), np.random.default_rng(1))
    count = len(search.last.rows)
    records, firsts = decision.begin(list(range(2 * count)))
    runs = list(decision.under_way.values())
    tried = [run.candidate for run in runs]
    assert tried == [*range(count), *range(count)]
    np.testing.assert_array_equal(firsts, search.last.rows[tried])
    drawn = [(record.tobytes(), run.seed) for record, run in zip(records, runs, strict=True)]
    different = [len(set(part)) for part in (drawn[:count], drawn[count:], drawn)]
    assert different == ([1, 1, 2] if paired else [count, count, 2 * count])


def test_a_margin_asks_for_what_is_clearly_better_than_the_policys_choice():
    node = Node(np.zeros((3, ch.NUM_SLOTS), np.int8))
    for candidate, values in ((0, [1.0, 3.0]), (1, [2.0, 6.0]), (2, [8.0, 4.0])):
        for value in values:
            node.begin(2.0, 1.0)
            node.end(candidate, value)
    # Means 2, 4, 6; the variance within candidates is (2 + 8 + 8) / 3, a standard error sqrt(6).
    assert node.better_than_first(0.0) == 2
    assert node.better_than_first(4 / 6**0.5 - 0.01) == 2
    assert node.better_than_first(4 / 6**0.5 + 0.01) == 0
    once = Node(np.zeros((2, ch.NUM_SLOTS), np.int8))
    once.end(0, 1.0)
    once.end(1, 9.0)
    assert once.better_than_first(0.0) == 0  # nothing tells how much runs differ


def test_a_run_is_worth_what_the_formula_says():
    """The first reward and the discounted lambda-return of the rest; the last value is known."""
    gamma, lamb = 0.5, 0.25
    from_second = 10 + (2 + gamma * 20 - 10) + gamma * lamb * (4 + gamma * 40 - 20)
    for rewards, values, ended, expected in (
        ([1.0, 2.0, 4.0, 0.0], [10.0, 20.0, 40.0], False, 1 + gamma * from_second),
        ([1.0, 502.0], [10.0], True, 1 + gamma * 502),
        ([505.0], [], True, 505),
        ([3.0, 0.0], [40.0], False, 3 + gamma * 40),
    ):
        run = SearchRun(0, rewards=rewards, values=values, ended=ended)
        assert run.worth(gamma, lamb) == pytest.approx(expected)


@pytest.mark.parametrize("turns", [41, 46])
def test_truncation_is_no_end_worth_nothing(turns):
    """The critic says 150 everywhere, and hardly anything is won in so few turns."""
    rules = Rules.make(BOARD, max_turns=turns)
    owner = {"settlements": [10], "roads": [7], "hand": {"brick": 1, "lumber": 1}}
    game = position([owner, {}, {}, {}], rules=rules, turn=40, rolled=True)
    search = search_in(game, depth=15)
    choose(search, seen_from(game, 0), 0)
    assert search.last.running.sum() == 0
    assert search.last.means == pytest.approx(150, abs=15)


@pytest.mark.parametrize("options", [{}, {"uncertainty": "shuffled"}])
def test_the_winning_move_is_found(options):
    """The policy alone, which is uniform, seldom makes it; search always does."""
    game = nearly_won()
    search, view = search_in(game, **options), seen_from(game, 0)
    found = [choose(search, view, seed) for seed in range(3)]
    assert {int(row[0]) for row in found} == {ch.CITY}
    assert search.last.running.sum() == 0
    assert search.last.finished.sum() == 24


@pytest.mark.parametrize(("room", "options"), [(40, {}), (8, {"uncertainty": "shuffled"})])
def test_decisions_searched_together_are_searched_as_alone(options, room):
    """Runs of several decisions share a batch; in a small one decisions wait."""
    game = nearly_won()
    view = seen_from(game, 0)
    alone, together = [search_in(game, **options) for _ in range(3)], []
    chosen = [choose(search, view, seed) for seed, search in enumerate(alone)]
    runs = Runs(alone[0], room)
    for seed in range(3):
        search, rng = search_in(game, **options), np.random.default_rng(seed)
        together.append(SearchedDecision(search, view, rng))
        runs.add(together[-1])
        if seed == 1:  # the last one comes later
            runs.go_on()
    while sum(len(decision.under_way) + decision.room for decision in together):
        runs.go_on()
    assert runs.go_on() == []
    for decision, search, row in zip(together, alone, chosen, strict=True):
        np.testing.assert_array_equal(decision.best, row)
        np.testing.assert_array_equal(decision.search.last.finished, search.last.finished)
        np.testing.assert_allclose(decision.search.last.total, search.last.total)


def test_the_source_draws_hands_within_the_bounds():
    game = Game("charlesworth", seed=4)
    belief = Belief(1, game.state)
    game.listeners.append(belief.listen)
    rng = np.random.default_rng(2)
    hands, cards = set(), set()
    for step in range(800):
        game.step(int(rng.choice(game.legal_actions())))
        if game.is_over:
            break
        if step % 40 or game.phase.name == "COMPOSE":
            continue
        view = view_of(game, 1, FromBelief(belief, game))
        drawn = shuffled(view, 1, game.rules, rng)
        np.testing.assert_array_equal(drawn.observe(1), view.observation)
        held, before = drawn.games["hand"][0], named_views(view.observation)
        assert (np.roll(held, -1, axis=0) >= before["hand_min"]).all()
        assert (np.roll(held, -1, axis=0) <= before["hand_max"]).all()
        hands.add(held.tobytes())
        cards.add(drawn.games["cards"][0].tobytes())
    assert min(len(hands), len(cards)) > 3


@pytest.mark.parametrize("search", [{}, {"simulations": 1}])
def test_in_gathered_games_it_plays_as_alone(search):
    """Random weights decide by margins that rounding doesn't reach."""
    agents = [CharlesworthAgent(made(), depth=1, wave=2, candidates=3, **search)]
    agents += [CharlesworthAgent(made(seed=2))]
    config = MatchConfig(("searcher", "bare"), Rules.make(RULES, max_turns=2), 9)
    scheduled = list(Schedule(((0, 1, 1, 1),), 2).games())
    single = [one for game in scheduled for one in play_game(config, game, agents)]
    together = sorted(play_gathered(config, scheduled, agents), key=lambda game: game.number)
    assert together == single
    assert {game.end for game in together} == {"truncated"}
