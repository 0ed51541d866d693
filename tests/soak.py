"""Long random runs of every way to play: python -m tests.soak [name ...]

Each run plays ten million decisions, looks at states of games on the way for anything that
breaks the rules, and at the memory taken, which must not grow. Prints a table.
"""

import argparse
import random
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from catan_pz import Game, catan_v0
from catan_pz.batch.cpu import CpuBatch
from catan_pz.engine.violations import Violation
from catan_pz.env.vector.gymnasium import CatanVectorEnv
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.game.game import violations_of

DECISIONS = 10_000_000
GAMES = 1024
THREADS = 3
"""Of the runs with threads."""
CHECKED = 4
"""Games of a batch that are looked at after each round."""
GROWTH_ALLOWED = 8 * 2**20
"""Bytes by which the last fifth of a run may take more memory than the second fifth."""


class Run(ABC):
    """A way to play.

    Attributes:
        times: how many times the decisions of a run are played, so that games come to their
            ends.
        ended: games that came to their end.
        checked: states that were looked at.
    """

    times = 1

    def __init__(self) -> None:
        self.ended = 0
        self.checked = 0

    @abstractmethod
    def play(self) -> int:
        """Play on for a while, and return the decisions."""

    @abstractmethod
    def broken(self) -> Iterator[tuple[str, Violation]]:
        """Look at some states: a name for each and what it breaks."""

    def check(self) -> None:
        """Raise an `AssertionError` if a state that is looked at breaks the rules."""
        for name, violation in self.broken():
            self.checked += 1
            assert violation == Violation.NONE, f"{name} breaks the rules: {violation!r}"


class SingleGame(Run):
    """A `Game` after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.game = Game(seed=1, offer_form="both")
        self.draw = random.Random(1).random

    def play(self) -> int:
        """Play 500 decisions, over the end of a game."""
        draw = self.draw
        for _ in range(500):
            legal = self.game.legal_actions()
            self.game.step(int(legal[int(draw() * len(legal))]))
            if self.game.is_over or self.game.is_truncated:
                self.ended += 1
                self.game.reset(self.ended)
        return 500

    def broken(self) -> Iterator[tuple[str, Violation]]:
        """The game that is on."""
        yield f"the game of seed {self.ended or 1}", self.game.validate()


class PettingZoo(Run):
    """PettingZoo's loop."""

    def __init__(self) -> None:
        super().__init__()
        self.env = catan_v0.raw_env(offer_form="both")
        self.draw = random.Random(1).random
        self.env.reset(seed=1)

    def play(self) -> int:
        """Play 500 agent steps, over the end of a game."""
        env, draw = self.env, self.draw
        for _ in range(500):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                self.ended += 1
                env.reset(seed=self.ended)
                observation = env.last()[0]
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(draw() * len(legal))]))
        return 500

    def broken(self) -> Iterator[tuple[str, Violation]]:
        """The game that is on."""
        yield f"the game of seed {self.ended or 1}", self.env.game.validate()


class Batch(Run):
    """Many games at once; `Batch.make` gives what is stepped.

    Attributes:
        threads: that share a step.
    """

    threads = 1

    def __init__(self, games: int = GAMES) -> None:
        super().__init__()
        self.rng = np.random.default_rng(1)
        self.batch: Any = self.make(games)

    def make(self, games: int) -> Any:
        """The batch."""
        return CpuBatch(games, seed=1, offer_form="both", threads=self.threads)

    def step(self) -> None:
        """A decision in each game."""
        self.batch.step(self.batch.sample())

    def play(self) -> int:
        """Play 8 steps."""
        batch = self.batch
        for _ in range(8):
            self.step()
            self.ended += int(batch.done.sum())
            self.check_rewards()
        assert batch.mask.any(axis=1).all(), "a game waits for nobody"
        return 8 * int(batch.num_games)

    def check_rewards(self) -> None:
        """A game that is won has one winner, and every other player has lost."""
        reward, done = self.batch.reward, self.batch.done
        won = done & ~self.batch.truncated
        assert ((reward[won] == 1).sum(axis=1) == 1).all()
        assert ((reward[won] == -1).sum(axis=1) == reward.shape[1] - 1).all()
        assert not reward[~won].any()

    def broken(self) -> Iterator[tuple[str, Violation]]:
        """Some of the games, drawn anew each time."""
        for i in self.rng.integers(self.batch.num_games, size=CHECKED).tolist():
            (found,) = violations_of(self.batch.games[i : i + 1])
            yield f"game {i}, begun from seed {self.batch.seeds[i]},", found


class Seats(Batch):
    """Many games for a learner, the others drawn inside."""

    def make(self, games: int) -> Any:
        """The batch."""
        return SingleLearnerBatch(
            games,
            seed=1,
            seat="random",
            offer_form="both",
            observation="flat",
            threads=self.threads,
        )

    def check_rewards(self) -> None:
        """The learner has won or lost where a game is won, and gets nothing elsewhere."""
        batch = self.batch
        won = batch.done & ~batch.truncated
        assert (np.abs(batch.reward) == won).all()
        assert ((batch.reward == 1) == (won & batch.final_won)).all()


class ThreadedBatch(Batch):
    """Many games, each step shared out among threads."""

    threads = THREADS


class ThreadedSeats(Seats):
    """Many games for a learner, shared out among threads."""

    threads = THREADS


class Gymnasium(Seats):
    """The same through `gymnasium.vector`."""

    def make(self, games: int) -> Any:
        """The batch within the environment."""
        self.env: Any = CatanVectorEnv(games, seat="random", offer_form="both")
        self.env.reset(seed=1)
        return self.env.batch

    def step(self) -> None:
        """A step of the environment."""
        self.env.step(self.batch.sample())


class StableBaselines(Seats):
    """The same through Stable-Baselines3's `VecEnv`."""

    def make(self, games: int) -> Any:
        """The batch within the environment."""
        from catan_pz.env.vector.sb3 import CatanVecEnv

        self.env: Any = CatanVecEnv(games, seat="random", offer_form="both", seed=1)
        self.env.reset()
        return self.env.batch

    def step(self) -> None:
        """A step of the environment."""
        self.env.step(self.batch.sample())


class TorchRL(Seats):
    """The same through TorchRL's `EnvBase`, with a reset where an episode ends."""

    def make(self, games: int) -> Any:
        """The batch within the environment."""
        from catan_pz.env.vector.torchrl import CatanTorchRLEnv

        self.env: Any = CatanTorchRLEnv(games, seat="random", offer_form="both", seed=1)
        self.data = self.env.reset()
        return self.env.batch

    def step(self) -> None:
        """A step of the environment, and a reset where it ended games."""
        import torch

        action = torch.from_numpy(self.batch.sample().copy())
        self.data = self.env.step_and_maybe_reset(self.data.set("action", action))[1]


RUNS: dict[str, Callable[[], Run]] = {
    "game": SingleGame,
    "raw_env": PettingZoo,
    "batch": Batch,
    "seats": Seats,
    "batch_threads": ThreadedBatch,
    "seats_threads": ThreadedSeats,
    "gymnasium": Gymnasium,
    "sb3": StableBaselines,
    "torchrl": TorchRL,
}


@dataclass
class Report:
    """What a run did.

    Attributes:
        memory: bytes that the process took after each part of the run; empty where the
            system doesn't tell.
    """

    decisions: int = 0
    ended: int = 0
    checked: int = 0
    seconds: float = 0.0
    memory: list[int] = field(default_factory=list)

    @property
    def growth(self) -> int | None:
        """Bytes that the last fifth took more than the second fifth."""
        fifth = len(self.memory) // 5
        if fifth == 0:
            return None
        return max(self.memory[-fifth:]) - max(self.memory[fifth : 2 * fifth])


def resident() -> int | None:
    """Bytes of memory that this process takes, where the system tells."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return None
    import resource

    return int(statm.read_text(encoding="ascii").split()[1]) * resource.getpagesize()


def soak(run: Run, decisions: int, tell: Callable[[int], object] = lambda _played: None) -> Report:
    """Play so many decisions, and look at states and memory on the way.

    Args:
        run: the way to play.
        decisions: at least so many, times the run's `times`.
        tell: told how many more are played, after each part.

    Raises:
        AssertionError: if a state breaks the rules, or memory grows.
    """
    report, start = Report(), perf_counter()
    while report.decisions < decisions * run.times:
        played = run.play()
        run.check()
        report.decisions += played
        taken = resident()
        if taken is not None:
            report.memory.append(taken)
        tell(played)
    report.seconds = perf_counter() - start
    report.ended, report.checked = run.ended, run.checked
    growth = report.growth
    assert growth is None or growth < GROWTH_ALLOWED, f"memory has grown by {growth:,} bytes"
    return report


def main() -> None:
    """Run those named, or all that can run here, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":", maxsplit=1)[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(RUNS)}; all where none is given")
    parser.add_argument("--decisions", type=int, default=DECISIONS)
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(RUNS))
    if unknown:
        parser.error(f"unknown runs {unknown}; there are {list(RUNS)}")
    from tqdm import tqdm

    print("| run | decisions | games ended | states checked | memory grown, KiB | decisions/s |")
    print("|---|---|---|---|---|---|")
    for name in options.names or RUNS:
        try:
            run = RUNS[name]()
        except ImportError as error:
            print(f"{name} left out: {error}", file=sys.stderr)
            continue
        with tqdm(
            total=options.decisions * run.times, desc=name, unit=" decisions", leave=False
        ) as bar:
            report = soak(run, options.decisions, bar.update)
        grown = "" if report.growth is None else f"{report.growth // 1024:,}"
        counts = f"{report.decisions:,} | {report.ended:,} | {report.checked:,}"
        rate = report.decisions / report.seconds
        print(f"| {name} | {counts} | {grown} | {rate:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
