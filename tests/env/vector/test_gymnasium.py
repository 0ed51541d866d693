import numpy as np
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from catan_pz.env.vector.gymnasium import CatanVectorEnv
from catan_pz.env.vector.single_learner import SingleLearnerBatch


def test_ends_are_told_in_the_step_that_starts_the_next_episode():
    options = {"seat": "random", "trading": False, "max_turns": 40, "victory_points": 4}
    env = CatanVectorEnv(8, **options)
    batch = SingleLearnerBatch(8, seed=1, observation="flat", **options)
    seen, info = env.reset(seed=1)
    ends = np.zeros(2, int)
    for _ in range(100):
        assert (seen == batch.seen).all()
        actions = batch.sample().copy()
        batch.step(actions)
        seen, reward, terminated, truncated, info = env.step(actions)
        done = terminated | truncated
        assert (done == batch.done).all()
        assert (reward == batch.reward).all()
        assert not (terminated & truncated).any()
        ends += terminated.sum(), truncated.sum()
        assert ("final_obs" in info) == done.any()
        if done.any():
            assert (info["_final_obs"] == done).all()
            final = info["final_info"]
            for i in range(8):
                if done[i]:
                    assert (info["final_obs"][i] == batch.final_seen([i])[0]).all()
                    assert final["won"][i] == (reward[i] == 1)
                    assert final["return"][i] == reward[i]
                else:
                    assert info["final_obs"][i] is None
    assert (ends > 3).all()


def test_gymnasiums_wrappers_work():
    env = RecordEpisodeStatistics(CatanVectorEnv(4, trading=False, max_turns=20))
    env.reset(seed=1)
    while True:
        info = env.step(env.unwrapped.batch.sample())[-1]
        if "episode" in info:
            break
    assert info["episode"]["l"].max() > 5


def test_a_state_goes_on_in_another_environment():
    env, other = (CatanVectorEnv(4, num_players=2, trading=False, seed=k) for k in (1, 2))
    seen, info = env.reset()
    for _ in range(30):
        seen, *_, info = env.step(env.batch.sample())
    again, told = other.set_state(env.get_state())
    assert (again == seen).all()
    assert (told["action_mask"] == info["action_mask"]).all()
    actions = env.batch.sample()
    assert (other.step(actions)[0] == env.step(actions)[0]).all()
