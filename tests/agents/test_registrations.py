"""What is registered in one process is known in another that adopts it."""

import pickle
from collections.abc import Iterator

import pytest

from catan_pz.agents import registry as agents
from catan_pz.agents.registry import Registrations
from catan_pz.encoders import registry as encoders

pytestmark = pytest.mark.purepython


@pytest.fixture(autouse=True)
def _kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registries as they are found again after the test."""
    for registry in (agents, encoders):
        monkeypatch.setattr(registry, "_HOMES", dict(registry._HOMES))
    monkeypatch.setattr(encoders, "_LOADED", dict(encoders._LOADED))


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch, _kept: None) -> Iterator[Registrations]:
    """Those of a process in which some were registered; here they are unknown."""
    with monkeypatch.context() as there:
        for registry in (agents, encoders):
            there.setattr(registry, "_HOMES", dict(registry._HOMES))
        agents.register("own", "catan_pz.agents.random:RandomAgent")
        encoders.register("own", "catan_pz.encoders.flat:FlatEncoder")
        found = Registrations.here()
    assert "own" not in (*agents.names(), *encoders.names())
    return pickle.loads(pickle.dumps(found))


def test_what_was_registered_is_adopted(given: Registrations) -> None:
    assert given.agents["own"] == "catan_pz.agents.random:RandomAgent"
    assert given.encoders["own"] == "catan_pz.encoders.flat:FlatEncoder"
    assert not given.agents.keys() & {"random", "heuristic"}
    given.adopt()
    given.adopt()
    assert agents.load("own").name == "random"
    assert "own" in encoders.names()
    assert Registrations.here() == given


def test_an_encoder_in_use_is_not_replaced(given: Registrations) -> None:
    given.adopt()
    encoders._LOADED["own"] = encoders.load("flat")
    given.adopt()
    with pytest.raises(ValueError, match="name='own' is not possible; allowed: one that isn't tak"):
        given._replace(encoders={"own": "catan_pz.encoders.flat:UnitsEncoder"}).adopt()
