import json
from pathlib import Path

import pytest

from tests.helpers import load_file

ROOT = Path(__file__).parents[2]
add_pages = load_file(ROOT / ".github" / "scripts" / "add_pages.py").add_pages
URL = "https://example.org/catan-pz"


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "built"
    (folder / "_static").mkdir(parents=True)
    return folder


def test_each_version_has_its_folder_and_stable_is_the_highest(built: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    starts = []
    for version in ("dev", "0.9.0", "0.10.0", "0.9.1", "dev"):
        (built / "index.html").write_text(version)
        add_pages(built, site, version, URL)
        assert (site / version / "index.html").read_text() == version
        starts.append((site / "index.html").read_text().partition("url=")[2].partition("/")[0])
    assert starts == ["dev", "stable", "stable", "stable", "stable"]
    assert (site / "stable" / "index.html").read_text() == "0.10.0"
    listed = json.loads((site / "versions.json").read_text())
    assert [(one["version"], one["url"]) for one in listed] == [
        ("dev", f"{URL}/dev/"),
        ("0.10.0", f"{URL}/stable/"),
        ("0.9.1", f"{URL}/0.9.1/"),
        ("0.9.0", f"{URL}/0.9.0/"),
    ]
    assert [one["version"] for one in listed if one.get("preferred")] == ["0.10.0"]
    assert (site / ".nojekyll").exists()
    assert (site / "dev" / "_static").is_dir()


def test_pages_that_are_gone_do_not_stay(built: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "dev").mkdir(parents=True)
    (site / "dev" / "old.html").touch()
    (built / "index.html").touch()
    add_pages(built, site, "dev", URL)
    assert not (site / "dev" / "old.html").exists()
