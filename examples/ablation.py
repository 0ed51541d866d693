"""What matters to a short MaskablePPO training: one option changed at a time, several seeds each.

    python examples/ablation.py --out runs/ablation
    python examples/ablation.py --frames 100000 --seeds 1,2,3 --jobs 2 --out runs/ablation
    python examples/ablation.py --only "board network" --only "dense network"

Each training is a run of `train_maskable_ppo.py` in a folder of its own below `--out`; those that
are done already are not run again, and one that was broken off goes on from its checkpoint. The
table shows the win rates of the last policies by mean, lowest and highest of the seeds; it is
also written to `ablation.md` and `ablation.csv`.
"""

import argparse
import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from catan_pz.files import whole_file

console = Console()

VARIANTS: dict[str, tuple[str, ...]] = {
    "as it stands": (),
    "win and loss alone": ("--reward=win_loss",),
    "forced decisions asked": ("--no-skip-forced",),
    "against the heuristic": ("--opponents=heuristic",),
    "against random and past selves": ("--opponents=random,league:2",),
    "dict observations": ("--observation=dict",),
    "dense network": ("--network=dense",),
    "value shares the policy's layers": ("--no-own-value",),
    "100,000 lessons first": ("--teacher=heuristic", "--lessons=100000"),
}
"""Trainings by name, with the options that make them differ from the first."""


def parse_options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options from the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n", maxsplit=1)[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("--frames", type=int, default=100_000, help="decisions of the learner in each training")
    add("--seeds", default="1,2,3", help="of the trainings")
    add("--games", type=int, default=1000, help="games that the last policy is measured on")
    add("--against", default="random", help="names of the opponents that it is measured against")
    add("--only", action="append", help=f"a training of {list(VARIANTS)}; all where not given")
    add("--jobs", type=int, default=1, help="trainings that run at a time, one thread each")
    add("--out", default="runs/ablation", help="output folder")
    options = parser.parse_args(arguments)
    options.only = options.only or list(VARIANTS)
    unknown = [name for name in options.only if name not in VARIANTS]
    if unknown:
        raise ValueError(f"option only={unknown[0]!r} is not possible; allowed: {list(VARIANTS)}")
    if options.jobs < 1:
        raise ValueError(f"option jobs={options.jobs} is not possible; allowed: an int from 1")
    options.seeds = [int(seed) for seed in options.seeds.split(",")]
    return options


def folder_of(name: str, seed: int, options: argparse.Namespace) -> Path:
    """Where a training's files are."""
    plain = "".join(c if c.isalnum() else "-" for c in name)
    return Path(options.out) / f"{plain}-{options.frames}-{seed}"


def command_of(name: str, seed: int, options: argparse.Namespace) -> list[str]:
    """The command line of a training."""
    out = folder_of(name, seed, options)
    fixed = {
        "frames": options.frames,
        "seed": seed,
        "eval-every": options.frames,
        "eval-games": options.games,
        "eval-against": options.against,
        "out": out,
    }
    script = Path(__file__).with_name("train_maskable_ppo.py")
    resume = ["--resume"] if (out / "checkpoint.json").exists() else []
    given = [f"--{key}={value}" for key, value in fixed.items()]
    given += ["--no-eval-first", "--no-progress"]
    return [sys.executable, str(script), *given, *VARIANTS[name], *resume]


def train(name: str, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """The figures of a training, which is run if they aren't there yet."""
    path = folder_of(name, seed, options) / "result.json"
    if not path.exists():
        alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        ran = subprocess.run(
            command_of(name, seed, options),
            env=alone,
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode != 0:
            raise RuntimeError(f"the training {name!r} with seed {seed} failed:\n{ran.stderr}")
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return result


def row_of(name: str, results: list[dict[str, Any]], against: str) -> dict[str, Any]:
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
        "options": " ".join(VARIANTS[name]),
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


def as_csv(rows: list[dict[str, Any]]) -> str:
    """The table, for programs."""
    text = io.StringIO()
    table = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue()


def main(arguments: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Run what is missing; the rows are returned, printed and written."""
    options = parse_options(arguments)
    # Seeds outermost: a run broken off has compared all trainings on the first seeds.
    wanted = [(name, seed) for seed in options.seeds for name in options.only]
    with ThreadPoolExecutor(options.jobs) as pool:
        running = [pool.submit(train, name, seed, options) for name, seed in wanted]
        try:
            for one in track(running, "trainings", console=console):
                one.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    results = {place: one.result() for place, one in zip(wanted, running, strict=True)}
    rows = [
        row_of(name, [results[name, seed] for seed in options.seeds], against)
        for name in options.only
        for against in options.against.split(",")
    ]
    out = Path(options.out)
    for name, text in (("ablation.md", as_markdown(rows)), ("ablation.csv", as_csv(rows))):
        with whole_file(out / name) as draft:
            draft.write_text(text, encoding="utf-8")
    print(as_markdown(rows))
    return rows


if __name__ == "__main__":
    try:
        main()
    except (ValueError, OSError, RuntimeError) as error:
        sys.exit(f"error: {error}")
