"""Agents by name, with options; their random streams; what is registered in other processes."""

import dataclasses
import pickle
from pathlib import Path

import numpy as np
import pytest

from catan_pz import agents
from catan_pz.agents.base import Agent
from catan_pz.agents.network import SHIPPED, shipped
from catan_pz.agents.random import RandomAgent
from catan_pz.agents.random_stream import (
    RandomStream,
    SeatSeeds,
    nth_numbers,
    scramble_all,
    seat_seeds,
)
from catan_pz.agents.registry import (
    Registrations,
    check_options,
    no_foreign_code,
    options_in,
    specs_by_seat,
    split_specs,
)
from catan_pz.encoders import registry as encoders
from catan_pz.engine import chance
from catan_pz.game.game import Game
from catan_pz.game.view import View, view_of
from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import UInt64Array
from catan_pz.rules import Rules
from tests.arena.players import Builder, Failing

pytestmark = pytest.mark.purepython

RULES = Rules()


@pytest.fixture
def game():
    game = Game(seed=3)
    rng = np.random.default_rng(3)
    for _ in range(80):
        game.step(int(rng.choice(game.legal_actions())))
    return game


def test_a_view_holds_observation_and_mask_and_nothing_else(game):
    public = [field.name for field in dataclasses.fields(View) if field.name[0] != "_"]
    assert public == ["observation", "mask"]
    for seat in range(4):
        view = view_of(game, seat)
        assert not hasattr(view, "__dict__")
        assert view.observation.dtype == view.mask.dtype == np.int8
        np.testing.assert_array_equal(view.observation, game.observe(seat))
        assert view.mask.any() == (seat == game.player)
        with pytest.raises(RuntimeError, match="needs_belief = True"):
            view.resample(np.random.default_rng(1))


@entry
def engine_numbers(seed: np.uint64, numbers: UInt64Array):
    for n in range(numbers.shape[0]):
        numbers[n] = chance.scramble(seed + np.uint64(n + 1) * chance.GAMMA)


@pytest.mark.parametrize("seed", [0, 12345, 2**64 - 1])
def test_streams_are_those_of_the_engines_generator(seed):
    expected = np.zeros(20, np.uint64)
    engine_numbers(np.uint64(seed), expected)
    stream = RandomStream(seed)
    assert [stream.next() for _ in range(20)] == expected.tolist()
    assert stream.count == 20
    again = RandomStream(seed)
    assert [again.below(6) for _ in range(20)] == [(int(n) >> 32) * 6 >> 32 for n in expected]


def test_each_seat_of_each_game_has_a_stream_of_its_own():
    seeds = [5, 6, 2**64 - 1]
    firsts = {(g, p): RandomStream(s).next() for g in seeds for p, s in enumerate(seat_seeds(g, 4))}
    assert len(set(firsts.values())) == 12
    kept = SeatSeeds(4, 4)
    of_games = np.array([0, *seeds], np.uint64)
    own = kept.of(of_games, np.array([1, 2, 3]), np.array([0, 3, 2], np.int8))
    many = nth_numbers(own, np.array([0, 4, 1]))
    for k, (seat, taken) in enumerate([(0, 0), (3, 4), (2, 1)]):
        stream = RandomStream(seat_seeds(seeds[k], 4)[seat])
        assert many[k] == [stream.next() for _ in range(taken + 1)][-1]
    assert scramble_all(np.zeros(1, np.uint64))[0] == 0
    of_games[2] = 9  # the next game in this place
    changed = kept.of(of_games, np.arange(4), np.ones(4, np.int8)).tolist()
    assert changed == [seat_seeds(g, 4)[1] for g in (0, 5, 9, 2**64 - 1)]


def test_the_random_stream_is_there_from_reset_on():
    class First(Agent):
        def act(self, view):
            return int(view.mask.argmax())

    agent = First()
    assert agent.name == "First"
    assert not agent.needs_belief
    with pytest.raises(RuntimeError, match="'First' is in no game"):
        agent.random.next()
    agent.reset(0, RULES, 2**64 - 1)
    assert agent.random.next() == RandomStream(2**64 - 1).next()


def test_a_class_is_an_agent_by_its_module_and_name():
    agent = agents.load("tests.arena.players:Failing:after=3")
    assert isinstance(agent, Failing)
    assert agent.after == 3
    assert agents.load("tests.arena.players:Failing:after=3", after=4).after == 4
    assert agents.load("xenou:base=tests.arena.players:Failing").base.after == 10


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("rondom", r"got 'rondom' \(did you mean 'random'\?\)"),
        (3, "agent must be a name, one of .*, got 3"),
        ("none.npz", r"no model none\.npz"),
        ("herustic:Best", r"did you mean 'heuristic'\?.*No module named 'herustic'"),
        ("random:money=3", "agent 'random' has no option 'money'; it has none"),
        ("email.message:Message", "agent must be an Agent of"),
        ("tests.arena.players:Failing:3", "write NAME:OPTION=VALUE"),
        ("tests..players:Builder", "agent must be one of"),
        ("catan_pz.agents.random:RandomAgnt", r"did you mean 'RandomAgent'\?"),
        ("search:simulations=0", "agent 'search:simulations=0': simulations must be"),
        ("ppo-2p:model=x", "agent 'ppo-2p:model=x': .*has no option 'model'"),
        ("rocco:model=3", "agent 'rocco:model=3': expected str"),
    ],
)
def test_what_is_no_agent_is_refused(name, told):
    with pytest.raises((ValueError, FileNotFoundError), match=told):
        agents.load(name)


def test_families_take_options_behind_a_second_colon(monkeypatch):
    def toy(member, **options):
        return Failing(after=(member, options))

    monkeypatch.setattr("tests.arena.players.toy", toy, raising=False)
    monkeypatch.setitem(agents.registry._HOMES, "toy:", "tests.arena.players:toy")
    assert agents.load("toy:big:depth=3,fast=true").after == ("big", {"depth": 3, "fast": True})
    program = agents.load("exec:run --depth=3,x --model a.npz")
    assert program.command == ["run", "--depth=3,x", "--model", "a.npz"]
    search = agents.load("search:simulations=250,turns=16", turns=4)
    assert (search.options.simulations, search.options.turns) == (250, 4)


def test_no_module_is_looked_for_where_no_foreign_code_may_run():
    for name in ("tests.nobody:Builder", "xenou:base=tests.nobody:Builder"):
        with no_foreign_code(Path()), pytest.raises(ValueError, match="no file imports a module"):
            agents.load(name)


def test_a_file_names_only_models_beside_itself(tmp_path):
    path = tmp_path / "model.npz"
    path.write_bytes((SHIPPED / f"{shipped()[0]}.npz").read_bytes())
    with no_foreign_code(tmp_path):
        agents.load(path)
    with no_foreign_code(tmp_path / "other"), pytest.raises(ValueError, match="a model elsewhere"):
        agents.load(path)


def test_agents_can_be_added_to_the_list(monkeypatch):
    monkeypatch.setattr(
        agents.registry, "_HOMES", {"random": "nowhere:Nobody", "exec:": "nowhere:Nobody"}
    )
    agents.register("other", "catan_pz.agents.random:RandomAgent")
    assert agents.names() == ["random", "other", *shipped()]
    assert isinstance(agents.load("other"), RandomAgent)
    agents.register("other", "tests.arena.players:Builder")
    assert isinstance(agents.load("other"), Builder)
    for taken in ("random", "exec", shipped()[0], "a:b"):
        with pytest.raises(ValueError, match=f"name must be .*got {taken!r}"):
            agents.register(taken, "catan_pz.agents.random:RandomAgent")


def test_agents_in_a_row():
    given = 'random, search:a=1,b=2,heuristic,exec:"bot --a=1,2",,x.npz'
    assert split_specs(given) == [
        *("random", "search:a=1,b=2", "heuristic", 'exec:"bot --a=1,2"', "x.npz")
    ]
    assert split_specs("") == []
    assert specs_by_seat("--against", "a,b", 3) == ["a", "b", "b"]
    for given, count in (("", 0), ("a,b,c", 3)):
        with pytest.raises(ValueError, match=f"names {count} agents; there are 2 other seats"):
            specs_by_seat("--against", given, 2)


def test_options():
    assert options_in("a=1, b=two,c=3=4") == {"a": 1, "b": "two", "c": "3=4"}
    assert options_in("") == {}
    with pytest.raises(ValueError, match=r"^write NAME:OPTION=VALUE"):
        options_in("a")

    def make(depth, *, speed=1):
        return depth, speed

    check_options("toy", make, {"speed": 2}, own=("depth",))
    with pytest.raises(ValueError, match=r"'sped' \(did you mean 'speed'\?\); its options"):
        check_options("toy", make, {"sped": 2}, own=("depth",))
    check_options("toy", lambda **anything: anything, {"whatever": 1})


def test_what_was_registered_is_adopted_and_an_encoder_in_use_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(encoders, "_LOADED", dict(encoders._LOADED))
    with monkeypatch.context() as there:
        for registry in (agents.registry, encoders):
            there.setattr(registry, "_HOMES", dict(registry._HOMES))
        agents.register("own", "catan_pz.agents.random:RandomAgent")
        encoders.register("own", "catan_pz.encoders.flat:FlatEncoder")
        given = pickle.loads(pickle.dumps(Registrations.here()))
    assert "own" not in (*agents.names(), *encoders.names())
    assert not given.agents.keys() & {"random", "heuristic"}
    for registry in (agents.registry, encoders):
        monkeypatch.setattr(registry, "_HOMES", dict(registry._HOMES))
    given.adopt()
    assert agents.load("own").name == "random"
    encoders._LOADED["own"] = encoders.load("flat")
    given.adopt()
    assert Registrations.here() == given
    with pytest.raises(ValueError, match="got 'own'"):
        given._replace(encoders={"own": "catan_pz.encoders.flat:UnitsEncoder"}).adopt()
