"""Fitting the value: positions and targets, what it writes, exact resumption, that it learns."""

import numpy as np
import pytest
import torch

from catan_pz.agents.value.choice import Judge
from catan_pz.agents.value.features import NUM_FEATURES, NUM_SHARED
from catan_pz.agents.value.network import shipped, size_of
from catan_pz.rules import Rules
from catan_pz.terms import NOBODY
from catan_pz.training.checkpoints import Checkpoints
from tests.agents.search.play import in_the_middle
from tests.agents.value.test_features import all_features_of
from tests.examples.programs import end_of

pytestmark = pytest.mark.slow  # its compiled games take a while to compile

SMALL = (
    *("--players=2", "--window=2", "--points=5", "--rounds=3", "--positions=200", "--part=100"),
    *("--epochs=1", "--eval-games=2", "--eval-against=random", "--batch-size=64"),
)
RULES = {n: Rules(num_players=n, trading=False, victory_points=5) for n in (2, 4)}

PROGRAM = "fit_value"


def test_a_checkpoint_that_is_gone_back_to_has_its_positions(program, tmp_path):
    arguments = [*SMALL, "--window=1", "--positions=200", "--rounds=6", "--checkpoint-every=3"]
    arguments += ["--eval-every=6", "--no-eval-first", f"--out={tmp_path}"]
    program.main(arguments)
    expected, (newest, before) = end_of(tmp_path), Checkpoints(tmp_path).entries()
    assert (newest["frames"], before["frames"]) == (6, 3)
    assert sorted(file.stem for file in (tmp_path / "positions").iterdir()) == ["002", "005"]
    (tmp_path / newest["file"]).write_bytes(b"damaged")
    program.main([*arguments, "--resume"])
    assert end_of(tmp_path) == expected


def test_the_network_is_the_compiled_one(program):
    game, _ = in_the_middle(Rules(num_players=3, trading=False), 4, 150)
    learner = program.Learner(program.parse(program.Args, ["--players=3"], ""))
    features = all_features_of(game)[None]
    expected = learner.estimates(learner.network, torch.from_numpy(features))[0]
    found = Judge(game.rules, learner.net()).win_probabilities(game.games, 0)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_it_learns_who_wins(program, tmp_path):
    options = [*SMALL, "--positions=6000", "--part=6000", "--epochs=8", f"--out={tmp_path}"]
    learner = program.Learner(program.parse(program.Args, options, ""))
    assert learner.play(0)["nats"] < 0.6  # log 2 is 0.693


def test_the_first_round_may_be_played_by_a_value(program, tmp_path):
    shipped(2).save(tmp_path / "start.npz")
    options = [*SMALL, "--width=32", f"--start={tmp_path / 'start.npz'}", f"--out={tmp_path}"]
    learner = program.Learner(program.parse(program.Args, options, ""))
    learner.play(0)
    assert learner.net().weights.shape == (size_of(32),)
    seed = int(np.random.SeedSequence([learner.args.seed, 0]).generate_state(2, np.uint64)[0])
    expected = program.record_positions(RULES[2], shipped(2), learner.args.margin, 100, seed)
    found = learner.window[0].features[: len(expected)]
    np.testing.assert_array_equal(found, expected.features)


@pytest.mark.parametrize(("seats", "with_value"), [(2, False), (4, True)])
def test_positions_and_who_won(program, seats, with_value):
    net = shipped(seats) if with_value else None
    played, again = (program.record_positions(RULES[seats], net, 0.02, 100, 1) for _ in range(2))
    assert len(played) >= 100
    assert played.features.shape == (len(played), seats * NUM_FEATURES + NUM_SHARED)
    assert np.isfinite(played.features).all()
    assert set(played.winners) == set(played.viewers) == set(range(seats))
    assert (np.diff(played.games) >= 0).all()
    assert (played.features[:, NUM_FEATURES - 7] == 1).all()  # the viewer is the first of the seats
    assert all((vars(again)[name] == array).all() for name, array in vars(played).items())


def test_targets_mix_who_won_and_later_estimates(program):
    positions = program.Positions(
        np.zeros((4, 1), np.float16),
        np.array([0, 1, 1, 0], np.int8),
        np.array([0, 0, 0, 1], np.int32),
        np.array([1, 1, 1, NOBODY], np.int8),
    )
    estimates = np.array([[0.5, 0.5], [0.4, 0.6], [0.9, 0.1], [0.3, 0.7]], np.float32)
    found = program.win_targets(positions, estimates, 0.5)
    # From seat 0 on: who won is (0, 1), the third estimate (0.1, 0.9), the second (0.6, 0.4).
    third = np.array([0.0, 1.0])
    second = 0.5 * np.array([0.1, 0.9]) + 0.5 * third
    first = 0.5 * np.array([0.6, 0.4]) + 0.5 * second
    np.testing.assert_allclose(found[:3], [first, second[::-1], third[::-1]])
    assert found[3].tolist() == [0, 0]
    only_winners = program.win_targets(positions, estimates, 1.0)
    assert only_winners.tolist() == [[0, 1], [1, 0], [1, 0], [0, 0]]
