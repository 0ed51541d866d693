"""Short trainings that end once they are above chance, timed without their evaluations."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from catan_pz.agents.base import Agent
from catan_pz.progress import progress_bar
from catan_pz.rules import Rules
from catan_pz.training.console import say
from catan_pz.training.evaluation import SEED_OFFSET, describe, evaluate
from catan_pz.training.options import Count, Positive, Seed


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

    The training calls `is_over` between its updates. It is over when the 95 % interval of the games
    won lies above one in P, or when decisions or minutes are used up. Where an interval lies above,
    which chance alone brings about now and then, twice as many other games have to confirm it.

    Args:
        args: the options.
        rules: of the games.
        agent: who plays the evaluations by what the learner knows at the time.
        show: shows how many decisions were trained on.
    """

    def __init__(self, args: TrialArgs, rules: Rules, agent: Agent, show: Any) -> None:
        self._args, self._rules, self._agent, self._show = args, rules, agent, show
        self._spent, self._since = np.zeros(2), _now()
        self._next, self._evaluations, self._decisions = args.eval_every, 0, 0
        self._confirmed: dict[str, Any] | None = None
        self._chance = 1 / rules.num_players

    def is_over(self, decisions: int) -> bool:
        """Whether to end the training; evaluates where enough decisions came since the last time.

        Args:
            decisions: the learner's, since the start.
        """
        self._spent += _now() - self._since
        args, self._decisions, seconds = self._args, decisions, float(self._spent[0])
        self._show(decisions)
        spent = decisions >= args.frames or seconds >= 60 * args.minutes
        if not spent and decisions >= self._next:
            self._next = decisions + args.eval_every
            row = self._evaluate(args.eval_games)
            say(f"{decisions:,} decisions, {seconds:.0f} s, {describe(row)}")
            if self._is_above(row):
                row = self._evaluate(2 * args.eval_games)
                self._confirmed = row if self._is_above(row) else None
        self._since = _now()
        return spent or self._confirmed is not None

    def _is_above(self, row: dict[str, Any]) -> bool:
        return bool(row["interval"][0] > self._chance)

    def finish(self) -> dict[str, Any]:
        """Print the result, by the games that confirmed it if there are any.

        Games that end a training show a win rate that is too high on average, so others measure it.

        Returns:
            What `evaluate` returns, and `decisions`, `seconds` and `cpu_seconds` (of all threads
            of this process) of training, `above_chance`.
        """
        row = self._confirmed or self._evaluate(2 * self._args.eval_games)
        (seconds, cpu_seconds), count = self._spent.tolist(), self._decisions
        row |= {"decisions": count, "seconds": seconds, "cpu_seconds": cpu_seconds}
        row["above_chance"] = self._is_above(row)
        say(
            f"{count:,} decisions in {seconds:.0f} s, {count / (seconds or 1):,.0f} a second; "
            f"{cpu_seconds:.0f} s of CPU time, {count / (cpu_seconds or 1):,.0f} a second"
        )
        verdict = "above" if row["above_chance"] else "not above"
        say(f"{describe(row)}: {verdict} chance level, {100 * self._chance:.0f} %")
        return row

    def _evaluate(self, games: int) -> dict[str, Any]:
        self._evaluations += 1
        seed = self._args.seed + SEED_OFFSET * self._evaluations
        opponents = ["random"] * (self._rules.num_players - 1)
        return evaluate(self._agent, opponents, self._rules, games, seed) | {"against": "random"}


def run_trial(
    args: TrialArgs, rules: Rules, agent: Agent, train: Callable[[Trial], object]
) -> dict[str, Any]:
    """Train until the trial is over, or until Ctrl-C; what `Trial.finish` returns.

    `train` is given the trial, and trains until `is_over` says so.
    """
    with progress_bar(args.progress) as bar:
        task = bar.add_task("decisions", total=args.frames, note="")
        trial = Trial(args, rules, agent, lambda done: bar.update(task, completed=done))
        try:
            train(trial)
        except KeyboardInterrupt:
            say("Interrupted")
    return trial.finish()


def _now() -> np.ndarray:
    """(2,) seconds of the clock, and of CPU time of this process."""
    return np.array([time.perf_counter(), time.process_time()])
