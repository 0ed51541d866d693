"""The training on Ray without Ray: its workers play in this process."""

import json

import pytest

pytest.importorskip("sb3_contrib", reason="takes the extra `train`")
pytest.importorskip("tyro", reason="takes the extra `train`")

from catan_pz.agents.network import Model
from catan_pz.training import evaluation
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
    """What `distributed.Workers` is, in this process."""

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
    monkeypatch.setattr(evaluation, "draw_curve", lambda *_, **__: b"picture")
    return module


def test_it_trains_and_writes_everything(program, tmp_path):
    result = program.main([*SMALL, f"--out={tmp_path}"])
    assert result["frames"] == 512
    assert json.loads((tmp_path / "result.json").read_text()) == result
    assert Model.read(tmp_path / "model.npz").card["frames"] == 512
    assert [row["frames"] for row in Checkpoints(tmp_path).load()["curve"]] == [256, 512]
    assert (tmp_path / "curve.csv").exists()


def test_a_stopped_training_leaves_its_model_and_resumes(program, tmp_path):
    run = program.make_run(program.parse(program.Args, [*SMALL, f"--out={tmp_path}"], ""))
    run.stop()
    run.train()
    assert Model.read(tmp_path / "model.npz").card["frames"] == 64
    assert not (tmp_path / "result.json").exists()
    assert program.main([*SMALL, f"--out={tmp_path}", "--resume"])["rounds"] == 16


def test_minibatches_that_no_round_fills_are_refused(program, tmp_path):
    """Two workers with four games play 64 decisions in a round, of which some aren't complete."""
    with pytest.raises(ValueError, match=r"option minibatches=33 .* up to 32: .* gives .* 64"):
        program.main([*SMALL, f"--out={tmp_path}", "--minibatches=33"])
    assert not any(tmp_path.iterdir())
    with pytest.raises(ValueError, match=r"option minibatches=32 .* round 0 gives"):
        program.main([*SMALL, f"--out={tmp_path}", "--minibatches=32"])
