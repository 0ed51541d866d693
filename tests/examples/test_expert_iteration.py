"""Expert iteration: what it writes, exact resumption, and that a candidate learns."""

import json

import pytest

pytest.importorskip("torch", reason="takes the extra `train`")
pytest.importorskip("tyro", reason="takes the extra `train`")

import torch

from catan_pz.agents.network import Model
from catan_pz.training import evaluation
from catan_pz.training.checkpoints import Checkpoints, unpack_arrays
from tests.examples.programs import kill_after_a_checkpoint, load

SMALL = (
    *("--players=2", "--points=4", "--rounds=3", "--games=4", "--share=0.3", "--simulations=20"),
    *("--considered=4", "--base=heuristic", "--width=8", "--embedding-size=4", "--window=2"),
    *("--match-block=20", "--match-games=20", "--eval-games=4", "--eval-against=random"),
)


@pytest.fixture(scope="module")
def program():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(evaluation, "draw_curve", lambda *_, **__: b"picture")
        yield load("expert_iteration")


def end(out):
    """All that a training has come to, without its times."""
    state = Checkpoints(out).load()
    window = [unpack_arrays(part) for part in state["learner"]["window"]]
    return {
        "network": {k: array.tolist() for k, array in state["learner"]["network"].items()},
        "window": [{k: array.tobytes() for k, array in part.items()} for part in window],
        "rows": state["rows"],
        "won": [(row["frames"], row["won"]) for row in state["curve"]],
    }


@pytest.fixture(scope="module")
def whole(program, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole")
    return program.main([*SMALL, f"--out={out}"]), end(out), out


def test_it_trains_and_writes_everything(whole):
    result, state, out = whole
    assert result["rounds"] == len(state["rows"]) == 3
    assert len(state["window"]) == 2
    assert all(row["searched"] > 0 and row["match_games"] == 20 for row in state["rows"])
    assert json.loads((out / "result.json").read_text()) == result
    model = Model.read(out / "model.npz")
    assert (model.choice, model.base.agent) == ("best", "heuristic")
    assert "--base heuristic" in model.card["command"]


@pytest.mark.slow
def test_a_killed_training_resumes(program, whole, tmp_path):
    arguments = [*SMALL, f"--out={tmp_path}"]
    kill_after_a_checkpoint(program, arguments, tmp_path)
    program.main([*arguments, "--resume"])
    assert end(tmp_path) == whole[1]


def test_a_candidate_learns_what_was_found(program):
    options = [*SMALL, "--games=30", "--epochs=30", "--batch-size=64", "--width=64"]
    learner = program.Learner(program.parse(program.Args, options, ""))
    network = learner.network
    last = learner.play(0)
    assert last["searched"] > 200
    data = learner.window[0]
    with torch.no_grad():
        log_policy = network.log_probabilities(torch.tensor(data.units), torch.tensor(data.mask))
    before = -(torch.tensor(data.policy).float() * log_policy).sum(1).mean()
    assert last["policy_loss"] < 0.85 * before
