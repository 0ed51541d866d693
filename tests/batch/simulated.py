"""Plays games in one of four ways and prints digests of all outputs, as JSON.

`python -m tests.batch.simulated compiled|python|cuda|tensors [decisions]`: all but the first take
NUMBA_DISABLE_JIT=1, the last two run in numba's simulator, by NUMBA_ENABLE_CUDASIM=1. With
`tensors`, batches give out torch tensors, as on a GPU.
"""

import hashlib
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from numba import cuda

import catan_pz
from catan_pz import IllegalActionError
from catan_pz.batch.steps import WHERE_FINISHED
from catan_pz.engine import chance, legal
from catan_pz.engine.deal import deal_of, script_of
from catan_pz.engine.event_rows import EVENT_ROWS, NUM_FIELDS
from catan_pz.engine.play import EVENTS, Log, play
from catan_pz.engine.state import STATE, State, as_games
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.env.self_play_rollout import SelfPlayRollout
from catan_pz.game import calls as game_calls
from catan_pz.kernels.rule import kernel
from catan_pz.kernels.types import Int8Array, Int8Matrix, Int16Matrix
from catan_pz.observation import encode
from catan_pz.observation.segments import SIZE
from catan_pz.rewards import NUM_TERMS
from catan_pz.rules import Rules
from catan_pz.terms import MAX_PLAYERS

RULE_SETS = (
    Rules(trading=False),
    Rules(offer_form="both", num_players=3, dice="balanced", skip_forced=True),
    Rules.make("one_v_one", board="spiral", first_player="random"),
    Rules(offer_form="composed", no_adjacent_red=True, friendly_robber=True),
    Rules(board=(1, 2, 3), dice=((3, 4), (6, 6)), victory_points=5),
)
BATCHES: tuple[dict[str, Any], ...] = (
    {"rules": "one_v_one", "max_turns": 5, "reward": "points_gained", "global_state": True},
    {"num_players": 3, "offer_form": "both", "skip_forced": True, "observation": "planes"},
    {"trading": False, "observation": False, "board": (4, 5), "auto_reset": False, "max_turns": 4},
)
SELF_PLAY: tuple[dict[str, Any], ...] = (
    {"rules": "one_v_one", "max_turns": 4, "reward": "win_and_terms"},
    {"num_players": 3, "trading": False, "max_turns": 4, "reward": "points_gained"},
)
GAMES = 3


@kernel
def play_and_look(
    s: State,
    mask: Int8Array,
    obs: Int8Array,
    events: Int16Matrix,
    terms: Int8Matrix,
    viewer: int,
    script: Int8Matrix,
):
    n = legal.count_legal(s)
    if n > 0:
        a = legal.pick_legal(s, chance.draw_below(s, n))
        play(s, a, script, Log(EVENTS, events, terms))
    legal.write_mask(s, mask)
    encode.observe(s, viewer, obs)


@cuda.jit
def simulated_kernel(games, masks, observations, events, terms, viewer, script):
    i = cuda.grid(1)
    if i < games.shape[0]:
        play_and_look(games[i], masks[i], observations[i], events[i], terms[i], viewer, script)


class Words(np.ndarray):
    """Words of the simulator, which as a record have its fields as attributes, as on a GPU."""

    def view(self, *given: Any) -> Any:
        seen = super().view(*given)
        return as_games(seen) if seen.dtype == STATE else seen


def let_kernels_stage_records() -> None:
    """Give the simulator local arrays in which records are staged."""
    from numba.cuda.simulator import kernelapi

    def array(_self: Any, shape: Any, dtype: Any, alignment: Any = None) -> np.ndarray:
        return np.zeros(shape, dtype).view(Words)

    kernelapi.FakeCUDALocal.array = array


def give_out_tensors() -> None:
    """Let batches in the simulator return torch tensors, as on a GPU, in the host's memory."""
    import torch

    from catan_pz.batch import cuda_device

    class Tensors(cuda_device.SimulatedGpu):
        def zeros(self, shape: tuple[int, ...], dtype: type) -> Any:
            return torch.from_numpy(super().zeros(shape, dtype))

        def integers(self, given: Any, count: int) -> Any:
            return torch.from_numpy(super().integers(given, count))

        def view(self, array: Any) -> np.ndarray:
            return array.numpy() if isinstance(array, torch.Tensor) else array

    cuda_device.SimulatedGpu = Tensors


def digest_of(digest: Any, *parts: Any) -> None:
    for part in parts:
        if part is not None:
            digest.update(np.ascontiguousarray(part).tobytes())


def play_rules(way: str, rules: Rules, seeds: range, decisions: int) -> str:
    """Play each game at random and return a digest of records, masks and observations."""
    digest, script, count = hashlib.sha256(), script_of(rules), len(seeds)
    games = as_games(np.zeros(count, STATE))
    masks = np.zeros((count, rules.num_actions), np.int8)
    spare = np.zeros(rules.num_actions, np.int8)
    for i, seed in enumerate(seeds):
        game_calls.deal_game(games, i, np.uint64(seed), deal_of(rules), masks[i])
    observations = np.zeros((count, SIZE), np.int8)
    events = np.zeros((count, EVENT_ROWS, NUM_FIELDS), np.int16)
    terms = np.zeros((count, MAX_PLAYERS, NUM_TERMS), np.int8)
    for decision in range(decisions):
        viewer = decision % rules.num_players
        if way == "cuda":
            kernel = simulated_kernel[1, count]
            kernel(games, masks, observations, events, terms, viewer, script)
        else:
            for i in range(count):
                log = Log(EVENTS, events[i], terms[i])
                game_calls.play_randomly(games, i, 1, script, log, masks[i])
                game_calls.look_at_units(games, i, viewer, observations[i], spare)
        digest_of(digest, games, masks, observations, events, terms)
    return digest.hexdigest()


def play_batch(device: str, case: dict[str, Any], steps: int = 32) -> list[Any]:
    """Play given, sampled and drawn actions in turn: a digest, and the number of games ended."""
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
        digest_of(digest, batch.games, batch.seeds, batch.mask, batch.player, *seen.values(), *told)
    return [digest.hexdigest(), ended]


def said_of(batch: Any, actions: Any, *calls: Callable[[], Any]) -> str:
    """The error of an illegal action, at the latest in the next call; games don't change."""
    before, said = np.array(batch.games).tobytes(), ""
    try:
        batch.step(actions)
        for call in calls:
            call()
        batch.synchronize()
    except IllegalActionError as error:
        said = str(error)
    assert np.array(batch.games).tobytes() == before
    return said


def refusals(device: str) -> dict[str, str]:
    """The errors of illegal actions, and the call of each; play continues after each."""
    batch = catan_pz.make_batch(GAMES, device=device, seed=5, trading=False)
    catan_pz.make_batch(1, device=device, trading=False)  # another one of a different size
    actions, said = np.array(batch.sample()), {}
    actions[1], actions[2] = 1, -3
    said["step"] = said_of(batch, actions, partial(batch.step, actions))
    said["synchronize"] = said_of(batch, actions)
    batch.step(batch.sample())

    # Legal in the position to be placed.
    batch = catan_pz.make_batch(2, device=device, seed=1, trading=False)
    position = catan_pz.Game(seed=9, trading=False)
    while not position.mask[0]:
        position.step(int(position.legal_actions()[0]))
    actions = np.array(batch.sample())
    actions[1] = 0
    place = partial(batch.place_games, [1], position.games)
    said["place_games"] = said_of(batch, actions, place)
    place()
    actions[1] = 0
    batch.step(actions)

    # Legal in the game that follows a finished one.
    short = {"trading": False, "max_turns": 2}
    for name in ("reset_finished", "deal"):
        batch = catan_pz.make_batch(2, device=device, seed=1, auto_reset=False, **short)
        while not batch.done[1]:
            batch.play_random()
        actions = np.array(batch.sample())
        following = catan_pz.make_batch(1, seed=2, **short)
        while not following.done[0]:
            following.play_random()
        actions[1] = following.sample()[0]
        # `_deal` reports nothing, as if the GPU were still at work.
        deal = partial(batch._deal, WHERE_FINISHED)
        said[name] = said_of(batch, actions, deal if name == "deal" else batch.reset_finished)
        batch.reset_finished()
        batch.step(actions)
    return said


def play_self(device: str, case: dict[str, Any], steps: int = 24) -> list[str]:
    """Digests of the outputs of self-play's steps, and of a rollout from them."""
    batch = SelfPlayBatch(GAMES, device=device, seed=3, observation="units", **case)
    rollout = SelfPlayRollout(batch, steps)
    shown, learned = hashlib.sha256(), hashlib.sha256()
    for step in range(steps):
        rollout.step(np.array(batch.sample()), np.full(GAMES, step / 8, np.float32))
        told = batch.reward, batch.last_step, batch.due, batch.done, batch.winner, batch.player
        digest_of(shown, *told)
    data = rollout.finish(np.ones(GAMES, np.float32), gamma=0.5, gae_lambda=0.5)
    digest_of(learned, data.reward, data.advantage, data.is_complete, data.next_step)
    return [shown.hexdigest(), learned.hexdigest()]


def refuse_self(device: str) -> str:
    """The error of an illegal action, after which play needs a reset."""
    batch = SelfPlayBatch(GAMES, device=device, seed=3, trading=False, observation=False)
    actions = np.array(batch.sample())
    actions[1] = -3
    said = ""
    try:
        batch.step(actions)
        batch.batch.synchronize()
    except IllegalActionError as error:
        said = str(error)
    if device == "cuda":
        with suppress(RuntimeError):  # asks for the reset
            batch.step(batch.sample())
        assert batch.steps == 1
        batch.reset(3)
    batch.step(batch.sample())
    assert batch.steps == 1
    return said


def played(way: str, decisions: int = 24) -> dict[str, Any]:
    """Digests of games, batches and self-play, if this way has them."""
    device = "cpu" if way == "compiled" else "cuda"
    found: dict[str, Any] = {}
    if way != "tensors":
        found["rules"] = [
            play_rules(way, rules, range(10 * seed, 10 * seed + 3), decisions)
            for seed, rules in enumerate(RULE_SETS)
        ]
    if way != "python":
        found["batches"] = [play_batch(device, case) for case in BATCHES]
        found["refusals"] = refusals(device)
        found["self_play"] = [play_self(device, case) for case in SELF_PLAY]
        found["refusal"] = refuse_self(device)
    return found


if __name__ == "__main__":
    np.seterr(over="ignore")  # the random generator wraps around
    if sys.argv[1] in ("cuda", "tensors"):
        let_kernels_stage_records()
    if sys.argv[1] == "tensors":
        give_out_tensors()
    print(json.dumps(played(sys.argv[1], *map(int, sys.argv[2:]))))
