"""Many games at once, on the CPU or on a GPU."""

from typing import Final, Unpack

from catan_pz.batch.base import BatchOptions
from catan_pz.batch.cpu import CpuBatch
from catan_pz.batch.cuda import CudaBatch
from catan_pz.checks import check_choice, not_possible
from catan_pz.rules import Rules

DEVICES: Final = ("cpu", "cuda")


def make_batch(
    num_games: int,
    rules: Rules | str | None = None,
    device: str = "cpu",
    *,
    threads: int = 1,
    **options: Unpack[BatchOptions],
) -> CpuBatch | CudaBatch:
    """Many games of the same rules, stepped together.

    Game i of a batch equals `Game(rules, seed + i)` byte for byte, whatever the batch's size, the
    device and the number of threads.

    Args:
        num_games: B.
        rules: a `Rules`, a preset's name, or None for the defaults.
        device: "cpu", for NumPy arrays, or "cuda", for torch tensors on the current GPU.
        observation: True for observations in natural units (int8), an `Encoder` or its name for
            another form, False for none.
        reward: a `Reward`, its name, or None for win and loss; on "cuda" a `LinearReward`.
        seed: of game 0; game i has seed + i. Drawn at random if None.
        threads: number of threads that share a step; on "cpu" only.
        auto_reset: whether the next game starts as soon as one is finished.
        global_state: whether there is a `global_state`: full information, for critics only.
        **options: replace single options of the rules.
    """
    check_choice("device", device, DEVICES)
    if device == "cpu":
        return CpuBatch(num_games, rules, threads=threads, **options)
    if threads != 1:
        raise not_possible("threads", threads, "1 with device='cuda'")
    return CudaBatch(num_games, rules, **options)
