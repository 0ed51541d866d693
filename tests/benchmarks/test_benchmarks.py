"""The benchmarks that measure batches run, on a small scale, and fill their tables."""

import re
import subprocess
import sys
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from catan_pz.observation.segments import SIZE
from tests.benchmarks import __main__ as benchmarks
from tests.benchmarks import arena, batch, former, others, scale, search


def tables(text: str) -> list[list[list[str]]]:
    """The cells of the Markdown tables in a text, without head and rule."""
    found = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    lines = [table.splitlines()[2:] for table in found]
    return [[[c.strip() for c in row.strip("|").split("|")] for row in rows] for rows in lines]


def numbers(cells: list[str]) -> list[float]:
    return [float(n.replace(",", "")) for cell in cells for n in re.findall(r"[\d.,]*\d", cell)]


def run(monkeypatch: Any, capsys: Any, *words: str) -> str:
    monkeypatch.setattr(sys, "argv", ["benchmarks", *words])
    benchmarks.main()
    return str(capsys.readouterr().out)


def test_batches_are_measured(monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(batch, "DRIFT", 1200)
    monkeypatch.setattr(batch, "PARTS_SIZES", (64, 65))
    monkeypatch.setattr(batch, "SCALING_SIZES", (600,))
    few = ["--seconds", "0.02", "--repeats", "1", "--threads", "2", "--sizes", "1", "600"]
    speeds, parts, memory, scaling = tables(run(monkeypatch, capsys, "batch", *few))
    assert [row[0] for row in speeds] == ["1", "600"]
    assert all(numbers([cell])[0] > 0 for row in speeds for cell in row[1:])
    assert [row[0] for row in parts] == list(batch.PARTS)
    assert all(len(row) == 3 for row in parts)
    taken = {name: numbers([count])[0] for name, count in memory}
    assert taken["observation"] == SIZE
    assert taken["mask"] == 252
    assert sum(taken.values()) == 2 * taken["together"]
    assert [row[0] for row in scaling] == ["600, mask", "600, mask and observation"]
    assert all(len(numbers(row[1:])) == 4 for row in scaling)
    (memory_alone,) = tables(run(monkeypatch, capsys, "batch", *few, "--tables", "memory"))
    assert memory_alone == memory


def test_the_engine_is_measured(monkeypatch: Any, capsys: Any) -> None:
    (rows,) = tables(run(monkeypatch, capsys, "engine", "--games", "1", "--repeats", "1"))
    assert len(rows) == 9
    assert all(n > 0 for row in rows for n in numbers(row[2:]))


@pytest.mark.slow
def test_the_arena_is_measured(monkeypatch: Any, capsys: Any) -> None:
    few = ["--batched", "24", "--single", "2", "--paired", "80"]
    few += ["--gathered", "2", "--alone", "1", "--turns", "1"]
    said = run(monkeypatch, capsys, "arena", *few)
    speeds, gathered = tables(said)
    assert all(numbers([cell])[0] > 0 for row in gathered for cell in row[1:])
    assert [row[0] for row in speeds] == list(arena.RULE_SETS)
    assert all(numbers([cell])[0] > 0 for row in speeds for cell in row[1:])
    paired, unpaired = numbers(re.findall(r"paired ([\d.]+)", said))
    assert 0 < paired < unpaired


def test_as_many_games_one_by_one_as_in_batches_are_played_one_by_one(
    monkeypatch: Any, capsys: Any
) -> None:
    played = []

    def play_game(config: Any, game: Any, players: Any) -> list[Any]:
        played.append(game)
        return [SimpleNamespace(decisions=(1,))]

    monkeypatch.setattr(arena, "play_game", play_game)
    monkeypatch.setattr(arena, "RULE_SETS", {"2 players": {"rules": "one_v_one"}})
    monkeypatch.setattr(arena, "time", SimpleNamespace(process_time=count().__next__))
    arena.speeds(2, 2)
    assert len(played) == 1 + 2  # the first one isn't timed


def test_seconds_of_a_game_are_those_of_games_that_were_played(
    monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setattr(arena, "play_game", lambda *_: [])
    monkeypatch.setattr(arena, "play_task", lambda _config, task, _players: task.games)
    monkeypatch.setattr(arena, "time", SimpleNamespace(process_time=count().__next__))
    arena.gathering(2, 50, 1)
    (rows,) = tables(capsys.readouterr().out)
    together, alone = (numbers([row])[0] for row in rows[0][1:3])
    games = len(list(arena.Schedule(((0, 1, 1, 1),), 2).games()))
    assert (together, alone) == (1 / 2, 1 / games)


def test_the_search_has_the_prior_that_is_asked_for(monkeypatch: Any, capsys: Any) -> None:
    asked = []

    def match(_args: Any, _folder: Any, **options: Any) -> Any:
        asked.append(options)
        raise LookupError

    monkeypatch.setattr(search, "match", match)
    few = ["search", "--speed", "0", "--simulations", "8", "--method", "puct"]
    for words in ([], ["--prior", "none"]):
        with pytest.raises(LookupError):
            run(monkeypatch, capsys, *few, *words)
    without, none = asked
    assert "prior" not in without
    assert none["prior"] is None


def test_a_slow_link_takes_all_that_workers_send(monkeypatch: Any) -> None:
    rounds = [{"observation": np.zeros(400, np.int8), "version": 1}]
    states = {0: {"games": np.zeros(600, np.int8)}}
    workers = SimpleNamespace(states=states, take=lambda _number: rounds)
    slept: list[float] = []
    clock = SimpleNamespace(perf_counter=lambda: 0.0, sleep=slept.append)
    monkeypatch.setattr(scale, "time", clock)
    scale.SlowLink(workers, rate=1000)
    workers.take(0)
    assert slept == [1.0]


def test_the_forward_search_is_measured(monkeypatch: Any, capsys: Any) -> None:
    few = ["--seconds", "0.001", "--wave", "2", "--decisions", "3"]
    (rows,) = tables(run(monkeypatch, capsys, "forward", *few))
    of = {row[0]: numbers(row[1:]) for row in rows}
    assert of["runs"] == [2, 2]  # a wave is played to its end
    assert of["candidates"][0] > 1
    assert of["CPU-seconds"][0] > 0


def test_other_programs_are_asked_in_turns_by_lines_of_json() -> None:
    program = others.start("catan-pz", sys.executable, "run_catan_pz", ["0", "8", "cpu"])
    for way in program.ways:
        program.measure(way, 0.01)
    program.close()
    assert program.process.returncode == 0
    for one in program.ways.values():
        assert 0 < one.rate <= one.rate_without_drawing
        assert one.decisions > 0
    assert set(program.ways) >= {way for ways in others.COMPARED.values() for way in ways}


def test_a_wrong_name_or_option_is_refused(monkeypatch: Any, capsys: Any) -> None:
    with pytest.raises(SystemExit, match="unknown benchmarks"):
        run(monkeypatch, capsys, "speed")
    with pytest.raises(SystemExit, match="name it"):
        run(monkeypatch, capsys, "--seconds", "1")
    for name in ("agents", "engine"):
        with pytest.raises(SystemExit, match="2"):
            run(monkeypatch, capsys, name, "--device", "cuda")
        assert "unrecognized arguments: --device cuda" in capsys.readouterr().err


def test_a_library_that_is_missing_is_named(monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "tests.benchmarks.rllib", raising=False)
    with pytest.raises(SystemExit, match="rllib needs ray, which isn't installed"):
        run(monkeypatch, capsys, "rllib")


def test_agents_of_an_earlier_revision_are_met(
    monkeypatch: Any, capsys: Any, tmp_path: Path
) -> None:
    if not (former.ROOT / ".git").exists():
        pytest.skip("no git repository here")
    monkeypatch.setattr(former, "FOLDER", tmp_path)
    few = ["--agent", "heuristic", "--against", "random", "--players", "2", "--games", "2"]
    (rows,) = tables(run(monkeypatch, capsys, "former", "--revision", "HEAD", *few))
    assert rows[0][:4] == ["heuristic", "random at HEAD", "2", "2"]
    assert numbers(rows[0][4:5]) == [100]
    with pytest.raises(SystemExit, match="revision 'none': git knows no such one"):
        run(monkeypatch, capsys, "former", "--revision", "none")


def test_a_revision_without_the_package_is_refused(monkeypatch: Any, tmp_path: Path) -> None:
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    for words in (["init", "--quiet"], [*who, "commit", "--quiet", "--allow-empty", "-m", "empty"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    monkeypatch.setattr(former, "ROOT", tmp_path)
    monkeypatch.setattr(former, "FOLDER", tmp_path / "former")
    with pytest.raises(ValueError, match="revision 'HEAD': it has no package catan_pz"):
        former.former_package("HEAD")
