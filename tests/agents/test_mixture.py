import numpy as np
import pytest

from catan_pz import Agent, Game, RandomAgent, Rules, View
from catan_pz.agents.base import BatchAgent, Views
from catan_pz.agents.mixture import Mixture
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.observation.segments import SIZE
from catan_pz.testing import check_batch_agent

QUICK = {"trading": False, "max_turns": 12, "victory_points": 3}


class Place(BatchAgent):
    """Plays the legal action at a place among them; the last one for -1."""

    def __init__(self, place):
        self.place = place

    def act_batch(self, views):
        return np.array([row.nonzero()[0][min(self.place, row.sum() - 1)] for row in views.masks])


LOWEST, HIGHEST = Place(0), Place(-1)


class First(Agent):
    def act(self, view):
        return int(view.mask.argmax())


def test_members_are_drawn_by_weight_and_by_seed_alone():
    mixture = Mixture(["random", LOWEST, HIGHEST], [1, 0, 3])
    seeds = np.arange(20_000, dtype=np.uint64)
    drawn = mixture.members_of(seeds)
    shares = np.bincount(drawn, minlength=3) / len(seeds)
    assert shares == pytest.approx([0.25, 0, 0.75], abs=0.02)
    assert (mixture.members_of(seeds[::-1]) == drawn[::-1]).all()


def test_one_member_plays_a_seat_to_the_end_of_the_game():
    mixture = Mixture([LOWEST, HIGHEST])
    view = View(np.zeros(SIZE, np.int8), np.zeros(389, np.int8))
    view.mask[[3, 30, 300]] = 1
    played = []
    for seed in range(8):
        mixture.reset(0, Rules(), seed)
        choices = {mixture.act(view) for _ in range(5)}
        assert choices == {(3, 300)[mixture.members_of(np.array([seed], np.uint64))[0]]}
        played += choices
    assert {3, 300} == set(played)


def test_a_mixture_within_a_mixture_samples_independently():
    inner = Mixture([Place(1), Place(2)], [1, 3])
    mixture = Mixture([Mixture([LOWEST, inner]), HIGHEST])
    count = 4000
    seeds = np.arange(count, dtype=np.uint64)
    masks = np.zeros((count, 389), np.int8)
    masks[:, [3, 30, 100, 200, 300]] = 1
    observations = np.zeros((count, SIZE), np.int8)
    chosen = mixture.act_batch(Views(observations, masks, seeds, seeds))
    shares = [(chosen == action).mean() for action in (3, 30, 100, 300)]
    assert shares == pytest.approx([1 / 4, 1 / 16, 3 / 16, 1 / 2], abs=0.02)
    for seed in range(50):
        mixture.reset(0, Rules(), seed)
        assert mixture.act(View(observations[0], masks[0])) == chosen[seed]
    mixed = Mixture([Mixture(["random", Mixture(["random", LOWEST])]), HIGHEST])
    check_batch_agent(mixed, decisions=30, trading=False)


class Alternating(Agent):
    ended = 0

    def reset(self, seat, rules, seed):
        super().reset(seat, rules, seed)
        self.count = 0

    def act(self, view):
        self.count += 1
        return int(view.mask.nonzero()[0][0 if self.count % 2 else -1])

    def end(self, result):
        Alternating.ended += 1


@pytest.mark.parametrize("members", [[RandomAgent(), LOWEST, HIGHEST], [Alternating(), HIGHEST]])
def test_games_of_a_batch_are_those_at_a_table(members):
    """Of members that keep something of a game, too."""
    mixture = Mixture(members)
    assert mixture.stateless != isinstance(members[0], Alternating)
    batch = SingleLearnerBatch(6, seed=3, opponents=mixture, seat=2, **QUICK)
    seeds = [int(seed) for seed in batch.seeds]
    ended = 0
    for _ in range(90):
        batch.step(batch.mask.argmax(axis=1))
        for i in batch.done.nonzero()[0]:
            game = Game(batch.rules, seed=seeds[i])
            agents = [mixture, mixture, First(), mixture]
            winner = Table(game, agents, seat_seeds(seeds[i], 4)).play()
            assert batch.ends["won"][i] == (winner == 2)
            assert (batch.final_observation[i] == game.observe(2)).all()
            seeds[i] = int(batch.seeds[i])
            ended += 1
    assert ended > 4
    assert mixture.stateless or Alternating.ended > ended


@pytest.mark.parametrize("weights", [[0], [-1], [float("nan")], [1, 1]])
def test_impossible_weights_are_named(weights):
    with pytest.raises(ValueError, match="weights must be"):
        Mixture(["random"], weights)


class Accountable(First):
    def report(self):
        return {"questions": 5.0}


def test_a_mixture_reports_what_its_member_reports():
    """Also where it is within another one."""
    mixture = Mixture([Mixture([Accountable()])])
    mixture.reset(0, Rules(), 1)
    assert mixture.report() == {"questions": 5.0}


def test_a_member_that_cannot_play_the_rules_is_named_before_the_first_game():
    mixed = Mixture(["random", "ppo-2p"], [1, 0])  # even one that is never drawn
    mixed.check_rules(Rules.make("one_v_one", trading=False))
    with pytest.raises(ValueError, match="'ppo-2p' plays games of 2 players"):
        mixed.reset(0, Rules.make(trading=False), 1)
