import importlib.util
import json
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib", reason="takes the extra `train`")
pytest.importorskip("rich", reason="takes the extra `train`")

EXAMPLE = Path(__file__).parents[2] / "examples" / "train_quick.py"
SMALL = ["--frames=256", "--games=4", "--envs=4", "--rollout=32", "--batch=64", "--width=16"]

# TensorBoard and tqdm.rich warn of matters of their own.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("train_quick", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_trains_saves_and_resumes(example, tmp_path):
    short = ["--rules=one_v_one", f"--out={tmp_path}", "--no-progress", *SMALL]
    first = example.main(short)
    assert first["frames"] == 256
    assert first["after"]["games"] == 4
    assert json.loads((tmp_path / "result.json").read_text()) == first
    assert list((tmp_path / "logs").glob("events.*"))
    assert not list(tmp_path.glob(".*"))
    second = example.main([*short, f"--resume={tmp_path / 'model.zip'}"])
    assert second["before"] == first["after"]


def test_an_interrupt_saves(example, tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(example.MaskablePPO, "learn", interrupt)
    example.main([f"--out={tmp_path}", "--no-progress", "--rules=one_v_one", *SMALL])
    assert (tmp_path / "model.zip").exists()


def test_wilsons_interval(example):
    low, high = example.wilson_interval(8, 10)
    assert (low, high) == pytest.approx((0.4901, 0.9433), abs=1e-3)
    assert example.wilson_interval(0, 10)[0] == pytest.approx(0, abs=1e-12)


def test_a_file_is_whole_or_not_there(example, tmp_path):
    def fail(path):
        path.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="full"):
        example.write_atomically(tmp_path / "model.zip", fail)
    assert not (tmp_path / "model.zip").exists()


def test_every_option_has_help(example, capsys):
    with pytest.raises(SystemExit):
        example.parse_options(["--help"])
    shown = capsys.readouterr().out
    for option in example.fields(example.Options):
        assert f"--{option.name}" in shown
        assert option.metadata["help"]
