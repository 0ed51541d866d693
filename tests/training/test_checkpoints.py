import pytest
import torch

from catan_pz.files import write_bytes
from catan_pz.training import checkpoints
from catan_pz.training.checkpoints import Checkpoints


def test_the_last_two_stay(tmp_path):
    kept = Checkpoints(tmp_path)
    assert kept.entries() == []
    for frames in (10, 20, 30):
        kept.save(frames, {"value": torch.tensor(frames)})
    assert [entry["frames"] for entry in kept.entries()] == [30, 20]
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == sorted([*(entry["file"] for entry in kept.entries()), "checkpoint.json"])
    assert int(kept.load()["value"]) == 30


def test_no_file_that_the_list_names_is_written_over(tmp_path, monkeypatch):
    """A process killed between another checkpoint of the same frame and the list."""

    def killed(path, data):
        if path.suffix == ".json":
            raise KeyboardInterrupt
        write_bytes(path, data)

    kept = Checkpoints(tmp_path)
    kept.save(10, {"value": 1})
    monkeypatch.setattr(checkpoints, "write_bytes", killed)
    with pytest.raises(KeyboardInterrupt):
        kept.save(10, {"value": 2})
    assert kept.load()["value"] == 1


@pytest.mark.parametrize("damage", ["cut", "remove"])
def test_the_checkpoint_before_a_damaged_one_is_resumed_and_stays(tmp_path, capsys, damage):
    """A training that resumed at 10 frames stops at 15, and its checkpoint is damaged as well."""
    kept = Checkpoints(tmp_path)
    for frames in (10, 20):
        kept.save(frames, {"value": frames})
    newest = tmp_path / kept.entries()[0]["file"]
    if damage == "cut":
        newest.write_bytes(newest.read_bytes()[:-1])
    else:
        newest.unlink()
    assert kept.load()["value"] == 10
    shown = " ".join(capsys.readouterr().err.split())
    assert "is damaged or missing: trying the previous one." in shown
    kept.save(15, {"value": 15})
    assert [entry["frames"] for entry in kept.entries()] == [15, 10]
    (tmp_path / kept.entries()[0]["file"]).write_bytes(b"half")
    assert kept.load()["value"] == 10


def test_drafts_and_snapshots_that_nothing_needs_are_removed(tmp_path):
    kept = Checkpoints(tmp_path)
    (tmp_path / "league").mkdir()
    for name in ("a", "b", "c", "d"):
        (tmp_path / "league" / f"{name}.npz").touch()
    for half in (".model.x.draft.npz", ".checkpoint-000000000005.x.draft.pt", "league/.a.x.draft"):
        (tmp_path / half).write_bytes(b"half")
    kept.save(10, {}, ["a", "b"])
    kept.save(20, {}, ["b", "c"])
    assert sorted(path.stem for path in (tmp_path / "league").iterdir()) == ["a", "b"]
    assert not list(tmp_path.rglob(".*"))
    kept.save(30, {}, ["b"])
    assert [path.stem for path in (tmp_path / "league").iterdir()] == ["b"]


def test_checkpoints_hold_no_code(tmp_path):
    class Surprise:
        def __reduce__(self):
            return print, ("run",)

    kept = Checkpoints(tmp_path)
    kept.save(10, {"value": Surprise()})
    with pytest.raises(Exception, match=r"weights_only|Weights only"):
        kept.load()
