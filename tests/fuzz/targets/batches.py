"""Batches of games, and the arrays that compiled code is given."""

from random import Random
from typing import Any

import numpy as np

from catan_pz import Game, make_batch
from catan_pz.batch import calls as batch_calls
from catan_pz.batch import seat_calls
from catan_pz.engine.state import STATE
from catan_pz.engine.violations import Violation
from catan_pz.kernels.fast.packed_calls import Parameters, leaf_kinds
from tests.fuzz.odd import odd_array, odd_or
from tests.fuzz.oracle import Tally, require
from tests.fuzz.targets.options import try_batch
from tests.helpers import RULE_SETS

SIZE = 3


def made(rng: Random, tally: Tally) -> None:
    """`make_batch` with odd options; what is made plays as single games do."""
    usual = {
        "observation": (True, False, "flat", "dict", "planes"),
        "reward": (None, "win_loss", "points_gained"),
        "seed": (0, 5, 2**64 - 1),
        "threads": (1, 2),
        "auto_reset": (True, False),
        "global_state": (True, False),
        "device": ("cpu",),
    }
    try_batch(rng, tally, make_batch, (1, 2, 5, 70), usual, _play)


def _play(rng: Random, tally: Tally, batch: Any) -> None:
    twins = [Game(batch.rules, int(seed)) for seed in batch.seeds[:4]]
    for _ in range(rng.choice((1, 10, 40))):
        actions = batch.sample().copy()
        batch.step(actions)
        tally["steps"] += 1
        over = batch.done.copy()
        for i, twin in enumerate(twins):
            if over[i] or not twin.mask.any():
                continue
            twin.step(int(actions[i]))
            require(batch.games[i].tobytes() == twin.games[0].tobytes(), "a batch plays otherwise")
            require(batch.mask[i].tobytes() == twin.mask.tobytes(), "a batch has another mask")
        if over.any():
            return
    require(batch.game(0).validate() == Violation.NONE, "a batch breaks a game")
    if batch.observation is not None and batch.global_state is not None:
        require(len(batch.global_state) == batch.num_games, "global states of another number")


def stepped(rng: Random, tally: Tally) -> None:
    """Odd actions, seeds, game numbers and counts for a batch: refused, no game is touched."""
    rules = RULE_SETS[rng.choice(list(RULE_SETS))]
    batch = make_batch(SIZE, rules, seed=rng.randrange(2**32), observation=rng.random() < 0.5)
    batch.play_random(rng.choice((0, 5, 50, 300)))
    for _ in range(8):
        before = batch.games.tobytes()
        actions = _actions(rng, batch)
        accepted, _ = tally.attempt(batch.step, actions)
        require(accepted or batch.games.tobytes() == before, "refused actions changed a game")
        tally.attempt(batch.game, odd_or(rng, 0, SIZE), allowed=(IndexError, TypeError))
        tally.attempt(batch.reset, odd_or(rng, 0, share=0.2)) if rng.random() < 0.1 else None
        steps = odd_or(rng, 0, 3, share=0.5)
        if not (isinstance(steps, int | np.integer) and steps > 100):
            tally.attempt(batch.play_random, steps)
    for i in range(SIZE):
        require(batch.game(i).validate() == Violation.NONE, "a batch breaks a game")


def _actions(rng: Random, batch: Any) -> Any:
    actions: Any = batch.sample().copy()
    match rng.randrange(8):
        case 0:
            return odd_or(rng, share=1.0)
        case 1:
            actions[rng.randrange(SIZE)] = rng.choice((-1, 251, 252, 388, 389, 2**62, -(2**63)))
        case 2:
            actions = actions.astype(rng.choice(("i2", "u2", "i8", "u8", ">i8", "f8", "O", "?")))
        case 3:
            actions = np.repeat(actions, 2)[::2]
        case 4:
            actions.flags.writeable = False
        case 5:
            actions = actions.tolist()
        case 6:
            actions = odd_array(rng)
    return actions


def arguments(rng: Random, tally: Tally) -> None:
    """What threads get: arrays of any other type, order or shape are refused by name."""
    call = rng.choice((batch_calls.step_games, batch_calls.deal_games, seat_calls.play_seats))
    parameters = Parameters(getattr(call, "py_func", None) or call.dispatcher.py_func)
    k = rng.randrange(len(parameters))
    given = odd_or(rng, np.zeros(SIZE, STATE), odd_array(rng), odd_array(rng), 3, share=0.3)
    accepted, taken = tally.attempt(parameters.checked, k, given)
    for kind, leaf in zip(leaf_kinds(parameters.kinds[k]), taken if accepted else (), strict=False):
        if isinstance(leaf, np.ndarray):
            require(leaf.ndim == kind.ndim, "an array of other dimensions was taken")
            sound = leaf.flags.c_contiguous and leaf.flags.aligned
            require(sound, "an array out of order was taken")


TARGETS = {"batches": made, "batch_steps": stepped, "thread_arguments": arguments}
