"""One-step A2C with a cross-dimensional network: targets, opponents, learning, resuming."""

from dataclasses import replace

import numpy as np
import pytest

from catan_pz import actions, encoders
from catan_pz.published.gendre import choices as c
from catan_pz.training.checkpoints import Checkpoints

PROGRAM = "published/gendre"


TINY = {"layers": 1, "planes": 2, "scalars": 3, "groups": 3, "group_size": 2}


def learner(program, **options):
    return program.Learner(program.Args(**TINY | options))


def test_targets_are_values_of_the_next_own_decision_and_rewards_at_the_end(program):
    """Values are asked for anew, game by game; games to three points end soon."""

    class Short(program.Args):
        def make_rules(self):
            return replace(super().make_rules(), victory_points=3)

    one = program.Learner(Short(**TINY, gamma=0.5, batch_size=10_000))
    begin, finish = one.transitions.begin, one.transitions.finish
    under_way, complete, rewards = {}, [], []

    def spy_begin(games, **decided):
        assert under_way.keys().isdisjoint(games)
        under_way.update(zip(games, decided["choice"], strict=True))
        begin(games, **decided)

    def spy_finish(games, targets):
        if one.batch.done[games].all():
            expected = one.batch.reward[games, program.LEARNER]
            rewards.extend(expected.tolist())
        else:
            seen = encoders.load("gendre").encode(one.batch.units[games])
            expected = 0.5 * one.evaluated(one.weights, seen)[1]
        pairs = zip(games, expected, strict=True)
        complete.extend((under_way.pop(g), target) for g, target in pairs if g in under_way)
        finish(games, targets)

    one.transitions.begin, one.transitions.finish = spy_begin, spy_finish
    for _ in range(120):
        one.step()
    taken = one.transitions.take(150)
    assert set(taken) == {"planes", "scalars", "legal", "choice", "target"}
    assert taken["legal"][np.arange(150), taken["choice"]].all()
    choices, targets = zip(*complete[:150], strict=True)
    assert taken["choice"].tolist() == list(choices)
    np.testing.assert_allclose(taken["target"], targets, atol=1e-5)
    # 0.75 and 0.02 for each point of difference, of the loser with the other sign.
    assert min(rewards) < 0 < max(rewards)
    leads = (np.abs(rewards) - 0.75) / 0.02
    np.testing.assert_allclose(leads, leads.round(), atol=1e-3)
    assert leads.round().min() >= 1


def test_choices_that_lead_to_more_become_likelier(program):
    """A problem with a known answer: to roll is worth 0.8, to end the turn nothing."""
    one = learner(program, optimizer="adam", learning_rate=1e-2, weight_penalty=0.0)
    legal = np.zeros((64, 324), np.bool_)
    legal[:, [c.ROLL, c.END_TURN]] = True
    rolls = np.arange(64) < 32
    batch = {
        "planes": np.zeros((64, 17, 11, 21), np.int8),
        "scalars": np.ones((64, 45), np.int8),
        "legal": legal,
        "choice": np.where(rolls, c.ROLL, c.END_TURN),
        "target": np.where(rolls, 0.8, 0.0).astype(np.float32),
    }
    for _ in range(100):
        one.update(batch)
    logits, values = one.evaluated(one.weights, batch)
    odds = np.exp(np.where(legal, logits, -np.inf))[0]
    assert odds[c.ROLL] / odds.sum() > 0.9
    assert values[0] == pytest.approx(0.4, abs=0.1)


def test_the_oldest_past_self_is_replaced_and_all_can_be_frozen(program):
    one = learner(program, renew_every=2)
    first = one.past[0]["plane_0"].clone()
    met = []
    for training in range(9):
        one.weights["plane_0"].data.fill_(training)
        one.renew_opponents(training)
        met.append([float(one.past[k]["plane_0"][0, 0, 0, 0]) for k in one.past_of])
    start = float(first[0, 0, 0, 0])
    assert met[0] == met[1] == [start] * 3
    assert met[2] == met[3] == [2, start, start]
    assert met[6] == [2, 4, 6]
    assert met[8] == [8, 4, 6]
    assert len(one.past) == 3
    frozen = learner(program, renew_every=1, freeze_after=2)
    for training in range(5):
        frozen.weights["plane_0"].data.fill_(training)
        frozen.renew_opponents(training)
    assert [float(past["plane_0"].mean()) for past in frozen.past] == [2]
    assert frozen.past_of.tolist() == [0, 0, 0]


def test_a_table_of_four_trades(program):
    """Each past self of a group sits in three seats, and answers to offers there."""
    one = learner(program, players=4, trading=True, batch_size=10_000)
    moved, answered = set(), 0
    for _ in range(250):
        moved |= set(one.batch.player.tolist())
        answered += int(one.batch.mask[:, actions.ACCEPT].sum())
        one.step()
    taken = one.transitions.take(100)
    assert moved == {0, 1, 2, 3}
    assert answered > 0
    assert taken["scalars"].shape == (100, 122)
    assert taken["legal"].shape == (100, 464)
    assert taken["legal"][np.arange(100), taken["choice"]].all()


@pytest.mark.slow
def test_a_minute_of_training_leads_above_chance(program, tmp_path):
    """Against random players; such a network wins 83 of 200 games before it learns."""
    options = ["--layers=3", "--planes=8", "--scalars=24", "--no-forced"]
    options += ["--optimizer=adamw", "--learning-rate=1e-3"]
    options += ["--trainings=1", "--decisions=32000", "--no-eval-first"]
    options += ["--eval-games=200", "--eval-against=random"]
    program.main([*options, f"--out={tmp_path}"])
    (after,) = Checkpoints(tmp_path).load()["curve"]
    assert after["interval"][0] > 0.5
