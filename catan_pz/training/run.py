"""A training run: its clock, progress, evaluations, curve, checkpoints and result."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol, Self

import numpy as np

from catan_pz.agents.base import Agent
from catan_pz.files import write_bytes
from catan_pz.names import printable
from catan_pz.progress import progress_bar
from catan_pz.rules import Rules
from catan_pz.training.checkpoints import Checkpoints, check_finite, keep
from catan_pz.training.console import Logs, heeding_signals, say
from catan_pz.training.evaluation import SEED_OFFSET, as_csv, describe, evaluate, write_curve
from catan_pz.training.options import FrameArgs, RunArgs, check_same_training
from catan_pz.training.tracking import start_tracker

RECENT: Final = 100
"""The number of recent parts of a training in a mean."""

Evaluations = (
    Mapping[str, Sequence[Agent | str]] | Callable[[int], Iterable[tuple[str, dict[str, Any]]]]
)
"""Names of evaluations with the agents (P - 1,) of the other seats; or a function of the amount
trained that returns names with results of `evaluation.evaluate`."""


class RunLearner(Protocol):
    """The learner of a run, in games of these rules."""

    rules: Rules

    def play(self, number: int) -> dict[str, Any]:
        """Play the part with this number and learn from it; return figures by name.

        The figure named like the run's unit is the amount trained; by default it is 1.
        """

    def parameters(self) -> Any:
        """Tensors, in dicts and lists, that must stay finite."""

    def agent(self) -> Agent:
        """The present player, without exploration."""

    def save(self, folder: Path, card: dict[str, Any]) -> None:
        """Write the model and its card."""

    def get_state(self) -> dict[str, Any] | None:
        """The state that determines the rest of the training, for `torch.save`; None without one.

        Its entry "snapshots" may name files in the folder `league`.
        """

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from a result of `get_state`."""


class Run:
    """Evaluates, logs and saves between the parts of a training.

    The output folder gets the last two checkpoints, the model, `curve.csv` and `curve.png` of the
    evaluations, a table of the figures and at the end `result.json`. Runs that count frames also
    write TensorBoard's `logs`, and on Ctrl-C and SIGTERM finish the update and save. A killed
    training resumes from the last checkpoint, and on a CPU computes the same numbers as an
    uninterrupted one. A folder with another training is refused.

    Args:
        args: options of the run.
        learner: the learner.
        title: of the curve.
        card: entries of the model card, besides the amount trained, seconds and results.
        evaluations: the evaluations between the parts.
        option: name of the option for the amount of training.
        unit: the unit of training.

    Attributes:
        done: amount trained so far.
        rows: figures of each part so far.
        curve: rows of all evaluations so far.
        timers: seconds by activity.
        is_new: whether the training starts here rather than being resumed.
        writes: whether this process evaluates and writes files; in data-parallel training only one
            process does.
    """

    writes: ClassVar[bool] = True

    def __init__(
        self,
        args: RunArgs,
        learner: RunLearner,
        *,
        title: str,
        card: dict[str, Any],
        evaluations: Evaluations,
        option: str = "frames",
        unit: str = "frames",
    ) -> None:
        self.args, self.learner, self.card, self.unit = args, learner, card, unit
        self._title, self._evaluations, self._option = title, evaluations, option
        self.out = Path(args.out)
        self.checkpoints = Checkpoints(self.out)
        self.rows: list[dict[str, Any]] = []
        self.curve: list[dict[str, Any]] = []
        self.timers = {"evaluations": 0.0, "checkpoints": 0.0}
        self.done, self.stopping, self._asked_to_stop = 0, False, False
        self._start = time.perf_counter()
        saved = self.checkpoints.open(resume=args.resume)
        self.is_new = saved is None
        if saved is not None:
            check_same_training(saved["options"], self.args)
            self.learner.set_state(saved["learner"])
            self.done, self.rows, self.curve = saved["done"], saved["rows"], saved["curve"]
            self._start = time.perf_counter() - saved["seconds"]
            self.timers |= saved["timers"]
        self._begun = self.done, self._busy
        self._context = ExitStack()
        self._counts_frames = isinstance(args, FrameArgs)
        logged = self._counts_frames and self.writes
        track = args.track if self.writes else "none"
        tracker = start_tracker(track, self.out, asdict(args), resumed=not self.is_new)
        self.logs = Logs(self.out / "logs" if logged else None, self.done, tracker)
        self._bar = progress_bar(self.writes and getattr(args, "progress", False))
        done = min(self.done, self.total)
        self._task = self._bar.add_task(unit, total=self.total, completed=done, note="")

    @property
    def total(self) -> int:
        """The amount to train."""
        return getattr(self.args, self._option)

    @property
    def seconds(self) -> float:
        """Seconds of the whole training, including those before resuming."""
        return time.perf_counter() - self._start

    @property
    def rate(self) -> float:
        """Frames, or games, per second since the training began or was resumed."""
        done, busy = self._begun
        return (self.done - done) / max(self._busy - busy, 1e-9)

    @property
    def _busy(self) -> float:
        """Seconds of the training without evaluations and checkpoints."""
        return self.seconds - self.timers["evaluations"] - self.timers["checkpoints"]

    @contextmanager
    def measure(self, part: str) -> Iterator[None]:
        """Add the time of the `with` block to a part's timer."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.timers[part] = self.timers.get(part, 0.0) + time.perf_counter() - start

    def stop(self, *_: Any) -> None:
        """Save and stop after this update; a second call stops at once."""
        if self._asked_to_stop:
            raise KeyboardInterrupt
        self._asked_to_stop = True
        say("Stopping after this update; press again to stop at once, without saving.")

    def __enter__(self) -> Self:
        """Show the progress bar, and handle Ctrl-C and SIGTERM."""
        if self._counts_frames:
            self._context.enter_context(heeding_signals(self.stop))
        self._context.enter_context(self._bar)
        return self

    def __exit__(self, *_: object) -> None:
        self._context.close()
        self.logs.close()

    def train(self) -> dict[str, Any]:
        """Run the learner to the end, or until asked to stop; return its `result`.

        Non-finite weights raise `FloatingPointError`; the last checkpoint stays.
        """
        with self:
            self.begin()
            while self.done < self.total and not self.stopping:
                start = time.perf_counter()
                figures = self.learner.play(len(self.rows))
                self.rows.append(figures)
                count = figures.get(self.unit, 1)
                self._tell(figures, self.done + count, count / (time.perf_counter() - start))
                self.advance(self.done + count, figures)
        return self.result()

    def _tell(self, figures: Mapping[str, Any], done: int, rate: float) -> None:
        if self._counts_frames:
            say(f"{done:>11,} {self.unit}, {rate:,.0f}/s: {_listed(figures, 4)}")

    def begin(self) -> None:
        """Evaluate before training, or finish the writing of an interrupted run."""
        if self.writes and not self.is_new:
            say(f"{self.done:>11,} {self.unit}, resumed")
        if self.done >= self.total:
            self._write(needed=True)
        elif self.args.eval_first and self.is_new:
            self._evaluate()

    def advance(self, done: int, figures: Mapping[str, Any] | None = None) -> None:
        """Set the total amount trained; evaluate and save if due.

        The figures are those of the last part, for the logs.
        """
        before, self.done, args = self.done, done, self.args
        self.stopping = self._agreed(self._asked_to_stop)
        ended = done >= self.total
        note = f"{self.rate:,.0f} {self.unit}/s"
        self._bar.update(self._task, completed=min(done, self.total), note=note)
        if done > before and figures:
            told = {f"train/{name}": value for name, value in figures.items()}
            self.logs.write(told | {"time/fps": self.rate}, done)
        check_finite(self.learner.parameters(), f"{done:,} {self.unit}")
        if ended or done // args.eval_every > before // args.eval_every:
            self._evaluate()
        needed = ended or self.stopping
        if needed or done // args.checkpoint_every > before // args.checkpoint_every:
            self.save(needed=needed)

    def _agreed(self, stop: bool) -> bool:
        """Whether to stop, agreed among all processes."""
        return stop

    def _evaluate(self) -> None:
        if not self.writes:
            return
        told = self._evaluations
        with self.measure("evaluations"):
            found = told(self.done) if callable(told) else self._win_rates(told)
            self.curve = [row for row in self.curve if row["frames"] != self.done]
            for against, result in found:
                row = {"frames": self.done, "seconds": round(self.seconds, 1), "against": against}
                self.curve.append(row | result)
                self.logs.write({f"eval/{printable(against)}": result["win_rate"]}, self.done)
                say(f"{self.done:>11,} {self.unit}, {describe(self.curve[-1])}")
        if self.rows and not self._counts_frames:
            recent = min(RECENT, len(self.rows))
            say(f"{'mean':>11} of the last {recent}: {_listed(self._means(), 3)}")
        keep(self._write_curve, "the curve")

    def _win_rates(
        self, evaluations: Mapping[str, Sequence[Agent | str]]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        agent, rules, args = self.learner.agent(), self.learner.rules, self.args
        for against, others in evaluations.items():
            seed = args.seed + SEED_OFFSET
            yield against, evaluate(agent, others, rules, args.eval_games, seed)

    def _means(self) -> dict[str, float | None]:
        """Means of the figures over the recent parts that have them."""
        names = self.rows[-1] if self.rows else ()
        columns = {name: [row[name] for row in self.rows[-RECENT:]] for name in names}
        known = {name: [x for x in column if x is not None] for name, column in columns.items()}
        return {name: float(np.mean(values)) if values else None for name, values in known.items()}

    def save(self, *, needed: bool = False) -> None:
        """Write a checkpoint and the model; if `needed`, a full disk ends the training."""
        with self.measure("checkpoints"):
            learner = self.learner.get_state()
            if learner is not None and self.writes:
                state = {
                    "options": asdict(self.args),
                    "learner": learner,
                    "done": self.done,
                    "rows": self.rows,
                    "curve": self.curve,
                    "seconds": self.seconds,
                    "timers": dict(self.timers),
                }
                used = learner.get("snapshots", ())
                save = partial(self.checkpoints.save, self.done, state, used)
                keep(save, "the checkpoint", needed=needed)
            self._write(needed=needed)

    def _write(self, *, needed: bool) -> None:
        """Write the model with its card, the table and the curve; resuming needs none of them."""
        if not self.writes:
            return
        keep(lambda: self.learner.save(self.out, self.full_card()), "the model", needed=needed)
        keep(self._write_curve, "the curve", needed=needed)

    def full_card(self) -> dict[str, Any]:
        """The present model card."""
        trained = {self.unit: self.done, "seconds": round(self.seconds)}
        results = self._last_results()
        if results and results[0]["frames"] < self.done:  # the model has been trained further since
            trained[f"results_after_{self.unit}"] = results[0]["frames"]
        return {**self.card, **trained, "results": results}

    def _last_results(self) -> list[dict[str, Any]]:
        return [row for row in self.curve if row["frames"] == self.curve[-1]["frames"]]

    def _write_curve(self) -> None:
        if self.rows:
            table = "updates.csv" if self._option in ("frames", "updates") else "episodes.csv"
            write_bytes(self.out / table, as_csv(self.rows))
        if self.curve:
            players, unit = self.learner.rules.num_players, self.unit
            write_curve(self.out, self.curve, self._title, players, unit)

    def result(self, **more: Any) -> dict[str, Any]:
        """The result of the training; once finished it is written to `result.json`.

        It has the amount trained under the name of its option, `seconds`, `timers`, `means` (of the
        figures over the last 100 parts), `results` (the last evaluations) and `options`.
        """
        result = {
            self._option: self.done,
            "seconds": round(self.seconds, 1),
            "timers": self.timers,
            "means": self._means(),
            "results": self._last_results(),
            "options": asdict(self.args),
            **more,
        }
        if self.done >= self.total:
            write_bytes(self.out / "result.json", (json.dumps(result, indent=2) + "\n").encode())
        parts = ", ".join(
            f"{part} {spent:.0f} s" for part, spent in self.timers.items() if spent >= 1
        )
        trained = f"{self.done:,} {self.unit} in {self.seconds:,.0f} s"
        say(f"{trained} ({parts or 'all'}); saved in {self.out}")
        return result


def _listed(figures: Mapping[str, Any], digits: int) -> str:
    """The known figures as text."""
    known = figures.items()
    return ", ".join(f"{name} {value:.{digits}g}" for name, value in known if value is not None)
