import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import catan_pz

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _package_files() -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "catan_pz").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (path,) = folder.glob("*.whl")
    assert path.name == f"catan_pz-{PROJECT['version']}-py3-none-any.whl"
    with zipfile.ZipFile(path) as archive:
        yield archive


def test_all_say_the_version_of_pyproject() -> None:
    version = PROJECT["version"]
    assert catan_pz.__version__ == version
    for name, words in (("CITATION.cff", f"\nversion: {version}\n"), ("CHANGELOG.md", version)):
        assert words in (ROOT / name).read_text(encoding="utf-8")


def test_the_wheel_holds_the_whole_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert "catan_pz/py.typed" in names
    assert names == _package_files()
    assert any(name.endswith("/licenses/LICENSE") for name in wheel.namelist())


def test_the_page_of_a_package_index_has_absolute_links_alone(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    page = wheel.read(name).decode("utf-8")
    repository = PROJECT["urls"]["Repository"]
    assert f"Project-URL: Repository, {repository}\n" in page
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)]+)\)", page)
    assert len(targets) == len(re.findall(r"\]\(([^)]+)\)", readme)) > 5
    assert [target for target in targets if not target.startswith("https://")] == []
    files = [target.removeprefix(f"{repository}/blob/main/") for target in targets]
    raw = repository.replace("github.com", "raw.githubusercontent.com") + "/main/"
    files = [target.removeprefix(raw).split("#")[0] for target in files]
    assert [file for file in files if "://" not in file and not (ROOT / file).exists()] == []


def test_the_lowest_versions_are_those_of_all_that_an_extra_brings() -> None:
    script = ROOT / ".github" / "scripts" / "lowest_versions.py"
    command = [sys.executable, script, "test"]
    lowest = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    for extra in ("test", "arena", "web"):
        for requirement in PROJECT["optional-dependencies"][extra]:
            if match := re.match(r"([\w-]+)(\[\w+\])?>=([\d.]+)$", requirement):
                assert f"{match[1]}=={match[3]}" in lowest


def test_every_room_is_a_package() -> None:
    folders = {(ROOT / name).parent for name in _package_files() if name.endswith(".py")}
    assert {folder for folder in folders if not (folder / "__init__.py").is_file()} == set()


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", ".ci/run"])
def test_make_targets_named_in_documents_exist(document: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    text = (ROOT / document).read_text(encoding="utf-8")
    # A command opens a line or stands in backquotes; "make" is a word of English too.
    named = set(re.findall(r"(?:^\s*(?:\$ )?|`)make ([a-z-]+)", text, re.MULTILINE))
    assert named
    assert named - targets == set()


def test_importing_the_environment_loads_no_optional_library() -> None:
    optional = ["matplotlib", "pygame", "resvg_py", "rich", "sb3_contrib", "stable_baselines3"]
    optional += ["tensorboard", "torch", "tqdm"]
    program = (
        "import sys, catan_pz, catan_pz.catan_v0\n"
        f"print([name for name in {optional} if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.stderr == ""
    assert result.stdout.strip() == "[]"
