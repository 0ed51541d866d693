"""Matches and trainings killed at random moments: python -m tests.kills --what ppo --kills 30

A program runs undisturbed once. Then it is started again and again with the same arguments, ended
by SIGKILL at a random moment of its work, and continued, until it has been killed that often. After
each kill every file must be whole, and whatever reaches its end must equal the undisturbed run:
results and records of games, models, curves, and the whole state of a learner.
"""

import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catan_pz.agents.network import Model
from catan_pz.arena import load_results
from catan_pz.game.record import GameRecord
from tests.examples.programs import EXAMPLES

KILLS = 10
TIME_LIMIT = 3600
"""Seconds in which a program must end."""


class Program(ABC):
    """A program that can be continued."""

    @abstractmethod
    def words(self, folder: Path) -> list[str]:
        """Its command line, for an output folder that may hold a part of its work."""

    @abstractmethod
    def result(self, folder: Path) -> Any:
        """All that it has computed at its end, without times."""

    @abstractmethod
    def check(self, folder: Path) -> None:
        """Raise an error if a file of an unfinished run is not whole."""


class Arena(Program):
    """A tournament in two processes, with a file of results and recorded games."""

    def words(self, folder: Path) -> list[str]:
        """`catan-pz tournament`."""
        options = f"--results {folder}/games.jsonl --records {folder}/records --workers 2"
        games = "random,weighted,heuristic --games 40 --players 2 --no-trading --seed 5"
        return ["-m", "catan_pz.cli", "tournament", *games.split(), *options.split()]

    def result(self, folder: Path) -> Any:
        """All results and the bytes of all records."""
        records = {path.name: path.read_bytes() for path in (folder / "records").iterdir()}
        return load_results(folder / "games.jsonl"), records

    def check(self, folder: Path) -> None:
        """Results can be read, and each is that of a whole record."""
        path = folder / "games.jsonl"
        if path.exists() and b"\n" in path.read_bytes():
            played = {game.number for game in load_results(path).games}
            records = {int(one.stem[-6:]) for one in (folder / "records").glob("[!.]*.jsonl")}
            assert played <= records, "a recorded game is missing"
        for one in (folder / "records").glob("[!.]*.jsonl"):
            GameRecord.load(one)


class Trainer(Program):
    """A training that writes checkpoints.

    Args:
        program: words that start it.
        options: that make it small.
    """

    def __init__(self, program: str, options: str) -> None:
        self.program, self.options = program, options

    def words(self, folder: Path) -> list[str]:
        """Continued from the last checkpoint, if there is one."""
        resume = ["--resume"] if (folder / "checkpoint.json").exists() else []
        return [*self.program.split(), *self.options.split(), "--out", str(folder), *resume]

    def result(self, folder: Path) -> Any:
        """The learner's state, curve and results."""
        from tests.examples.programs import end_of

        found = json.loads((folder / "result.json").read_text())
        rows = (folder / "curve.csv").read_text().splitlines()
        curve = [row.split(",")[:1] + row.split(",")[2:] for row in rows]
        results = [{k: v for k, v in row.items() if k != "seconds"} for row in found["results"]]
        return end_of(folder) | {"frames": found["frames"], "results": results, "rows": curve}

    def check(self, folder: Path) -> None:
        """Models, lists, results and pictures are whole, and so are all listed checkpoints."""
        from catan_pz.training.checkpoints import Checkpoints

        for path in folder.rglob("[!.]*.npz"):
            Model.read(path)
        for path in folder.glob("[!.]*.json"):
            json.loads(path.read_text())
        for path in folder.glob("[!.]*.png"):
            assert b"IEND" in path.read_bytes()[-12:], f"{path} is cut"
        kept = Checkpoints(folder)
        if kept.entries():
            for entry in kept.entries():
                digest = hashlib.sha256((folder / entry["file"]).read_bytes()).hexdigest()
                assert digest == entry["sha256"], f"{entry['file']} is damaged"


_GAMES = "--players 2 --points 3 --num-envs 16 --frames 2048 --eval-every 512 --checkpoint-every 64"
_EXAMPLE = f"{_GAMES} --batch-size 64 --width 16 --embedding-size 4 --eval-games 4 --no-progress"
_LEAGUE = "--opponents random,league:2 --league-every 2 --league-size 4"

PROGRAMS: dict[str, Program] = {
    "arena": Arena(),
    "ppo": Trainer(
        f"{EXAMPLES}/train_maskable_ppo.py", f"{_EXAMPLE} {_LEAGUE} --n-steps 8 --n-epochs 1"
    ),
    "train": Trainer(
        "-m catan_pz.cli train",
        f"{_GAMES} --games 4 --device cpu --set max_turns=50",
    ),
}


@dataclass
class Report:
    """What came of the kills.

    Attributes:
        kills: how often the program was killed.
        drafts: kills that left a draft behind: they came while a file was written.
        finished: runs that came to their end after kills.
        seconds: of everything.
    """

    kills: int = 0
    drafts: int = 0
    finished: int = 0
    seconds: float = 0.0


def run(program: Program, folder: Path, until: Callable[[], bool] = lambda: False) -> bool:
    """Start the program; whether it came to its end before it was to be killed.

    Raises:
        AssertionError: if it fails, or takes too long.
    """
    folder.mkdir(exist_ok=True)
    log = folder.with_suffix(".log")
    with log.open("w") as output:
        command = [sys.executable, *program.words(folder)]
        process = subprocess.Popen(command, stdout=output, stderr=output)
    start = time.monotonic()
    while process.poll() is None and not until():
        assert time.monotonic() - start < TIME_LIMIT, "it doesn't end"
        time.sleep(0.002)
    process.kill()
    code = process.wait()
    assert code in (0, -9), f"it failed: {log.read_text()[-2000:]}"
    return code == 0


PATIENCE = 2.0
"""Seconds in which a program that is to be killed while it writes a file has to write one."""


class Moment:
    """Says when to kill: some time after the program has begun to write.

    Args:
        folder: what it writes to.
        wait: seconds from then on.
        in_file: wait on until a file is being written.
    """

    def __init__(self, folder: Path, wait: float, in_file: bool = False) -> None:
        self.folder, self.wait, self.in_file = folder, wait, in_file
        self.before = self._written()
        self.begun: float | None = None

    def _written(self) -> set[tuple[str, int]]:
        written = set()
        for path in self.folder.rglob("*"):
            try:
                written.add((path.name, path.stat().st_mtime_ns))
            except FileNotFoundError:  # a draft
                continue
        return written

    def __call__(self) -> bool:
        """Whether it is time."""
        if self.begun is None and self._written() - self.before:
            self.begun = time.monotonic()
        late = -1.0 if self.begun is None else time.monotonic() - self.begun - self.wait
        return late >= 0 and (not self.in_file or late > PATIENCE or _has_draft(self.folder))


def _has_draft(folder: Path) -> bool:
    return any(".draft" in path.name for path in folder.rglob(".*"))


def disturb(
    program: Program, kills: int, folder: Path, seed: int = 1, tell: Callable[[], object] = int
) -> Report:
    """Kill a program so often, and compare what it computes with an undisturbed run.

    Args:
        program: the program.
        kills: how often.
        folder: for its files.
        seed: of the moments.
        tell: called after each kill.

    Raises:
        AssertionError: if a file isn't whole, or the end is another one.
    """
    report, rng, start = Report(), random.Random(seed), time.monotonic()
    moment = Moment(folder / "whole", 0.0)
    assert run(program, folder / "whole", lambda: moment() and False)
    assert moment.begun is not None
    work = time.monotonic() - moment.begun
    expected = program.result(folder / "whole")
    while report.kills < kills:
        place = folder / f"killed-{report.finished}"
        # A third of the work at most, so that a run is killed several times.
        while not run(program, place, Moment(place, rng.uniform(0, work / 3), rng.random() < 0.5)):
            report.kills += 1
            report.drafts += _has_draft(place)
            program.check(place)
            tell()
            if report.kills >= kills:
                assert run(program, place)
                break
        found = program.result(place)
        assert found == expected, f"{place} differs from {folder / 'whole'}"
        report.finished += 1
    report.seconds = time.monotonic() - start
    return report


def main() -> None:
    """Disturb the programs that are named, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--what", nargs="*", choices=list(PROGRAMS), default=list(PROGRAMS))
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    from tqdm import tqdm

    print("| program | kills | while a file was written | finished, all equal | seconds |")
    print("|---|---|---|---|---|")
    for name in options.what:
        with tempfile.TemporaryDirectory() as folder, tqdm(total=options.kills, desc=name) as bar:
            report = disturb(PROGRAMS[name], options.kills, Path(folder), options.seed, bar.update)
        counts = f"{report.kills} | {report.drafts} | {report.finished} | {report.seconds:.0f}"
        print(f"| {name} | {counts} |", flush=True)


if __name__ == "__main__":
    main()
