"""Ablation of a short training: one option changed at a time, several seeds each.

    python examples/ablation.py --out runs/ablation
    python examples/ablation.py --frames 100000 --seeds 1 2 3 --jobs 2 --out runs/ablation
    python examples/ablation.py --only baseline "dense network"
    python examples/ablation.py --program selfplay --frames 400000 --out runs/ablation-selfplay

Each training is a run of `train_maskable_ppo.py`, with its own options or those of `catan-pz train`
(quick), or of `train_selfplay.py` with two players and five points to win, in a folder of its own
below `--out`. A finished training is not run again, and an interrupted one resumes from its
checkpoint. The table shows the win rates of the last policies: mean, lowest and highest of the
seeds. It is also written to `ablation.md` and `ablation.csv`. Where trainings fail it shows the
others, and an error names those that failed.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from rich.console import Console
from rich.progress import track

from catan_pz.agents.registry import split_specs
from catan_pz.checks import check_choice
from catan_pz.files import write_bytes
from catan_pz.training.console import REPEATABLE, run_program
from catan_pz.training.evaluation import as_csv
from catan_pz.training.options import Count, parse

console = Console()


@dataclass(frozen=True)
class Program:
    """A training program of this folder.

    Attributes:
        script: its file.
        common: options of all its trainings.
        variants: trainings by name, with the options that differ from the baseline's.
    """

    script: str
    common: tuple[str, ...]
    variants: dict[str, tuple[str, ...]]


PROGRAMS: Final[dict[str, Program]] = {
    "maskable_ppo": Program(
        "train_maskable_ppo.py",
        (),
        {
            "baseline": (),
            "sparse reward (win and loss)": ("--reward=win_loss",),
            "forced decisions not skipped": ("--no-skip-forced",),
            "against the heuristic": ("--opponents=heuristic",),
            "against random and past selves": ("--opponents=random,league:2",),
            "dict observations": ("--observation=dict",),
            "dense network": ("--network=dense",),
            "shared value network": ("--no-separate-value-network",),
            "100,000 demonstrations": ("--expert=heuristic", "--demonstrations=100000"),
        },
    ),
    "quick": Program(
        "train_maskable_ppo.py",
        (
            *("--embedding-size=16", "--width=64", "--gamma=0.99", "--gae-lambda=0.9"),
            *("--learning-rate-end-factor=0", "--batch-size=256"),
        ),
        {
            "baseline": (),
            "dense network": ("--network=dense",),
            "sparse reward (win and loss)": ("--reward=win_loss",),
            "minibatches of 512": ("--batch-size=512",),
            "one epoch": ("--n-epochs=1",),
            "four epochs": ("--n-epochs=4",),
            "32 games": ("--num-envs=32",),
            "512 games": ("--num-envs=512",),
            "constant learning rate": ("--learning-rate-end-factor=1",),
        },
    ),
    "selfplay": Program(
        "train_selfplay.py",
        (
            *("--players=2", "--points=5", "--network=dense", "--num-envs=128"),
            *("--n-steps=128", "--opponents=", "--league-every=2"),
        ),
        {
            "baseline": (),
            "no past selves": ("--rivals-share=0",),
            "past selves in most games": ("--rivals-share=0.7",),
            "board never turned nor reflected": ("--no-symmetries",),
            "critic that sees no hidden cards": ("--critic=separate",),
            "critic from the policy's features": ("--critic=shared",),
            "reward of points kept": ("--anneal=0",),
            "sparse reward (win and loss)": ("--point-reward=0",),
            "one pass over an update's decisions": ("--n-epochs=1",),
            "board network": ("--network=board",),
        },
    ),
}
"""Programs by the option that names them."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Options."""

    program: Literal["maskable_ppo", "quick", "selfplay"] = "maskable_ppo"
    """what trains: train_maskable_ppo.py, the same as in catan-pz train, or train_selfplay.py"""
    frames: Count = 100_000
    """decisions of the learner in each training"""
    seeds: tuple[int, ...] = (1, 2, 3)
    """random seeds of the trainings"""
    games: Count = 1000
    """games that the last policy is evaluated on"""
    against: str = "random"
    """names of the opponents that it is evaluated against: random,heuristic"""
    only: tuple[str, ...] = ()
    """trainings to run; all where none is named"""
    jobs: Count = 1
    """trainings that run at a time, one thread each"""
    out: str = "runs/ablation"
    """output folder"""


def parse_args(arguments: Sequence[str] | None = None) -> Args:
    """Options from the command line.

    Raises:
        ValueError: names the option, its value and what is allowed.
    """
    args = parse(Args, arguments, __doc__ or "")
    names = tuple(PROGRAMS[args.program].variants)
    for name in args.only:
        check_choice("only", name, names)
    return replace(args, only=args.only or names)


def folder_of(name: str, seed: int, args: Args) -> Path:
    """Output folder of a training."""
    plain = "".join(c if c.isalnum() else "-" for c in name)
    return Path(args.out) / f"{args.program}-{plain}-{args.frames}-{seed}"


def command_of(name: str, seed: int, args: Args) -> list[str]:
    """The command line of a training."""
    out = folder_of(name, seed, args)
    fixed = {
        "frames": args.frames,
        "seed": seed,
        "eval-every": args.frames,
        "eval-games": args.games,
        "eval-against": args.against,
        "out": out,
    }
    program = PROGRAMS[args.program]
    script = Path(__file__).with_name(program.script)
    resume = ["--resume"] if (out / "checkpoint.json").exists() else []
    given = [f"--{key}={value}" for key, value in fixed.items()]
    given += ["--no-eval-first", "--no-progress"]
    return [sys.executable, str(script), *given, *program.common, *program.variants[name], *resume]


def train(name: str, seed: int, args: Args) -> dict[str, Any]:
    """The result of a training, which is run unless it is finished already.

    Raises:
        RuntimeError: if the training failed.
        ValueError: if it was evaluated in other games.
    """
    path = folder_of(name, seed, args) / "result.json"
    if not path.exists():
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        ran = subprocess.run(
            command_of(name, seed, args),
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode != 0:
            raise RuntimeError(f"the training {name!r} with seed {seed} failed:\n{ran.stderr}")
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for option, value in (("games", args.games), ("against", args.against)):
        before = result["options"][f"eval_{option}"]
        if before != value:
            raise ValueError(
                f"{option} must be {before!r}, as in {path}, got {value!r}; or name another "
                "output folder"
            )
    return result


def row_of(
    name: str, options: Sequence[str], results: list[dict[str, Any]], against: str
) -> dict[str, Any]:
    """Win rates and speed over the seeds."""
    rates = [
        100 * one["win_rate"]
        for result in results
        for one in result["results"]
        if one["against"] == against
    ]
    seconds = [r["seconds"] - r["timers"]["evaluations"] for r in results]
    return {
        "training": name,
        "options": " ".join(options),
        "against": against,
        "mean": sum(rates) / len(rates),
        "lowest": min(rates),
        "highest": max(rates),
        "seeds": len(rates),
        "seconds": sum(seconds) / len(seconds),
    }


def as_markdown(rows: list[dict[str, Any]]) -> str:
    """The table."""
    lines = ["| training | options | against | games won | lowest to highest | seconds |"]
    lines.append("|---|---|---|---|---|---|")
    lines += [
        f"| {row['training']} | `{row['options']}` | {row['against']} | {row['mean']:.1f} % | "
        f"{row['lowest']:.1f} to {row['highest']:.1f} % | {row['seconds']:.0f} |"
        for row in rows
    ]
    return "\n".join(lines).replace("| `` |", "| |") + "\n"


def train_all(args: Args) -> tuple[dict[str, list[dict[str, Any]]], list[str]]:
    """Results of the trainings by name, in the order of the seeds, and what failed."""
    # Seeds outermost: an interrupted run has compared all trainings on the first seeds.
    wanted = [(name, seed) for seed in args.seeds for name in args.only]
    results: dict[str, list[dict[str, Any]]] = {}
    failed = []
    with ThreadPoolExecutor(args.jobs) as pool:
        running = [pool.submit(train, name, seed, args) for name, seed in wanted]
        finished = track(running, "trainings", console=console)
        try:
            for (name, _), one in zip(wanted, finished, strict=True):
                try:
                    results.setdefault(name, []).append(one.result())
                except RuntimeError as error:
                    failed.append(str(error))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return {name: found for name, found in results.items() if found}, failed


def main(arguments: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Run the trainings that aren't finished; returns the rows that are printed and written.

    Raises:
        RuntimeError: names the trainings that failed, once the table of the others is written.
    """
    args = parse_args(arguments)
    results, failed = train_all(args)
    variants = PROGRAMS[args.program].variants
    rows = [
        row_of(name, variants[name], results[name], against)
        for name in args.only
        for against in split_specs(args.against)
        if name in results
    ]
    if rows:
        out, text = Path(args.out), as_markdown(rows)
        for name, data in (("ablation.md", text.encode()), ("ablation.csv", as_csv(rows))):
            write_bytes(out / name, data)
        print(text)
    if failed:
        raise RuntimeError("\n".join(failed))
    return rows


if __name__ == "__main__":
    run_program(main, RuntimeError, stopped=REPEATABLE)
