"""Batches and vector environments with one learner a game, and self-play."""

from functools import cache
from random import Random
from typing import Any

import numpy as np

from catan_pz.engine.violations import Violation
from catan_pz.env.self_play import SelfPlayBatch, SelfPlayEnv
from catan_pz.env.vector.gymnasium import CatanVectorEnv
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.game.game import Game
from tests.fuzz.odd import chosen_options, odd, odd_array, odd_or
from tests.fuzz.oracle import Tally, require
from tests.fuzz.targets.games import spoilt
from tests.fuzz.targets.options import drawn_rules, try_batch
from tests.helpers import RULE_SETS

SIZE = 3
KINDS = (SingleLearnerBatch, SelfPlayBatch, CatanVectorEnv)


def made(rng: Random, tally: Tally) -> None:
    """Each kind with odd options; what is made plays on."""
    kind = rng.choice(KINDS)
    usual: dict[str, tuple[Any, ...]] = {
        "observation": ("flat", "units", "dict", "graph"),
        "reward": (None, "win_loss", "points_gained"),
        "threads": (1, 2),
    }
    if kind is not SelfPlayBatch:
        usual |= {"seat": (0, 1, "random"), "opponents": (None, "random", "heuristic")}
    try_batch(rng, tally, kind, (1, 3), usual, _play)


def _play(rng: Random, tally: Tally, batch: Any) -> None:
    if isinstance(batch, CatanVectorEnv):
        _, infos = batch.reset(seed=odd_seed(rng))
        for _ in range(5):
            masks = np.asarray(infos["action_mask"])
            *_, infos = batch.step(masks.argmax(axis=1))
            tally["steps"] += 1
        return
    for _ in range(5):
        batch.step(batch.sample())
        tally["steps"] += 1
    inner = batch.batch if isinstance(batch, SelfPlayBatch) else batch
    require(inner.game(0).validate() == Violation.NONE, "a batch breaks a game")


def odd_seed(rng: Random) -> Any:
    """A seed that is possible."""
    return rng.choice((0, 1, 2**32, 2**64 - 1))


@cache
def _learners(name: str) -> SingleLearnerBatch:
    return SingleLearnerBatch(SIZE, RULE_SETS[name], seed=1, seat="random")


def stepped(rng: Random, tally: Tally) -> None:
    """Odd actions, places, seeds and opponents for a batch with learners."""
    batch = _learners(rng.choice(list(RULE_SETS)))
    batch.opponents = None
    batch.reset(rng.randrange(2**32))
    for _ in range(4):
        actions = rng.choice((batch.sample().copy(), odd_array(rng), odd(rng)))
        tally.attempt(batch.step, actions)
        tally.attempt(batch.restart, rng.choice((np.zeros(SIZE, np.bool_), odd(rng))))
        tally.attempt(batch.game, odd_or(rng, 0, 3), allowed=(IndexError, TypeError))
        tally.attempt(setattr, batch, "opponents", odd_or(rng, None, "random", ["random"] * 3))
    for i in range(SIZE):
        require(batch.game(i).validate() == Violation.NONE, "a batch breaks a game")


def kept(rng: Random, tally: Tally) -> None:
    """`set_state` of changed arrays, and of batches with other rules."""
    batch = _learners(rng.choice(list(RULE_SETS)))
    batch.opponents = None
    batch.reset(rng.randrange(2**32))
    other = batch if rng.random() < 0.5 else _learners(rng.choice(list(RULE_SETS)))
    other.opponents = None
    for _ in range(rng.choice((0, 3, 20))):
        other.step(other.sample())
    state = {name: array.copy() for name, array in other.get_state().items()}
    for _ in range(rng.choice((0, 1, 1, 2))):
        name = rng.choice(list(state))
        if name == "games" and rng.random() < 0.9:
            state[name] = spoilt(rng, np.asarray(state[name]))
        elif rng.random() < 0.5:
            state[name] = odd_or(rng, odd_array(rng))
        elif isinstance(array := state[name], np.ndarray) and array.size:
            changed = state[name] = array.copy()
            changed.reshape(-1)[rng.randrange(array.size)] = rng.choice((0, 1, 100))
    accepted, _ = tally.attempt(batch.set_state, state)
    for _ in range(3):
        batch.step(batch.sample())
        tally["steps"] += 1
    for i in range(SIZE):
        broken = batch.game(i).validate()
        require(broken == Violation.NONE, f"accepted={accepted}: {broken!r}")


def self_played(rng: Random, tally: Tally) -> None:
    """`SelfPlayEnv` with odd options, seeds and actions."""
    options = drawn_rules(rng) | chosen_options(rng, {"observation": ("flat", "tokens")})
    accepted, env = tally.attempt(SelfPlayEnv, **options)
    if not accepted:
        return
    tally.attempt(env.step, odd(rng), allowed=(RuntimeError,))
    tally.attempt(env.reset, seed=odd_or(rng, None, 0))
    _, info = env.reset(seed=3)
    for _ in range(6):
        action = odd_or(rng, int(info["action_mask"].argmax()), share=0.3)
        accepted, result = tally.attempt(env.step, action)
        if accepted:
            info = result[-1]
            if result[2] or result[3]:
                return
    game: Game = env.game
    require(game.validate() == Violation.NONE, "self-play breaks a game")


TARGETS = {
    "learners": made,
    "learner_steps": stepped,
    "learner_states": kept,
    "self_play": self_played,
}
