"""Self-play by the kernels in numba's simulator: prints digests of rewards and trajectories.

`python -m tests.env.simulated_self_play cpu|cuda|tensors`; the last two need NUMBA_DISABLE_JIT=1
and NUMBA_ENABLE_CUDASIM=1. With `tensors`, batches give out torch tensors, as on a GPU.
"""

import hashlib
import sys
from contextlib import suppress

import numpy as np

from catan_pz import IllegalActionError
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.env.self_play_rollout import SelfPlayRollout
from tests.batch.simulated_batch import simulated

CASES = (
    {"rules": "one_v_one", "max_turns": 8, "reward": "win_and_terms"},
    {"num_players": 3, "trading": False, "max_turns": 9, "reward": "points_gained"},
)
GAMES, STEPS = 3, 40


def refuse(device: str) -> str:
    """What is said of an illegal action, after which only a reset lets play go on."""
    batch = SelfPlayBatch(GAMES, device=device, seed=3, trading=False, observation=False)
    actions = np.array(batch.sample())
    actions[1] = -3
    try:
        batch.step(actions)
        batch.batch.synchronize()
    except IllegalActionError as error:
        said = str(error)
    if device == "cuda":
        with suppress(RuntimeError):  # which asks for the reset
            batch.step(batch.sample())
        assert batch.steps == 1
        batch.reset(3)
    batch.step(batch.sample())
    assert batch.steps == 1
    return said.replace(" ", "_")


def main() -> None:
    """Print two digests a case, of what steps show and what a rollout makes of them; a refusal."""
    np.seterr(over="ignore")
    device = simulated(sys.argv[1])
    for case in CASES:
        batch = SelfPlayBatch(GAMES, device=device, seed=3, observation="units", **case)
        rollout = SelfPlayRollout(batch, STEPS)
        shown, learned = hashlib.sha256(), hashlib.sha256()
        for step in range(STEPS):
            values = np.full(GAMES, step / 8, np.float32)
            rollout.step(np.array(batch.sample()), values)
            for part in (
                batch.reward,
                batch.last_step,
                batch.due,
                batch.done,
                batch.winner,
                batch.player,
            ):
                shown.update(np.ascontiguousarray(part).tobytes())
        data = rollout.finish(np.ones(GAMES, np.float32), gamma=0.5, gae_lambda=0.5)
        for part in (data.reward, data.advantage, data.is_complete, data.next_step):
            learned.update(np.ascontiguousarray(part).tobytes())
        print(shown.hexdigest(), learned.hexdigest())
    print(refuse(device))


if __name__ == "__main__":
    main()
