"""How fast self-play could learn on a GPU, from what it computes: python -m tests.gpu.roofline

Counts, while `examples/train_selfplay.py` plays and learns a round on the CPU, the floating-point
operations of its products and the bytes that torch's operations read and write, a learned
decision: playing, rivals, all passes, and the optimizer. Divided by a GPU's peak rates that gives
bounds. Bytes are counted as if each operation began and ended in memory, which holds where nothing
is fused; `--compile` fuses most of the small ones, and those of the products alone bound it. Games
are no torch operations, and not in it.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

from catan_pz.training.options import parse
from tests.benchmarks.measuring import options, print_table
from tests.examples.programs import load

BANDWIDTH = 4.8e12
"""Bytes a second of an H200's memory (NVIDIA's data sheet)."""
PEAK = {"float32": 67e12, "bfloat16": 989e12}
"""Floating-point operations a second of an H200, dense (the same)."""
GOAL = 450e6 / 300
"""Decisions a second to aim at: 450 million in five minutes."""
PRODUCTS = ("mm", "addmm", "bmm", "baddbmm", "convolution", "convolution_backward")
NETWORKS = {
    "board, the default": (),
    "board, one pass": ("--n-epochs=1",),
    "board, embeddings of 16, one pass": ("--n-epochs=1", "--embedding-size=16"),
    "dense, 128 units": ("--network=dense",),
    "dense, 512 units": ("--network=dense", "--width=512"),
    "dense, 512 units, one pass": ("--network=dense", "--width=512", "--n-epochs=1"),
}
"""Options of the trainings that are counted."""


class Traffic(TorchDispatchMode):
    """Counts bytes of the operands and results of operations that move data."""

    def __init__(self) -> None:
        super().__init__()
        self.all = self.products = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if not func.is_view:
            leaves = tree_leaves((args, kwargs, result))
            moved = sum(one.nbytes for one in leaves if isinstance(one, torch.Tensor))
            self.all += moved
            if func._schema.name.removeprefix("aten::") in PRODUCTS:
                self.products += moved
        return result


@dataclass(frozen=True)
class Work:
    """What a learned decision takes: floating-point operations, bytes, and those of products."""

    operations: float
    traffic: float
    products: float


def counted(words: tuple[str, ...]) -> Work:
    program = load("train_selfplay")
    with tempfile.TemporaryDirectory() as folder:
        fixed = "--device=cpu", "--num-envs=256", "--n-steps=32", "--no-progress", "--target-kl=9"
        args = parse(program.Args, [*fixed, *words, f"--out={folder}"], "")
        learner = program.make_run(args).learner
        learner.play(0)
        before = learner.frames
        with FlopCounterMode(display=False) as flops, Traffic() as traffic:
            learner.play(1)
        frames = learner.frames - before
    return Work(flops.get_total_flops() / frames, traffic.all / frames, traffic.products / frames)


def rows() -> Iterator[tuple[str, ...]]:
    for name, words in NETWORKS.items():
        for kind, peak in PEAK.items():
            work = counted((*words, "--bf16") if kind == "bfloat16" else words)
            bounds = peak / work.operations, BANDWIDTH / work.traffic
            sizes = f"{work.traffic / 1e3:,.0f}", f"{work.products / 1e3:,.0f}"
            most = [f"{bound / 1e6:,.1f}" for bound in (*bounds, BANDWIDTH / work.products)]
            needs = f"{GOAL / min(bounds):.0%}"
            yield name, kind, f"{work.operations / 1e6:.1f}", *sizes, *most, needs


def main() -> None:
    options(__doc__)
    header = ("network", "numbers", "MFLOP", "kB moved", "kB by products")
    header += ("M decisions/s by FLOP", "by kB moved", "by products alone", "goal needs")
    print_table(header, rows())


if __name__ == "__main__":
    main()
