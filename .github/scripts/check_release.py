"""Refuse a release whose tag, version and changelog disagree: check_release.py v0.1.0."""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def problems(tag: str, root: Path = ROOT) -> list[str]:
    """What keeps the checkout at `root` from being released under `tag`, in words."""
    version = tomllib.loads(_read(root / "pyproject.toml"))["project"]["version"]
    found = []
    if tag != f"v{version}":
        found.append(f"the tag is {tag}, but pyproject.toml says {version}: v{version} expected")
    for name, pattern in [
        ("catan_pz/__init__.py", r"""^__version__(?:: \S+)? = ["'](.+)["']$"""),
        ("CITATION.cff", r"^version: (.+)$"),
    ]:
        match = re.search(pattern, _read(root / name), re.MULTILINE)
        said = match[1] if match else "nothing"
        if said != version:
            found.append(f"{name} gives {said} as the version, but pyproject.toml says {version}")
    found += _changelog_problems(_read(root / "CHANGELOG.md"), version)
    return found


def _changelog_problems(changelog: str, version: str) -> list[str]:
    heading = rf"^## \[{re.escape(version)}\](?P<date>.*)\n(?P<entry>(?:(?!## ).*\n?)*)"
    match = re.search(heading, changelog, re.MULTILINE)
    if not match:
        return [f"CHANGELOG.md has no section [{version}]"]
    found = []
    if not re.fullmatch(r" - \d{4}-\d{2}-\d{2}", match["date"].rstrip()):
        found.append(f"CHANGELOG.md: the section [{version}] has no date (- YYYY-MM-DD)")
    if not re.search(r"^- \S", match["entry"], re.MULTILINE):
        found.append(f"CHANGELOG.md: the section [{version}] lists no change")
    return found


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def main() -> int:
    """Print the problems; the exit status is 1 if there are any, 2 for wrong usage."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = problems(sys.argv[1])
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
