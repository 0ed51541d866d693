"""Misspelled keywords of everything that holds many games."""

import pytest

from catan_pz import make_batch
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.env.vector.gymnasium import CatanVectorEnv
from catan_pz.env.vector.single_learner import SingleLearnerBatch


def sb3(*arguments, **options):
    pytest.importorskip("stable_baselines3", reason="takes the extra `train`")
    from catan_pz.env.vector.sb3 import CatanVecEnv

    return CatanVecEnv(*arguments, **options)


def torchrl(*arguments, **options):
    pytest.importorskip("torchrl", reason="takes the extra `torchrl`")
    from catan_pz.env.vector.torchrl import CatanTorchRLEnv

    return CatanTorchRLEnv(*arguments, **options)


LEARNERS = (SingleLearnerBatch, CatanVectorEnv, sb3, torchrl)


@pytest.mark.parametrize("make", [make_batch, SelfPlayBatch, *LEARNERS])
@pytest.mark.parametrize(
    ("given", "meant"),
    [("thread", "threads"), ("rewards", "reward"), ("tradng", "trading"), ("rule", "rules")],
)
def test_what_may_have_been_meant_is_said(make, given, meant):
    with pytest.raises(ValueError, match=rf"unknown option {given}=1 \(did you mean '{meant}'\?"):
        make(2, **{given: 1})


@pytest.mark.parametrize("make", LEARNERS)
def test_opponents_are_several(make):
    with pytest.raises(ValueError, match=r"opponent='random' \(did you mean 'opponents'\?\)"):
        make(2, opponent="random")


@pytest.mark.parametrize("make", [CatanVectorEnv, sb3])
def test_numbers_of_games_and_copies_are_checked_by_their_own_names(make):
    for wrong in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match=f"option num_envs={wrong} is not possible"):
            make(wrong)
    for wrong in ("no", 1, None):
        with pytest.raises(ValueError, match=f"option copy={wrong!r} is not possible"):
            make(2, copy=wrong)
