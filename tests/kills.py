"""Matches and trainings killed at random moments: python -m tests.kills --what ppo --kills 30

A program runs undisturbed once. Then it is started again and again with the same arguments, ended
by SIGKILL at a random moment of its work, and continued, until it has been killed that often. After
each kill every file must be whole, and whatever reaches its end must equal the undisturbed run:
results and records of games, models, curves, and the whole state of a learner.
"""

import hashlib
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from catan_pz.agents.network import Model
from catan_pz.arena import load_results
from catan_pz.game.record import GameRecord
from catan_pz.training.checkpoints import Checkpoints
from tests.benchmarks.measuring import options, print_table
from tests.examples.programs import EXAMPLES, end_of

PATIENCE = 2.0
"""Seconds within which a program must write a file, to be killed meanwhile."""

_GAMES = "--players 2 --points 3 --num-envs 16 --frames 2048 --eval-every 512 --checkpoint-every 64"
_EXAMPLE = f"{_GAMES} --batch-size 64 --width 16 --embedding-size 4 --eval-games 4 --no-progress"
_LEAGUE = "--opponents random,league:2 --league-every 2 --league-size 4 --n-steps 8 --n-epochs 1"
_TOURNAMENT = "random,weighted,heuristic --games 40 --players 2 --no-trading --seed 5 --workers 2"
PROGRAMS = {
    "arena": f"-m catan_pz.cli tournament {_TOURNAMENT}",
    "ppo": f"{EXAMPLES}/train_maskable_ppo.py {_EXAMPLE} {_LEAGUE}",
    "train": f"-m catan_pz.cli train {_GAMES} --games 4 --device cpu --set max_turns=50",
}


def words(name: str, folder: Path) -> list[str]:
    words = [sys.executable, *PROGRAMS[name].split()]
    if name == "arena":
        return [*words, f"--results={folder}/games.jsonl", f"--records={folder}/records"]
    resume = ["--resume"] if (folder / "checkpoint.json").exists() else []
    return [*words, "--out", str(folder), *resume]


def result(name: str, folder: Path) -> Any:
    if name == "arena":
        records = {path.name: path.read_bytes() for path in (folder / "records").iterdir()}
        return load_results(folder / "games.jsonl"), records
    found = json.loads((folder / "result.json").read_text())
    rows = (folder / "curve.csv").read_text().splitlines()
    curve = [row.split(",")[:1] + row.split(",")[2:] for row in rows]
    results = [{k: v for k, v in row.items() if k != "seconds"} for row in found["results"]]
    return end_of(folder) | {"frames": found["frames"], "results": results, "rows": curve}


def check(folder: Path) -> None:
    """Raise an error if a file of an unfinished run is not whole."""
    records = {int(one.stem[-6:]): one for one in (folder / "records").glob("[!.]*.jsonl")}
    for one in records.values():
        GameRecord.load(one)
    path = folder / "games.jsonl"
    if path.exists() and b"\n" in path.read_bytes():
        played = {game.number for game in load_results(path).games}
        assert played <= records.keys(), "a recorded game is missing"
    for path in folder.rglob("[!.]*.npz"):
        Model.read(path)
    for path in folder.glob("[!.]*.json"):
        json.loads(path.read_text())
    for path in folder.glob("[!.]*.png"):
        assert b"IEND" in path.read_bytes()[-12:], f"{path} is cut"
    for entry in Checkpoints(folder).entries():
        digest = hashlib.sha256((folder / entry["file"]).read_bytes()).hexdigest()
        assert digest == entry["sha256"], f"{entry['file']} is damaged"


def run(program: str, folder: Path, until: Callable[[], bool] = lambda: False) -> bool:
    folder.mkdir(exist_ok=True)
    log = folder.with_suffix(".log")
    with log.open("w") as output:
        process = subprocess.Popen(words(program, folder), stdout=output, stderr=output)
    while process.poll() is None and not until():
        time.sleep(0.002)
    process.kill()
    code = process.wait()
    assert code in (0, -9), f"it failed: {log.read_text()[-2000:]}"
    return code == 0


class Moment:
    """Decides when to kill: some seconds after the program has begun to write to its folder.

    With `in_file` it then waits until a file is being written.
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
        if self.begun is None and self._written() - self.before:
            self.begun = time.monotonic()
        late = -1.0 if self.begun is None else time.monotonic() - self.begun - self.wait
        return late >= 0 and (not self.in_file or late > PATIENCE or _has_draft(self.folder))


def _has_draft(folder: Path) -> bool:
    return any(".draft" in path.name for path in folder.rglob(".*"))


def disturb(program: str, kills: int, folder: Path, seed: int) -> list[Any]:
    """Kill a program `kills` times at moments of a seed; compare it with an undisturbed run."""
    rng, start = random.Random(seed), time.monotonic()
    moment = Moment(folder / "whole", 0.0)
    assert run(program, folder / "whole", lambda: moment() and False)
    assert moment.begun is not None
    work = time.monotonic() - moment.begun
    expected = result(program, folder / "whole")
    killed = drafts = finished = 0
    while killed < kills:
        place = folder / f"killed-{finished}"
        ended = False
        while not ended:
            # At most a third of the work, so that a run is killed several times.
            moment = Moment(place, rng.uniform(0, work / 3), rng.random() < 0.5)
            ended = run(program, place, moment) if killed < kills else run(program, place)
            if not ended:
                killed += 1
                drafts += _has_draft(place)
                check(place)
        assert result(program, place) == expected, f"{place} differs from {folder / 'whole'}"
        finished += 1
    return [program, killed, drafts, finished, f"{time.monotonic() - start:.0f}"]


def main() -> None:
    given = options(
        __doc__,
        what=(list(PROGRAMS), "programs"),
        kills=(10, "of each program"),
        seed=(1, "of the moments"),
    )

    def row(name: str) -> list[Any]:
        with tempfile.TemporaryDirectory() as folder:
            return disturb(name, given.kills, Path(folder), given.seed)

    header = ("program", "kills", "while a file was written", "finished, all equal", "seconds")
    print_table(header, map(row, given.what))


if __name__ == "__main__":
    main()
