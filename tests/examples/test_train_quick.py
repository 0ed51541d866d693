import json

import pytest

pytest.importorskip("sb3_contrib", reason="takes the extra `train`")
pytest.importorskip("tyro", reason="takes the extra `train`")

import torch

from catan_pz import agents
from catan_pz.agents.network import Model
from catan_pz.rules import Rules
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


@pytest.fixture(scope="module")
def trained(program, tmp_path_factory):
    """A `model.zip` of a short training."""
    out = tmp_path_factory.mktemp("trained")
    program.main([f"--out={out}", *SMALL])
    return out / "model.zip"


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


def test_a_resumed_training_plays_other_games(program, trained, tmp_path, monkeypatch):
    begun = []

    def learn(model, *_, **__):
        boards = model.env.reset().tobytes()
        begun.append((boards, torch.rand(4).tolist()))

    monkeypatch.setattr(program, "win_rate", lambda *_: {})
    monkeypatch.setattr(program.MaskablePPO, "learn", learn)
    for more in ([], [f"--resume={trained}"], [f"--resume={trained}"]):
        program.main([f"--out={tmp_path}", *SMALL, *more])
    fresh, resumed, again = begun
    assert resumed == again
    assert resumed[0] != fresh[0]
    assert resumed[1] != fresh[1]


@pytest.mark.parametrize(
    "option", ["learning_rate=0.1", "gamma=0.5", "n_steps=16", "width=8", "rules='base'"]
)
def test_other_options_than_those_of_the_model_are_refused(program, trained, tmp_path, option):
    name, _, value = option.replace("'", "").partition("=")
    words = [f"--out={tmp_path}", *SMALL, f"--resume={trained}"]
    with pytest.raises(ValueError, match=rf"option {option} .*model\.zip was trained with {name}="):
        program.main([*words, f"--{name.replace('_', '-')}={value}"])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [None, b"", b"no zip", b"PK\x03\x04 half a zip", "npz"])
def test_a_file_that_holds_no_learner_is_named(program, trained, tmp_path, content):
    path = tmp_path / "given.zip"
    if content == "npz":
        path.write_bytes((trained.parent / "model.npz").read_bytes())
    elif content is not None:
        path.write_bytes(content)
    words = [f"--out={tmp_path / 'out'}", *SMALL, f"--resume={path}"]
    with pytest.raises(ValueError, match=r"option resume='.*given\.zip' is not possible"):
        program.main(words)
    assert not (tmp_path / "out").exists()


def test_players_and_trade_replace_those_of_the_rules(program):
    assert program.Args().make_rules() == Rules(trading=False, skip_forced=True)
    assert program.Args(rules="one_v_one").make_rules().num_players == 2
    rules = program.Args(rules="one_v_one", players=3, trading=True).make_rules()
    assert (rules.num_players, rules.trading, rules.victory_points) == (3, True, 15)


def test_frames_may_grow(program, trained, tmp_path):
    words = [f"--out={tmp_path}", *SMALL, f"--resume={trained}", "--frames=384"]
    assert program.main(words)["frames"] == 384


def test_a_learner_of_another_program_is_refused(program, trained, tmp_path):
    model = program.MaskablePPO.load(trained)
    del model.options
    model.save(tmp_path / "model.zip")
    with pytest.raises(ValueError, match=r"resume=.*a model\.zip that this program has written"):
        program.main([f"--out={tmp_path}", *SMALL, f"--resume={tmp_path / 'model.zip'}"])


def test_the_model_plays_by_the_rules_of_the_training(program, tmp_path):
    program.main([*SMALL, "--rules=base", "--players=3", "--trading", f"--out={tmp_path}"])
    model = Model.read(tmp_path / "model.npz")
    assert model.num_players == 3
    assert model.rules["trading"] is True


def test_a_folder_that_cannot_be_written_is_refused_before_the_training(
    program, tmp_path, monkeypatch
):
    monkeypatch.setattr(program, "win_rate", lambda *_: pytest.fail("it has begun"))
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        program.main([f"--out={tmp_path / 'file' / 'out'}", *SMALL])


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
