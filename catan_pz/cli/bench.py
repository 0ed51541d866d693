"""`catan-pz bench`: a short measurement of speed on this machine."""

import platform
from collections.abc import Callable
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import click
import numpy as np

from catan_pz.cli.console import examples, progress
from catan_pz.cli.info import processor
from catan_pz.cli.options import FloatRange, make_rules, rules_options
from catan_pz.rules import Rules

Measure = Callable[[float], float]
"""Runs for some seconds and returns how many a second."""


@click.command(
    "bench",
    short_help="Measure speed on this machine.",
    epilog=examples(
        "catan-pz bench",
        "catan-pz bench --seconds 5 --no-trading",
        "catan-pz bench --games 4096 --threads 8",
    ),
)
@click.option(
    "--seconds",
    type=FloatRange(0.05, 600),
    metavar="X",
    default=1.0,
    show_default=True,
    help="Length of each measurement.",
)
@click.option(
    "--games",
    type=click.IntRange(1, 1_000_000),
    metavar="N",
    default=1024,
    show_default=True,
    help="Games in a batch.",
)
@click.option(
    "--threads",
    type=click.IntRange(1, 1024),
    metavar="N",
    default=1,
    show_default=True,
    help="Threads that share a step of the batch.",
)
@rules_options
def command(seconds: float, games: int, threads: int, **chosen: Any) -> None:
    """Measure speed: the engine alone, batches of games, the environments.

    Random legal actions everywhere; what compiles is compiled before the clock runs. Other
    programs on the machine slow all of it down.
    """
    rules = make_rules(**chosen)
    click.echo(f"{processor()}; Python {platform.python_version()}, {platform.system()}")
    click.echo(
        f"{rules.num_players} players, trade between players "
        f"{'on' if rules.trading else 'off'}; {games:,} games in a batch, {threads} "
        f"thread{'s' * (threads > 1)}\n"
    )
    found: list[tuple[str, float, str]] = []
    measures = measures_of(rules, games, threads)
    try:
        with progress() as bar:
            task = bar.add_task("Measuring", total=len(measures))
            for name, unit, make in measures:
                bar.update(task, description=name)
                found.append((name, make()(seconds), unit))
                bar.advance(task)
            bar.update(task, description="Measured")
    finally:
        for name, rate, unit in found:
            click.echo(f"{name:<46} {rate:>14,.0f} {unit}/s")


def measures_of(
    rules: Rules, games: int, threads: int
) -> list[tuple[str, str, Callable[[], Measure]]]:
    """What is measured: its name, its unit, and how to make it ready."""
    measures: list[tuple[str, str, Callable[[], Measure]]] = [
        ("engine: random games in compiled code", "decisions", lambda: engine(rules)),
        ("batch: masks", "decisions", lambda: batch(rules, games, threads, False)),
        ("batch: masks and observations", "decisions", lambda: batch(rules, games, threads, True)),
        ("Game: step from Python", "decisions", lambda: game(rules)),
        (
            "environment: raw_env, last() and step()",
            "agent steps",
            lambda: environment(rules, True),
        ),
        (
            "environment: env, with PettingZoo's wrappers",
            "agent steps",
            lambda: environment(rules, False),
        ),
    ]
    if find_spec("stable_baselines3") is not None:
        measures.append(
            ("learner: Stable-Baselines3 VecEnv", "frames", lambda: vector(rules, games, threads))
        )
    return measures


def engine(rules: Rules) -> Measure:
    """Random decisions in compiled code, one game after the other."""
    from catan_pz.engine.options import table_of
    from catan_pz.game import calls as game_calls
    from catan_pz.game.game import Game
    from catan_pz.kernels.rule import bound

    played = Game(rules, 0)
    mask = np.zeros_like(played.mask)
    play, script = bound(game_calls.play_randomly), table_of(rules).script

    def run(seconds: float) -> float:
        decisions, seed = 0, 0
        start = perf_counter()
        while perf_counter() - start < seconds:
            for _ in range(10):
                played.reset(seed)
                decisions += play(played.games, 0, 2**31, script, mask)
                seed += 1
        return decisions / (perf_counter() - start)

    play(played.games, 0, 10, script, mask)
    return run


def batch(rules: Rules, games: int, threads: int, observing: bool) -> Measure:
    """Steps of a batch with random actions."""
    from catan_pz.batch.cpu import CpuBatch

    many = CpuBatch(games, rules, observation=observing, seed=0, threads=threads)
    many.step(many.sample())

    def run(seconds: float) -> float:
        steps = 0
        start = perf_counter()
        while perf_counter() - start < seconds:
            many.step(many.sample())
            steps += 1
        return steps * games / (perf_counter() - start)

    return run


def game(rules: Rules) -> Measure:
    """Decisions of one game, each a call from Python."""
    from catan_pz.game.game import Game

    played = Game(rules, 0)
    draw = np.random.default_rng(0).random

    def run(seconds: float) -> float:
        decisions, seed = 0, 0
        start = perf_counter()
        while perf_counter() - start < seconds:
            for _ in range(200):
                legal = played.mask.nonzero()[0]
                if not len(legal):
                    seed += 1
                    played.reset(seed)
                    continue
                played.step(int(legal[int(draw() * len(legal))]))
                decisions += 1
        return decisions / (perf_counter() - start)

    run(0.01)
    return run


def environment(rules: Rules, raw: bool) -> Measure:
    """The usual loop of PettingZoo."""
    from catan_pz import catan_v0

    env = (catan_v0.raw_env if raw else catan_v0.env)(rules=rules)
    env.reset(seed=0)
    draw = np.random.default_rng(0).random

    def run(seconds: float) -> float:
        steps = 0
        start = perf_counter()
        while perf_counter() - start < seconds:
            for _ in range(200):
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.reset()
                    continue
                legal = observation["action_mask"].nonzero()[0]
                env.step(int(legal[int(draw() * len(legal))]))
                steps += 1
        return steps / (perf_counter() - start)

    run(0.01)
    return run


def vector(rules: Rules, games: int, threads: int) -> Measure:
    """Steps of the learner's vector environment, random actions."""
    from catan_pz.env.vector.sb3 import CatanVecEnv

    envs = CatanVecEnv(games, rules, seed=0, threads=threads)
    envs.reset()
    envs.step(envs.sample())

    def run(seconds: float) -> float:
        steps = 0
        start = perf_counter()
        while perf_counter() - start < seconds:
            envs.step(envs.sample())
            steps += 1
        return steps * games / (perf_counter() - start)

    return run
