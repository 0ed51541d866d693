"""Every encoder in every environment of one game."""

import copy
import pickle

import numpy as np
import pytest

from catan_pz import catan_v0, encoders
from catan_pz.observation.segments import PLACES
from tests.env.play import play_random

names = pytest.mark.parametrize("name", encoders.names())


class OwnHand(encoders.Encoder):
    """A user's encoder: the numbers of the own hand, as a view of what it is given."""

    name = "own_hand"
    segments = (encoders.Segment("own_hand", (5,), "(R) cards in hand", "int8", 0, 127),)

    def encode(self, units):
        return units[..., PLACES["own_hand"]]


def same(one, other):
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    return one.dtype == other.dtype and np.array_equal(one, other)


@names
def test_raw_env_gives_what_the_encoder_makes_of_each_view(name):
    encoder = encoders.load(name)
    env = catan_v0.raw_env(observation=name, num_players=3)
    env.reset(seed=5)
    for _ in range(8):
        for seat, agent in enumerate(env.agents):
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert same(seen["observation"], encoder.encode(env.game.observe(seat)))
            assert seen["action_mask"].any() == (agent == env.agent_selection)
        play_random(env, 25)


@pytest.mark.parametrize("name", ["flat", "dict", "planes"])
def test_observations_given_out_stay_as_they_are(name):
    env = catan_v0.raw_env(observation=name)
    env.reset(seed=2)
    kept = [(env.observe("player_0"), copy.deepcopy(env.observe("player_0")))]
    for _ in range(10):
        play_random(env, 7)
        kept.append((env.observe("player_0"), copy.deepcopy(env.observe("player_0"))))
    assert all(same(given, copied) for given, copied in kept)
    assert not same(kept[0][0], kept[-1][0])


def test_an_encoder_of_a_user_is_taken_as_it_is():
    env = catan_v0.raw_env(observation=OwnHand())
    env.reset(seed=1)
    play_random(env, 60)
    first = env.observe("player_0")["observation"]
    assert (first == env.game.observe(0)[PLACES["own_hand"]]).all()
    kept = first.copy()
    play_random(env, 60)
    assert (first == kept).all()
    twin = pickle.loads(pickle.dumps(env))
    assert same(twin.observe("player_1"), env.observe("player_1"))


class WrongHand(OwnHand):
    def __init__(self, change):
        self.change = change

    def encode(self, units):
        return self.change(super().encode(units))


class NoSegments(OwnHand):
    segments = ()


WRONG_OUTPUT = {
    "shape": (WrongHand(lambda hand: hand[..., :4]), r"has the shape \(2, 4\) for two obs"),
    "batch": (WrongHand(lambda hand: hand[-1] if hand.ndim > 1 else hand), r"shape \(5,\) for two"),
    "row": (WrongHand(np.atleast_2d), r"the shape \(1, 5\) for one observation, must have \(5,\)"),
    "dtype": (WrongHand(lambda hand: hand * 1.0), "is float64 for two observations, must be int8"),
    "range": (WrongHand(lambda hand: hand - 1), r"has values from -1 .*, must lie in \[0, 127\]"),
    "dict": (WrongHand(lambda hand: {"own_hand": hand}), "is of dict, must be of ndarray"),
    "none": (WrongHand(lambda hand: None), "is of NoneType, must be of ndarray"),
    "segments": (NoSegments(), "segments are empty, must be one or more"),
}
"""Encoders whose output isn't what their segments say, and the errors."""


@pytest.mark.parametrize(("encoder", "message"), WRONG_OUTPUT.values(), ids=WRONG_OUTPUT)
def test_output_that_is_not_of_the_segments_is_refused(encoder, message):
    with pytest.raises(ValueError, match=f"^<encoder 'own_hand'>.*{message}"):
        catan_v0.raw_env(observation=encoder)
