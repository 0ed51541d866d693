"""The files of saved tables."""

from pathlib import Path

import pytest

from catan_pz.web.saved import write


def test_others_can_read_the_links_at_no_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table-0.jsonl"
    modes = []
    replace_as_ever = Path.replace

    def replace(draft: Path, target: Path) -> Path:
        modes.append(draft.stat().st_mode & 0o777)
        return replace_as_ever(draft, target)

    monkeypatch.setattr(Path, "replace", replace)
    write(path, "a link\n")
    path.chmod(0o644)
    write(path, "a link, and a decision\n")
    assert modes == [0o600, 0o600]
    assert path.stat().st_mode & 0o777 == 0o600
