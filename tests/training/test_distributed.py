"""Workers that are lost, on a simulated cluster; versions of weights."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from catan_pz.rules import Rules
from catan_pz.training.distributed import ATTEMPTS, Versions, Workers
from catan_pz.training.league import PastSelves
from catan_pz.training.self_play_network import SelfPlayNetwork

RULES = Rules(num_players=2, trading=False)


class RayError(Exception):
    pass


class RayTaskError(RayError):
    def __init__(self, cause):
        super().__init__(cause)
        self.cause = cause


class FakeRay:
    """Calls are answered when they are asked for; a lost actor answers none of its calls."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)

    def put(self, value):
        return value

    def remote(self, **_options):
        return lambda kind: SimpleNamespace(remote=lambda *given: self.start(kind(*given)))

    def start(self, actor):
        handle = SimpleNamespace(is_lost=False)
        handle.start = SimpleNamespace(remote=lambda: handle)
        handle.play = SimpleNamespace(remote=lambda *given: (handle, actor, given))
        return handle

    def wait(self, calls, timeout):
        return calls, []

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


@pytest.mark.parametrize("losses", [{}, {2: [1], 3: [1]}, {k: [0, 1] for k in range(5)}])
def test_nothing_is_lost_and_nothing_counts_twice(losses, workers, told):
    assert rounds(workers, losses) == EXPECTED
    assert workers.replaced == len(told) == sum(map(len, losses.values()))
    assert [int(workers.states[index]["total"]) for index in (0, 1)] == [15, 25]


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


def make(folder, **changes):
    options = {"max_lag": 2, "every": 3, "seed": 1} | changes
    network = SelfPlayNetwork(RULES.num_actions, 2, kind="dense", width=4, critic="separate")
    return network, Versions(PastSelves(folder, size=2, active=4), network, **options)


def update(network, versions):
    with torch.no_grad():
        network.policy.hidden[0].bias += 1
    versions.add()
    versions.write_past_self(lambda: network.export(RULES))


def bias(weights, name="policy.hidden.0.bias"):
    return float(weights[name][0])


def bias_of(model):
    return bias(model.network.arrays, "bias_0")


def test_rounds_are_played_with_versions_that_are_fixed_beforehand(tmp_path):
    network, versions = make(tmp_path)
    first = bias(network.state_dict())
    for newest in range(9):
        for number in range(newest, newest + 3):
            assert versions.number_for(number) == max(0, number - 2)
            given = bias(versions.weights_for(number))
            assert given == pytest.approx(first + max(0, number - 2))
        update(network, versions)
    with pytest.raises(KeyError):
        versions.weights_for(8)  # too old to be played with


def test_past_selves_join_and_leave(tmp_path):
    network, versions = make(tmp_path)
    first = bias(network.state_dict())
    files = {}
    for _ in range(12):
        update(network, versions)
        files[versions.newest] = versions.files
    assert sorted(path.stem for path in tmp_path.iterdir()) == [
        f"{version:08d}" for version in (3, 6, 9, 12)
    ]
    assert files[2] == []
    assert files[8] == ["00000003", "00000006"]
    # Rounds that are played with version 8 may still meet the first one.
    assert files[10] == ["00000003", "00000006", "00000009"]
    assert files[11] == ["00000006", "00000009"]
    assert versions.league_for(4) == []
    assert {round(bias_of(one) - first) for one in versions.league_for(6)} == {3}
    met = {round(bias_of(one) - first) for k in range(50) for one in versions.league_for(14)}
    assert met <= {9, 12}
    again = [bias_of(one) for one in versions.league_for(14)]
    assert [bias_of(one) for one in versions.league_for(14)] == again


def test_versions_go_on_from_a_state(tmp_path):
    network, versions = make(tmp_path)
    for _ in range(5):
        update(network, versions)
    other, restored = make(tmp_path)
    restored.set_state(versions.get_state())
    assert restored.newest == 5
    assert bias(other.state_dict()) == bias(network.state_dict())
    for number in (5, 6, 7):
        for name, array in versions.weights_for(number).items():
            np.testing.assert_array_equal(restored.weights_for(number)[name], array)
