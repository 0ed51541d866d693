"""Self-play in plain torch: what it writes, exact resumption, and that it learns."""

import json
import shutil
import subprocess
import sys
from copy import deepcopy

import pytest

pytest.importorskip("sb3_contrib", reason="takes the extra `train`")
pytest.importorskip("tyro", reason="takes the extra `train`")

import torch

from catan_pz import Game, agents
from catan_pz.agents.network import Model
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.game import GameRecord
from catan_pz.training import curves
from catan_pz.training.checkpoints import Checkpoints, unpack_arrays
from catan_pz.training.update_figures import update_figures
from tests.examples.programs import EXAMPLES, kill_after_a_checkpoint, load

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:tensorboard")

SMALL = (
    *("--players=3", "--points=3", "--num-envs=8", "--n-steps=16", "--batch-size=64"),
    *("--width=8", "--embedding-size=4", "--frames=600", "--eval-games=3", "--eval-every=250"),
    *("--eval-against=random", "--checkpoint-every=150", "--league-every=2", "--no-progress"),
    *("--league-members=2", "--opponents=heuristic", "--expert=heuristic", "--demonstrations=200"),
    *("--critic-first=2", "--kl-coef=0.1"),
)


@pytest.fixture(scope="module")
def program():
    module = load("train_selfplay")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(curves, "draw_curve", lambda *_, **__: b"picture")
        yield module


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
        "start": {name: array.tolist() for name, array in state["start"].items()},
        "counts": [*state["counts"], state["finished"]],
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


def stop_after(program, updates, arguments):
    """A training that is stopped, as by Ctrl-C, in the update of this number."""
    run = program.Run(program.parse(program.Args, arguments, ""))
    update = run.update

    def counted():
        done = update()
        run.stopping = run.updates == updates
        return done

    run.update = counted
    run.train()
    return run


@pytest.mark.parametrize("updates", [1, 3, 5])
def test_a_stopped_training_leaves_its_model_and_resumes(program, whole, tmp_path, updates):
    arguments = [*SMALL, "--checkpoint-every=100000", f"--out={tmp_path}"]
    run = stop_after(program, updates, arguments)
    model = Model.read(tmp_path / "model.npz")
    assert model.card["frames"] == run.frames
    for name, array in run.export().network.arrays.items():
        assert abs(model.network.arrays[name] - array).max() < 1e-3
    program.main([*arguments, "--resume"])
    resumed = end(tmp_path)
    for part, value in whole[1].items():
        assert resumed[part] == value, part


def test_a_checkpoint_of_a_gpu_resumes_with_new_games(program, tmp_path, capsys):
    """On a GPU the games are not in the checkpoint; a GPU's options may be left out later."""
    arguments = [*SMALL, f"--out={tmp_path}"]
    run = stop_after(program, 4, [*arguments, "--bf16"])
    checkpoints = Checkpoints(tmp_path)
    state = checkpoints.load()
    del state["games"]
    checkpoints.save(run.frames, state, state["rivals"]["pool"])
    capsys.readouterr()
    assert program.main([*arguments, "--resume"])["frames"] >= 600
    assert "The games begin anew" in capsys.readouterr().out


@pytest.mark.parametrize("share", [0, 0.3])
def test_parameters_that_are_not_finite_end_it_and_leave_the_checkpoint(
    program, tmp_path, monkeypatch, share
):
    arguments = [*SMALL, "--league-every=1", f"--rivals-share={share}", f"--out={tmp_path}"]
    stop_after(program, 3, arguments)
    before = (tmp_path / "checkpoint.json").read_text()
    learn = program.Learner.learn

    def astray(self, *arguments):
        learned = learn(self, *arguments)
        with torch.no_grad():
            next(self.network.parameters()).fill_(float("nan"))
        return learned

    monkeypatch.setattr(program.Learner, "learn", astray)
    with pytest.raises(FloatingPointError, match="aren't finite"):
        program.main([*arguments, "--resume"])
    assert (tmp_path / "checkpoint.json").read_text() == before


def test_a_full_disk_does_not_end_the_training(program, tmp_path, monkeypatch, capsys):
    save = Checkpoints.save

    def full(self, frames, *rest):
        if frames < 300:
            raise OSError(28, "No space left on device")
        save(self, frames, *rest)

    monkeypatch.setattr(Checkpoints, "save", full)
    assert program.main([*SMALL, f"--out={tmp_path}"])["frames"] >= 600
    shown = " ".join(capsys.readouterr().err.split())
    assert "the checkpoint can't be written: [Errno 28] No space left on device" in shown
    assert Checkpoints(tmp_path).entries()


def test_a_full_disk_at_the_end_is_told(program, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Checkpoints, "save", full)
    with pytest.raises(OSError, match="No space left"):
        program.main([*SMALL, f"--out={tmp_path}"])


def test_what_a_full_disk_kept_from_the_end_is_written_when_it_resumes(program, whole, tmp_path):
    _, _, out = whole
    shutil.copytree(out, tmp_path, dirs_exist_ok=True)
    files = ("model.npz", "curve.csv", "curve.png", "result.json")
    for name in files:
        (tmp_path / name).unlink()
    program.main([*SMALL, f"--out={tmp_path}", "--resume"])
    assert all((tmp_path / name).exists() for name in files)
    assert (tmp_path / "curve.csv").read_bytes() == (out / "curve.csv").read_bytes()


def learner_and_round(program, tmp_path, *options):
    """A learner of dense layers, and a round that it has played."""
    fixed = [*SMALL, "--expert=", "--network=dense", "--num-envs=32", f"--out={tmp_path}", *options]
    run = program.Run(program.parse(program.Args, fixed, ""))
    run.learner.begin()
    return run, run.player.play(run.network, 0, gamma=0.99, gae_lambda=0.95)


def test_it_plays_in_the_numbers_that_it_learns_in(program, tmp_path):
    run, _ = learner_and_round(program, tmp_path, "--bf16", "--target-kl=9")
    kinds = []
    run.called.policy.head.register_forward_hook(lambda *given: kinds.append(given[2].dtype))
    played, steps = run.update()
    assert len(kinds) == run.args.n_steps + 1 + steps
    assert set(kinds) == {torch.bfloat16}
    assert played.log_probability.dtype == played.targets.dtype == torch.float32


@pytest.mark.parametrize("critic", ["hidden", "separate", "shared"])
def test_the_critic_learns_first_and_leaves_the_policy(program, tmp_path, critic):
    run, played = learner_and_round(program, tmp_path, f"--critic={critic}")
    policy = deepcopy(run.network.policy.state_dict())
    losses = []
    for _ in range(3):
        losses.append(update_figures(run.network, run.learner.start, played)["value_loss"])
        assert run.learner.learn(played, 0, 1.0, "critic") > 5
    assert losses[2] < losses[1] < losses[0]
    for name, array in run.network.policy.state_dict().items():
        assert torch.equal(array, policy[name])


def test_only_the_first_rounds_are_the_critics(program, tmp_path):
    arguments = [*SMALL, f"--out={tmp_path}"]
    run = stop_after(program, 4, arguments)
    assert run.rounds == 2
    begun = run.learner.start.state_dict()
    assert all(torch.equal(x, begun[name]) for name, x in run.network.policy.state_dict().items())
    run = stop_after(program, 5, [*arguments, "--resume"])
    changed = run.network.policy.state_dict()
    assert not all(torch.equal(x, begun[name]) for name, x in changed.items())
    assert all(torch.equal(x, begun[name]) for name, x in run.learner.start.state_dict().items())


def test_the_divergence_holds_the_policy_at_its_start(program, tmp_path):
    apart = {}
    for coefficient in (0, 100):
        options = f"--kl-coef={coefficient}", "--learning-rate=2e-3", "--target-kl=9"
        run, played = learner_and_round(program, tmp_path, *options)
        for number in range(6):
            run.learner.learn(played, number, 1.0, "ppo")
        apart[coefficient] = update_figures(run.network, run.learner.start, played)["kl_from_start"]
    assert apart[0] > 0.02
    assert apart[100] < 0.1 * apart[0]


def test_updates_are_told_and_logged(program, tmp_path, capsys):
    program.main([*SMALL, f"--out={tmp_path}"])
    shown = capsys.readouterr().out
    for words in ("steps, KL 0.", "from the start", "entropy", "of outcomes", "games ended"):
        assert words in shown
    accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", reason="takes the extra `train`"
    )
    logs = accumulator.EventAccumulator(str(tmp_path / "logs")).Reload()
    tags = {f"train/{name}" for name in ("approx_kl", "kl_from_start", "entropy", "steps")}
    tags |= {"train/explained_variance", "train/value_loss", "episode/ended", "eval/random"}
    tags.add("time/fps")
    assert tags <= set(logs.Tags()["scalars"])


def test_a_policy_is_started_from_a_model(program, whole, tmp_path):
    model = whole[2] / "model.npz"
    options = [option for option in SMALL if not option.startswith("--expert")]
    arguments = [*options, f"--out={tmp_path}", f"--init={model}", "--frames=1", "--eval-games=30"]
    result = program.main([*arguments, "--learning-rate=0"])
    started = Model.read(tmp_path / "model.npz").network.arrays
    for name, array in Model.read(model).network.arrays.items():
        assert abs(started[name] - array).max() < 1e-3
    assert result["frames"] > 0


def test_games_start_from_recorded_ones(program, tmp_path):
    """A training that was stopped and resumed ends like one that never was."""
    for seed in range(4):
        game = Game(num_players=3, trading=False, victory_points=3, seed=seed)
        record = GameRecord.of(game)
        Table(game, [agents.load("heuristic") for _ in range(3)], seat_seeds(seed, 3)).play()
        record.save(tmp_path / "games" / f"{seed}.jsonl")
    arguments = [*SMALL, f"--starts={tmp_path / 'games'}", "--starts-share=1"]
    program.main([*arguments, f"--out={tmp_path / 'whole'}"])
    stopped = [*arguments, f"--out={tmp_path / 'stopped'}"]
    stop_after(program, 3, stopped)
    program.main([*stopped, "--resume"])
    whole, resumed = end(tmp_path / "whole"), end(tmp_path / "stopped")
    for part, value in whole.items():
        assert resumed[part] == value, part
    program.main([*SMALL, f"--out={tmp_path / 'without'}"])
    assert end(tmp_path / "without")["games"]["games"] != whole["games"]["games"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--starts-share=2"], "starts_share=2.0"),
        (["--starts=nowhere"], "starts='nowhere'"),
        (["--reward=win_loss"], "reward='win_loss'"),
        (["--observation=flat"], "observation='flat'"),
        (["--init=ppo-2p"], "--expert; not both"),
        (["--anneal=2"], "anneal=2.0"),
        (["--kl-coef=-1"], "kl_coef=-1.0"),
        (["--critic-first=-1"], "critic_first=-1"),
        (["--rivals-share=-1"], "rivals_share"),
        (["--opponents=search"], "stateless"),
        (["--opponents=gendre"], "option opponents='gendre': agent 'gendre' .* 2 players"),
        (["--batch-size=0"], "batch_size=0"),
        (["--batch-size=1", "--expert="], "batch_size=1"),
        (["--expert=search"], "expert='search' .* stateless"),
        (["--expert=gendre"], "option expert='gendre': agent 'gendre' .* 2 players"),
        (["--expert=", "--num-envs=1", "--n-steps=1"], "round 0 has fewer than two decisions"),
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
