"""What is registered in one process is known in another that adopts it."""

import pickle

import pytest

from catan_pz.agents import registry as agents
from catan_pz.agents.registry import Registrations
from catan_pz.encoders import registry as encoders

pytestmark = pytest.mark.purepython


def test_what_was_registered_is_adopted_and_an_encoder_in_use_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(encoders, "_LOADED", dict(encoders._LOADED))
    with monkeypatch.context() as there:
        for registry in (agents, encoders):
            there.setattr(registry, "_HOMES", dict(registry._HOMES))
        agents.register("own", "catan_pz.agents.random:RandomAgent")
        encoders.register("own", "catan_pz.encoders.flat:FlatEncoder")
        given = pickle.loads(pickle.dumps(Registrations.here()))
    assert "own" not in (*agents.names(), *encoders.names())
    assert not given.agents.keys() & {"random", "heuristic"}
    for registry in (agents, encoders):
        monkeypatch.setattr(registry, "_HOMES", dict(registry._HOMES))
    given.adopt()
    assert agents.load("own").name == "random"
    encoders._LOADED["own"] = encoders.load("flat")
    given.adopt()
    assert Registrations.here() == given
    with pytest.raises(ValueError, match="got 'own'"):
        given._replace(encoders={"own": "catan_pz.encoders.flat:UnitsEncoder"}).adopt()
