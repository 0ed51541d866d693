"""A training run that counts games, or other equal parts: what happens between them."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from catan_pz.agents.base import Agent
from catan_pz.rules import Rules
from catan_pz.training.checkpoints import Checkpoints, check_finite, keep, write_bytes
from catan_pz.training.console import warn
from catan_pz.training.curves import write_curve
from catan_pz.training.evaluation import SEED_OFFSET, check_opponents, evaluate, line_up
from catan_pz.training.options import Count, Seed, check_same_training
from catan_pz.training.tables import as_csv
from catan_pz.training.timers import Clock

RECENT = 100
"""Games, or parts, that a mean is taken over."""


@dataclass(frozen=True, kw_only=True)
class CountedArgs:
    """Options of the run itself but for how long: where, and when to evaluate and save."""

    seed: Seed = 1
    """random seed of games, networks and learning"""
    device: Literal["cpu", "cuda"] = "cpu"
    """device of the networks"""
    threads: Count = 1
    """CPU threads of torch"""
    eval_every: Count = 100
    """games, or other parts, between evaluations"""
    eval_first: bool = True
    """also evaluate before anything is learned"""
    eval_games: Count = 400
    """games of an evaluation"""
    checkpoint_every: Count = 25
    """games, or other parts, between checkpoints"""
    out: str = "runs/episodes"
    """output folder"""
    resume: bool = False
    """continue from the last checkpoint in the output folder"""


@dataclass(frozen=True, kw_only=True)
class EpisodeArgs(CountedArgs):
    """The same with a number of games."""

    episodes: Count = 1000
    """games to train on"""


class EpisodeLearner(Protocol):
    """What a run asks of its learner."""

    rules: Rules

    def play(self, episode: int) -> dict[str, Any]:
        """Play a game, or the part of this number, and learn from it; its figures by name."""

    def agent(self) -> Agent:
        """The player as it is now, without exploration."""

    def save(self, folder: Path, card: dict[str, Any]) -> None:
        """Write the model and its card."""

    def get_state(self) -> dict[str, Any]:
        """Everything that the rest of the training depends on, for `torch.save`."""

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave."""


class EpisodeRun:
    """Games, or other parts of a training, with evaluations and checkpoints in an output folder.

    The folder gets the last two checkpoints, what the learner saves, `episodes.csv` with a row for
    each game or part, `curve.csv` and `curve.png` of the evaluations, and at the end `result.json`.
    Checkpoints are written between games: a training that was killed resumes at the last one, and
    on a CPU computes the same numbers as one that never stopped. The model's card says after how
    many games or parts its results were taken, where the model has learned more since.

    Args:
        args: options, and the one that says how many.
        learner: plays and learns.
        against: names of the opponents in evaluations.
        title: of the curve.
        card: what the model's card tells beside games, seconds and results.
        option: the option that says how many.
        unit: what is counted.

    Attributes:
        table: name of the file of figures.
        rows: figures of each game so far.
        curve: rows of all evaluations so far; their `frames` are games.
        clock: the training's seconds.

    Raises:
        ValueError: if evaluations can't be played, or if the folder can't be written, holds a
            training that isn't to be resumed, or one with other options, or no whole checkpoint.
    """

    table: ClassVar[str] = "episodes.csv"

    def __init__(
        self,
        args: CountedArgs,
        learner: EpisodeLearner,
        *,
        against: Sequence[str],
        title: str,
        card: dict[str, Any],
        option: str = "episodes",
        unit: str = "games",
    ) -> None:
        check_opponents(against, learner.rules)
        self.args, self.learner, self.against = args, learner, against
        self.title, self.card, self.option, self.unit = title, card, option, unit
        self.out = Path(args.out)
        self.checkpoints = Checkpoints(self.out)
        self.rows: list[dict[str, Any]] = []
        self.curve: list[dict[str, Any]] = []
        self.clock = Clock()
        saved = self.checkpoints.open(resume=args.resume, warn=warn)
        if saved is not None:
            self._restore(saved)

    def mean(self, name: str) -> float | None:
        """The mean of a figure over those of the last 100 games or parts that have it."""
        values = [row[name] for row in self.rows[-RECENT:] if row[name] is not None]
        return float(np.mean(values)) if values else None

    def train(self, report: Any = print) -> dict[str, Any]:
        """Play all games that are left.

        Args:
            report: called with a line after each evaluation.

        Returns:
            The count by the name of its option, `seconds`, `means` (of the figures over the last
            100), `results` (the last evaluation) and `options`.

        Raises:
            FloatingPointError: if the learner has parameters that aren't finite; the last
                checkpoint stays.
            OSError: if what is due at the end can't be written.
        """
        count = getattr(self.args, self.option)
        if len(self.rows) >= count:  # a run that ended before all was written
            self._write(needed=True)
        while len(self.rows) < count:
            if self.args.eval_first and not self.rows:
                self._evaluate(report)
            self.rows.append(self.learner.play(len(self.rows)))
            last = len(self.rows) == count
            evaluated = last or len(self.rows) % self.args.eval_every == 0
            saved = last or len(self.rows) % self.args.checkpoint_every == 0
            if evaluated or saved:
                trained = f"{len(self.rows):,} {self.unit}"
                check_finite(self.learner.get_state(), trained)
            if evaluated:
                self._evaluate(report)
            if saved:
                self._save(last)
        result = {
            self.option: len(self.rows),
            "seconds": self.clock.seconds,
            "means": {name: self.mean(name) for name in self.rows[-1]},
            "results": self._last_results(),
            "options": asdict(self.args),
        }
        write_bytes(self.out / "result.json", (json.dumps(result, indent=2) + "\n").encode())
        return result

    def _evaluate(self, report: Any) -> None:
        args, count, rules = self.args, len(self.rows), self.learner.rules
        agent, seed = self.learner.agent(), args.seed + SEED_OFFSET
        won = []
        for against in self.against:
            found = evaluate(agent, line_up(against, rules), rules, args.eval_games, seed)
            row = {"frames": count, "seconds": round(self.clock.seconds, 1), "against": against}
            self.curve.append(row | found)
            won.append(
                f"{100 * found['win_rate']:5.1f} % won of {found['games']:,} against {against}"
            )
        found = {name: self.mean(name) for name in (self.rows[-1] if self.rows else ())}
        means = [f"{name} {mean:.2f}" for name, mean in found.items() if mean is not None]
        report(f"{count:>6,} {self.unit}, {', '.join(won)}; " + ", ".join(means))

    def _last_results(self) -> list[dict[str, Any]]:
        return self.curve[-len(self.against) :]

    def _snapshots(self) -> list[str]:
        """Names of the files in the folder `league` that the learner's state refers to."""
        return []

    def _when_evaluated(self) -> dict[str, int]:
        """What the card says of a last evaluation that is older than the model."""
        results = self._last_results()
        if results and results[0]["frames"] < len(self.rows):
            return {f"results_after_{self.unit}": results[0]["frames"]}
        return {}

    def _save(self, last: bool) -> None:
        state = {
            "options": asdict(self.args),
            "learner": self.learner.get_state(),
            "rows": self.rows,
            "curve": self.curve,
            "seconds": self.clock.seconds,
        }
        self.checkpoints.keep(len(self.rows), state, self._snapshots(), needed=last)
        self._write(needed=last)

    def _write(self, *, needed: bool) -> None:
        """Write what isn't needed to resume: the model, its card, the tables and the curve."""
        trained = {self.unit: len(self.rows), "seconds": round(self.clock.seconds)}
        trained |= self._when_evaluated()
        card = {**self.card, **trained, "results": self._last_results()}
        keep(lambda: self.learner.save(self.out, card), "the model", needed=needed)
        keep(self._write_tables, "the curve", needed=needed)

    def _write_tables(self) -> None:
        write_bytes(self.out / self.table, as_csv(self.rows))
        players = self.learner.rules.num_players
        write_curve(self.out, self.curve, title=self.title, num_players=players, unit=self.unit)

    def _restore(self, saved: dict[str, Any]) -> None:
        check_same_training(saved["options"], self.args)
        self.learner.set_state(saved["learner"])
        self.rows, self.curve = saved["rows"], saved["curve"]
        self.clock = Clock(saved["seconds"])
