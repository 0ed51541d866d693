"""The watch over the workers of a long run."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from tests.fuzz.oracle import Tally
from tests.fuzz.worker import kind_of

ROOT: Final = Path(__file__).parents[2]
COUNTED: Final = ("inputs", "accepted", "refused", "states", "steps")
FURTHER_ON: Final = 1_000_003
"""Rounds that a worker skips that takes the place of another, so that it tries other inputs."""
STARTING: Final = 600.0
"""Seconds that a worker may take before its first input."""
WORKER: Final = (sys.executable, "-m", "tests.fuzz.worker")


@dataclass
class Finding:
    """Something found.

    Attributes:
        what: in words, as first seen.
        file: that holds the input.
        times: how often it was seen.
    """

    what: str
    file: Path
    times: int = 1


@dataclass
class _Worker:
    number: int
    process: subprocess.Popen[str]
    reader: threading.Thread
    current: Path
    seed: int
    errors: Path
    seen: str = ""
    since: float = field(default_factory=time.monotonic)
    inputs: int = 0


class Campaign:
    """A long run.

    Args:
        folder: for findings and for what workers are trying.
        seed: of the first input.
        workers: processes at work.
        targets: names, or None for all.
        bounds_checks: whether compiled code checks indices.
        seconds_per_input: after which a worker counts as hanging.
        seconds_to_start: likewise for its first inputs, which may have to compile.
        command: that starts a worker.

    Attributes:
        tally: what was counted.
        findings: by their kind.
    """

    def __init__(
        self,
        folder: Path,
        *,
        seed: int = 0,
        workers: int = 1,
        targets: Sequence[str] | None = None,
        bounds_checks: bool = False,
        seconds_per_input: float = 60.0,
        seconds_to_start: float = 600.0,
        command: Sequence[str] = WORKER,
    ) -> None:
        self.folder = folder.absolute()
        self.tally = Tally()
        self.findings: dict[str, Finding] = {}
        self._targets = targets
        self._step = workers
        self._bounds_checks = bounds_checks
        self._patience = seconds_per_input
        self._patience_at_first = seconds_to_start
        self._command = command
        self._lines: SimpleQueue[tuple[int, dict[str, Any]]] = SimpleQueue()
        self._workers: list[_Worker] = []
        self._seed = seed
        self._seconds = 0.0

    def run(self, seconds: float, *, until_found: bool = False) -> None:
        """Let the workers try inputs for a while, or until something is found."""
        self.folder.mkdir(parents=True, exist_ok=True)
        begun = time.monotonic()
        columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
        try:
            self._workers = [
                self._started(k, seed)
                for k, seed in enumerate(range(self._seed, self._seed + self._step))
            ]
            with Progress(*columns) as bar:
                task = bar.add_task("", total=seconds)
                while (passed := time.monotonic() - begun) < seconds:
                    self._listen(0.2)
                    self._look_after()
                    if until_found and self.findings:
                        break
                    bar.update(task, completed=passed, description=self._counts())
        finally:
            for worker in self._workers:
                _end(worker)
            self._listen(0.0)
            self._seconds += time.monotonic() - begun

    def _started(self, number: int, seed: int) -> _Worker:
        current, errors = self.folder / f"current-{number}.json", self.folder / f"log-{number}.txt"
        current.unlink(missing_ok=True)
        targets = ",".join(self._targets or ())
        environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONFAULTHANDLER": "1"}
        if self._bounds_checks:
            environment["NUMBA_BOUNDSCHECK"] = "1"
        with errors.open("w", encoding="utf-8") as file:
            process = subprocess.Popen(
                [*self._command, str(current), str(seed), str(self._step), targets],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
                env=environment,
                cwd=ROOT,
            )
        reader = threading.Thread(target=self._read, args=(number, process), daemon=True)
        reader.start()
        return _Worker(number, process, reader, current, seed, errors)

    def _read(self, number: int, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                if line.endswith("}\n"):  # the last one of a worker that was ended may be cut
                    self._lines.put((number, json.loads(line)))

    def _listen(self, seconds: float) -> None:
        """Take in what workers tell, for so long at least."""
        until = time.monotonic() + seconds
        while True:
            try:
                number, told = self._lines.get(timeout=max(0.0, until - time.monotonic()))
            except Empty:
                return
            if "finding" in told:
                self._note(told["finding"], told["input"])
            else:
                self.tally.update(told["tally"])
                self._workers[number].inputs += 1

    def _note(self, what: str, given: str) -> None:
        kind = kind_of(what)
        if kind in self.findings:
            self.findings[kind].times += 1
            return
        file = self.folder / f"finding-{len(self.findings):03d}.json"
        file.write_text(json.dumps(json.loads(given) | {"finding": what}, indent=2) + "\n")
        self.findings[kind] = Finding(what, file)

    def _look_after(self) -> None:
        """Note crashes and hangs, and start others in the place of such workers."""
        for worker in self._workers:
            trying = worker.current.read_text() if worker.current.exists() else ""
            if trying != worker.seen:
                worker.seen, worker.since = trying, time.monotonic()
            status = worker.process.poll()
            patience = self._patience if worker.inputs else self._patience_at_first
            patience = patience if trying else STARTING
            if status is None and time.monotonic() - worker.since < patience:
                continue
            _end(worker)
            last = worker.errors.read_text(errors="replace").strip().splitlines()[:1]
            what = "hang" if status is None else f"crash, exit status {status}: {' '.join(last)}"
            if trying:
                target = json.loads(trying)["target"]
                self._note(f"{what} ({target})", trying)
            else:
                raise RuntimeError(f"a worker can't start: see {worker.errors}")
            seed = worker.seed + FURTHER_ON * self._step
            self._workers[worker.number] = self._started(worker.number, seed)

    def _counts(self) -> str:
        counts = ", ".join(f"{self.tally[name]:,} {name}" for name in COUNTED)
        return f"{counts}, {len(self.findings)} findings"

    def report(self) -> str:
        """What was done and found."""
        hours = self._seconds * len(self._workers) / 3600
        checks = "with" if self._bounds_checks else "without"
        lines = [f"{hours:.2f} hours of work {checks} bounds checks: {self._counts()}"]
        for finding in self.findings.values():
            lines.append(f"{finding.times:>6} x {finding.what}")
            lines.append(f"         {finding.file}")
        return "\n".join(lines)


def _end(worker: _Worker) -> None:
    if worker.process.poll() is None:
        worker.process.kill()
    worker.process.wait()
    worker.reader.join()
