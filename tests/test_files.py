"""Files are written whole or not at all, and archives are read with care."""

import io
import os
import struct
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib import format as npy

from catan_pz import files
from catan_pz.agents.network import Model
from catan_pz.files import (
    check_writable,
    read_arrays,
    read_json,
    read_text,
    remove_drafts,
    text_lines,
    whole_file,
)


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
    (tmp_path / "beside").touch()
    path = tmp_path / "folder" / f"{'n' * 250}.txt"  # as long as the system takes
    with whole_file(path) as draft:
        draft.write_text("new")
    assert path.stat().st_mode == (tmp_path / "beside").stat().st_mode


def test_others_can_read_a_file_at_no_moment_where_they_may_not(
    tmp_path: Path, modes_of_drafts: list[int]
) -> None:
    path = tmp_path / "file"
    for mode in (0o600, 0o640):
        with whole_file(path, mode=mode) as draft:
            assert draft.stat().st_mode & 0o777 == mode
            draft.write_text("new")
        assert modes_of_drafts.pop() == mode
        with whole_file(path) as draft:  # written again it keeps them
            draft.write_text("newer")
        assert modes_of_drafts.pop() == path.stat().st_mode & 0o777 == mode


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    path, target = tmp_path / "link.txt", tmp_path / "there" / "file"
    path.symlink_to(target)
    for text in ("first", "second"):  # a link to nothing, then one to a file
        with whole_file(path) as draft:
            assert draft.suffix == ".txt"
            draft.write_text(text)
        assert path.is_symlink()
        assert target.read_text() == text
    assert [p.name for p in target.parent.iterdir()] == ["file"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes there")
def test_what_is_no_regular_file_is_neither_read_nor_replaced(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="not a regular file"):
        check_writable(path)
    for odd in (path, Path("/dev/zero")):
        with pytest.raises(ValueError, match="not a regular file"):
            read_text(odd)
    with pytest.raises(IsADirectoryError):
        read_text(tmp_path)


def test_what_could_not_be_written_is_known_before(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    check_writable(tmp_path / "file")
    check_writable(tmp_path / "folder" / "new")
    assert (tmp_path / "file").read_text() == "old"
    assert not list((tmp_path / "folder").iterdir())
    for path, error in (
        (tmp_path / "file" / "below", FileExistsError),
        (tmp_path / "folder", IsADirectoryError),
    ):
        with pytest.raises(error):
            check_writable(path)


def test_drafts_of_killed_processes_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".hidden").touch()
    with whole_file(tmp_path / "file.txt") as draft:
        left = draft.with_name(draft.name.replace("file", "other"))
        left.touch()
    remove_drafts(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".hidden", "file.txt"]
    remove_drafts(tmp_path / "missing")


def test_texts_are_read_as_any_system_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n{"b": 2}\r\n\r\n')
    assert text_lines(read_text(path)) == ['{"a": 1}', '{"b": 2}']
    assert read_json("\ufeff[1]\r\n\n") == [1]
    path.write_bytes(b"one\ntw\xff")
    with pytest.raises(ValueError, match="line 2 is not text"):
        read_text(path)


def test_each_name_stands_once_in_an_object() -> None:
    assert read_json('{"a": [{"b": 1}, {"b": 2}]}') == {"a": [{"b": 1}, {"b": 2}]}
    for text in ('{"a": 1, "a": 1}', '[{"b": {"c": 0, "a": 1, "a": 2}}]'):
        with pytest.raises(ValueError, match="the entry 'a' occurs twice"):
            read_json(text)
    many = [f'"{k}": 0' for k in range(100_000)]
    with pytest.raises(ValueError, match="the entry '99999' occurs twice"):
        read_json(f"{{{', '.join([*many, many[-1]])}}}")


ARRAYS: dict[str, Any] = {
    "rows": np.arange(12, dtype=np.int16).reshape(3, 4),
    "columns": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "one": np.float32(7),
    "none": np.zeros((0, 5), np.bool_),
    "records": np.array([(1, 2.5)], [("a", "i1"), ("b", "f8")]),
    "text": np.array(["a", "bc"]),
}


def archive_of(compression: int = zipfile.ZIP_STORED, **members: bytes) -> bytes:
    """An archive with these contents of `.npy` files."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


def npy_of(shape: tuple[int, ...], data: bytes, descr: Any = "<f4") -> bytes:
    """An `.npy` file that says it has this shape."""
    file = io.BytesIO()
    npy.write_array_header_1_0(file, {"shape": shape, "fortran_order": False, "descr": descr})
    return file.getvalue() + data


def headed(header: str) -> bytes:
    """An `.npy` file with this header, and four bytes."""
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(4)


@contextmanager
def at_most(size: int) -> Iterator[None]:
    """Fails if more bytes of memory are taken at any moment."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < size
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
def test_arrays_come_back_as_they_were(write: Any) -> None:
    file = io.BytesIO()
    write(file, **ARRAYS)
    found = read_arrays(file.getvalue())
    assert found.keys() == ARRAYS.keys()
    for name, given in ARRAYS.items():
        assert (found[name].dtype, found[name].shape) == (given.dtype, given.shape)
        assert found[name].tobytes("A") == given.tobytes("A")
        assert found[name].flags.writeable


@pytest.fixture(scope="module")
def bomb() -> bytes:
    """0.1 MB that unpack to 120 MB."""
    return archive_of(zipfile.ZIP_DEFLATED, weight_0=npy_of((30_000_000,), bytes(120_000_000)))


def test_an_archive_that_unpacks_to_far_more_is_refused(bomb: bytes, tmp_path: Path) -> None:
    assert len(bomb) < 150_000
    (tmp_path / "model.npz").write_bytes(bomb)
    with at_most(2_000_000):
        with pytest.raises(ValueError, match=r"its 116,\d+ bytes unpack to 120,000,128"):
            read_arrays(bomb)
        with pytest.raises(ValueError, match=r"model\.npz is no model .* unpack to"):
            Model.read(tmp_path / "model.npz")


def test_members_that_share_their_bytes_count_each() -> None:
    """Many entries of the directory that point to the same bytes."""
    one = archive_of(a=npy_of((2_500_000,), bytes(10_000_000)))
    start = one.rindex(b"PK\x01\x02")
    end = one.rindex(b"PK\x05\x06")
    entries, tail = one[start:end] * 20, bytearray(one[end:])
    struct.pack_into("<HHII", tail, 8, 20, 20, len(entries), start)
    shared = one[:start] + entries + bytes(tail)
    with at_most(2_000_000), pytest.raises(ValueError, match="unpack to 200"):
        read_arrays(shared)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x05\x06",
        archive_of(a=b"no array"),
        archive_of(a=npy_of((10**12,), bytes(4))),
        archive_of(a=npy_of((1,), bytes(8), "|O")),
        archive_of(a=npy_of((1,), bytes(4)))[:-30],
        archive_of(a=headed("(" * 300)),
        archive_of(a=npy_of((4,), b"sixteen bytes ..")).replace(b"bytes", b"other"),
    ],
)
def test_what_is_no_archive_of_arrays_is_named(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"archive of arrays|Object arrays|only arrays|header"):
        read_arrays(content)


def test_files_without_an_end_are_read_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_READ", 10)
    path = tmp_path / "long"
    path.write_bytes(b"0123456789")
    assert files.read_file(path) == b"0123456789"
    path.write_bytes(b"0123456789.")
    with pytest.raises(ValueError, match="it is longer than 10 bytes"):
        files.read_file(path)


@pytest.mark.parametrize("name", ["new", "there"])
def test_a_full_disk_is_told_with_the_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    (tmp_path / "there").touch()
    with pytest.raises(OSError, match="No space left") as raised, whole_file(path):
        raise OSError(28, "No space left on device")
    assert raised.value.filename == str(path)
