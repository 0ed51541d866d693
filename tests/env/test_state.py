"""Full state: `state()`, snapshots, pickling and copies."""

import copy
import json
import pickle

import numpy as np
import pytest

from catan_pz import catan_v0
from catan_pz.observation.global_state import GLOBAL_PLACES, GLOBAL_SIZE
from catan_pz.observation.segments import MANY_OF_A_RESOURCE, MANY_POINTS, SIZE
from tests.env.play import everything, future, play_random

CONFIGURATIONS = [
    {},
    {"rules": "one_v_one", "skip_forced": True},
    {"num_players": 3, "offer_form": "both", "reward": "gain_or_penalty"},
    {"dice": [(1, 2), (6, 6)], "trading": False, "max_turns": 30},
]

configurations = pytest.mark.parametrize("options", CONFIGURATIONS, ids=str)


def playing(make, options, decisions=150):
    env = make(**options)
    env.reset(seed=4)
    play_random(env, decisions)
    return env


@configurations
@pytest.mark.parametrize("make", [catan_v0.raw_env, catan_v0.env], ids=["raw_env", "env"])
def test_a_copy_has_the_same_future(make, options):
    env = playing(make, options)
    twin = pickle.loads(pickle.dumps(copy.deepcopy(env)))
    before = everything(twin.unwrapped)
    assert before == everything(env.unwrapped)
    expected = future(env)
    assert everything(twin.unwrapped) == before
    assert future(twin) == expected


@configurations
def test_a_snapshot_has_the_same_future(options):
    env = playing(catan_v0.env, options, decisions=100)
    saved = json.loads(json.dumps(env.unwrapped.snapshot()))
    env.unwrapped.restore(saved)
    agents = [env.agent_selection]
    actions = play_random(env, 300, seed=1)
    other = catan_v0.env(**options)
    other.reset(seed=99)
    other.unwrapped.restore(saved)
    agents.append(other.agent_selection)
    assert agents[0] == agents[1]
    assert play_random(other, 300, seed=1) == actions
    assert everything(other.unwrapped) == everything(env.unwrapped)


def test_a_finished_game_can_be_restored():
    env = playing(catan_v0.raw_env, {"trading": False, "victory_points": 4}, decisions=10**6)
    saved = env.snapshot()
    env.reset(seed=1)
    env.restore(saved)
    assert set(env.terminations.values()) == {True}
    env.step(None)
    assert env.num_agents == 3
    env.reset(seed=1)
    assert env.num_agents == 4


def test_the_rules_of_a_restored_game_end_with_it():
    env = playing(catan_v0.raw_env, {"trading": False})
    other = playing(catan_v0.raw_env, {"trading": False, "victory_points": 13, "dice": [(1, 1)]})
    env.restore(other.snapshot())
    assert env.game.rules.victory_points == 13
    env.reset(seed=4)
    assert env.game.rules.victory_points == 10
    play_random(env, 150)
    assert everything(env) == everything(playing(catan_v0.raw_env, {"trading": False}))


def test_a_state_that_does_not_fit_is_refused_and_changes_nothing():
    env = playing(catan_v0.raw_env, {})
    before = everything(env)
    for options in ({"num_players": 3}, {"trading": False}):
        with pytest.raises(ValueError, match=next(iter(options))):
            env.restore(playing(catan_v0.raw_env, options).snapshot())
    with pytest.raises(ValueError, match="robber"):
        env.restore(env.snapshot() | {"robber": 19})
    assert everything(env) == before


@configurations
def test_the_full_information_vector_lies_in_its_space(options):
    env = playing(catan_v0.env, options)
    assert env.state_space.shape == (GLOBAL_SIZE,)
    for _ in range(40):
        assert env.state_space.contains(env.state())
        play_random(env, 5)


def test_the_full_information_vector_tells_all():
    env = playing(catan_v0.raw_env, {"rules": "one_v_one"}, decisions=400)
    vector, state = env.state(), env.snapshot()
    np.testing.assert_array_equal(vector[:SIZE], env.observe("player_0")["observation"])

    def part(name, *shape):
        return vector[GLOBAL_PLACES[name]].reshape(shape)

    names = list(state["players"][0]["cards"])
    for p, player in enumerate(state["players"]):
        hand = np.minimum(np.array(list(player["hand"].values())) / MANY_OF_A_RESOURCE, 1)
        np.testing.assert_allclose(part("all_hands", 4, 5)[p], hand, rtol=1e-6)
        cards = np.array(list(player["cards"].values())) / [14, 2, 2, 2, 5]
        np.testing.assert_allclose(part("all_cards", 4, 5)[p], cards, rtol=1e-6)
        assert part("all_points", 4)[p] == pytest.approx(player["points"] / MANY_POINTS)
    deck = part("deck", 25, 5)
    left = len(state["deck"])
    assert [names[k] for k in deck[:left].argmax(axis=1)] == state["deck"]
    assert not deck[left:].any()
    throws = [[k // 6 + 1, k % 6 + 1] for k in np.flatnonzero(part("rolls_left", 36))]
    assert throws == state["rng"]["dice_left"]
