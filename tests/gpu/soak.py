"""A long random run on the GPU: finds states that break a rule, and wrong sums of rewards."""

import catan_pz
from tests.gpu.devices import Device
from tests.gpu.report import Deadline
from tests.soak import Many


def run(device: Device, deadline: Deadline) -> str:
    batch = catan_pz.make_batch(device.soak_games, device="cuda", seed=1, offer_form="both")
    games, decisions = Many(batch), 0
    while decisions == 0 or not deadline.is_over:
        decisions += games.play()
        games.check()
    batch.synchronize()
    return (
        f"{decisions:,} decisions in {device.soak_games:,} games at a time, {games.ended:,} games "
        f"ended, {games.checked:,} states checked, no violation."
    )
