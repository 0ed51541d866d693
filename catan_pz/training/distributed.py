"""Training on many machines: workers on a Ray cluster, versions of weights, torchrun processes.

A round depends only on its number, its weights, and the state after the previous round. A worker
returns that state with each round, so a replacement plays the same rounds again: none is lost or
counted twice.
"""

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import torch
import torch.distributed as dist

from catan_pz.agents.network import Model
from catan_pz.training.league import PastSelves

Weights = Mapping[str, torch.Tensor]
"""Parameters by name."""

ATTEMPTS: Final = 10
"""Workers that may be lost in a row during one round before the training stops."""


class Workers:
    """Actors, each on one CPU, with rounds requested ahead; lost workers are replaced.

    Args:
        ray: the module, connected.
        make: makes a player in an actor, from its index and its initial state or None. Its
            `play` returns a round, whose "state" is a dict of arrays to continue from.
        states: by worker index, the initial state or None; later the state after the last of its
            rounds that was taken.
        patience: seconds without an answer after which a worker counts as lost; time waiting for
            a CPU doesn't count.
        warn: called with a sentence for each worker that is lost or waits for a CPU.
    """

    def __init__(
        self,
        ray: Any,
        make: Callable[[int, Any], Any],
        states: Mapping[int, Any],
        patience: float,
        warn: Callable[[str], None],
    ) -> None:
        self.states, self.replaced = dict(states), 0
        self._ray, self._make, self._patience, self._warn = ray, make, patience, warn
        options = {"num_cpus": 1, "max_restarts": 0, "scheduling_strategy": "SPREAD"}
        self._actor = ray.remote(**options)(_Actor)
        self._asked: dict[int, tuple[Any, ...]] = {}
        self._calls: dict[tuple[int, int], Any] = {}
        self._actors: dict[int, Any] = {}
        self._started: dict[int, Any] = {}
        for index in self.states:
            self._start(index)

    def _start(self, index: int) -> None:
        """Start a worker from its last state, and request all rounds that aren't taken."""
        self._actors[index] = self._actor.remote(self._make, index, self.states[index])
        self._started[index] = self._actors[index].start.remote()
        for number in self._asked:
            self._call(index, number)

    def _call(self, index: int, number: int) -> None:
        given = self._asked[number]
        self._calls[index, number] = self._actors[index].play.remote(number, *given)

    def ask(self, number: int, *given: Any) -> None:
        """Request a round of every worker, one after the last, with further arguments for `play`.

        References to the object store are replaced by their objects.
        """
        self._asked[number] = given
        for index in self.states:
            self._call(index, number)

    def take(self, number: int) -> list[dict[str, Any]]:
        """The round of all workers, in order, even if some are lost on the way."""
        rounds = [self._take(index, number) for index in self.states]
        del self._asked[number]
        return rounds

    def _take(self, index: int, number: int) -> dict[str, Any]:
        given = self._wait(index, number)
        # Views would keep the whole round in the object store.
        self.states[index] = {name: array.copy() for name, array in given.pop("state").items()}
        del self._calls[index, number]
        return given

    def _wait(self, index: int, number: int) -> dict[str, Any]:
        errors = self._ray.exceptions
        for attempt in range(1, ATTEMPTS + 1):
            while not self._ray.wait([self._started[index]], timeout=self._patience)[0]:
                self._warn(f"worker {index} waits for a CPU of the cluster")
            try:
                return dict(self._ray.get(self._calls[index, number], timeout=self._patience))
            except errors.RayTaskError as error:
                raise error.cause from None
            except errors.RayError as error:
                if attempt == ATTEMPTS:
                    raise
                reason = " ".join(str(error).split())[:200]
                self._warn(
                    f"worker {index} is lost, a new one plays round {number} again: {reason}"
                )
                self.replaced += 1
                self._ray.kill(self._actors[index])
                self._start(index)
        raise AssertionError

    def close(self) -> None:
        """End all workers."""
        for actor in self._actors.values():
            self._ray.kill(actor)
        self._actors.clear()


class _Actor:
    """An actor around a player, which is made in the first round so that errors reach `take`."""

    def __init__(self, make: Callable[[int, Any], Any], index: int, state: Any) -> None:
        self._make = partial(make, index, state)
        self._player: Any = None

    def start(self) -> None:
        """Answer, to show that the actor runs."""

    def play(self, number: int, *given: Any) -> Any:
        if self._player is None:
            self._player = self._make()
        return self._player.play(number, *given)


class Versions:
    """Version u is the network after u updates; round r is played with version r - `max_lag`.

    So each round's version is fixed in advance, whatever the speed of the workers, and the learning
    weights are at most `max_lag` updates newer. One of each `every` versions is kept in a file as a
    past self, for the league.

    The present network is version 0; the seed is that of the choice of past selves.
    """

    def __init__(
        self, past: PastSelves, network: torch.nn.Module, *, max_lag: int, every: int, seed: int
    ) -> None:
        self.max_lag, self.newest = max_lag, 0
        self._past, self._network, self._every, self._seed = past, network, every, seed
        self._kept: dict[int, Weights] = {}
        self._keep()

    def add(self) -> None:
        """Store the present network as the next version."""
        self.newest += 1
        self._keep()
        for version in [v for v in self._kept if v < self.newest - self.max_lag]:
            del self._kept[version]

    def _keep(self) -> None:
        parameters = self._network.state_dict().items()
        self._kept[self.newest] = {name: x.detach().cpu().clone() for name, x in parameters}

    def number_for(self, round_number: int) -> int:
        """The version for a round."""
        return max(0, round_number - self.max_lag)

    def weights_for(self, round_number: int) -> Weights:
        """The weights for a round."""
        return self._kept[self.number_for(round_number)]

    def league_for(self, round_number: int) -> list[Model]:
        """The past selves that play in a round."""
        self._past.pool = self._pool(self.number_for(round_number))
        names = self._past.draw(np.random.default_rng([self._seed, round_number]))
        return [Model.read(self._past.path(name)) for name in names]

    def _pool(self, version: int) -> list[str]:
        """Past selves up to some version, oldest first."""
        numbers = range(self._every, version + 1, self._every)
        return [f"{number:08d}" for number in numbers[-self._past.size :]]

    def write_past_self(self, export: Callable[[], Model]) -> None:
        """Write the file of the newest version, if it is to be a past self."""
        name = f"{self.newest:08d}"
        if name in self._pool(self.newest):
            self._past.add(name, lambda path: export().save(path, "float32"))

    @property
    def files(self) -> list[str]:
        """Names of the files that future rounds may need, without suffix."""
        versions = range(self.number_for(self.newest), self.newest + 1)
        return sorted({name for version in versions for name in self._pool(version)})

    def get_state(self) -> dict[int, Weights]:
        """The versions in use, without the files of past selves."""
        return dict(self._kept)

    def set_state(self, state: Mapping[int, Weights]) -> None:
        """Continue from a result of `get_state`; the network becomes the newest version."""
        self._kept = dict(state)
        self.newest = max(self._kept)
        self._network.load_state_dict(self._kept[self.newest])


PROCESSES: Final = int(os.environ.get("WORLD_SIZE", "1"))
"""Number of processes."""

RANK: Final = int(os.environ.get("RANK", "0"))
"""Index of this process."""


def join(device: str) -> torch.device:
    """Join the process group, and choose this process's device: "auto", "cpu" or "cuda"."""
    on_gpu = device != "cpu" and torch.cuda.is_available()
    if PROCESSES > 1 and not dist.is_initialized():
        dist.init_process_group("nccl" if on_gpu else "gloo")
    if not on_gpu:
        return torch.device("cpu")
    here = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(here)
    return here


def gathered(value: Any) -> list[Any]:
    """The values of all processes; each of them must call this."""
    values = [value] * PROCESSES
    if PROCESSES > 1:
        dist.all_gather_object(values, value)
    return values


def average_gradients(network: torch.nn.Module) -> None:
    """Replace the gradients of all processes by their mean."""
    if PROCESSES == 1:
        return
    for parameter in network.parameters():
        dist.all_reduce(parameter.grad)
        parameter.grad /= PROCESSES
