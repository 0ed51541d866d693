"""Self-play in plain torch: what it writes, exact resumption, and that it learns."""

import json
import signal
import subprocess
import sys

import pytest

pytest.importorskip("sb3_contrib", reason="takes the extra `train`")
pytest.importorskip("tyro", reason="takes the extra `train`")

from catan_pz.agents.network import Model
from catan_pz.training import curves
from catan_pz.training.checkpoints import Checkpoints, unpack_arrays
from tests.examples.programs import EXAMPLES, kill_after_a_checkpoint, load

SMALL = (
    *("--players=3", "--points=3", "--num-envs=8", "--n-steps=16", "--batch-size=64"),
    *("--width=8", "--embedding-size=4", "--frames=600", "--eval-games=3", "--eval-every=250"),
    *("--eval-against=random", "--checkpoint-every=150", "--league-every=2", "--no-progress"),
    *("--league-members=2", "--opponents=heuristic", "--expert=heuristic", "--demonstrations=200"),
)


@pytest.fixture(scope="module")
def program():
    module = load("train_selfplay")
    before = [(number, signal.getsignal(number)) for number in (signal.SIGINT, signal.SIGTERM)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(curves, "draw_curve", lambda *_, **__: b"picture")
        yield module
    for number, handler in before:
        signal.signal(number, handler)


def end(out):
    """All that a training has come to, without its times."""
    state = Checkpoints(out).load()
    return {
        "network": {name: array.tolist() for name, array in state["network"].items()},
        "optimizer": [
            {name: value.tolist() for name, value in part.items()}
            for part in state["optimizer"]["state"].values()
        ],
        "games": {name: array.tobytes() for name, array in unpack_arrays(state["games"]).items()},
        "rivals": state["rivals"],
        "counts": state["counts"],
        "won": [(row["frames"], row["won"]) for row in state["curve"]],
    }


@pytest.fixture(scope="module")
def whole(program, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole")
    return program.main([*SMALL, f"--out={out}"]), end(out), out


def test_it_needs_torch_alone():
    blocked = ("stable_baselines3", "sb3_contrib", "tensorboard")
    code = "; ".join(["import sys", *(f"sys.modules[{name!r}] = None" for name in blocked)])
    path = EXAMPLES / "train_selfplay.py"
    arguments = [sys.executable, "-c", f"{code}; import runpy; runpy.run_path({str(path)!r})"]
    subprocess.run(arguments, check=True)


def test_it_trains_and_writes_everything(whole):
    result, state, out = whole
    assert result["frames"] >= 600
    assert 200 <= result["demonstrations"] < 600
    assert json.loads((out / "result.json").read_text()) == result
    assert state["rivals"]["pool"]
    assert state["won"][0][0] == 0
    model = Model.read(out / "model.npz")
    assert model.card["frames"] == result["frames"]
    assert "--expert heuristic" in model.card["command"]


def test_a_killed_training_resumes(program, whole, tmp_path):
    arguments = [*SMALL, f"--out={tmp_path}"]
    kill_after_a_checkpoint(program, arguments, tmp_path)
    program.main([*arguments, "--resume"])
    resumed = end(tmp_path)
    for part, value in whole[1].items():
        assert resumed[part] == value, part


def test_a_policy_is_started_from_a_model(program, whole, tmp_path):
    model = whole[2] / "model.npz"
    options = [option for option in SMALL if not option.startswith("--expert")]
    arguments = [*options, f"--out={tmp_path}", f"--init={model}", "--frames=1", "--eval-games=30"]
    result = program.main([*arguments, "--learning-rate=0"])
    started = Model.read(tmp_path / "model.npz").network.arrays
    for name, array in Model.read(model).network.arrays.items():
        assert abs(started[name] - array).max() < 1e-3
    assert result["frames"] > 0


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--reward=win_loss"], "reward='win_loss'"),
        (["--observation=flat"], "observation='flat'"),
        (["--init=ppo-2p"], "--expert; not both"),
        (["--anneal=2"], "anneal=2.0"),
        (["--rivals-share=-1"], "rivals_share"),
        (["--opponents=search"], "stateless"),
        (["--batch-size=0"], "batch_size=0"),
        (["--base=search"], "base='search'"),
        (["--expert=", "--init=dqn-4p-notrade", "--players=4"], "init: the model's outputs"),
        (["--expert=", "--init=ppo-2p"], "init: the model's players: 2; .*3; pass --players 2"),
    ],
)
def test_bad_options_are_named(program, tmp_path, options, named):
    with pytest.raises(ValueError, match=named):
        program.main([*SMALL, f"--out={tmp_path}", *options])


def test_it_learns(program, tmp_path):
    """From nothing, two players to three points: better than random play within 45,000 frames."""
    options = (
        *("--players=2", "--points=3", "--network=dense", "--width=64", "--num-envs=64"),
        *("--n-steps=64", "--batch-size=512", "--learning-rate=1e-3", "--frames=45000"),
        *("--eval-games=400", "--no-eval-first", "--eval-every=100000", "--no-progress"),
        *("--opponents=", "--eval-against=random", f"--out={tmp_path}"),
    )
    (row,) = program.main(options)["results"]
    assert row["interval"][0] > 0.52
