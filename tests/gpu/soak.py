"""A long random run on the GPU: states that break a rule, rewards that don't add up."""

import numpy as np

import catan_pz
from catan_pz.engine.violations import Violation
from tests.gpu.devices import Device, to_host
from tests.gpu.report import Deadline

ROUND = 8
"""Steps between two looks at states."""
CHECKED = 4
"""Games that are looked at after each round."""


def run(device: Device, deadline: Deadline) -> str:
    """Play until the time is over."""
    rng = np.random.default_rng(1)
    batch = catan_pz.make_batch(device.soak_games, device="cuda", seed=1, offer_form="both")
    decisions, ended, checked = 0, 0, 0
    while decisions == 0 or not deadline.is_over:
        for _ in range(ROUND):
            batch.step(batch.sample())
            done, truncated = to_host(batch.done), to_host(batch.truncated)
            reward = to_host(batch.reward)
            won = done & ~truncated
            if not ((reward[won] == 1).sum(1) == 1).all() or reward[~won].any():
                raise AssertionError("rewards don't add up")
            ended += int(done.sum())
        decisions += ROUND * device.soak_games
        for i in rng.integers(device.soak_games, size=CHECKED).tolist():
            broken = batch.game(i).validate()
            checked += 1
            if broken != Violation.NONE:
                raise AssertionError(f"game {i} breaks the rules: {broken!r}")
    batch.synchronize()
    return (
        f"{decisions:,} decisions in {device.soak_games:,} games at a time, {ended:,} games ended, "
        f"{checked:,} states checked, no violation."
    )
