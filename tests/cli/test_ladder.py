"""`catan-pz ladder`: its page, and files that it refuses."""

import re
from pathlib import Path
from typing import Any

import pytest

from catan_pz.cli import main

TEXT = """
precision = 300
games = 60
seed = 1
rules = {num_players = 2, trading = false, victory_points = 3, max_turns = 60}
[entrants]
"<b>" = "random"
heuristic = "heuristic"
"""


def test_a_ladder_writes_one_page_and_goes_on(tmp_path: Path, capsys: Any) -> None:
    file, folder = tmp_path / "ladder.toml", tmp_path / "ladder"
    file.write_text(TEXT)
    assert main(["ladder", str(file)]) == 0
    assert f"The page is {folder / 'index.html'}.\n" in capsys.readouterr().out
    page = (folder / "index.html").read_text()
    assert "<title>Ladder</title>" in page
    assert "<b></th>" not in page  # names are text
    assert not re.search(r"\{\{|(src|href)=\"(https?:|/)", page)
    names = re.findall(r'<a href="([^"]+)">', page)
    assert all((folder / name).is_file() for name in names or [""])
    assert "\nheuristic," in (folder / "ratings.csv").read_text()
    games = {path: path.read_bytes() for path in folder.glob("round-*.jsonl")}
    assert main(["ladder", str(file)]) == 0  # nothing is left to play
    assert {path: path.read_bytes() for path in folder.glob("round-*.jsonl")} == games
    assert (folder / "index.html").read_text() == page


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("seed = 1", "sed = 1", r"an entry must be one of entrants, .*did you mean 'seed'"),
        ("seed = 1", "seed = ", "Invalid value"),
        ("precision = 300", "precision = -1", "precision must be"),
        ("trading", "trade", "unknown option trade"),
        ('"<b>" = "random"', "", "entrants must be two or more lines"),
        ('"heuristic"', '"jsettlers:smart"', "with robots of JSettlers only num_players"),
        (
            '"heuristic"',
            '"heuristics"',
            "entrant 'heuristic': agent must be one of .*did you mean 'heuristic'",
        ),
    ],
)
def test_other_files_are_refused_in_one_line(
    old: str, new: str, told: str, tmp_path: Path, capsys: Any
) -> None:
    (file := tmp_path / "ladder.toml").write_text(TEXT.replace(old, new))
    assert main(["ladder", str(file)]) != 0
    error = capsys.readouterr().err
    assert re.search(f"ladder.toml: {told}", error)
    assert error.count("\n") == 1
    assert [*tmp_path.iterdir()] == [file]
