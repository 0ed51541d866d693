"""Self-play: rewards between a seat's own decisions, single games and batches."""

from io import BytesIO

import numpy as np
import pytest

from catan_pz import catan_v0
from catan_pz.env.self_play import SelfPlayBatch, SelfPlayEnv
from catan_pz.rewards import PointsGained

SHORT = {"trading": False, "victory_points": 4}


class PointsSquared:
    """A reward that is not linear: the square of the points that seats hold."""

    def __repr__(self):
        return "points_squared"

    def __call__(self, terms, games):
        return games["points"].astype(float) ** 2


def agent_rewards(env):
    """What PettingZoo has added up for each agent since its last decision."""
    return [env._cumulative_rewards[agent] for agent in env.possible_agents]


def legal(rng, mask):
    return int(rng.choice(np.flatnonzero(mask)))


@pytest.mark.parametrize(
    ("reward", "options"),
    [
        ("win_loss", SHORT),
        ("points_gained", {"num_players": 2, "victory_points": 3, "skip_forced": True}),
        ("win_and_lead", SHORT),
        ("gain_or_penalty", {"num_players": 3, "max_turns": 9}),
        ("win_and_terms", {"num_players": 3, "max_turns": 9}),
        (PointsSquared(), SHORT),
    ],
    ids=str,
)
def test_the_single_game_gives_what_pettingzoo_gives(reward, options):
    aec = catan_v0.raw_env(reward=reward, observation="dict", **options)
    env = SelfPlayEnv(reward=reward, observation="dict", **options)
    rng = np.random.default_rng(3)
    for seed in range(2):
        aec.reset(seed=seed)
        observation, info = env.reset(seed=seed)
        terminated = truncated = False
        while not (terminated or truncated):
            seen = aec.observe(aec.agent_selection)
            assert aec.agent_selection == f"player_{info['player']}"
            assert env.observation_space.contains(observation)
            for name, segment in seen["observation"].items():
                np.testing.assert_array_equal(observation[name], segment)
            np.testing.assert_array_equal(info["action_mask"], seen["action_mask"])
            action = legal(rng, info["action_mask"])
            aec.step(action)
            observation, rewards, terminated, truncated, info = env.step(action)
            assert rewards.tolist() == agent_rewards(aec)
            assert {terminated} == set(aec.terminations.values())
            assert {truncated} == set(aec.truncations.values())
        with pytest.raises(RuntimeError, match="reset"):
            env.step(0)


@pytest.mark.parametrize("reward", ["win_and_terms", PointsSquared()], ids=str)
def test_the_batch_gives_what_pettingzoo_gives(reward):
    options = {"trading": False, "max_turns": 25, "victory_points": 3}
    batch = SelfPlayBatch(5, reward=reward, seed=7, **options)
    envs = [catan_v0.raw_env(reward=reward, **options) for _ in range(5)]
    for i, env in enumerate(envs):
        env.reset(seed=7 + i)
    ends = np.zeros(2, int)
    for _ in range(400):
        decided, actions = batch.player.copy(), batch.sample().copy()
        for env, action in zip(envs, actions, strict=True):
            env.step(int(action))
        batch.step(actions)
        np.testing.assert_array_equal(batch.decided, decided)
        for i, env in enumerate(envs):
            np.testing.assert_allclose(batch.reward[i], agent_rewards(env), rtol=1e-5)
            assert batch.done[i] == (env.game.is_over or env.game.is_truncated)
            assert batch.truncated[i] == env.game.is_truncated
            assert batch.winner[i] == (-1 if env.game.winner is None else env.game.winner)
            if batch.done[i]:
                ends[int(batch.truncated[i])] += 1
                env.reset(seed=int(batch.batch.seeds[i]))
            seen = env.observe(env.agent_selection)
            assert env.agent_selection == f"player_{batch.player[i]}"
            np.testing.assert_array_equal(batch.observation[i], seen["observation"])
            np.testing.assert_array_equal(batch.mask[i], seen["action_mask"])
    assert (ends > 2).all()


def test_rewards_are_due_once_for_every_decision():
    batch = SelfPlayBatch(8, reward="win_and_terms", seed=1, observation=False, **SHORT)
    pending = [{} for _ in range(8)]  # by seat: step of its decision, rewards since then
    ended = np.zeros(8, bool)
    for step in range(600):
        for i in range(8):
            if ended[i]:
                assert not pending[i]
            pending[i][int(batch.player[i])] = [step, 0.0]
        batch.step(batch.sample())
        ended = batch.done.copy()
        due = batch.due
        for i in range(8):
            for p in range(4):
                assert due[i, p] == (p in pending[i] and (ended[i] or batch.player[i] == p))
            for p in list(pending[i]):
                pending[i][p][1] += batch.step_reward[i, p]
                if due[i, p]:
                    then, total = pending[i].pop(p)
                    assert batch.last_step[i, p] == then
                    assert batch.reward[i, p] == pytest.approx(total, rel=1e-5)
    assert batch.steps == 600


@pytest.mark.parametrize("reward", ["win_and_terms", PointsSquared()], ids=str)
def test_games_go_on_from_a_state(reward):
    options = {"reward": reward, "num_players": 3, "max_turns": 9, "observation": "units"}
    batch = SelfPlayBatch(3, seed=5, **options)
    other = SelfPlayBatch(3, seed=9, **options)
    for _ in range(200):
        batch.step(batch.sample())
    file = BytesIO()
    np.savez(file, **batch.get_state())
    other.set_state(np.load(BytesIO(file.getvalue())))
    assert other.steps == batch.steps
    ended, names = 0, ("player", "mask", "observation", "reward", "last_step", "due", "winner")
    for _ in range(300):
        for name in names:
            np.testing.assert_array_equal(getattr(other, name), getattr(batch, name), name)
        actions = batch.sample().copy()
        np.testing.assert_array_equal(other.sample(), actions)
        batch.step(actions)
        other.step(actions)
        ended += batch.done.sum()
    assert ended > 5


def test_another_reward_is_paid_from_the_next_step_on():
    batch, other = (
        SelfPlayBatch(8, reward=PointsGained(point, win=2.0), seed=3, observation=False, **SHORT)
        for point in (1.0, 0.5)
    )
    differed = 0
    for step in range(150):
        if step == 100:
            batch.set_reward(PointsGained(0.5, win=2.0))
        actions = other.sample().copy()
        batch.step(actions)
        other.step(actions)
        differed += (batch.step_reward != other.step_reward).any()
        assert step < 100 or (batch.step_reward == other.step_reward).all()
    assert differed > 5


def test_games_begin_with_other_positions():
    batch = SelfPlayBatch(3, observation="units", seed=1, **SHORT)
    ahead = SelfPlayBatch(1, observation="units", seed=9, **SHORT)
    for _ in range(50):
        ahead.step(ahead.sample())
    position = ahead.batch.games.copy()
    batch.place_games([2], position)
    batch.step(batch.sample())
    with pytest.raises(ValueError, match="game 2 has started"):
        batch.place_games([2], position)
    while not batch.done.any():
        batch.step(batch.sample())
    ended = np.flatnonzero(batch.done)
    told = batch.reward.tobytes(), batch.last_step.tobytes()
    batch.place_games(ended, np.repeat(position, len(ended)))
    assert (batch.reward.tobytes(), batch.last_step.tobytes()) == told
    assert (batch.observation[ended] == ahead.observation).all()
    batch.step(batch.sample())
    assert (batch.decided[ended] == ahead.player).all()
    assert ((batch.last_step[ended] >= 0) == batch.owners(ahead.player)).all()
