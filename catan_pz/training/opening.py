"""How a training begins: anew, or where it was stopped."""

from pathlib import Path
from typing import Any

from catan_pz.agents.specs import split_specs
from catan_pz.training.checkpoints import Checkpoints
from catan_pz.training.console import warn
from catan_pz.training.evaluation import check_opponents
from catan_pz.training.hardware import set_up_torch
from catan_pz.training.options import (
    RunArgs,
    TrainingArgs,
    check_device,
    check_ranges,
    check_same_training,
)


def open_run(args: RunArgs) -> dict[str, Any] | None:
    """The state to resume from, or None for a new training; sets torch up as well.

    Raises:
        ValueError: if a number is out of its range, if `resume` finds no whole checkpoint or one
            of another training, if the output folder of a new training holds one already or
            can't be written, if there is no GPU, or if evaluations can't be played.
    """
    check_ranges(args)
    check_device(args.device)
    if isinstance(args, TrainingArgs):
        check_opponents(split_specs(args.eval_against), args.make_rules())
    set_up_torch(args.threads)
    saved = Checkpoints(Path(args.out)).open(resume=args.resume, warn=warn)
    if saved is not None:
        check_same_training(saved["options"], args)
    return saved
