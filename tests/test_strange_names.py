"""Names that could break what shows them: pictures, texts, tables, plots."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from catan_pz.arena import load_results, save_report, to_csv, to_markdown
from catan_pz.arena.match import play_match
from catan_pz.arena.ratings import Rating
from catan_pz.arena.report import ratings_plot
from catan_pz.arena.results import Result
from catan_pz.cli import main
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.play.frames import frames_of_record
from catan_pz.render import lettering
from catan_pz.render.ansi import board_text
from catan_pz.render.svg import board_svg

NAMES = {
    "escape sequence": "\x1b[2J\x1b]0;title\x07",
    "control characters": "a\x00b\rc\x08\x7f\x9b",
    "lines": "one\ntwo\u2028three",
    "html": '<img src=x onerror="alert(1)"> &amp; "quoted"',
    "markdown": "](http://x) | **b** `c` # $\\frac{$ ",
    "formula": "$\\notacommand{$",
    "surrogate": "lone \ud800 and \udcff",
    "directions": "\u202eevil\u2066",
    "noncharacter": "\ufffe\uffff\U000e0001",
    "rich": "[/bold] [red]x[/] [link=http://x]",
    "long": "very long " * 100_000,
    "combining": "e" + "\u0301" * 1000,
}

strange = pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)


@pytest.fixture(scope="module")
def start() -> dict[str, Any]:
    return Game(num_players=2, trading=False, seed=1).snapshot()


def check_svg(content: str) -> None:
    assert len(content) < 10**6
    root = ET.fromstring(content.encode("utf-8"))
    for element in root.iter():
        assert element.tag.partition("}")[2] not in ("script", "img", "foreignObject", "a")
        assert all(value.isprintable() for value in element.attrib.values())


@strange
def test_pictures(start: dict[str, Any], name: str) -> None:
    check_svg(board_svg(start, names=[name, name], last_action=f"{name} rolls"))


@strange
def test_texts(start: dict[str, Any], name: str) -> None:
    plain = board_text(start, names=["x" * min(9, len(name)), "b"])
    text = board_text(start, names=[name, "b"], last_action=f"{name} rolls")
    text.encode("utf-8")
    own = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert all(line.isprintable() and len(line) <= 80 for line in own.split("\n"))
    assert text.count("\x1b") == plain.count("\x1b")
    assert text.count("\n") == plain.count("\n") + 1


class Counted(str):
    """A text that counts what is read of it."""

    __slots__ = ()
    read = 0

    def __iter__(self) -> Iterator[str]:
        Counted.read += len(self)
        return super().__iter__()

    def __getitem__(self, key: Any) -> str:
        Counted.read += 1
        return super().__getitem__(key)


def test_drawing_reads_no_more_of_longer_names(start: dict[str, Any]) -> None:
    read = []
    for length in (1000, 1_000_000):
        Counted.read = 0
        board_svg(start, names=[Counted("ab" * length), "b"], last_action="a" * length)
        board_text(start, names=[Counted("ab" * length), "b"])
        read.append(Counted.read)
    assert read[0] == read[1]


def test_a_line_is_shortened_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lettering, "text_width", None)
    assert lettering.shortened("an island with a desert", 20, 100) == "an island…"
    assert lettering.shortened("an island", 20, 100) == "an island"
    assert lettering.shortened("island", 20, 1) == "…"


@strange
def test_recorded_games(name: str, tmp_path: Path, capsys: Any) -> None:
    game = Game(num_players=2, trading=False, seed=1)
    record = GameRecord.of(game, [name, "b"])
    for _ in range(12):
        game.step(int(game.legal_actions()[0]))
    path = tmp_path / "game.jsonl"
    record.save(path)
    read = GameRecord.load(path)
    assert read.names == [name, "b"]
    for frame in frames_of_record(read):
        assert frame.line is None or frame.line.isprintable()
    assert main(["watch", str(path), "--terminal"]) == 0
    told = capsys.readouterr().out
    assert all(line.isprintable() for line in told.split("\n"))
    drawn = tmp_path / "drawn.svg"
    assert main(["watch", str(path), "--export", str(drawn)]) == 0
    check_svg(drawn.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """Games between two agents, as a file of another machine may hold them."""
    path = tmp_path_factory.mktemp("arena") / "games.jsonl"
    agents = [("left", "random"), ("right", "random")]
    play_match(agents, 4, num_players=2, trading=False, max_turns=5, results=path)
    return load_results(path)


def renamed(result: Result, name: str) -> Result:
    """The result with another name in the place of "left", and a forfeit of its making."""
    games = []
    for game in result.games:
        seats = tuple(name if who == "left" else who for who in game.seats)
        games.append(replace(game, seats=seats))
    games[-1] = replace(games[-1], end="forfeit", offender=0, reason=f"error: {name}")
    return replace(result, names=(name, "right"), games=tuple(games))


@strange
def test_tables(results: Result, name: str) -> None:
    page = to_markdown(renamed(results, name))
    assert len(page) < 10_000
    page.encode("utf-8")
    for line in page.split("\n"):
        assert line.isprintable()
        assert not re.search(r"<\w", line)
        bars = len(re.findall(r"(?<!\\)\|", line))
        assert bars in (0, 4, 5, 11)
    rows = list(csv.reader(io.StringIO(to_csv(renamed(results, name)))))
    assert len(rows) == 5
    assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize("ending", [".svg", ".png", ".md", ".csv"])
def test_reports(results: Result, ending: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="takes the extra `arena`")
    games = []
    for k, name in enumerate(NAMES.values()):
        for game in renamed(results, name).games:
            games.append(replace(game, lineup=k, number=len(games)))
    names = (*NAMES.values(), "right")
    lineups = tuple((k, len(names) - 1) for k in range(len(NAMES)))
    together = replace(results, names=names, lineups=lineups, games=tuple(games))
    content = save_report(together, tmp_path / f"report{ending}").read_bytes()
    assert len(content) < 10**6
    if ending == ".svg":
        ET.fromstring(content)


def test_ratings_of_names_that_look_alike_are_all_drawn() -> None:
    pytest.importorskip("matplotlib", reason="takes the extra `arena`")
    ratings = [Rating(f"{'$x' * 30}{name}", 0.0, None) for name in "ab"]
    content = ratings_plot(ratings, "svg").decode()
    cut = "$x" * 19 + "$…"
    assert re.findall(r"<!-- (.*\$x.*) -->", content) == [f"{cut} (2)", cut]


def test_learning_curves() -> None:
    pytest.importorskip("torch", reason="takes the extra `train`")
    pytest.importorskip("matplotlib", reason="takes the extra `train`")
    from catan_pz.training import evaluation
    from catan_pz.training.evaluation import describe

    row = {"frames": 1, "seconds": 1.0, "games": 4, "won": 1, "win_rate": 0.25}
    row |= {"interval": [0.1, 0.5], "points": 2.0}
    rows = [row | {"against": name} for name in NAMES.values()]
    drawn = evaluation.draw_curve(rows, r"$\frac", 4, "frames", "png")
    assert drawn.startswith(b"\x89PNG")
    for one in rows:
        assert describe(one).isprintable()
        assert len(describe(one)) < 300


@strange
def test_what_a_training_says(name: str, capsys: Any) -> None:
    pytest.importorskip("sb3_contrib", reason="takes the extra `train`")
    pytest.importorskip("tyro", reason="takes the extra `train`")
    from catan_pz.training import console

    console.say(f"saved in {name[:50]}")
    console.warn(f"{name[:50]} is missing")
    told = "".join(capsys.readouterr())
    assert all(line.isprintable() for line in told.split("\n"))
