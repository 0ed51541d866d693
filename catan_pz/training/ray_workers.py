"""Workers on a Ray cluster that play rounds ahead of a learner, none of them lost or counted twice.

A round is a function of its number, of the weights that are given for it, and of the state after
the round before. With each round a worker returns that state, so whoever takes its place plays the
same rounds again.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Protocol

ATTEMPTS: Final = 10
"""Workers that may be lost in one round, one after the other, before the training stops."""


class Player(Protocol):
    """What an actor has to do."""

    def play(self, number: int, *given: Any) -> dict[str, Any]:
        """Play a round; its "state" is a dict of arrays from which the next one goes on."""


class Workers:
    """Actors, each on one CPU, asked for rounds ahead and replaced when they are lost.

    Args:
        ray: the module, connected.
        make: makes a `Player` in an actor, from its index and the state to go on from or None.
        states: by the index of each worker, the state to go on from, or None.
        patience: seconds without an answer after which a worker counts as lost; not while it waits
            for a CPU.
        warn: called with a sentence for each worker that is lost, or that waits for a CPU.

    Attributes:
        states: of each worker after the last of its rounds that was taken.
        replaced: how many workers were.
    """

    def __init__(
        self,
        ray: Any,
        make: Callable[[int, Any], Player],
        states: Mapping[int, Any],
        patience: float,
        warn: Callable[[str], None],
    ) -> None:
        self.states, self.replaced = dict(states), 0
        self._ray, self._make, self._patience, self._warn = ray, make, patience, warn
        options = {"num_cpus": 1, "max_restarts": 0, "scheduling_strategy": "SPREAD"}
        self._actor = ray.remote(**options)(_Actor)
        self._asked: dict[int, dict[int, tuple[Any, ...]]] = {index: {} for index in self.states}
        self._calls: dict[tuple[int, int], Any] = {}
        self._actors: dict[int, Any] = {}
        self._started: dict[int, Any] = {}
        for index in self.states:
            self._start(index)

    def _start(self, index: int) -> None:
        """Start a worker after its last state, and ask it for all that isn't taken."""
        self._actors[index] = self._actor.remote(self._make, index, self.states[index])
        self._started[index] = self._actors[index].start.remote()
        for number in sorted(self._asked[index]):
            self._call(index, number)

    def _call(self, index: int, number: int) -> None:
        given = self._asked[index][number]
        self._calls[index, number] = self._actors[index].play.remote(number, *given)

    def ask(self, number: int, *given: Any) -> None:
        """Ask every worker for a round.

        Args:
            number: of the round, one more than the last one.
            *given: for `Player.play`; in place of references to the object store it gets what
                they refer to.
        """
        for index in self.states:
            self._asked[index][number] = given
            self._call(index, number)

    def take(self, number: int) -> list[dict[str, Any]]:
        """The round of all workers, in their order, however often some of them are lost.

        Raises:
            Exception: what a worker raised, or by what the last of `ATTEMPTS` was lost.
        """
        return [self._take(index, number) for index in self.states]

    def _take(self, index: int, number: int) -> dict[str, Any]:
        given = self._wait(index, number)
        # Copied, lest they keep the whole round in the object store.
        self.states[index] = {name: array.copy() for name, array in given.pop("state").items()}
        del self._asked[index][number], self._calls[index, number]
        return given

    def _wait(self, index: int, number: int) -> dict[str, Any]:
        errors = self._ray.exceptions
        for attempt in range(1, ATTEMPTS + 1):
            self._wait_for_cpu(index)
            try:
                given: dict[str, Any] = self._ray.get(
                    self._calls[index, number], timeout=self._patience
                )
                return dict(given)
            except errors.RayTaskError as error:
                raise error.cause from None
            except errors.RayError as error:
                if attempt == ATTEMPTS:
                    raise
                reason = " ".join(str(error).split())[:200]
                self._warn(
                    f"worker {index} is lost, another one plays round {number} again: {reason}"
                )
                self.replaced += 1
                self._ray.kill(self._actors[index])
                self._start(index)
        raise AssertionError

    def _wait_for_cpu(self, index: int) -> None:
        while not self._ray.wait([self._started[index]], timeout=self._patience)[0]:
            self._warn(f"worker {index} waits for a CPU of the cluster")

    def close(self) -> None:
        """End all workers."""
        for actor in self._actors.values():
            self._ray.kill(actor)
        self._actors.clear()


class _Actor:
    """An actor around a `Player`, which is made with the first round: errors then reach `take`."""

    def __init__(self, make: Callable[[int, Any], Player], index: int, state: Any) -> None:
        self._make = partial(make, index, state)
        self._player: Player | None = None

    def start(self) -> None:
        """Answer, which it does as soon as it runs."""

    def play(self, number: int, *given: Any) -> dict[str, Any]:
        if self._player is None:
            self._player = self._make()
        return self._player.play(number, *given)
