"""`catan-pz bench`: a short measurement of speed on this machine."""

import platform
from collections.abc import Callable
from importlib.util import find_spec
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

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
            task = bar.add_task("Measuring", total=len(MEASURES), note="")
            for (name, unit), make in MEASURES.items():
                if "Stable-Baselines3" not in name or find_spec("stable_baselines3"):
                    found.append((name, rate(make(made, games, threads), seconds), unit))
                bar.advance(task)
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


def _engine(rules: "Rules", _games: int, _threads: int) -> Step:
    """Random decisions in compiled code, one game after the other."""
    import numpy as np

    from catan_pz.engine.options import script_of
    from catan_pz.engine.play import new_log
    from catan_pz.game import calls
    from catan_pz.game.game import Game
    from catan_pz.kernels.rule import bound

    game = Game(rules, 0)
    play = bound(calls.play_randomly)
    given = script_of(rules), new_log(), np.zeros_like(game.mask)
    seeds = iter(range(2**62))

    def step() -> int:
        done = 0
        for _ in range(10):
            game.reset(next(seeds))
            done += play(game.games, 0, 2**31, *given)
        return done

    return step


def _batch(rules: "Rules", games: int, threads: int, observing: bool) -> Step:
    """Steps of a batch with random actions."""
    from catan_pz.batch.cpu import CpuBatch

    batch = CpuBatch(games, rules, observation=observing, seed=0, threads=threads)

    def step() -> int:
        batch.step(batch.sample())
        return games

    return step


def _game(rules: "Rules", _games: int, _threads: int) -> Step:
    """Decisions of one game, each a call from Python."""
    import numpy as np

    from catan_pz.game.game import Game

    game, draw = Game(rules, 0), np.random.default_rng(0).random

    def step() -> int:
        for _ in range(200):
            legal = game.mask.nonzero()[0]
            if len(legal):
                game.step(int(legal[int(draw() * len(legal))]))
            else:
                game.reset(int(draw() * 2**32))
        return 200

    return step


def _environment(rules: "Rules", maker: str) -> Step:
    """The usual loop of PettingZoo."""
    import numpy as np

    from catan_pz import catan_v0

    env = getattr(catan_v0, maker)(rules=rules)
    env.reset(seed=0)
    draw = np.random.default_rng(0).random

    def step() -> int:
        for _ in range(200):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(draw() * len(legal))]))
        return 200

    return step


def _vector(rules: "Rules", games: int, threads: int) -> Step:
    """Steps of the learner's vector environment, random actions."""
    from catan_pz.env.vector.sb3 import CatanVecEnv

    envs = CatanVecEnv(games, rules, seed=0, threads=threads)
    envs.reset()

    def step() -> int:
        envs.step(envs.sample())
        return games

    return step


MEASURES: Final[dict[tuple[str, str], Callable[["Rules", int, int], Any]]] = {
    ("engine: random games in compiled code", "decisions"): _engine,
    ("batch: masks", "decisions"): lambda r, g, t: _batch(r, g, t, False),
    ("batch: masks and observations", "decisions"): lambda r, g, t: _batch(r, g, t, True),
    ("Game: step from Python", "decisions"): _game,
    ("environment: raw_env, last() and step()", "agent steps"): lambda r, _g, _t: _environment(
        r, "raw_env"
    ),
    ("environment: env, with PettingZoo's wrappers", "agent steps"): lambda r, _g, _t: _environment(
        r, "env"
    ),
    ("learner: Stable-Baselines3 VecEnv", "frames"): _vector,
}
"""What is measured: its name and unit, and how to make it ready."""
