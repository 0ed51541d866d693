"""Agents for the arena's tests, and games that must be equal in several ways of playing."""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from multiprocessing import Process
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catan_pz import actions
from catan_pz.agents.base import Agent, BatchAgent, Views
from catan_pz.arena.records import record_path
from catan_pz.arena.results import GameResult
from catan_pz.arena.schedule import MatchConfig, ScheduledGame
from catan_pz.game.view import View
from tests.views import views_of

QUICK: dict[str, Any] = {"trading": False, "victory_points": 3, "max_turns": 60}
"""Rules of short games."""


class Builder(BatchAgent):
    """Builds settlements and cities when it can; if not eager, ends its turns when it can."""

    def __init__(self, eager: bool = True) -> None:
        self.eager = eager

    def act_batch(self, views: Views) -> NDArray[np.int64]:
        liked = slice(actions.BUILD_SETTLEMENT, actions.BUY_DEVELOPMENT_CARD)
        if not self.eager:
            liked = slice(actions.END_TURN, actions.END_TURN + 1)
        chosen = np.empty(len(views), np.int64)
        for k, (mask, bits) in enumerate(zip(views.masks, views.random_bits.tolist(), strict=True)):
            first = liked.start if mask[liked].any() else 0
            legal = (mask[liked] if first else mask).nonzero()[0]
            chosen[k] = first + legal[(bits >> 32) * len(legal) >> 32]
        return chosen


class Alone(Agent):
    """Plays like a batched agent, one decision at a time."""

    def __init__(self, inner: BatchAgent) -> None:
        self.inner = inner

    def act(self, view: View) -> int:
        random_bits = np.array([self.random.next()], np.uint64)
        views = views_of(view.observation[None], view.mask[None], random_bits)
        return int(self.inner.act_batch(views)[0])


class Counter(Agent):
    def reset(self, seat: int, rules: Any, seed: int) -> None:
        super().reset(seat, rules, seed)
        self.asked = 0

    def act(self, view: View) -> int:
        time.sleep(float(os.environ.get("DAWDLE", "0")))
        self.asked += 1
        legal = view.mask.nonzero()[0]
        return int(legal[self.random.below(len(legal))])


class Failing(Counter):
    def __init__(self, after: int = 10, how: str = "raises") -> None:
        self.after, self.how = after, how

    def act(self, view: View) -> int:
        action = super().act(view)
        return self.fail(view.mask) if self.asked == self.after else action

    def fail(self, mask: NDArray[np.int8]) -> Any:
        match self.how:
            case "raises":
                raise ZeroDivisionError("two\nlines")
            case "leaves":
                raise SystemExit(3)
            case "acts illegally":
                return int(np.flatnonzero(mask == 0)[0])
            case "answers in words":
                return "roll"
            case "hangs":
                hang()
            case "dies":
                os._exit(7)


def hang() -> None:
    """Never return; first create the file that HANGING names."""
    Path(os.environ["HANGING"]).touch()
    while True:
        time.sleep(0.01)


class Abandoning(Failing):
    """Ends its process, and leaves another one behind, whose id it appends to a file."""

    def __init__(self, after: int, pids: str) -> None:
        super().__init__(after)
        self.pids = pids

    def fail(self, mask: NDArray[np.int8]) -> Any:
        pid = os.fork()
        if pid == 0:
            time.sleep(60)
            os._exit(0)
        with Path(self.pids).open("a") as file:
            file.write(f"{pid}\n")
        os._exit(7)


class Delegating(Counter):
    """Starts a process for each game, whose id it appends to a file, and doesn't end it."""

    def __init__(self, pids: Path) -> None:
        self.pids = pids

    def reset(self, seat: int, rules: Any, seed: int) -> None:
        super().reset(seat, rules, seed)
        process = Process(target=time.sleep, args=(60,))
        process.start()
        with self.pids.open("a") as file:
            file.write(f"{process.pid}\n")


class Accountant(Counter):
    def __init__(self, told: Any) -> None:
        self.told = told

    def report(self) -> Any:
        return {"tokens": self.told}


class Deaf(Counter):
    def reset(self, seat: int, rules: Any, seed: int) -> None:
        super().reset(seat, rules, seed)
        self.heard = 0

    def observe(self, events: Any) -> None:
        self.heard += 1
        if self.heard == 12:
            raise UnicodeError("what was that?")


class Sulking(Counter):
    def end(self, result: Any) -> None:
        raise RuntimeError("not fair")


class Staring(Counter):
    def observe(self, events: Any) -> None:
        if self.asked == 10:
            hang()


class Lingering(Counter):
    def close(self) -> None:
        if self.asked > 1:  # not when it is asked once, outside all games
            hang()


class Fainting(Counter):
    def end(self, result: Any) -> None:
        os._exit(9)


class Unready(Counter):
    def reset(self, seat: int, rules: Any, seed: int) -> None:
        raise OSError("no file of weights")


class Capricious(BatchAgent):
    def act_batch(self, views: Views) -> NDArray[np.int64]:
        rare = views.random_bits % np.uint64(90)
        if (rare == 0).any():
            raise ArithmeticError("bad luck")
        chosen = Builder().act_batch(views)
        return np.where(rare == 1, views.masks.shape[1], chosen)


class Fatal(BatchAgent):
    def act_batch(self, views: Views) -> NDArray[np.int64]:
        if (views.random_bits % np.uint64(60) == 0).any():
            os._exit(7)
        return Builder().act_batch(views)


Way = Callable[[MatchConfig], Iterable[GameResult]]


def played_alike(
    ways: Mapping[str, Way], config: MatchConfig, scheduled: Sequence[ScheduledGame], folder: Path
) -> list[GameResult]:
    """The results by number, equal in all ways of playing; records go into the folder."""
    played: list[list[GameResult]] = []
    for way, play in ways.items():
        (folder / way).mkdir()
        games = play(replace(config, records=folder / way))
        played.append(sorted(games, key=lambda game: game.number))
    first, *others = ways
    assert len(played[0]) == len(scheduled)
    for way, games in zip(others, played[1:], strict=True):
        assert games == played[0]
        for game in scheduled:
            one, other = (record_path(folder / k, game.number) for k in (way, first))
            assert one.read_bytes() == other.read_bytes()
    return played[0]
