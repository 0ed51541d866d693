"""Agents as text, with options."""

import pytest

from catan_pz import agents
from catan_pz.agents.specs import check_options, options_in, specs_by_seat, split_specs

pytestmark = pytest.mark.purepython


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
    with pytest.raises(ValueError, match=r"^agent 'heuristic:a': write NAME:OPTION=VALUE"):
        agents.load("heuristic:a")

    def make(depth, *, speed=1):
        return depth, speed

    check_options("toy", make, {"speed": 2}, own=("depth",))
    with pytest.raises(ValueError, match=r"'sped' \(did you mean 'speed'\?\); its options"):
        check_options("toy", make, {"sped": 2}, own=("depth",))
    check_options("toy", lambda **anything: anything, {"whatever": 1})


def test_options_of_the_call_count_before_those_of_the_name():
    agent = agents.load("search:simulations=250,turns=16", turns=4)
    assert (agent.options.simulations, agent.options.turns) == (250, 4)


def test_what_is_wrong_with_an_option_is_told_with_the_whole_text():
    with pytest.raises(ValueError, match=r"agent 'search:simulations=0': simulations must be"):
        agents.load("search:simulations=0")
    with pytest.raises(ValueError, match=r"agent 'ppo-2p:model=x': .*has no option 'model'"):
        agents.load("ppo-2p:model=x")
    with pytest.raises(ValueError, match=r"agent 'rocco:model=3': expected str"):
        agents.load("rocco:model=3")
    with pytest.raises(ValueError, match=r"weights must be None"):
        agents.load("heuristic:weights=a.json")
