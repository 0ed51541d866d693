"""`catan-pz bench`: a short measurement of speed on this machine."""

import platform
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from itertools import count
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from catan_pz.cli.console import examples, option
from catan_pz.cli.options import RuleChoice, rule_options

if TYPE_CHECKING:
    from catan_pz.rules import Rules

Step = Callable[[], int]
"""Does something many times and returns how often."""


@click.command(
    epilog=examples(
        "catan-pz bench",
        "catan-pz bench --seconds 5 --no-trading",
        "catan-pz bench --games 4096 --threads 8",
    ),
)
@option("--seconds", "Length of each measurement.", click.FloatRange(0.05, 600), default=1.0)
@option("--games", "Games in a batch.", click.IntRange(1, 1_000_000), default=1024)
@option("--threads", "Threads that share a step of the batch.", click.IntRange(1, 1024), default=1)
@rule_options()
def bench(seconds: float, games: int, threads: int, rules: RuleChoice) -> None:
    """Measure speed: the engine alone, batches of games, the environments.

    Random legal actions everywhere; what compiles is compiled before the clock runs. Other
    programs on the machine slow all of it down.
    """
    from catan_pz.cli.machine import processor
    from catan_pz.progress import progress_bar

    made = rules.make()
    click.echo(f"{processor()}; Python {platform.python_version()}, {platform.system()}")
    click.echo(
        f"{made.num_players} players, trade between players {'on' if made.trading else 'off'}; "
        f"{games:,} games in a batch, {threads} thread{'s' * (threads > 1)}\n"
    )
    found: list[tuple[str, float, str]] = []
    try:
        with progress_bar() as bar:
            task = bar.add_task("Measuring", total=None, note="")
            for name, unit, step in measures(made, games, threads):
                bar.update(task, note=name)
                found.append((name, rate(step, seconds), unit))
    finally:
        for name, speed, unit in found:
            click.echo(f"{name:<46} {speed:>14,.0f} {unit}/s")


def rate(step: Step, seconds: float) -> float:
    """How often a second it happens, after one step that isn't counted."""
    step()
    done, start = 0, perf_counter()
    while perf_counter() - start < seconds:
        done += step()
    return done / (perf_counter() - start)


def measures(rules: "Rules", games: int, threads: int) -> Iterator[tuple[str, str, Step]]:
    """What is measured: its name, its unit, and a step of it."""
    from catan_pz import catan_v0
    from catan_pz.batch.cpu import CpuBatch
    from catan_pz.game.game import Game

    game, rng = Game(rules, 0), Random(0)
    yield "engine: random games in compiled code", "decisions", _whole_games(game)
    for name, observing in (("batch: masks", False), ("batch: masks and observations", True)):
        batch = CpuBatch(games, rules, observation=observing, seed=0, threads=threads)
        yield name, "decisions", partial(_batch_step, batch, games)
    yield "Game: step from Python", "decisions", partial(_game_steps, game, rng)
    for name, make in (
        ("environment: raw_env, last() and step()", catan_v0.raw_env),
        ("environment: env, with PettingZoo's wrappers", catan_v0.env),
    ):
        env = make(rules=rules)
        env.reset(seed=0)
        yield name, "agent steps", partial(_agent_steps, env, rng)
    if find_spec("stable_baselines3") is not None:
        from catan_pz.env.vector.sb3 import CatanVecEnv

        envs = CatanVecEnv(games, rules, seed=0, threads=threads)
        envs.reset()
        yield "learner: Stable-Baselines3 VecEnv", "frames", partial(_batch_step, envs, games)


def _whole_games(game: Any) -> Step:

    from catan_pz.engine.deal import script_of
    from catan_pz.engine.play import new_log
    from catan_pz.game import calls
    from catan_pz.kernels.rule import bound

    play, seeds = bound(calls.play_randomly), count()
    given = script_of(game.rules), new_log(), game._mask

    def step() -> int:
        game.reset(next(seeds))
        done: int = play(game.games, 0, 2**31, *given)
        return done

    return step


def _batch_step(batch: Any, games: int) -> int:
    batch.step(batch.sample())
    return games


def _game_steps(game: Any, rng: Random) -> int:
    for _ in range(200):
        legal = game.mask.nonzero()[0]
        if len(legal):
            game.step(int(legal[int(rng.random() * len(legal))]))
        else:
            game.reset(rng.getrandbits(32))
    return 200


def _agent_steps(env: Any, rng: Random) -> int:
    for _ in range(200):
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.reset()
            continue
        legal = observation["action_mask"].nonzero()[0]
        env.step(int(legal[int(rng.random() * len(legal))]))
    return 200
