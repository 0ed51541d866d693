"""`catan-pz perft`, `warmup`, `info` and `bench`: counts, compilation, versions, speed."""

import json
import os
import pkgutil
import platform
import re
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module, metadata
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import click

import catan_pz
from catan_pz.cli.console import OLD_FILE, command, option
from catan_pz.cli.options import RuleChoice, rule_options, seed_number

if TYPE_CHECKING:
    from catan_pz.events import Outcome
    from catan_pz.kernels.rule import Entry
    from catan_pz.rules import Rules


@command(
    "catan-pz perft 5 --players 2",
    "catan-pz perft 2 --seed 7 --rules one_v_one --divide",
    "catan-pz perft 3 --position position.json",
)
@click.argument("depth", type=click.IntRange(1, 32))
@option(
    "--position", "State to start from, a JSON file (Game.snapshot); else a fresh game.", OLD_FILE
)
@option("--seed", "Seed of the fresh game.", seed_number, metavar="SEED", default=0)
@option("--divide", "Split the last count by first move.", is_flag=True)
@rule_options()
def perft(depth: int, position: Path | None, seed: int, divide: bool, rules: RuleChoice) -> None:
    """Count the ways in which the next DEPTH decisions can go.

    Every outcome of chance counts by itself: the 36 rolls of two dice, each card that may
    be drawn or stolen. Two programs that play by the same rules count the same.
    """
    from catan_pz.files import read_file, read_json
    from catan_pz.game import perft as counts
    from catan_pz.game.game import Game

    if position is None:
        game = Game(rules.make(), seed)
    else:
        try:
            game = Game.from_snapshot(read_json(read_file(position).decode("utf-8")))
        except (ValueError, RecursionError) as error:
            raise click.ClickException(f"{position} holds no state of a game: {error}") from error
    click.echo(f"{'depth':>5}  {'nodes':>15}  {'seconds':>8}  {'nodes/s':>12}")
    counts.perft(game, 1)  # compiled, before the clock runs
    for level in range(1, depth + 1):
        start = perf_counter()
        nodes = counts.perft(game, level)
        seconds = perf_counter() - start
        speed = f"{nodes / seconds:,.0f}" if seconds >= 0.01 else ""
        click.echo(f"{level:>5}  {nodes:>15,}  {seconds:>8.3f}  {speed:>12}".rstrip())
    if divide:
        click.echo()
        for action, outcome, count in counts.divide(game, depth):
            click.echo(f"{count:>15,}  {action:>3}  {_move(action, outcome)}")


def _move(action: int, outcome: "Outcome") -> str:
    from catan_pz.render.log import action_words

    words = action_words(action)
    if outcome is None:
        return words
    drawn = " + ".join(map(str, outcome)) if isinstance(outcome, tuple) else outcome.name.lower()
    return f"{words} -> {drawn}"


def entries() -> Iterator[tuple[str, "Entry"]]:
    """Every compiled entry point of the package, by its dotted name, each once.

    Modules whose libraries aren't installed are left out.
    """
    from catan_pz.kernels.rule import Entry

    seen: set[int] = set()
    for found in pkgutil.walk_packages(catan_pz.__path__, "catan_pz."):
        if found.name.startswith("catan_pz.cli"):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                module = import_module(found.name)
        except ImportError:
            continue
        for name, thing in vars(module).items():
            if isinstance(thing, Entry) and id(thing) not in seen:
                seen.add(id(thing))
                yield f"{thing.dispatcher.py_func.__module__}.{name}", thing


@command("catan-pz warmup")
def warmup() -> None:
    """Compile all rules now, so that later starts take them from the cache.

    Without it each is compiled when it is first used. `catan-pz info` shows where the cache
    lies.
    """
    from catan_pz.kernels.notices import compile_hook
    from catan_pz.progress import progress_bar

    found = list(entries())
    if not found:
        click.echo("Compilation is switched off by NUMBA_DISABLE_JIT: nothing to compile.")
        return
    start = perf_counter()
    with compile_hook(None), progress_bar() as bar:
        task = bar.add_task("Compiling", total=len(found), note="")
        for name, entry in found:
            bar.update(task, note=name.removeprefix("catan_pz."))
            entry.compiled()
            bar.advance(task)
    click.echo(f"{len(found)} entry points are ready after {perf_counter() - start:.1f} s.")


_LIBRARIES: Final = (
    "numba", "numpy", "pettingzoo", "gymnasium", "torch", "stable_baselines3", "sb3_contrib",
    "pygame-ce", "resvg_py", "pillow", "numba-cuda",
)  # fmt: skip


def version_of(name: str) -> str | None:
    """The version of an installed distribution, or None."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def extras() -> dict[str, list[str]]:
    """Each extra of the package with its distributions that aren't installed."""
    try:
        required = metadata.requires("catan-pz") or []
        names = metadata.metadata("catan-pz").get_all("Provides-Extra") or []
    except metadata.PackageNotFoundError:
        return {}
    missing: dict[str, list[str]] = {name: [] for name in names}
    for line in required:
        found = re.match(r"\s*([A-Za-z0-9._-]+).*?;.*extra\s*==\s*['\"]([^'\"]+)['\"]", line)
        if found is not None and found[1] != "catan-pz" and version_of(found[1]) is None:
            missing[found[2]].append(found[1])
    return missing


def gpus() -> str:
    """The CUDA devices that numba finds, or why it finds none."""
    try:
        from numba import cuda

        if not cuda.is_available():
            return "none found"
        names = [device.name for device in cuda.list_devices()]
    except Exception as error:  # drivers fail in many ways
        return f"none found ({type(error).__name__}: {error})".split("\n")[0]
    return ", ".join(name.decode() if isinstance(name, bytes) else str(name) for name in names)


def torch_cuda() -> str:
    """The CUDA device that torch finds, or why it finds none."""
    if version_of("torch") is None:
        return "torch is not installed"
    import torch

    if torch.cuda.is_available():
        return f"CUDA {torch.version.cuda}, {torch.cuda.get_device_name()}"
    built = torch.version.cuda
    return f"no device (built for CUDA {built})" if built else "no device (built without CUDA)"


def gather() -> dict[str, Any]:
    """All that `info` shows."""
    from catan_pz.kernels.cache import cache_folder, cached_files
    from catan_pz.render.export import ffmpeg
    from catan_pz.training.options import processor

    place, files = cache_folder(), cached_files()
    size = sum(path.stat().st_size for path in files)
    return {
        "catan-pz": catan_pz.__version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": f"{processor()}, {os.cpu_count()} cores",
        "CUDA, numba": gpus(),
        "CUDA, torch": torch_cuda(),
        "ffmpeg": ffmpeg() or "not found: no MP4; GIF needs none",
        "cache": str(place or "none: compiled anew in each process"),
        "cached": f"{len(files)} files, {size / 1e6:.0f} MB",
        "libraries": {name: version_of(name) for name in _LIBRARIES},
        "extras": {
            name: f'missing {", ".join(missing)}: pip install "catan-pz[{name}]"'
            if missing
            else "installed"
            for name, missing in extras().items()
        },
    }


@command("catan-pz info", "catan-pz info --json")
@option("--json", "As JSON, for programs.", name="as_json", is_flag=True)
def info(as_json: bool) -> None:
    """Show versions, devices, the cache of compiled code, and the extras installed."""
    found = gather()
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        if isinstance(value, dict):
            click.echo(f"\n{name}")
            for part, told in value.items():
                click.echo(f"  {part:<17} {'-' if told is None else told}")
        else:
            click.echo(f"{name:<19} {value}")


Step = Callable[[], int]
"""Runs some repetitions and returns their number."""


@command(
    "catan-pz bench",
    "catan-pz bench --seconds 5 --no-trading",
    "catan-pz bench --games 4096 --threads 8",
)
@option("--seconds", "Length of each measurement.", click.FloatRange(0.05, 600), default=1.0)
@option("--games", "Games in a batch.", click.IntRange(1, 1_000_000), default=1024)
@option("--threads", "Threads that share a step of the batch.", click.IntRange(1, 1024), default=1)
@rule_options()
def bench(seconds: float, games: int, threads: int, rules: RuleChoice) -> None:
    """Measure speed: the bare engine, batches of games, the environments.

    Random legal actions everywhere; what compiles is compiled before the clock runs. Other
    programs on the machine slow all of it down.
    """
    from catan_pz.progress import progress_bar
    from catan_pz.training.options import processor

    made = rules.make()
    cores = f"{processor()}, {os.cpu_count()} cores"
    click.echo(f"{cores}; Python {platform.python_version()}, {platform.system()}")
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
    """Repetitions a second, after one step that warms up."""
    step()
    done, start = 0, perf_counter()
    while perf_counter() - start < seconds:
        done += step()
    return done / (perf_counter() - start)


def measures(rules: "Rules", games: int, threads: int) -> Iterator[tuple[str, str, Step]]:
    """Each measurement: its name, its unit and its step."""
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
        return play(game.games, 0, 2**31, *given)

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
