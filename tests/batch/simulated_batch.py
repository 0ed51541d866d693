"""Plays a batch by the kernels in numba's simulator and prints a digest of all that was seen.

`python -m tests.batch.simulated_batch cpu|cuda|tensors [steps]`; all need NUMBA_DISABLE_JIT=1 to
be as fast as they can, the last two NUMBA_ENABLE_CUDASIM=1 as well. With `tensors`, batches give
out torch tensors, as on a GPU.
"""

import hashlib
import sys
from typing import Any

import numpy as np

import catan_pz
from catan_pz.batch.steps import WHERE_FINISHED
from catan_pz.engine.state import as_games

CASES: tuple[dict[str, Any], ...] = (
    {"rules": "one_v_one", "max_turns": 12, "reward": "points_gained", "global_state": True},
    {"num_players": 3, "offer_form": "both", "skip_forced": True, "observation": "planes"},
    {"trading": False, "observation": False, "board": (4, 5), "auto_reset": False, "max_turns": 9},
)
GAMES = 3


def let_kernels_stage_records() -> None:
    """Give the simulator local arrays of records whose fields are attributes, as on a GPU."""
    from numba.cuda.simulator import kernelapi

    def array(_self: Any, shape: Any, dtype: Any, alignment: Any = None) -> np.ndarray:
        return as_games(np.zeros(shape, dtype)) if np.dtype(dtype).names else np.zeros(shape, dtype)

    kernelapi.FakeCUDALocal.array = array


def give_out_tensors() -> None:
    """Let batches in the simulator give out torch tensors, as on a GPU, that lie in the host."""
    import torch

    from catan_pz.batch import cuda_device

    class Tensors(cuda_device.SimulatedGpu):
        """The simulator with tensors."""

        def zeros(self, shape: tuple[int, ...], dtype: type) -> Any:
            return torch.from_numpy(super().zeros(shape, dtype))

        def integers(self, given: Any, count: int) -> Any:
            return torch.from_numpy(super().integers(given, count))

        def view(self, array: Any) -> np.ndarray:
            return array.numpy() if isinstance(array, torch.Tensor) else array

    cuda_device.SimulatedGpu = Tensors


def simulated(device: str) -> str:
    """The device of `make_batch` by the name that was given, with the simulator made ready."""
    if device == "cpu":
        return device
    let_kernels_stage_records()
    if device == "tensors":
        give_out_tensors()
    return "cuda"


def play(device: str, case: dict[str, Any], steps: int) -> str:
    """Play given, sampled and drawn actions in turn and return a digest."""
    digest = hashlib.sha256()
    batch = catan_pz.make_batch(GAMES, device=device, seed=5, **case)
    following = case.get("auto_reset", True)
    ended = 0
    for step in range(steps):
        if step % 2 and (following or not batch.done.any()):
            batch.step(np.array(batch.sample()))
        else:
            batch.play_random()
        ended += int(np.asarray(batch.done).sum())
        if following and step % 10 == 0:
            batch.place_games([2, 0], batch.games[:2])
        if not following and step % 7 == 0:
            batch.reset_finished()
        seen = batch.observation if isinstance(batch.observation, dict) else {"": batch.observation}
        told = (batch.reward, batch.done, batch.truncated, batch.winner, batch.global_state)
        for part in (batch.games, batch.seeds, batch.mask, batch.player, *seen.values(), *told):
            if part is not None:
                digest.update(np.ascontiguousarray(part).tobytes())
    return f"{digest.hexdigest()} {ended}"


def refuse(device: str, then: str) -> str:
    """What is said of an illegal action, by another call at the latest, which changes no game."""
    batch = catan_pz.make_batch(GAMES, device=device, seed=5, trading=False)
    catan_pz.make_batch(1, device=device, trading=False)  # of another size, beside it
    before = np.array(batch.games).tobytes()
    actions = np.array(batch.sample())
    actions[1] = 1
    actions[2] = -3
    try:
        batch.step(actions)
        if then == "step":
            batch.step(actions)
        else:
            batch.synchronize()
    except catan_pz.IllegalActionError as error:
        said = str(error)
    assert np.array(batch.games).tobytes() == before
    batch.step(batch.sample())  # and play goes on
    assert np.array(batch.games).tobytes() != before
    return said


def refuse_before_placing(device: str) -> str:
    """What is said of an illegal action that is legal in the position that is to be placed."""
    batch = catan_pz.make_batch(2, device=device, seed=1, trading=False)
    position = catan_pz.Game(seed=9, trading=False)
    roll = 0
    while not position.mask[roll]:
        position.step(int(position.legal_actions()[0]))
    actions = np.array(batch.sample())
    actions[1] = roll
    before = np.array(batch.games).tobytes()
    try:
        batch.step(actions)
        batch.place_games([1], position.games)
        batch.synchronize()
    except catan_pz.IllegalActionError as error:
        said = str(error)
    assert np.array(batch.games).tobytes() == before
    batch.place_games([1], position.games)
    actions[1] = roll
    batch.step(actions)
    return said


def refuse_before_the_next_game(device: str, *, is_told: bool) -> str:
    """What is said of an action in a finished game that is legal in the one that follows."""
    batch = catan_pz.make_batch(
        2, device=device, seed=1, trading=False, auto_reset=False, max_turns=2
    )
    while not batch.done[1]:
        batch.play_random()
    actions = np.array(batch.sample())
    following = catan_pz.make_batch(1, seed=2, trading=False, max_turns=2)
    while not following.done[0]:
        following.play_random()
    actions[1] = following.sample()[0]
    before = np.array(batch.games).tobytes()
    try:
        batch.step(actions)
        if is_told:
            batch.reset_finished()
        else:  # as where the GPU is still at work
            batch._deal(WHERE_FINISHED)
        batch.synchronize()
    except catan_pz.IllegalActionError as error:
        said = str(error)
    assert np.array(batch.games).tobytes() == before
    batch.reset_finished()
    batch.step(actions)
    return said


def main() -> None:
    """Print a digest and the number of games that ended, one line a case, and refusals."""
    np.seterr(over="ignore")
    device = simulated(sys.argv[1])
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    for case in CASES:
        print(play(device, case, steps))
    for then in ("step", "synchronize"):
        print(refuse(device, then))
    print(refuse_before_placing(device))
    for is_told in (True, False):
        print(refuse_before_the_next_game(device, is_told=is_told))


if __name__ == "__main__":
    main()
