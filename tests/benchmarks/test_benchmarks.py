"""The benchmarks run, on a small scale, and fill their tables."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from catan_pz.observation.segments import SIZE
from tests.benchmarks import __main__ as benchmarks
from tests.benchmarks import arena, batch, former, others
from tests.benchmarks.measuring import rates


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


def test_the_best_of_measures_in_turns_counts() -> None:
    now, costs = [0.0], iter([5.0, 1.0, 2.0, 4.0])

    def work() -> int:
        now[0] += next(costs)
        return 10

    assert rates({"a": work, "b": work}, 0.1, 2, lambda: now[0]) == {"a": 5.0, "b": 10.0}


@pytest.mark.slow  # compiles entry points of its own
def test_batches_are_measured(monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(batch, "DRIFT", 600)
    monkeypatch.setattr(batch, "PARTS_SIZES", (64, 65))
    few = ["--seconds", "0.01", "--repeats", "1", "--threads", "2", "--sizes", "1", "600"]
    speeds, parts, memory = tables(run(monkeypatch, capsys, "batch", *few))
    assert [row[0] for row in speeds[1:3]] == ["1, mask and observation", "600, mask"]
    assert all(len(row) == 3 for row in speeds + parts)
    taken = {name: numbers([count])[0] for name, count in memory}
    assert (taken["observation"], taken["mask"]) == (SIZE, 252)
    assert sum(taken.values()) == 2 * taken["together"]


@pytest.mark.slow  # compiles entry points of its own
def test_the_engine_is_measured(monkeypatch: Any, capsys: Any) -> None:
    (rows,) = tables(run(monkeypatch, capsys, "engine", "--seconds", "0", "--repeats", "1"))
    assert len(rows) == 9
    assert all(n > 0 for row in rows for n in numbers(row[2:]))


@pytest.mark.slow
def test_the_arena_is_measured(monkeypatch: Any, capsys: Any) -> None:
    few = ["--batched", "24", "--single", "2", "--paired", "80"]
    few += ["--gathered", "2", "--alone", "1", "--turns", "1"]
    said = run(monkeypatch, capsys, "arena", *few)
    speeds, gathered = tables(said)
    assert [row[0] for row in speeds] == list(arena.RULE_SETS)
    assert all(numbers([cell])[0] > 0 for row in speeds + gathered for cell in row[1:])
    paired, unpaired = numbers(re.findall(r"paired ([\d.]+)", said))
    assert 0 < paired < unpaired


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
    for measures in program.ways.values():
        whole, without_drawing = others.rates(measures)
        assert 0 < whole <= without_drawing
    assert set(program.ways) >= {way for ways in others.COMPARED.values() for way in ways}


def test_a_wrong_name_or_option_is_refused(monkeypatch: Any, capsys: Any) -> None:
    with pytest.raises(SystemExit, match="unknown benchmarks"):
        run(monkeypatch, capsys, "speed")
    with pytest.raises(SystemExit, match="name it"):
        run(monkeypatch, capsys, "--seconds", "1")
    with pytest.raises(SystemExit, match="2"):
        run(monkeypatch, capsys, "agents", "--device", "cuda")


@pytest.mark.slow
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
