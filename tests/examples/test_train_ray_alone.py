"""The training on Ray without Ray: its workers play in this process."""

import json

import pytest

pytest.importorskip("sb3_contrib", reason="takes the extra `train`")
pytest.importorskip("tyro", reason="takes the extra `train`")

import torch

from catan_pz.agents.network import Model
from catan_pz.training import console, curves
from catan_pz.training.checkpoints import Checkpoints
from tests.examples.programs import load

SMALL = (
    *("--players=2", "--points=3", "--num-envs=4", "--n-steps=8", "--width=8", "--minibatches=2"),
    *("--frames=512", "--eval-games=2", "--no-eval-first", "--eval-every=256"),
    *("--checkpoint-every=128", "--league-every=2", "--league-members=2", "--no-progress"),
)


class Ray:
    """An object store that keeps nothing: what is put there is its own reference."""

    @staticmethod
    def put(value):
        return value


class Workers:
    """What `ray_workers.Workers` is, in this process."""

    def __init__(self, ray, make, states, patience, warn):
        self.states, self.replaced = dict(states), 0
        self._players = {index: make(index, state) for index, state in states.items()}
        self._asked = {}

    def ask(self, number, *given):
        self._asked[number] = given

    def take(self, number):
        given = self._asked.pop(number)
        rounds = [player.play(number, *given) for player in self._players.values()]
        self.states = {
            i: played.pop("state") for i, played in zip(self.states, rounds, strict=True)
        }
        return rounds

    def close(self):
        self._players.clear()


@pytest.fixture
def program(monkeypatch):
    module = load("distributed/train_ray")
    monkeypatch.setattr(module, "connect_all", lambda *_: Ray)
    monkeypatch.setattr(module, "Workers", Workers)
    monkeypatch.setattr(curves, "draw_curve", lambda *_, **__: b"picture")
    return module


def full(*_, **__):
    raise OSError(28, "No space left on device")


def test_it_trains_and_writes_everything(program, tmp_path):
    result = program.main([*SMALL, f"--out={tmp_path}"])
    assert result["frames"] == 512
    assert json.loads((tmp_path / "result.json").read_text()) == result
    assert Model.read(tmp_path / "model.npz").card["frames"] == 512
    assert [row["frames"] for row in Checkpoints(tmp_path).load()["curve"]] == [256, 512]
    assert (tmp_path / "curve.csv").exists()


def test_a_resumed_training_knows_the_times_of_the_first(program, tmp_path):
    stop_after(program, tmp_path, 2)
    before = Checkpoints(tmp_path).load()["timers"]
    resumed = program.main([*SMALL, f"--out={tmp_path}", "--resume"])
    assert before["games"] > 0
    assert resumed["timers"]["games"] > before["games"]


def stop_after(program, out, updates):
    """A training that is stopped, as by Ctrl-C, in the update of this number."""
    run = program.Run(program.parse(program.Args, [*SMALL, f"--out={out}"], ""))
    update = run.update

    def counted():
        update()
        run.stopping = run.versions.newest == updates

    run.update = counted
    run.train()


def test_a_stopped_training_leaves_its_model(program, tmp_path):
    stop_after(program, tmp_path, 1)
    assert Model.read(tmp_path / "model.npz").card["frames"] == 64
    assert not (tmp_path / "result.json").exists()


class Terminal:
    """Takes what is shown, as a terminal does."""

    encoding = "utf-8"

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass

    def isatty(self):
        return True


@pytest.mark.parametrize("shown", [True, False])
def test_progress_is_shown_where_it_is_asked_for(program, tmp_path, monkeypatch, shown):
    terminal = Terminal()
    monkeypatch.setattr(console, "_console", console.Console(file=terminal, force_terminal=True))
    option = "--progress" if shown else "--no-progress"
    program.main([*SMALL[:-1], option, f"--out={tmp_path}"])
    assert ("512/512" in terminal.text) == shown
    assert ("frames/s" in terminal.text) == shown


def test_a_full_disk_does_not_end_the_training(program, tmp_path, monkeypatch, capsys):
    """Checkpoint, model and curve are written again later."""
    kinds = {"save": Checkpoints, "write_model": program.Run, "write_curve": program.Run}
    for name, kind in kinds.items():
        write, calls = getattr(kind, name), []

        def first_full(*given, write=write, calls=calls):
            calls.append(given)
            return full() if len(calls) == 1 else write(*given)

        monkeypatch.setattr(kind, name, first_full)
    assert program.main([*SMALL, f"--out={tmp_path}"])["frames"] == 512
    told = " ".join(capsys.readouterr().err.split())
    for what in ("the checkpoint", "the model", "the curve"):
        assert f"{what} can't be written: [Errno 28] No space left on device" in told
    assert Checkpoints(tmp_path).entries()
    assert (tmp_path / "model.npz").exists()


@pytest.mark.parametrize("name", ["save", "write_model"])
def test_a_full_disk_at_the_end_is_told(program, tmp_path, monkeypatch, name):
    monkeypatch.setattr(Checkpoints if name == "save" else program.Run, name, full)
    with pytest.raises(OSError, match="No space left"):
        program.main([*SMALL, f"--out={tmp_path}"])


def test_what_a_full_disk_kept_from_the_end_is_written_when_it_resumes(program, tmp_path):
    arguments = [*SMALL, f"--out={tmp_path}"]
    program.main(arguments)
    table = (tmp_path / "curve.csv").read_bytes()
    files = ("model.npz", "curve.csv", "curve.png", "result.json")
    for name in files:
        (tmp_path / name).unlink()
    program.main([*arguments, "--resume"])
    assert all((tmp_path / name).exists() for name in files)
    assert (tmp_path / "curve.csv").read_bytes() == table


def test_parameters_that_are_not_finite_end_it_and_leave_the_checkpoint(
    program, tmp_path, monkeypatch
):
    stop_after(program, tmp_path, 2)
    before = (tmp_path / "checkpoint.json").read_text()
    learn = program.learn

    def astray(args, network, *given):
        told = learn(args, network, *given)
        with torch.no_grad():
            next(network.parameters()).fill_(float("nan"))
        return told

    monkeypatch.setattr(program, "learn", astray)
    with pytest.raises(FloatingPointError, match="aren't finite"):
        program.main([*SMALL, f"--out={tmp_path}", "--resume"])
    assert (tmp_path / "checkpoint.json").read_text() == before


def test_minibatches_that_no_round_fills_are_refused(program, tmp_path):
    """Two workers with four games play 64 decisions in a round."""
    assert program.parse(program.Args, [*SMALL, "--minibatches=32"], "").check() is None
    with pytest.raises(ValueError, match=r"option minibatches=33 .* up to 32: .* gives .* 64"):
        program.main([*SMALL, f"--out={tmp_path}", "--minibatches=33"])
    assert not any(tmp_path.iterdir())


def test_minibatches_that_a_round_does_not_fill_end_it(program, tmp_path):
    """Some decisions of each round are not complete, and can't be learned from."""
    with pytest.raises(ValueError, match=r"option minibatches=32 .* round 0 gives"):
        program.main([*SMALL, f"--out={tmp_path}", "--minibatches=32"])
