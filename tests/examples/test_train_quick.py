import json

import pytest
import torch

from catan_pz import agents

SMALL = (
    *("--frames=256", "--eval-games=4", "--num-envs=4", "--n-steps=32", "--batch-size=64"),
    *("--width=16", "--rules=one_v_one", "--no-progress"),
)

# TensorBoard and tqdm.rich warn of matters of their own.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

PROGRAM = "train_quick"


@pytest.fixture(scope="module")
def trained(program, tmp_path_factory):
    out = tmp_path_factory.mktemp("trained")
    program.main([f"--out={out}", *SMALL])
    return out / "model.zip"


def test_it_trains_saves_and_resumes(program, trained, tmp_path):
    out = trained.parent
    first = json.loads((out / "result.json").read_text())
    assert first["frames"] == 256
    assert first["after"]["games"] == 4
    assert list((out / "logs").glob("events.*"))
    assert not list(out.glob(".*"))
    assert agents.load(str(out / "model.npz")).model.num_players == 2
    second = program.main([f"--out={tmp_path}", *SMALL, f"--resume={trained}"])
    assert second["before"] == first["after"]


def test_a_resumed_training_plays_other_games(program, trained, tmp_path, monkeypatch):
    begun = []

    def learn(model, *_, **__):
        boards = model.env.reset().tobytes()
        begun.append((boards, torch.rand(4).tolist()))

    monkeypatch.setattr(program, "win_rate", lambda *_: {})
    monkeypatch.setattr(program.MaskablePPO, "learn", learn)
    for more in ([], *[[f"--resume={trained}"]] * 2):
        program.main([f"--out={tmp_path}", *SMALL, *more])
    fresh, resumed, again = begun
    assert resumed == again
    assert resumed[0] != fresh[0]
    assert resumed[1] != fresh[1]


def test_an_interrupt_saves(program, tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(program.MaskablePPO, "learn", interrupt)
    program.main([f"--out={tmp_path}", *SMALL])
    assert (tmp_path / "model.zip").exists()
