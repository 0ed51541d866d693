"""Workers that are lost, on a cluster of this test's own that is none."""

from types import SimpleNamespace

import numpy as np
import pytest

from catan_pz.training.ray_workers import ATTEMPTS, Workers


class RayError(Exception):
    pass


class RayTaskError(RayError):
    def __init__(self, cause):
        super().__init__(cause)
        self.cause = cause


class FakeRay:
    """Calls are answered when they are asked for; a lost actor answers none of its calls."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)

    def __init__(self):
        self.actors = []
        self.waits = 0

    def remote(self, **_options):
        return lambda kind: SimpleNamespace(remote=lambda *given: self.start(kind(*given)))

    def start(self, actor):
        handle = SimpleNamespace(is_lost=False)
        handle.start = SimpleNamespace(remote=lambda: handle)
        handle.play = SimpleNamespace(remote=lambda *given: (handle, actor, given))
        self.actors.append(handle)
        return handle

    def wait(self, calls, timeout):
        """Answers after as many waits as `waits` says."""
        assert timeout == 60.0
        self.waits -= 1
        return ([], calls) if self.waits >= 0 else (calls, [])

    def kill(self, handle):
        handle.is_lost = True

    def get(self, call, timeout):
        handle, actor, given = call
        if handle.is_lost:
            raise RayError(f"gone\nafter {timeout} s")
        try:
            return actor.play(*given)
        except Exception as error:
            raise RayTaskError(error) from error


class Adding:
    """Adds what it is given, and tells all of it."""

    def __init__(self, index, state):
        self.total = np.array(10 * index) if state is None else state["total"].copy()

    def play(self, number, given):
        if given < 0:
            raise ZeroDivisionError("no such round")
        self.total += given
        return {"told": (number, int(self.total)), "state": {"total": self.total}}


@pytest.fixture
def told():
    return []


@pytest.fixture
def workers(told):
    return Workers(FakeRay(), Adding, {0: None, 1: None}, 60.0, told.append)


def lose(workers, index):
    workers._ray.kill(workers._actors[index])


def rounds(workers, losses):
    """Five rounds, asked for one ahead; before some, workers are lost."""
    found = []
    workers.ask(0, 1)
    for number in range(5):
        workers.ask(number + 1, number + 2)
        for index in losses.get(number, ()):
            lose(workers, index)
        found.append([given["told"] for given in workers.take(number)])
    return found


EXPECTED = [[(n, total), (n, 10 + total)] for n, total in enumerate((1, 3, 6, 10, 15))]


@pytest.mark.parametrize("losses", [{}, {0: [0]}, {2: [1], 3: [1]}, {k: [0, 1] for k in range(5)}])
def test_nothing_is_lost_and_nothing_counts_twice(losses, workers, told):
    assert rounds(workers, losses) == EXPECTED
    assert workers.replaced == len(told) == sum(map(len, losses.values()))
    assert {index: int(state["total"]) for index, state in workers.states.items()} == {
        0: 15,
        1: 25,
    }
    assert all("\n" not in line for line in told)


def test_what_a_worker_raises_reaches_the_caller(workers):
    workers.ask(0, -1)
    with pytest.raises(ZeroDivisionError, match="no such round"):
        workers.take(0)


def test_workers_that_are_always_lost(workers, monkeypatch):
    start = workers._start
    monkeypatch.setattr(workers, "_start", lambda index: (start(index), lose(workers, index)))
    workers.ask(0, 1)
    lose(workers, 0)
    with pytest.raises(RayError, match="gone"):
        workers.take(0)
    assert workers.replaced == ATTEMPTS - 1


def test_a_worker_that_waits_for_a_cpu_is_not_lost(workers, told):
    workers._ray.waits = 20
    assert rounds(workers, {}) == EXPECTED
    assert workers.replaced == 0
    assert told == ["worker 0 waits for a CPU of the cluster"] * 20


def test_all_are_ended(workers):
    actors = list(workers._ray.actors)
    workers.close()
    assert len(actors) == 2
    assert all(actor.is_lost for actor in actors)
