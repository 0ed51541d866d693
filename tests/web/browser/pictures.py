"""Pictures of the pages for the documentation: `python -m tests.web.browser.pictures docs/images`.

Also says how long the first picture takes and what a page weighs.
"""

import re
import shutil
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
from catan_pz.web.saved import table_text, write
from tests.web.tables import serve_command

_AGENTS: Final = [None, "heuristic", "heuristic", "heuristic"]
_PICTURES: Final = (
    ("browser", "table", (1400, 960), "light"),
    ("browser-phone", "table", (360, 740), "dark"),
    ("study", "study", (1400, 960), "light"),
)
"""Name of each, its page, the screen's size in pixels, and what colours it prefers."""


def midgame() -> GameRecord:
    """A game until its first player may build and trade."""
    game = Game(Rules(num_players=4), seed=11)
    record = GameRecord.of(game, ["Ann", "Bob", "Cleo", "Dan"], _AGENTS)
    with Table(game, ["heuristic"] * 4, range(4)) as table:
        while game.turn < 41 or game.player != 0 or game.phase.name != "MAIN":
            table.step()
    return record


@contextmanager
def serving(folder: Path) -> Iterator[dict[str, str]]:
    """The addresses of a seat and of the study."""
    record, position = midgame(), folder / "game.jsonl"
    links = {-1: "onlookers-of-the-picture", 0: "seat-of-the-picture"}
    write(folder / "table-0.jsonl", table_text(record, links))
    record.save(position)
    with serve_command("--save", str(folder), "--study", str(position)) as (_, said):
        found = re.findall(r"http\S+", said)
        yield {"table": found[0], "study": found[-1]}


def first_picture(page: Any) -> str:
    """Milliseconds until something was drawn, and until the board was."""
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    loaded = page.evaluate(
        "performance.getEntries().reduce((sum, one) => sum + (one.transferSize ?? 0), 0)"
    )
    board = page.evaluate("performance.now()")
    return f"first paint {painted:.0f} ms, board {board:.0f} ms, {loaded / 1000:.0f} kB loaded"


def main() -> None:
    """Take the pictures."""
    found = shutil.which("chromium")
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as addresses,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=found, args=["--no-sandbox"]) as browser,
    ):
        for name, page_of, (width, height), scheme in _PICTURES:
            size = {"width": width, "height": height}
            page = browser.new_page(viewport=size, color_scheme=scheme)
            page.goto(addresses[page_of])
            page.wait_for_selector("#picture g g", state="attached")
            print(name, first_picture(page))
            drawn = Image.open(BytesIO(page.screenshot()))
            drawn.save(Path(sys.argv[1]) / f"{name}.webp", quality=62, method=6)
            page.close()


if __name__ == "__main__":
    main()
