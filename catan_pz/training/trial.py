"""Short trainings that end once they are above chance, timed without their evaluations."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Self

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

from catan_pz.agents.base import Agent
from catan_pz.rules import Rules
from catan_pz.training.console import bar_of, say
from catan_pz.training.evaluation import SEED_OFFSET, describe, evaluate, line_up
from catan_pz.training.options import Count, Positive, Seed

_AGAINST: Final = "random"


@dataclass(frozen=True, kw_only=True)
class TrialArgs:
    """Options of a short training."""

    frames: Count = 2_000_000
    """decisions to train on at most"""
    minutes: Positive = 15.0
    """minutes to train at most, evaluations left out"""
    eval_every: Count = 20_000
    """decisions between evaluations"""
    eval_games: Count = 400
    """games of an evaluation; twice as many confirm it"""
    seed: Seed = 1
    """random seed of games, network and learning"""
    progress: bool = True
    """show a progress bar"""


class Trial:
    """Evaluates a learner against random players while it trains, until it is above chance.

    The training calls `is_over` between its updates, within a `with` block. It is over when the
    95 % interval of the games won lies above one in P, or when decisions or minutes are used up.
    Where an interval lies above, which chance alone brings about now and then, twice as many other
    games have to confirm it.

    Args:
        args: the options.
        rules: of the games.
        agent: who plays the evaluations by what the learner knows at the time.
    """

    def __init__(self, args: TrialArgs, rules: Rules, agent: Agent) -> None:
        self._args = args
        self._rules = rules
        self._agent = agent
        self._seconds = self._cpu_seconds = 0.0
        self._since = _now()
        self._next = args.eval_every
        self._evaluations = 0
        self._decisions = 0
        self._confirmed: dict[str, Any] | None = None
        self._progress = bar_of(
            TextColumn("decisions"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            shown=args.progress,
        )
        self._task = self._progress.add_task("decisions", total=args.frames)

    def __enter__(self) -> Self:
        self._progress.start()
        self._since = _now()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def is_over(self, decisions: int) -> bool:
        """Whether to end the training; evaluates where enough decisions came since the last time.

        Args:
            decisions: the learner's, since the start.
        """
        self._pause()
        self._decisions = decisions
        self._progress.update(self._task, completed=decisions)
        spent = decisions >= self._args.frames or self._seconds >= 60 * self._args.minutes
        if not spent and decisions >= self._next:
            self._next = decisions + self._args.eval_every
            row = self._evaluate(self._args.eval_games)
            say(f"{decisions:,} decisions, {self._seconds:.0f} s, {describe(row)}")
            if self._is_above(row):
                row = self._evaluate(2 * self._args.eval_games)
                self._confirmed = row if self._is_above(row) else None
        self._since = _now()
        return spent or self._confirmed is not None

    def _is_above(self, row: dict[str, Any]) -> bool:
        return bool(row["interval"][0] > self.chance)

    @property
    def chance(self) -> float:
        """The share of games that players of equal strength win."""
        return 1 / self._rules.num_players

    def finish(self) -> dict[str, Any]:
        """Print what came of the training, by the games that confirmed it where some did.

        A training goes on after games that don't confirm it: a win rate from games that do leans
        upwards, the more the nearer it is to chance.

        Returns:
            What `evaluate` returns, and `decisions`, `seconds` and `cpu_seconds` (of all threads
            of this process) of training, `above_chance`.
        """
        row = self._confirmed or self._evaluate(2 * self._args.eval_games)
        row |= {
            "decisions": self._decisions,
            "seconds": self._seconds,
            "cpu_seconds": self._cpu_seconds,
            "above_chance": self._is_above(row),
        }
        rates = [self._decisions / (spent or 1) for spent in (self._seconds, self._cpu_seconds)]
        say(
            f"{self._decisions:,} decisions in {self._seconds:.0f} s, {rates[0]:,.0f} a second; "
            f"{self._cpu_seconds:.0f} s of CPU time, {rates[1]:,.0f} a second"
        )
        verdict = "above" if row["above_chance"] else "not above"
        say(f"{describe(row)}: {verdict} chance level, {100 * self.chance:.0f} %")
        return row

    def _pause(self) -> None:
        seconds, cpu_seconds = _now()
        self._seconds += seconds - self._since[0]
        self._cpu_seconds += cpu_seconds - self._since[1]

    def _evaluate(self, games: int) -> dict[str, Any]:
        self._evaluations += 1
        seed = self._args.seed + SEED_OFFSET * self._evaluations
        opponents = line_up(_AGAINST, self._rules)
        return evaluate(self._agent, opponents, self._rules, games, seed) | {"against": _AGAINST}


def run_trial(
    args: TrialArgs, rules: Rules, agent: Agent, train: Callable[[Trial], object]
) -> dict[str, Any]:
    """Train until the trial is over, or until Ctrl-C, and print what came of it.

    Args:
        args: the options.
        rules: of the games.
        agent: who plays the evaluations.
        train: is given the trial, and trains until `is_over` says so.

    Returns:
        What `Trial.finish` returns.
    """
    with Trial(args, rules, agent) as trial:
        try:
            train(trial)
        except KeyboardInterrupt:
            say("Interrupted")
    return trial.finish()


def _now() -> tuple[float, float]:
    """Seconds of the clock, and of CPU time of this process."""
    return time.perf_counter(), time.process_time()
