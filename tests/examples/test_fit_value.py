"""Fitting the value: what it writes, exact resumption, and that it learns."""

import json

import pytest

pytest.importorskip("torch", reason="takes the extra `train`")
pytest.importorskip("tyro", reason="takes the extra `train`")

import numpy as np

from catan_pz.agents.value.net import ValueNet
from catan_pz.training import evaluation
from catan_pz.training.checkpoints import Checkpoints
from tests.examples.programs import kill_after_a_checkpoint, load

SMALL = (
    *(
        "--players=2",
        "--window=2",
        "--points=5",
        "--rounds=3",
        "--positions=400",
        "--part=200",
        "--epochs=1",
    ),
    *("--epochs=1", "--eval-games=4", "--eval-against=random", "--batch-size=64"),
)


@pytest.fixture(scope="module")
def program():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(evaluation, "draw_curve", lambda *_, **__: b"picture")
        yield load("fit_value")


def end(out):
    """All that a training has come to, without its times."""
    state = Checkpoints(out).load()
    return {
        "network": {k: array.tolist() for k, array in state["learner"]["network"].items()},
        "window": state["learner"]["window"],
        "rows": state["rows"],
        "won": [(row["frames"], row["won"]) for row in state["curve"]],
    }


@pytest.fixture(scope="module")
def whole(program, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole")
    return program.main([*SMALL, f"--out={out}"]), end(out), out


def test_it_fits_and_writes_everything(whole):
    result, state, out = whole
    assert result["rounds"] == len(state["rows"]) == 3
    assert state["window"] == [1, 2]
    assert all(row["positions"] >= 400 and 0 < row["nats"] < 2 for row in state["rows"])
    assert json.loads((out / "result.json").read_text()) == result
    net = ValueNet.read(out / "model.npz")
    assert net.rules.victory_points == 5
    assert "--points 5" in net.card["command"]
    assert (out / "model.md").read_text(encoding="utf-8") == net.card_text("value")
    kept = sorted(file.name for file in (out / "positions").iterdir())
    assert kept == ["000.npz", "001.npz", "002.npz"]


@pytest.mark.slow
def test_a_killed_fit_resumes(program, whole, tmp_path):
    arguments = [*SMALL, f"--out={tmp_path}"]
    kill_after_a_checkpoint(program, arguments, tmp_path)
    program.main([*arguments, "--resume"])
    assert end(tmp_path) == whole[1]


@pytest.mark.slow
def test_a_checkpoint_that_is_gone_back_to_has_its_positions(program, tmp_path):
    arguments = [*SMALL, "--window=1", "--positions=200", "--rounds=6", "--checkpoint-every=3"]
    arguments += ["--eval-every=6", "--no-eval-first", f"--out={tmp_path}"]
    program.main(arguments)
    expected, (newest, before) = end(tmp_path), Checkpoints(tmp_path).entries()
    assert (newest["frames"], before["frames"]) == (6, 3)
    assert sorted(file.stem for file in (tmp_path / "positions").iterdir()) == ["002", "005"]
    (tmp_path / newest["file"]).write_bytes(b"damaged")
    program.main([*arguments, "--resume"])
    assert end(tmp_path) == expected


def test_the_network_is_the_compiled_one(program):
    import torch

    from catan_pz.agents.value.judge import Judge
    from catan_pz.rules import Rules
    from tests.agents.search.play import in_the_middle

    game, _ = in_the_middle(Rules(num_players=3, trading=False), 4, 150)
    learner = program.Learner(program.parse(program.Args, ["--players=3"], ""))
    features = np.zeros((1, 3 * 80 + 2), np.float32)
    from catan_pz.agents.value import value_calls

    value_calls.describe(game.games, 0, features[0])
    with torch.no_grad():
        expected = torch.softmax(learner.network(torch.from_numpy(features)), 1)[0].numpy()
    found = Judge(game.rules, learner.net()).win_probabilities(game.games, 0)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_it_learns_who_wins(program, tmp_path):
    options = [*SMALL, "--positions=6000", "--part=6000", "--epochs=8", f"--out={tmp_path}"]
    learner = program.Learner(program.parse(program.Args, options, ""))
    assert learner.play(0)["nats"] < 0.6  # log 2 is 0.693
