"""The programs of the pages in node, with a stand-in for the browser."""

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pytest

from catan_pz.render.view import table_view
from catan_pz.web.drawn import areas, places_json, view_json
from catan_pz.web.study import Study

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

PAGES: Final = Path(str(files("catan_pz.web"))) / "pages"
DOM: Final = Path(__file__).with_name("page_dom.mjs")

TABLE: Final = """
await import("./table.js");
sockets[0].hear({ board: [], areas: {}, viewer: 0, adviser: "search" });
"""
STUDY: Final = """
await import("./study.js");
const page = window.studyPage;
const byId = (id) => document.getElementById(id);
const greet = (socket, most_bytes = 100000) =>
  socket.hear({ board: [], areas: AREAS, known_agents: ["random"], most_bytes });
greet(sockets[0]);
sockets[0].hear(news);
const sent = sockets[0].sent;
""".replace("AREAS", json.dumps(areas()))


def run(folder: Path, page: str, script: str, storage: str = "empty", news: Any = None) -> Any:
    """What a script leaves in `told`, after a page's program has been loaded."""
    for source in PAGES.glob("*.js"):
        text = source.read_text().replace('"/static/', '"./')
        (folder / source.name).write_text(text)
    shutil.copy(DOM, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "test.js").write_text(
        'import { writeFileSync } from "node:fs";\n'
        f'import {{ storage }} from "./page_dom.mjs";\nstorage("{storage}");\n'
        f"const news = {json.dumps(news)};\nlet told = null;\n{page}\n{script}\n"
        'writeFileSync("told.json", JSON.stringify(told));\nprocess.exit();\n'
    )
    done = subprocess.run(
        ["node", "test.js"], cwd=folder, check=False, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "told.json").read_text())


def news_of(study: Study) -> dict[str, Any]:
    """What the server tells of a study at first."""
    view = table_view(study.game.snapshot())
    parts = {"places": places_json(view), "view": view_json(view), "is_playing": False}
    nodes = [[node.parent, node.line] for node in study.tree.nodes]
    start = json.dumps(study.tree.start)
    parts |= {"nodes": nodes, "first_node": 0, "start": start}
    parts |= {"advice": None, "layers": [], "words": []}
    return {**parts, **study.status()}


@pytest.fixture
def study() -> Study:
    """A board with a settlement."""
    made = Study()
    made.new({"num_players": 2}, seed=1)
    made.edit({"put": "settlement", "at": "vertex 12", "seat": 0})
    return made


@pytest.mark.parametrize("storage", ["empty", "full", "forbidden"])
def test_a_table_opens_where_nothing_can_be_remembered(tmp_path: Path, storage: str) -> None:
    script = """
    const box = document.getElementById("advised");
    box.checked = true;
    box.dispatch("change");
    told = sockets[0].sent;
    """
    assert run(tmp_path, TABLE, script, storage) == [{"advise": True}]


@pytest.mark.parametrize("storage", ["empty", "full", "forbidden"])
def test_a_lost_connection_comes_back_to_the_position(
    tmp_path: Path, study: Study, storage: str
) -> None:
    script = """
    page.connection.open();
    greet(sockets[1]);
    told = [byId("status").textContent, sockets[1].sent[0].open];
    """
    status, kept = run(tmp_path, STUDY, script, storage, news_of(study))
    assert status.startswith("Turn 0.")
    assert json.loads(kept)["start"] == study.game.snapshot()


def test_the_longest_position_is_kept_and_opened_again(tmp_path: Path) -> None:
    study = Study()
    server = pytest.importorskip("catan_pz.web.study_server", reason="Starlette is not installed")
    seeds = [*range(2**64 - 10_000, 2**64)]
    study.new({"num_players": 2, "dice": [[1, 2]] * 10_000, "board": seeds}, seed=1)
    script = """
    page.connection.open();
    greet(sockets[1], MOST_BYTES);
    told = sockets[1].sent;
    """.replace("MOST_BYTES", str(server.MOST_BYTES))
    (message,) = run(tmp_path, STUDY, script, news=news_of(study))
    assert json.loads(message["open"])["start"] == study.game.snapshot()


def test_what_is_too_long_or_no_file_is_not_sent(tmp_path: Path, study: Study) -> None:
    script = """
    const said = [];
    const open = async (file) => {
      await page.open(file);
      said.push(byId("hint").textContent);
    };
    await open({ name: "long", size: 200000, text: async () => "never read" });
    await open({ name: "quoted", size: 90000, text: async () => '"'.repeat(90000) });
    await open({ name: "folder", size: 0, text: async () => { throw new Error("no file"); } });
    await open({ name: "short", size: 2, text: async () => "{}" });
    told = { said, sent };
    """
    told = run(tmp_path, STUDY, script, news=news_of(study))
    long = "This is too long: the study opens positions and records of up to 97 KiB."
    assert told["said"][:3] == [long, long, "Folder can't be read."]
    assert told["sent"] == [{"open": "{}"}]


def test_keys_are_heard_after_a_piece_was_dragged(tmp_path: Path, study: Study) -> None:
    script = """
    const piece = byId("picture");
    const target = document.createElement("circle");
    target.dataset.name = "vertex 12";
    piece.dispatch("pointerdown", { target, pointerId: 1, clientX: 0, clientY: 0 });
    document.dispatch("pointermove", { clientX: 50, clientY: 50 });
    document.elementFromPoint = () => ({ dataset: { name: "vertex 20" } });
    document.dispatch("pointerup", { clientX: 50, clientY: 50 });
    page.press("vertex 20"); // the click that a browser may bring
    await new Promise((go) => setTimeout(go, 5));
    page.press("vertex 12"); // by the keyboard
    told = { sent, start: page.start };
    """
    told = run(tmp_path, STUDY, script, news=news_of(study))
    moved = {"move": "vertex 12", "to": "vertex 20"}
    assert told == {"sent": [{"edit": moved}], "start": "vertex 12"}


def test_a_link_can_be_copied_without_a_clipboard(tmp_path: Path, study: Study) -> None:
    script = """
    const links = [];
    for (const clipboard of [undefined, { writeText: async () => { throw new Error("no"); } }]) {
      navigator.clipboard = clipboard;
      await page.share();
      links.push(byId("problems").children[0].children[1].href);
    }
    const given = () => new URLSearchParams(links[0].split("#")[1]);
    await page.openLink(given());
    const cut = given();
    cut.set("text", cut.get("text").slice(0, 80));
    await page.openLink(cut);
    told = { same: links[0] === links[1], sent, said: byId("hint").textContent };
    """
    told = run(tmp_path, STUDY, script, news=news_of(study))
    assert told["same"]
    assert [json.loads(one["open"])["start"] for one in told["sent"]] == [study.game.snapshot()]
    assert told["said"] == "This link is damaged, or a part of one."
