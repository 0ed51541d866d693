"""The same games on a GPU and on the CPU, byte for byte.

Records, masks, observations and all outputs of steps are compared while both batches play each
other's actions; the first difference is an error.
"""

from typing import Any

import numpy as np

import catan_pz
from catan_pz import encoders
from tests.benchmarks.measuring import table, to_host
from tests.gpu.devices import Device
from tests.gpu.report import Deadline

LEAST = 100
"""Decisions to compare in each game on a GPU."""
RESTARTED = 16
"""Decisions after which games that wait are followed, and a position takes the place of a game."""
ARRAYS = (
    *("observation", "global_state", "mask", "player"),
    *("reward", "done", "truncated", "winner"),
)
RULE_SETS: tuple[dict[str, Any], ...] = (
    {"trading": False},
    {"offer_form": "both", "num_players": 3, "skip_forced": True, "reward": "win_and_terms"},
    {"rules": "one_v_one", "board": "spiral", "first_player": "random"},
    {"rules": "one_v_one", "max_turns": 9, "auto_reset": False, "global_state": True},
)
FLOAT_TOLERANCE = 1e-6
"""Tolerance of encoded observations: NumPy and torch only differ in last bits."""


def compare(cpu: Any, gpu: Any) -> None:
    if np.asarray(cpu.games).tobytes() != np.asarray(gpu.games).tobytes():
        raise AssertionError("records differ")
    for name in ARRAYS:
        if not np.array_equal(getattr(cpu, name), to_host(getattr(gpu, name))):
            raise AssertionError(f"{name} differs")


def compile_all(_device: Device, _deadline: Deadline) -> str:
    for where in ("cpu", "cuda"):
        batch: Any = catan_pz.make_batch(2, device=where, seed=1)
        batch.step(batch.sample())
        if where == "cuda":
            batch.synchronize()
        batch.close()
    return "Rules and kernels are compiled."


def play(device: Device, deadline: Deadline, options: dict[str, Any]) -> tuple[int, int]:
    """Play both batches side by side; the decisions in each game, and the games that ended."""
    cpu = catan_pz.make_batch(device.parity_games, seed=1, **options)
    gpu = catan_pz.make_batch(device.parity_games, device="cuda", seed=1, **options)
    compare(cpu, gpu)
    steps, ended = 0, 0
    while steps < device.parity_steps and (steps == 0 or not deadline.is_over):
        actions = cpu.sample()
        if not np.array_equal(actions, to_host(gpu.sample())):
            raise AssertionError("sampled actions differ")
        cpu.step(actions)
        gpu.step(actions.copy())
        ended += int(cpu.done.sum())
        steps += 1
        compare(cpu, gpu)
        if steps % RESTARTED == 0:
            for batch in (cpu, gpu):
                batch.reset_finished()
                batch.place_games([0], batch.games[-1:])
            compare(cpu, gpu)
    gpu.synchronize()
    if steps < LEAST and not device.is_simulated:
        raise AssertionError(f"no time to compare more than {steps} decisions in each game")
    return steps, ended


def refuse(device: Device) -> None:
    """Raise an error unless an illegal action is reported and leaves the games unchanged."""
    batch = catan_pz.make_batch(device.parity_games, device="cuda", seed=3, trading=False)
    before = batch.games.tobytes()
    actions = to_host(batch.sample()).copy()
    actions[-1] = -3
    batch.step(actions)
    try:
        batch.synchronize()
    except catan_pz.IllegalActionError as error:
        if f"game {device.parity_games - 1}" not in str(error):
            raise AssertionError(f"another game's action is reported: {error}") from None
    else:
        raise AssertionError("an illegal action isn't reported")
    if batch.games.tobytes() != before:
        raise AssertionError("an illegal action changes games")
    batch.step(batch.sample())
    batch.synchronize()
    if batch.games.tobytes() == before:
        raise AssertionError("games don't go on after an illegal action")


def leaves(encoded: Any) -> dict[str, np.ndarray]:
    if not isinstance(encoded, dict):
        return {"": to_host(encoded)}
    return {
        f"{name}.{rest}": array
        for name, part in encoded.items()
        for rest, array in leaves(part).items()
    }


def compare_encoders(device: Device) -> list[tuple[str, str]]:
    """The largest difference of each encoder's observations between GPU and CPU."""
    rows = []
    for name in encoders.names():
        batches = [
            catan_pz.make_batch(device.parity_games, device=where, seed=2, observation=name)
            for where in ("cpu", "cuda")
        ]
        for batch in batches:
            batch.play_random(8)
        cpu, gpu = (leaves(batch.observation) for batch in batches)
        if cpu.keys() != gpu.keys():
            raise AssertionError(f"encoder {name!r}: parts {sorted(gpu)} on the GPU")
        gap = max(
            float(np.abs(cpu[k].astype(np.float64) - gpu[k].astype(np.float64)).max()) for k in cpu
        )
        if gap > FLOAT_TOLERANCE:
            raise AssertionError(f"encoder {name!r} differs by {gap}")
        rows.append((name, f"{gap:.1e}"))
    return rows


def run(device: Device, deadline: Deadline) -> str:
    """Compare over several rule sets, and all encoders; then play an illegal action."""
    rows = []
    for k, options in enumerate(RULE_SETS):
        own = deadline.share(0.9 / (len(RULE_SETS) - k))
        steps, ended = play(device, own, options)
        rows.append((f"`{options}`", f"{device.parity_games:,}", steps, f"{ended:,}"))
    games = table(("rules", "games", "decisions in each, all equal", "games ended"), rows)
    parts = table(("encoder", "largest difference from the CPU"), compare_encoders(device))
    refuse(device)
    return f"{games}\n\n{parts}\n\nAn illegal action was reported and changed no game."
