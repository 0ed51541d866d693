"""Long random runs of every way to play: python -m tests.soak [name ...]

Each run plays ten million decisions, looks at states of games on the way for anything that
breaks the rules, and at the memory taken, which must not grow. Prints a table.
"""

import argparse
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from catan_pz import Game
from catan_pz.batch.cpu import CpuBatch
from catan_pz.engine.violations import Violation
from catan_pz.game.game import violations_of
from tests.benchmarks.measuring import print_table, to_host

DECISIONS = 10_000_000
GAMES = 1024
CHECKED = 4
"""Games of a batch that are checked after each round."""
GROWTH_ALLOWED = 8 * 2**20
"""Bytes by which the last fifth of a run may take more memory than the second fifth."""


class Single:
    """Games in sequence, by a `Game` or by PettingZoo's loop."""

    def __init__(self, env: Any = None) -> None:
        self.ended = self.checked = 0
        self._env = env
        self._draw = random.Random(1).random
        if env is not None:
            env.reset(seed=1)
        self.game: Game = Game(seed=1, offer_form="both") if env is None else env.game

    def play(self) -> int:
        player = self.game if self._env is None else self._env
        for _ in range(500):
            if self.game.is_over or self.game.is_truncated:
                self.ended += 1
                player.reset(seed=self.ended)
            if self._env is None:
                legal = self.game.legal_actions()
            else:
                legal = self._env.last()[0]["action_mask"].nonzero()[0]
            player.step(int(legal[int(self._draw() * len(legal))]))
        return 500

    def check(self) -> None:
        self.checked += 1
        expect_sound(f"the game of seed {self.ended or 1}", self.game.games)


class Many:
    """Many games at once, alone or within an environment, with rewards that add up."""

    def __init__(self, batch: Any, step: Callable[[], Any] | None = None) -> None:
        self.ended = self.checked = 0
        self.batch = batch
        self.step = step or (lambda: batch.step(batch.sample()))
        self._rng = np.random.default_rng(1)

    def play(self) -> int:
        batch = self.batch
        for _ in range(8):
            self.step()
            done, reward = to_host(batch.done), to_host(batch.reward)
            self.ended += int(done.sum())
            won = done & ~to_host(batch.truncated)
            if reward.ndim == 1:  # the learner's
                assert (np.abs(reward) == won).all()
                assert ((reward == 1) == (won & (batch.ends["won"] == 1))).all()
            else:
                assert ((reward[won] == 1).sum(axis=1) == 1).all()
                assert ((reward[won] == -1).sum(axis=1) == reward.shape[1] - 1).all()
                assert not reward[~won].any()
        assert to_host(batch.mask).any(axis=1).all(), "a game waits for nobody"
        return 8 * int(batch.num_games)

    def check(self) -> None:
        """Check some games, redrawn each time."""
        games, seeds = self.batch.games, self.batch.seeds
        for i in self._rng.integers(self.batch.num_games, size=CHECKED).tolist():
            self.checked += 1
            expect_sound(f"game {i}, begun from seed {seeds[i]},", games[i : i + 1])


def expect_sound(name: str, games: np.ndarray) -> None:
    (violation,) = violations_of(games)
    assert violation == Violation.NONE, f"{name} breaks the rules: {violation!r}"


def raw_env() -> Single:
    from catan_pz import catan_v0

    return Single(catan_v0.raw_env(offer_form="both"))


def batch(threads: int = 1, games: int = GAMES) -> Many:
    return Many(CpuBatch(games, seed=1, offer_form="both", threads=threads))


LEARNER: dict[str, Any] = {"seat": "random", "offer_form": "both"}


def seats(threads: int = 1) -> Many:
    """Many games for a learner, the others drawn inside."""
    from catan_pz.env.vector.single_learner import SingleLearnerBatch

    return Many(SingleLearnerBatch(GAMES, seed=1, threads=threads, observation="flat", **LEARNER))


def gymnasium() -> Many:
    from catan_pz.env.vector.gymnasium import CatanVectorEnv

    env: Any = CatanVectorEnv(GAMES, **LEARNER)
    env.reset(seed=1)
    return Many(env.batch, lambda: env.step(env.batch.sample()))


def sb3() -> Many:
    from catan_pz.env.vector.sb3 import CatanVecEnv

    env: Any = CatanVecEnv(GAMES, seed=1, **LEARNER)
    env.reset()
    return Many(env.batch, lambda: env.step(env.batch.sample()))


def torchrl(games: int = GAMES, rules: dict[str, Any] = LEARNER) -> Many:
    """Games in TorchRL's `EnvBase`, with a reset when an episode ends."""
    import torch

    from catan_pz.env.vector.torchrl import CatanTorchRLEnv

    env: Any = CatanTorchRLEnv(games, seed=1, **rules)
    data = env.reset()

    def step() -> None:
        nonlocal data
        action = torch.from_numpy(env.batch.sample().copy())
        data = env.step_and_maybe_reset(data.set("action", action))[1]

    return Many(env.batch, step)


RUNS: dict[str, Callable[[], Single | Many]] = {
    "game": Single,
    "raw_env": raw_env,
    "batch": batch,
    "seats": seats,
    "batch_threads": partial(batch, threads=3),
    "seats_threads": partial(seats, threads=3),
    "gymnasium": gymnasium,
    "sb3": sb3,
    "torchrl": torchrl,
}


def resident() -> int | None:
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return None
    import resource

    return int(statm.read_text(encoding="ascii").split()[1]) * resource.getpagesize()


def soak(run: Single | Many, least: int) -> tuple[int, int | None]:
    """Play at least `least` decisions, and check states and memory on the way."""
    decisions, memory = 0, []
    while decisions < least:
        decisions += run.play()
        run.check()
        memory.append(resident())
    fifth, growth = len(memory) // 5, None
    taken = [n for n in memory if n is not None]
    if fifth and taken:
        growth = max(taken[-fifth:]) - max(taken[fifth : 2 * fifth])
    assert growth is None or growth < GROWTH_ALLOWED, f"memory has grown by {growth:,} bytes"
    return decisions, growth


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(RUNS)}; all where none is given")
    parser.add_argument("--decisions", type=int, default=DECISIONS)
    given = parser.parse_args()

    def row(name: str) -> list[str]:
        run, start = RUNS[name](), perf_counter()
        decisions, growth = soak(run, given.decisions)
        rate = decisions / (perf_counter() - start)
        grown = "" if growth is None else f"{growth // 1024:,}"
        counts = f"{decisions:,}", f"{run.ended:,}", f"{run.checked:,}"
        return [name, *counts, grown, f"{rate:,.0f}"]

    header = ("run", "decisions", "games ended", "states checked", "memory grown, KiB")
    print_table((*header, "decisions/s"), map(row, given.names or RUNS))


if __name__ == "__main__":
    main()
