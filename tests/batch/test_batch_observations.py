"""Observations of a batch by every encoder, and the global state."""

import numpy as np
import pytest

import catan_pz
from catan_pz import catan_v0, encoders
from catan_pz.batch.cpu import CpuBatch
from catan_pz.observation.global_state import GLOBAL_SIZE
from tests.env.test_observations import OwnHand, same

everywhere = pytest.mark.parametrize("observation", [*encoders.names(), OwnHand()], ids=str)


@everywhere
def test_each_encoder_sees_through_the_player_to_move(observation):
    batch = CpuBatch(5, num_players=3, seed=2, observation=observation, max_turns=20)
    for _ in range(6):
        for i in range(5):
            view = batch.game(i).observe(int(batch.player[i]))
            assert (batch.units[i] == view).all()
        assert same(batch.observation, batch.encoder.encode(batch.units))
        assert batch.observation is batch.observation  # made once a step
        batch.play_random(9)
        batch.step(batch.sample())
    batch.reset(3)
    assert same(batch.observation, batch.encoder.encode(batch.units))


def test_true_is_units_and_false_writes_none():
    units, named, none = (CpuBatch(3, seed=1, observation=o) for o in (True, "units", False))
    assert units.observation is units.units
    assert units.encoder is named.encoder
    assert (named.observation == units.observation).all()
    assert (none.observation, none.units, none.encoder, none.global_state) == (None,) * 4
    with pytest.raises(ValueError, match=r"observation must be .*, got 'pictures'"):
        CpuBatch(3, observation="pictures")


def test_observations_follow_a_reset_of_finished_games():
    batch = CpuBatch(4, seed=1, observation="flat", auto_reset=False, trading=False, max_turns=2)
    while batch.mask.any():
        batch.play_random()
    before = batch.observation.copy()
    batch.reset_finished()
    assert (batch.observation != before).any()
    assert same(batch.observation, batch.encoder.encode(batch.units))


def test_the_global_state_is_that_of_the_environment():
    batch = catan_pz.make_batch(6, seed=3, dice="balanced", offer_form="both", global_state=True)
    env = catan_v0.raw_env(dice="balanced", offer_form="both")
    env.reset(seed=1)
    for _ in range(8):
        states = batch.global_state
        assert states is batch.global_state
        assert states.shape == (6, GLOBAL_SIZE)
        assert states.dtype == np.float32
        for i in range(6):
            env.restore(batch.game(i).snapshot())
            assert (env.state() == states[i]).all()
        batch.play_random(31)
