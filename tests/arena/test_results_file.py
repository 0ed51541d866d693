"""The file of results: an interrupted match continues where it stopped."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from catan_pz import Rules, arena
from catan_pz.arena import executors, load_results, match
from catan_pz.arena.results import Result
from tests.arena.players import QUICK, Accountant, Builder, Counter

ROOT = Path(__file__).parents[2]
PLAYERS: list[Any] = [("b", Builder()), ("c", Counter), "random"]


def play(path: Path | None, games: int = 24, **changes: Any) -> Result:
    options: dict[str, Any] = {"seed": 7, **QUICK} | changes
    return arena.play_match(options.pop("agents", PLAYERS), games, results=path, **options)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, bytes]:
    path = tmp_path_factory.mktemp("arena") / "unbroken.jsonl"
    return play(path), path.read_bytes()


def without_seconds(content: bytes) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in content.splitlines()]
    return sorted(
        ({k: v for k, v in row.items() if k != "seconds"} for row in rows[1:]),
        key=lambda row: row["number"],
    )


@pytest.mark.purepython
def test_a_file_holds_the_result(unbroken: tuple[Result, bytes], tmp_path: Path) -> None:
    result, content = unbroken
    path = tmp_path / "copy.jsonl"
    path.write_bytes(content)
    loaded = load_results(path)
    assert loaded == result
    times = loaded.tally("c").milliseconds, result.tally("c").milliseconds
    assert times[0] == pytest.approx(times[1], rel=1e-2)


@pytest.mark.purepython
@pytest.mark.parametrize("kept", [0, 30, -1500])
def test_a_match_continues_wherever_its_file_was_truncated(
    unbroken: tuple[Result, bytes], tmp_path: Path, kept: int
) -> None:
    result, content = unbroken
    path = tmp_path / "cut.jsonl"
    path.write_bytes(content[:kept])
    assert play(path) == result
    assert without_seconds(path.read_bytes()) == without_seconds(content)
    assert load_results(path) == result


def test_a_finished_match_is_not_played_again(
    unbroken: tuple[Result, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, content = unbroken
    path = tmp_path / "whole.jsonl"
    path.write_bytes(content)
    monkeypatch.setattr(executors.base, "play_game", None)
    assert play(path) == result
    assert path.read_bytes() == content


GAMES = 30
SCRIPT = f"""
import sys
from tests.arena.test_results_file import play
from pathlib import Path
if __name__ == "__main__":
    play(Path(sys.argv[1]), {GAMES})
"""


def start(path: Path, script: Path) -> subprocess.Popen[str]:
    """A slow match in a process of its own, once some of its games are done."""
    script.write_text(SCRIPT, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(script), str(path)],
        env=os.environ | {"PYTHONPATH": str(ROOT), "DAWDLE": "0.01"},
        stderr=subprocess.PIPE,
        text=True,
    )
    while not path.exists() or path.read_bytes().count(b"\n") < 4:
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.02)
    return process


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent to process groups there")
@pytest.mark.parametrize("sent", [signal.SIGINT, pytest.param("SIGKILL", marks=pytest.mark.slow)])
def test_a_match_that_was_stopped_continues_to_the_same_result(tmp_path: Path, sent: Any) -> None:
    path = tmp_path / "stopped.jsonl"
    process = start(path, tmp_path / "script.py")
    with pytest.raises(ValueError, match="is in use: a match that is being played"):
        play(path, GAMES)
    process.send_signal(getattr(signal, sent) if isinstance(sent, str) else sent)
    _, said = process.communicate(timeout=120)
    assert process.returncode != 0
    saved = path.read_bytes().count(b"\n") - 1
    if sent == signal.SIGINT:
        assert f"Interrupted: stopped after {saved} of {GAMES} games: saved in {path}" in said
        assert path.read_bytes().endswith(b"\n")
    assert 0 < saved < GAMES
    assert play(path, GAMES) == play(None, GAMES)
    assert len(load_results(path).games) == GAMES


@pytest.mark.purepython
@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (["games"], {}, r"games'? is in use: a match that is being played"),
        (["records"], {"results": "other", "seed": 8}, "another match records its games there"),
    ],
)
def test_a_file_or_folder_of_a_match_that_is_being_played_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: list[str], second: Any, message: str
) -> None:
    draft = tmp_path / "records" / ".game-000003.x.draft.jsonl"
    draft.parent.mkdir()
    make_tasks = match.make_tasks

    def start(*used: str, results: str = "games", seed: int = 7) -> Result:
        path = tmp_path / results if "games" in used else None
        folder = draft.parent if "records" in used else None
        return play(path, 6, records=folder, seed=seed)

    def play_twice(*arguments: Any) -> Any:
        draft.write_text("half")
        for _ in range(2):  # being refused doesn't open it to the next one
            with pytest.raises(ValueError, match=message):
                start("games", "records", **second)
        assert draft.exists(), "what the first match is writing was removed"
        assert not (tmp_path / "other").exists()
        return make_tasks(*arguments)

    monkeypatch.setattr(match, "make_tasks", play_twice)
    played = start(*first)
    monkeypatch.undo()
    assert start(*first) == played


@pytest.mark.purepython
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 8}, "seed is 7 there, 8 here"),
        ({"games": 30}, "games is 24 there, 30 here"),
        ({"rules": Rules(num_players=3)}, "rules.max_turns is 60 there"),
        ({"victory_points": 5}, "rules.victory_points is 3 there, 5 here"),
        ({"seconds_per_decision": 3.0}, "seconds_per_decision is None there, 3.0 here"),
        ({"agents": [("b", Builder(eager=False)), *PLAYERS[1:]]}, "'eager': True"),
        ({"agents": [("x", Builder()), *PLAYERS[1:]]}, "lineups is"),
    ],
)
def test_other_settings_are_refused(
    unbroken: tuple[Result, bytes], tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path = tmp_path / "other.jsonl"
    path.write_bytes(unbroken[1])
    if "rules" in changes:
        changes |= {"trading": True, "victory_points": 10, "max_turns": 1000}
    with pytest.raises(ValueError, match="holds another match, which can't go on") as raised:
        play(path, **changes)
    assert message in str(raised.value)
    assert path.read_bytes() == unbroken[1]


@pytest.mark.purepython
def test_invalid_files_of_results(unbroken: tuple[Result, bytes], tmp_path: Path) -> None:
    path = tmp_path / "file"
    lines = unbroken[1].splitlines(keepends=True)

    def header(**changes: Any) -> bytes:
        return json.dumps(json.loads(lines[0]) | changes).encode() + b"\n"

    wrong: list[tuple[bytes, str]] = [
        (b"notes of mine", "is no file of results"),
        (b"notes of mine\n", "line 1 is not JSON"),
        (b"{}\n", "line 1 must be of the format"),
        (b"[" * 100_000 + b"\n", "line 1 is not JSON"),
        (b"".join([*lines[:3], b"{\n", *lines[3:]]), "line 4: no result of a game"),
        (b"".join([*lines[:3], b"{}\n"]), "line 4: no result of a game"),
        (b"".join([*lines[:4], lines[2]]), "line 5 holds game"),
        (lines[0] + lines[1].replace(b'"number":', b'"number":99'), "is none of this match"),
        (lines[0] + lines[1].replace(b'"end":"', b'"end":"x'), "line 2: no result of a game"),
    ]
    for content, message in wrong:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=message):
            play(path)
        assert path.read_bytes() == content
    told = "file: these are no results of a match"
    others = (header(agents=None), told), (header(seed={}), told), (header(rules={"x": 1}), told)
    for content, message in [(b"", "there are no results in it"), wrong[2], *others]:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=message):
            load_results(path)


@pytest.mark.purepython
def test_results_of_unfinished_matches_are_balanced(
    unbroken: tuple[Result, bytes], tmp_path: Path
) -> None:
    path = tmp_path / "part.jsonl"
    lines = unbroken[1].splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:15]))
    part = load_results(path)
    assert 0 < len(part.games) < 14
    assert len(part.games) % 6 == 0
    assert part.games == tuple(g for g in unbroken[0].games if g in part.games)


def reported(told: Any, path: Path) -> list[dict[str, float]]:
    result = play(path, 2, agents=[("a", Accountant(told)), "random"])
    return [one.reported("a") for one in (result, load_results(path))]


@pytest.mark.purepython
def test_what_agents_report_is_read_again(tmp_path: Path) -> None:
    assert reported(np.int64(7), tmp_path / "a.jsonl") == [{"tokens": 14}] * 2
    for k, told in enumerate(["many", math.nan, {}]):
        with pytest.warns(match="report of 'tokens' must be a finite number, .* 'Accountant' in"):
            assert reported(told, tmp_path / f"{k}.jsonl") == [{}, {}]
