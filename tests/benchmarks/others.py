"""catan-pz beside other programs: python -m tests.benchmarks others

Random legal play of four players without trade between players. Each program runs in a
process of its own, all on the same one core; measures are taken in turns and the best of
each counts. All check that actions are legal and start the next game where one ends. The
other programs are installed into virtual environments under build/benchmarks, once;
fastcatan takes a Python from 3.12, which `--python` names where this one is older.

Observations of catan-pz are 1,008 numbers, as int8 and as float32; those of fastcatan, which
it has had before version 2 only, 1,084 float32.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.measuring import REPEATS, SECONDS, options, print_table

ROOT = Path(__file__).parents[2]
WORKERS = Path(__file__).parent / "workers"
FOLDER = ROOT / "build" / "benchmarks"
COMPARED = {
    "mask": ("mask", "mask, drawn inside"),
    "mask and observation": (
        "mask and observation",
        "mask and observation, drawn inside",
        "mask and float32 observation",
    ),
    "one game at a time": ("one game at a time", "mask"),
}
"""What catan-pz does that a way of another program is compared with."""


@dataclass
class Program:
    """A program that runs in a process of its own, and the measures of each of its ways."""

    name: str
    process: subprocess.Popen[str]
    version: str = ""
    ways: dict[str, list[dict[str, float]]] = field(default_factory=dict)

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} stopped with status {self.process.wait()}")
        return dict(json.loads(line))

    def measure(self, way: str, seconds: float) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{way} {seconds}\n")
        self.process.stdin.flush()
        self.ways[way].append(self.read())

    def close(self) -> None:
        self.process.communicate()


def rates(measures: list[dict[str, float]]) -> tuple[float, float]:
    """The best decisions a second, and the best without the time that drawing took."""
    whole = max(one["decisions"] / one["seconds"] for one in measures)
    return whole, max(one["decisions"] / (one["seconds"] - one["drawing"]) for one in measures)


def environment(name: str, python: str, packages: list[str]) -> Path:
    folder = FOLDER / name
    installed = folder / "installed.txt"
    wanted = "\n".join(packages)
    executable = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not installed.exists() or installed.read_text(encoding="utf-8") != wanted:
        print(f"Installing {', '.join(packages)} into {folder}", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
        install = [str(executable), "-m", "pip", "install", "--quiet", *packages]
        subprocess.run(install, check=True)
        installed.write_text(wanted, encoding="utf-8")
    return executable


def start(name: str, python: str | Path, worker: str, arguments: list[str]) -> Program:
    variables = dict(os.environ, OMP_NUM_THREADS="1")
    variables.pop("PYTHONPATH", None)
    if worker == "run_catan_pz":
        variables["PYTHONPATH"] = str(ROOT)
    process = subprocess.Popen(
        [str(python), str(WORKERS / f"{worker}.py"), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=variables,
    )
    program = Program(name, process)
    ready = program.read()
    program.version = ready["version"]
    program.ways = {way: [] for way in ready["ways"]}
    return program


def start_all(core: int, num_games: int, clock: str, python: str) -> list[Program]:
    batch, alone = [str(core), str(num_games), clock], [str(core), clock]
    programs = [start("catan-pz", sys.executable, "run_catan_pz", batch)]
    others = [
        ("fastcatan-2", ["fastcatan==2.0.0", "numba"], "run_fastcatan", batch),
        ("fastcatan-1", ["fastcatan==1.0.2", "numba"], "run_fastcatan", batch),
        ("catanatron", ["catanatron==3.2.1"], "run_catanatron", alone),
    ]
    for name, packages, worker, arguments in others:
        try:
            executable = environment(name, python, packages)
            programs.append(start(name.split("-")[0], executable, worker, arguments))
        except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
            print(f"{name} left out: {error}\n")
    return programs


def measured(programs: list[Program]) -> Iterator[list[str]]:
    for program in programs:
        for way, measures in program.ways.items():
            decisions, games = (sum(one[k] for one in measures) for k in ("decisions", "games"))
            (rate, without), length = rates(measures), decisions / max(games, 1)
            numbers = [f"{x:,.0f}" for x in (rate, without, rate / length, length)]
            if rate == without:
                numbers[1] = ""  # not timed by itself
            yield [f"{program.name} {program.version}", way, *numbers]


def ratios(programs: list[Program]) -> Iterator[list[str]]:
    own, *others = programs
    for program in others:
        for way, measures in program.ways.items():
            theirs = rates(measures)
            for own_way in COMPARED[way]:
                cells = [
                    f"{a / b:.2f}" for a, b in zip(rates(own.ways[own_way]), theirs, strict=True)
                ]
                if theirs[0] == theirs[1]:
                    cells[1] = ""
                yield [f"{program.name} {program.version}", own_way, *cells]


def main() -> None:
    given = options(
        __doc__,
        seconds=(1.0, SECONDS),
        repeats=(7, REPEATS),
        games=(1024, "games of a batch"),
        clock=("wall", "cpu: time that the processor gave to each, where others work beside it"),
        core=(int, "the core that all run on"),
        python=(sys.executable, "for fastcatan, from 3.12, and catanatron"),
    )
    known = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]
    core = known[-1] if given.core is None else given.core
    programs = start_all(core, given.games, given.clock, given.python)
    for _ in range(given.repeats):
        for program in programs:
            for way in program.ways:
                program.measure(way, given.seconds)
    for program in programs:
        program.close()
    print(f"Batches of {given.games:,} games, one core, {given.clock} time.\n")
    header = ("program", "what is done", "decisions/s", "without drawing", "games/s")
    print_table((*header, "decisions a game"), measured(programs))
    header = ("catan-pz against", "what catan-pz does", "times as fast", "without drawing")
    print_table(header, ratios(programs))
