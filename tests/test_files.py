"""Files are written whole or not at all."""

from pathlib import Path

import pytest

from catan_pz.files import remove_drafts, whole_file


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")

    def fail() -> None:
        with whole_file(path) as draft:
            draft.write_text("half")
            raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        fail()
    assert path.read_text() == "old"
    with whole_file(path) as draft:
        draft.write_text("new")
    assert path.read_text() == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["file.txt"]


def test_a_new_file_can_be_read_as_any_other(tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    beside.write_text("")
    with whole_file(tmp_path / "folder" / "file") as draft:
        draft.write_text("new")
    assert (tmp_path / "folder" / "file").stat().st_mode == beside.stat().st_mode


def test_a_name_may_be_as_long_as_the_system_takes(tmp_path: Path) -> None:
    path = tmp_path / f"{'n' * 250}.txt"
    with whole_file(path) as draft:
        draft.write_text("new")
    assert path.read_text() == "new"


def test_drafts_of_killed_processes_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".hidden").touch()
    with whole_file(tmp_path / "file.txt") as draft:
        left = draft.with_name(draft.name.replace("file", "other"))
        left.touch()
    remove_drafts(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".hidden", "file.txt"]
    remove_drafts(tmp_path / "missing")
