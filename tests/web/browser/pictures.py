"""Pictures of the pages for the documentation: `python -m tests.web.browser.pictures docs/images`.

Also says how long the first picture takes and what a page weighs.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.sync_api import sync_playwright

from catan_pz.agents.table import Table
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.rules import Rules
from catan_pz.web.saved import SavedTable, write

_RULES: Final = Rules(num_players=4)
_SEED: Final = 11
_TURN: Final = 41
_NAMES: Final = ["Ann", "Bob", "Cleo", "Dan"]
_PICTURES: Final = (
    ("browser", "table", (1400, 960), "light"),
    ("browser-phone", "table", (360, 740), "dark"),
    ("study", "study", (1400, 960), "light"),
)
"""Name of each, its page, the screen's size in pixels, and what colours it prefers."""


def midgame() -> GameRecord:
    """A game until its first player may build and trade."""
    game = Game(_RULES, seed=_SEED)
    record = GameRecord.of(game, _NAMES)
    with Table(game, ["heuristic"] * 4, range(4)) as table:
        while game.turn < _TURN or game.player != 0 or game.phase.name != "MAIN":
            table.step()
    return record


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, str]]:
    """The links of a seat and of the study."""
    record = midgame()
    agents = [None, "heuristic", "heuristic", "heuristic"]
    links = {-1: "onlookers-of-the-picture", 0: "seat-of-the-picture"}
    table = SavedTable(agents, _NAMES, links, record)
    write(folder / "table-0.jsonl", table.text())
    position = folder / "game.jsonl"
    record.save(position)
    words = ["serve", "--port", "0", "--save", str(folder), "--study", str(position)]
    process = subprocess.Popen(
        [sys.executable, "-m", "catan_pz.cli", *words], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        said = ""
        while "Study" not in said:
            said += process.stdout.readline()
        links = re.findall(r"http\S+", said)
        yield links[0], links[-1]
    finally:
        process.terminate()
        process.wait()


def first_picture(page: Any) -> str:
    """Milliseconds until something was drawn, and until the board was."""
    painted = page.evaluate(
        "performance.getEntriesByName('first-contentful-paint').map((one) => one.startTime)[0]"
    )
    loaded = page.evaluate(
        "performance.getEntries().reduce((sum, one) => sum + (one.transferSize ?? 0), 0)"
    )
    board = page.evaluate("performance.now()")
    return f"first paint {painted:.0f} ms, board {board:.0f} ms, {loaded / 1000:.0f} kB loaded"


def main() -> None:
    """Take the pictures."""
    home = Path(sys.argv[1])
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as (seat, study),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        addresses = {"table": seat, "study": study}
        for name, page_of, (width, height), scheme in _PICTURES:
            size = {"width": width, "height": height}
            page = browser.new_page(viewport=size, color_scheme=scheme)
            page.goto(addresses[page_of])
            page.wait_for_selector("#picture .control", state="attached")
            print(name, first_picture(page))
            drawn = Image.open(BytesIO(page.screenshot()))
            drawn.save(home / f"{name}.webp", quality=62, method=6)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
