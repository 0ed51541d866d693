"""Exceptions at random moments of calls on batches: python -m tests.batch.interrupted

Signals' handlers raise, sometimes a second time while the first exception is on its way, and
another thread raises in this one. After each exception the batch either goes on, with the games
that an undisturbed twin plays, or asks for a reset. Prints a table.
"""

import argparse
import ctypes
import gc
import hashlib
import random
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from types import FrameType
from typing import Any

import numpy as np

from catan_pz.agents.base import BatchAgent
from catan_pz.agents.views import Views
from catan_pz.batch import threaded
from catan_pz.batch.cpu import CpuBatch
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.env.self_play_rollout import SelfPlayRollout
from catan_pz.env.vector.gymnasium import CatanVectorEnv
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.kernels.thread_pool import make_thread_pool
from catan_pz.kernels.threads.python import PythonThreadPool

GAMES = 150
"""Enough for three parts, so that threads have work."""
RULES: dict[str, Any] = {"offer_form": "both", "max_turns": 30}
DROPPED = 0.02
"""How often a batch is dropped right after an exception."""


class LateError(Exception):
    """What a handler or another thread raises, beside errors of Python's own."""


DISTURBANCES = (KeyboardInterrupt, TimeoutError, LateError)
MOST_AT_ONCE = 2
REFUSALS = ("call reset() first", "call clear() first", "steps are recorded")

NOISE = np.random.default_rng(1).random((64, 400))


def chosen(games: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """A legal action in each game; which one, the position settles."""
    rows = (31 * games["turn"] + 17 * mask.sum(1) + games["player"]) % len(NOISE)
    return (mask * NOISE[rows, : mask.shape[1]]).argmax(1)


class Chooses(BatchAgent):
    """An opponent whose choices the positions settle."""

    name = "chooses"

    def act_batch(self, views: Views) -> np.ndarray:
        rows = views.observations.sum(1, dtype=np.int64) % len(NOISE)
        return (views.masks * NOISE[rows, : views.masks.shape[1]]).argmax(1)


def mean_points(_terms: np.ndarray, games: np.ndarray) -> np.ndarray:
    """A reward that only Python knows."""
    return games["points"] - games["points"].mean(1, keepdims=True)


class Player(ABC):
    """Plays a batch.

    Attributes:
        most: moves that `play` makes.
    """

    most = 1

    def __init__(self) -> None:
        self.batch: Any = self.make()

    @abstractmethod
    def make(self) -> Any:
        """The batch, of two threads."""

    def move(self) -> None:
        """The smallest change: a step."""
        self.batch.step(chosen(self.batch.games, self.batch.mask))

    def play(self) -> None:
        """What is disturbed."""
        self.move()

    def reset(self, seed: int) -> None:
        """Start anew."""
        self.batch.reset(seed)

    def parts(self) -> list[Any]:
        """All that can be seen."""
        batch = self.batch
        return [batch.games, batch.seeds, batch.mask, batch.player, batch.reward, batch.done]

    def check(self) -> None:
        """What can be seen right after an exception must fit together."""
        self.digest()

    def digest(self) -> str:
        """Of all that can be seen."""
        digest = hashlib.sha256()
        for part in self.parts():
            digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()


class Steps(Player):
    """Steps of a `CpuBatch`, and its scaled observations."""

    def make(self) -> Any:
        return CpuBatch(GAMES, seed=1, threads=2, observation="flat", **RULES)

    def play(self) -> None:
        self.move()
        assert self.batch.observation.shape

    def parts(self) -> list[Any]:
        return [*super().parts(), self.batch.observation]

    def check(self) -> None:
        batch = self.batch
        expected = batch.encoder.encode(batch.units)
        assert (batch.observation == expected).all(), "the observation is one of another step"


class RandomSteps(Player):
    """Three random steps by one call."""

    most = 3

    def make(self) -> Any:
        return CpuBatch(GAMES, seed=1, threads=2, **RULES)

    def move(self) -> None:
        self.batch.play_random()

    def play(self) -> None:
        self.batch.play_random(3)


class PythonReward(Player):
    """Steps with a reward that only Python knows."""

    def make(self) -> Any:
        return CpuBatch(GAMES, seed=1, threads=2, reward=mean_points, **RULES)


class PythonThreads(Steps):
    """Steps with the plain backend's threads."""

    def make(self) -> Any:
        threaded.make_thread_pool = PythonThreadPool
        try:
            return super().make()
        finally:
            threaded.make_thread_pool = make_thread_pool

    def check(self) -> None:
        self.batch.sample()  # waits, should a second exception have come through the first wait
        super().check()


class Seats(Player):
    """Steps of a `SingleLearnerBatch`, the others drawn at random."""

    def make(self) -> Any:
        return SingleLearnerBatch(GAMES, seed=1, threads=2, seat="random", **RULES)

    def move(self) -> None:
        batch = self.batch
        batch.step(chosen(batch.games, batch.mask))

    def reset(self, seed: int) -> None:
        super().reset(seed)
        for part in self.final():  # they tell of games before the reset
            part[:] = 0

    def final(self) -> list[np.ndarray]:
        """What is told of the last game that ended in each place."""
        found = [getattr(self.batch, name) for name in dir(self.batch) if name[:6] == "final_"]
        return [part for part in found if isinstance(part, np.ndarray)]

    def parts(self) -> list[Any]:
        batch = self.batch
        seen = [batch.games, batch.seeds, batch.mask, batch.reward, batch.done, batch.seen]
        return [*seen, *self.final()]


class SeatsOfAgents(Seats):
    """The same with opponents that are agents."""

    def make(self) -> Any:
        opponents = (Chooses(), None, None)
        return SingleLearnerBatch(GAMES, seed=1, threads=2, opponents=opponents, **RULES)


class VectorEnv(Seats):
    """Steps of Gymnasium's vector environment."""

    def make(self) -> Any:
        self.env: Any = CatanVectorEnv(GAMES, threads=2, **RULES)
        self.env.reset(seed=1)
        return self.env.batch

    def move(self) -> None:
        self.env.step(chosen(self.batch.games, self.batch.mask))

    def reset(self, seed: int) -> None:
        self.env.reset(seed=seed)
        super().reset(seed)


class SelfPlay(Player):
    """Steps of a rollout of self-play; its data count as seen when it is full."""

    steps = 5

    def make(self) -> Any:
        self.self_play = SelfPlayBatch(GAMES, seed=1, threads=2, observation=False, **RULES)
        self.rollout = SelfPlayRollout(self.self_play, self.steps)
        self.recorded = 0
        self.data: list[Any] = []
        return self.self_play.batch

    def move(self) -> None:
        if self.self_play.steps - self.recorded != self.rollout.num_recorded:
            raise RuntimeError("a step isn't recorded: call clear() first")
        if self.rollout.num_recorded == self.steps:
            data = self.rollout.finish(np.zeros(GAMES))
            self.recorded += self.steps
            self.data = [data.reward, data.advantage, data.is_complete, data.next_step]
        actions = chosen(self.batch.games, self.batch.mask)
        self.rollout.step(actions, np.zeros(GAMES, np.float32))

    def reset(self, seed: int) -> None:
        self.self_play.reset(seed)
        self.rollout.clear()
        self.recorded = 0
        self.data = []

    def parts(self) -> list[Any]:
        own = self.self_play
        more = [own.reward, own.last_step, own.decided, np.array(own.steps)]
        return [*super().parts(), *more, *self.data]


PLAYERS: dict[str, Callable[[], Player]] = {
    "steps": Steps,
    "random steps": RandomSteps,
    "Python reward": PythonReward,
    "Python threads": PythonThreads,
    "seats": Seats,
    "seats of agents": SeatsOfAgents,
    "vector environment": VectorEnv,
    "self-play": SelfPlay,
}


class RandomMoments:
    """Raises exceptions in the main thread at random moments, two at most in a call.

    Attributes:
        raised: exceptions so far.
        left: exceptions that may still be raised in the call that is on.
    """

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.raised = 0
        self.left = 0
        self.error: type[BaseException] = LateError
        self.is_idle = True
        self.orders: SimpleQueue[float] = SimpleQueue()
        threading.Thread(target=self._raise_in_main_thread, daemon=True).start()
        self.has_signals = hasattr(signal, "setitimer")
        if self.has_signals:
            signal.signal(signal.SIGALRM, self._ring)

    def _ring(self, _signal: int, _frame: FrameType | None) -> None:
        if self.left > 0:
            self.left -= 1
            self.raised += 1
            raise self.error

    def _raise_in_main_thread(self) -> None:
        main = ctypes.c_ulong(threading.main_thread().ident or 0)
        while True:
            time.sleep(self.orders.get())
            if self.left > 0:
                self.left -= 1
                self.raised += 1
                ctypes.pythonapi.PyThreadState_SetAsyncExc(main, ctypes.py_object(self.error))
            self.is_idle = True

    def _arm(self, seconds: float) -> None:
        self.error = self.draw.choice(DISTURBANCES)
        soon, later = self.draw.uniform(1e-6, seconds), self.draw.uniform(1e-6, seconds)
        if self.has_signals and self.draw.random() < 0.7:
            self.left = self.draw.randint(1, MOST_AT_ONCE)
            signal.setitimer(signal.ITIMER_REAL, soon, later)
        else:
            self.left, self.is_idle = 1, False
            self.orders.put(soon)

    def _disarm(self) -> None:
        self.left = 0
        if self.has_signals:
            signal.setitimer(signal.ITIMER_REAL, 0)
        while not self.is_idle:
            time.sleep(1e-5)

    def disturb(self, call: Callable[[], None], seconds: float) -> bool:
        """Call; an exception may come within the seconds. Return whether it has come to its end.

        What else the call raises goes through.
        """
        self.ended = False
        self._enclosed(call, seconds, MOST_AT_ONCE)
        return self.ended

    def _enclosed(self, call: Callable[[], None], seconds: float, more: int) -> None:
        """Each exception leaves one enclosure at most, wherever it comes."""
        try:
            try:
                if more:
                    self._enclosed(call, seconds, more - 1)
                else:
                    self._arm(seconds)
                    call()
                    self.ended = True
            finally:
                self._disarm()
        except DISTURBANCES:
            pass


class AtOpcode:
    """Raises an exception in front of one opcode of the package's code.

    Attributes:
        seen: opcodes of the last call.
    """

    def __init__(self) -> None:
        self.seen = 0
        self.at = 0

    def _trace(self, frame: FrameType, event: str, _argument: object) -> Any:
        if "catan_pz" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.seen += 1
            if self.seen == self.at:
                raise LateError
        return self._trace

    @contextmanager
    def _traced(self, at: int) -> Iterator[None]:
        self.seen, self.at = 0, at
        before = sys.gettrace()
        gc.disable()  # else the end of some other batch could come within the call
        sys.settrace(self._trace)
        try:
            yield
        finally:
            sys.settrace(before)
            gc.enable()

    def disturb(self, call: Callable[[], None], at: int) -> bool:
        """Call, with an exception in front of an opcode. Return whether it has come to its end."""
        try:
            with self._traced(at):
                call()
        except LateError:
            return False
        return True


@dataclass
class Report:
    """What came of disturbed calls.

    Attributes:
        calls: that were disturbed.
        broken_off: of these, the ones that an exception came out of.
        resets: batches that asked for a reset.
        dropped: batches that were dropped right after an exception.
    """

    calls: int = 0
    broken_off: int = 0
    resets: int = 0
    dropped: int = 0


class Pair:
    """A batch that is disturbed, and its twin that is not.

    Raises:
        AssertionError: where they differ.
    """

    def __init__(self, make: Callable[[], Player]) -> None:
        self.make = make
        self.report = Report()
        self.twin, self.player = make(), make()
        for one in (self.twin, self.player):
            one.play()
            one.reset(1)
        self.compare()

    def compare(self) -> None:
        """Both must show the same."""
        assert self.player.digest() == self.twin.digest(), "the disturbed batch plays other games"

    def disturb(self, disturbed: Callable[[Callable[[], None]], bool]) -> bool:
        """Disturb one call, and see what came of it; return whether it has come to its end."""
        self.report.calls += 1
        if disturbed(self.player.play):
            self.follow(self.player.most)
            return True
        self.report.broken_off += 1
        self.player.check()
        try:
            self.player.play()
        except RuntimeError as error:
            if not any(text in str(error) for text in REFUSALS):
                raise
            self.report.resets += 1
            self.reset()
        else:
            self.follow(2 * self.player.most)
        return False

    def follow(self, most: int) -> None:
        """Let the twin move until it shows the same."""
        wanted = self.player.digest()
        for _ in range(most):
            self.twin.move()
            if self.twin.digest() == wanted:
                return
        self.compare()

    def reset(self) -> None:
        """Start both anew."""
        for one in (self.twin, self.player):
            one.reset(self.report.calls)
        self.compare()

    def drop(self) -> None:
        """Take a new batch in place of the one that is disturbed."""
        self.player = self.make()
        self.report.dropped += 1
        self.reset()


def disturb_at_random(name: str, exceptions: int, seed: int) -> tuple[Report, int]:
    """Disturb a batch at random moments until there were so many exceptions."""
    draw = random.Random(seed)
    moments, pair = RandomMoments(draw), Pair(PLAYERS[name])
    start = time.perf_counter()
    for _ in range(20):
        pair.player.play()
        pair.twin.play()
    pair.reset()
    seconds = (time.perf_counter() - start) / 40
    while moments.raised < exceptions:
        before = moments.raised
        pair.disturb(partial(moments.disturb, seconds=1.3 * seconds))
        if moments.raised > before and draw.random() < DROPPED:
            pair.drop()
    return pair.report, moments.raised


def disturb_at_opcodes(name: str, first: int = 1, stride: int = 1) -> tuple[Report, int]:
    """Disturb a batch in front of each opcode of a call, or of each so many."""
    opcodes, pair = AtOpcode(), Pair(PLAYERS[name])
    at, most = first, first
    while at <= most:
        if pair.disturb(partial(opcodes.disturb, at=at)):
            most = max(most, opcodes.seen)  # games go on: one call has more than another
        else:
            most = max(most, at + stride)
        at += stride
    return pair.report, pair.report.broken_off


def main() -> None:
    """Disturb all kinds of batches, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split(":", maxsplit=1)[0])
    parser.add_argument(
        "names", nargs="*", help=f"of {', '.join(PLAYERS)}; all where none is given"
    )
    parser.add_argument("--exceptions", type=int, default=10_000, help="of all kinds together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--opcodes", action="store_true", help="at each opcode, not at random")
    options = parser.parse_args()
    names = options.names or list(PLAYERS)
    each = -(-options.exceptions // len(names))
    total = 0
    print("| kind | exceptions | calls | broken off | resets | dropped | wrong |")
    print("|---|---|---|---|---|---|---|")
    for name in names:
        if options.opcodes:
            report, raised = disturb_at_opcodes(name)
        else:
            report, raised = disturb_at_random(name, each, options.seed)
        total += raised
        counts = (
            f"{report.calls:,} | {report.broken_off:,} | {report.resets:,} | {report.dropped:,}"
        )
        print(f"| {name} | {raised:,} | {counts} | 0 |", flush=True)
    print(f"\n{total:,} exceptions; no game differs from that of the undisturbed twin.")


if __name__ == "__main__":
    main()
