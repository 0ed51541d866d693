"""Files are written whole or not at all."""

from pathlib import Path

import pytest

from catan_pz.files import whole_file


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
