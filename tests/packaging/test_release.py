import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import load_file

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / ".github" / "scripts" / "check_release.py"

FILES = {
    "pyproject.toml": '[project]\nname = "catan-pz"\nversion = "1.2.0"\n',
    "CITATION.cff": "cff-version: 1.2.0\nversion: 1.2.0\n",
    "CHANGELOG.md": (
        "# Changelog\n\n## [Unreleased]\n\n"
        "## [1.2.0] - 2026-12-31\n\n### Added\n\n- Something.\n\n"
        "## [1.1.0] - 2026-11-30\n\n- Something else.\n"
    ),
    "catan_pz/__init__.py": '"""The package."""\n\n__version__ = "1.2.0"\n',
}


problems = load_file(SCRIPT).problems


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_a_release_whose_files_agree_passes(checkout: Path) -> None:
    assert problems("v1.2.0", checkout) == []


@pytest.mark.parametrize("tag", ["v1.2.1", "1.2.0"])
def test_a_tag_that_is_not_the_version_is_refused(checkout: Path, tag: str) -> None:
    (problem,) = problems(tag, checkout)
    assert tag in problem


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("catan_pz/__init__.py", "1.2.0", "1.1.0", "gives 1.1.0 as the version"),
        ("CITATION.cff", "\nversion: 1.2.0", "\nversion: 1.1.0", "gives 1.1.0 as the version"),
        ("CHANGELOG.md", "[1.2.0]", "[1.2.1]", "no section [1.2.0]"),
        ("CHANGELOG.md", " - 2026-12-31", "", "no date"),
        ("CHANGELOG.md", "- Something.\n", "", "lists no change"),
    ],
)
def test_files_that_disagree_are_refused(
    checkout: Path, name: str, old: str, new: str, words: str
) -> None:
    path = checkout / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    (problem,) = problems("v1.2.0", checkout)
    assert words in problem
    assert name in problem


def test_the_command_fails_for_a_tag_without_its_release() -> None:
    result = subprocess.run(
        [sys.executable, SCRIPT, "v0.0.0"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "the tag is v0.0.0" in result.stderr
