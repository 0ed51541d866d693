"""PPO with heads and a league: advantages, learning, opponents, resuming."""

import numpy as np
import pytest
from charlesworth_learning import END, UNKNOWN

from catan_pz.published.charlesworth import choices as ch

PROGRAM = "published/charlesworth"


def learner(program, tmp_path, **options):
    options = {"size": "small", "workers": 2, "group_size": 4, "max_turns": 40, **options}
    return program.Learner(program.Args(out=str(tmp_path), **options))


def test_the_defaults_are_those_of_the_source(program):
    args = program.Args()
    assert args.workers * args.group_size * 200 == args.decisions == 128_000
    assert (args.epochs, args.minibatches, args.clip, args.gae_lambda) == (10, 64, 0.2, 0.95)
    assert (args.gamma, args.learning_rate, args.entropy, args.value) == (0.999, 3e-4, 0.01, 1.0)
    assert (args.league_every, args.league_size) == (4, 500)
    assert args.make_rules().max_offers_per_turn == 4


def test_advantages_are_those_of_the_formula(program):
    """Two games, one after the other in time; the last decision of the second isn't complete."""
    batch = {
        "reward": np.array([1.0, 2.0, 4.0, 8.0, 0.0]),
        "next": np.array([1, 3, 4, END, UNKNOWN]),
    }
    values = np.array([10.0, 20.0, 30.0, 40.0, 50.0])
    found = program.advantages(batch, values, 0.5, 0.1)
    last = 8 - 40
    second = 2 + 0.5 * 40 - 20 + 0.5 * 0.1 * last
    first = 1 + 0.5 * 20 - 10 + 0.5 * 0.1 * second
    assert found.tolist() == pytest.approx([first, second, 4 + 0.5 * 50 - 30, last, 0])


def test_what_is_collected_fits_together(program, tmp_path):
    one = learner(program, tmp_path, decisions=80)
    one.take_snapshot(0)
    batch, _ = one.collect()
    complete = batch["next"] != UNKNOWN
    assert complete.sum() >= 80
    goes_on = np.flatnonzero(batch["next"] >= 0)
    assert (batch["next"][goes_on] > goes_on).all()
    assert len(np.unique(batch["next"][goes_on])) == len(goes_on)
    # Each decision was legal and is looked at by its own masks.
    for k, slot in enumerate(ch.SLOTS):
        chosen = batch["choices"][:, k]
        rows = np.flatnonzero(chosen != -1)
        masks = batch["masks"][rows, ch.MASK_PLACES[slot.name]]
        assert masks[np.arange(len(rows)), chosen[rows]].all()
    # Five for a point: in the set-up each settlement brings one.
    settles = complete & (batch["choices"][:, 0] == ch.SETTLEMENT)
    assert settles.any()
    assert (batch["reward"][settles] >= 5).all()


def test_opponents_are_past_selves_group_by_group(program, tmp_path):
    one = learner(program, tmp_path)
    one.take_snapshot(0)
    one.weights["value.bias"].data += 1
    one.take_snapshot(4)
    one.weights["value.bias"].data += 1
    policies, seated = one.draw_opponents()
    assert (seated[np.arange(8), one.seats] == 0).all()
    assert (np.sort(seated, axis=1)[:, 1:] > 0).all()
    for group in (seated[:4], seated[4:]):
        assert len({tuple(sorted(row)) for row in group}) == 1
    assert float(policies[0].weights["value.bias"]) == 2.0
    # Each is the snapshot of its name; in so many draws both come up.
    biases = set()
    for _ in range(4):
        policies, _ = one.draw_opponents()
        biases |= {float(policy.weights["value.bias"]) for policy in policies[1:]}
    assert biases == {0.0, 1.0}


def test_it_learns_which_kind_is_rewarded(program, tmp_path):
    """A problem with a known answer: the same position again and again."""
    options = {"epochs": 4, "minibatches": 2, "learning_rate": 1e-3}
    one = learner(program, tmp_path, group_size=16, **options)
    batch = one.games.batch
    batch.play_random(40)
    asked = ch.is_asked(batch.units) & (batch.mask[:, 1] != 0) & (batch.mask.sum(1) > 1)
    row, kind = int(asked.argmax()), np.full(64, ch.END_TURN)
    units, masks = (np.repeat(array[row][None], 64, 0) for array in (batch.units, batch.mask))
    probability, values = [], []
    for _ in range(6):
        uniforms = one.rng.random((64, ch.NUM_SLOTS))
        made = one.policy().decide(units, masks, uniforms)
        taken = one.policy().decide(units, masks, uniforms, kinds=kind)
        probability.append(taken.certainty[0, ch.COLUMN["kind"]])
        values.append(made.value[0])
        learned = {name: getattr(made, name) for name in ("choices", "masks", "log_probability")}
        reward = 100.0 * (made.choices[:, 0] == kind)
        one.learn({"units": units, **learned, "reward": reward, "next": np.full(64, END)})
    assert probability[0] < 0.7
    assert probability[-1] > 0.9
    assert values[-1] < values[0]  # from 0, which stands for 150, towards what is got
