"""Put built pages into the site of all versions: add_pages.py BUILT SITE VERSION URL.

BUILT goes to the folder VERSION of SITE, "dev" or a number; the highest number is `stable`, too.
The pages' switcher reads `versions.json`; the root leads to `stable`, or to `dev` before
the first release.
"""

import json
import shutil
import sys
from pathlib import Path


def add_pages(built: Path, site: Path, version: str, url: str) -> None:
    """Replace the pages of a version, and list all there are, the newest first."""
    _replace(built, site / version)
    numbers = [path.name for path in site.iterdir() if path.name[0].isdigit()]
    numbers.sort(key=lambda name: [int(part) for part in name.split(".")], reverse=True)
    if version in numbers[:1]:
        _replace(built, site / "stable")
    entries = [{"name": "dev", "version": "dev", "url": f"{url}/dev/"}]
    for name in numbers:
        newest = name == numbers[0]
        entry = {"name": name, "version": name, "url": f"{url}/{'stable' if newest else name}/"}
        entries.append(entry | ({"name": f"{name} (stable)", "preferred": True} if newest else {}))
    (site / "versions.json").write_text(json.dumps(entries, indent=2) + "\n", encoding="utf-8")
    start = "stable" if numbers else "dev"
    lead = f'<!doctype html><meta http-equiv="refresh" content="0; url={start}/">\n'
    (site / "index.html").write_text(lead, encoding="utf-8")
    (site / ".nojekyll").touch()  # folders that begin with an underscore are served as well


def _replace(built: Path, folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(built, folder, ignore=shutil.ignore_patterns(".doctrees", ".buildinfo"))


if __name__ == "__main__":
    add_pages(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4].rstrip("/"))
