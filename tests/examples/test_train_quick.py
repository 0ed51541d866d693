import json

import pytest

pytest.importorskip("sb3_contrib", reason="takes the extra `train`")
pytest.importorskip("tyro", reason="takes the extra `train`")

from catan_pz import agents
from catan_pz.agents.network import Model
from tests.examples.programs import load

SMALL = (
    *("--frames=256", "--eval-games=4", "--num-envs=4", "--n-steps=32", "--batch-size=64"),
    *("--width=16", "--rules=one_v_one", "--no-progress"),
)

# TensorBoard and tqdm.rich warn of matters of their own.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture(scope="module")
def program():
    return load("train_quick")


def test_it_trains_saves_and_resumes(program, tmp_path):
    short = [f"--out={tmp_path}", *SMALL]
    first = program.main(short)
    assert first["frames"] == 256
    assert first["after"]["games"] == 4
    assert json.loads((tmp_path / "result.json").read_text()) == first
    assert list((tmp_path / "logs").glob("events.*"))
    assert not list(tmp_path.glob(".*"))
    assert agents.load(str(tmp_path / "model.npz")).model.num_players == 2
    second = program.main([*short, f"--resume={tmp_path / 'model.zip'}"])
    assert second["before"] == first["after"]


def test_the_model_plays_by_the_rules_of_the_training(program, tmp_path):
    program.main([*SMALL, "--rules=base", "--players=3", "--trading", f"--out={tmp_path}"])
    model = Model.read(tmp_path / "model.npz")
    assert model.num_players == 3
    assert model.rules["trading"] is True


def test_an_interrupt_saves(program, tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(program.MaskablePPO, "learn", interrupt)
    program.main([f"--out={tmp_path}", *SMALL])
    assert (tmp_path / "model.zip").exists()


def test_help_has_a_line_for_every_option(program, capsys):
    with pytest.raises(SystemExit):
        program.main(["--help"])
    shown = capsys.readouterr().out
    for name in program.Args.__dataclass_fields__:
        assert f"--{name.replace('_', '-')}" in shown
