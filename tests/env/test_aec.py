import pickle

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo.utils import wrappers

from catan_pz import Game, action_id, catan_v0
from catan_pz.game.game import IllegalActionError
from catan_pz.observation.segments import SEGMENTS, SIZE
from catan_pz.rules import Rules
from tests.env.play import everything, play_random

pytestmark = pytest.mark.purepython


@pytest.fixture
def env():
    env = catan_v0.raw_env(num_players=3)
    env.reset(seed=7)
    return env


def test_spaces_are_those_of_the_contract(env):
    for agent in env.possible_agents:
        space = env.observation_space(agent)
        assert space is env.observation_space(agent)
        assert space == spaces.Dict(
            {
                "observation": spaces.Box(0, 1, (SIZE,), np.float32),
                "action_mask": spaces.Box(0, 1, (389,), np.int8),
            }
        )
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent) == spaces.Discrete(389)
    assert catan_v0.raw_env(trading=False).action_space("player_0").n == 252


def test_everybody_can_be_observed_in_every_step_and_after_the_last(env):
    rng = np.random.default_rng(1)
    for _ in range(400):
        for agent in env.possible_agents:
            observation = env.observe(agent)
            assert env.observation_space(agent).contains(observation)
            assert observation["action_mask"].any() == (agent == env.agent_selection)
        env.step(rng.choice(env.game.legal_actions()))
    play_random(env)
    while env.agents:
        env.step(None)
    for agent in env.possible_agents:
        observation = env.observe(agent)
        assert env.observation_space(agent).contains(observation)
        assert not observation["action_mask"].any()


def test_dict_observations_are_the_segments_of_the_flat_one():
    flat, named = catan_v0.raw_env(), catan_v0.raw_env(observation="dict")
    for env in (flat, named):
        env.reset(seed=3)
        play_random(env, 200)
    for agent in flat.possible_agents:
        parts = named.observe(agent)
        assert named.observation_space(agent).contains(parts)
        assert list(parts["observation"]) == [segment.name for segment in SEGMENTS]
        joined = np.concatenate([parts["observation"][s.name].ravel() for s in SEGMENTS])
        np.testing.assert_array_equal(joined, flat.observe(agent)["observation"])


def test_all_agents_end_on_the_step_that_wins():
    env = catan_v0.raw_env(trading=False, victory_points=4)
    env.reset(seed=1)
    play_random(env)
    winner = env.game.winner
    assert env.agents == env.possible_agents
    assert set(env.terminations.values()) == {True}
    assert set(env.truncations.values()) == {False}
    assert list(env.rewards.values()) == [1.0 if p == winner else -1.0 for p in range(4)]
    assert env._cumulative_rewards == env.rewards
    assert set(map(len, env.infos.values())) == {0}


def test_all_agents_are_truncated_on_the_same_step():
    env = catan_v0.raw_env(trading=False, max_turns=5)
    env.reset(seed=1)
    play_random(env)
    assert env.game.turn == 5
    assert set(env.terminations.values()) == {False}
    assert set(env.truncations.values()) == {True}
    assert set(env.rewards.values()) == {0.0}
    for _ in range(4):
        env.step(None)
    assert env.agents == []


def test_rewards_accumulate_until_an_agent_has_acted():
    env = catan_v0.raw_env(trading=False, reward="win_and_terms")
    env.reset(seed=2)
    due = dict.fromkeys(env.agents, 0.0)
    rng = np.random.default_rng(2)
    for _ in range(2000):
        agent = env.agent_selection
        _, reward, terminated, _, _ = env.last()
        assert reward == pytest.approx(due[agent])
        if terminated:
            break
        due[agent] = 0.0
        env.step(rng.choice(env.game.legal_actions()))
        for other, paid in env.rewards.items():
            due[other] += paid
    assert terminated


@pytest.mark.parametrize("action", [0, 1, 388, 389, -1, 10**30])
def test_an_illegal_action_is_refused_and_changes_nothing(env, action):
    before = everything(env)
    with pytest.raises(IllegalActionError, match="phase 'setup_settlement'"):
        env.step(action)
    assert everything(env) == before


def test_options_replace_those_of_the_rules():
    env = catan_v0.raw_env(rules="one_v_one", victory_points=7)
    assert env.rules == Rules.make("one_v_one", victory_points=7)
    assert catan_v0.raw_env(rules=Rules(num_players=2)).possible_agents == ["player_0", "player_1"]


@pytest.mark.parametrize("make", [catan_v0.raw_env, catan_v0.env, catan_v0.parallel_env])
def test_a_state_is_no_option_of_reset(make):
    env = make(num_players=3)
    env.reset(seed=7, options={"options": 1})  # as PettingZoo's tests do
    state = env.unwrapped.snapshot()
    with pytest.raises(ValueError, match=r"options=.* allowed: no state; restore\(state\)"):
        env.reset(seed=8, options={"state": state})
    assert env.unwrapped.snapshot() == state


def test_the_seed_determines_this_game_and_those_that_follow():
    one, two, other = catan_v0.raw_env(), catan_v0.raw_env(), catan_v0.raw_env()
    for env, seed in ((one, 11), (two, 11), (other, 12)):
        env.reset(seed=seed)
        play_random(env, 100)
    assert one.snapshot() == two.snapshot() != other.snapshot()
    for env in (one, two, other):
        env.reset()
    assert one.snapshot() == two.snapshot() != other.snapshot()


def test_raw_env_needs_a_reset_at_first_and_at_the_end():
    env = catan_v0.raw_env(max_turns=1, trading=False)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)
    env.reset(seed=1)
    play_random(env)
    while env.agents:
        env.step(None)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)


def test_the_wrapped_environment_ends_on_an_illegal_action(caplog):
    env = catan_v0.env(trading=False)
    env.reset(seed=1)
    play_random(env, 20)
    offender = env.agent_selection
    illegal = int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0])
    env.step(illegal)
    assert "is illegal: " in caplog.text
    assert set(env.terminations.values()) == {True}
    assert env.rewards == {a: -1.0 if a == offender else 0 for a in env.possible_agents}
    while env.agents:
        env.step(None)
    env.reset(seed=1)
    assert set(env.terminations.values()) == {False}


def test_the_wrapped_environment_refuses_what_is_no_action():
    env = catan_v0.env(trading=False)
    env.reset(seed=1)
    for action in (252, -1, None, "roll", True):
        with pytest.raises(AssertionError, match=r"action=.* an int from 0 to 251"):
            env.step(action)


def test_the_wrappers_are_pettingzoos_and_keep_their_order():
    env = catan_v0.env()
    order = (
        wrappers.OrderEnforcingWrapper,
        wrappers.AssertOutOfBoundsWrapper,
        wrappers.TerminateIllegalWrapper,
    )
    for wrapper in order:
        assert isinstance(env, wrapper)
        env = env.env
    assert isinstance(env, catan_v0.raw_env)


@pytest.mark.parametrize("seed", range(6))
def test_the_wrappers_behave_as_pettingzoos_do(seed):
    """The same play, illegal actions included, through these wrappers and PettingZoo's own."""
    own = catan_v0.env(trading=False, victory_points=4)
    theirs = wrappers.TerminateIllegalWrapper(
        catan_v0.raw_env(trading=False, victory_points=4), illegal_reward=-1.0
    )
    theirs = wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(theirs))
    rng = np.random.default_rng(seed)
    for env in (own, theirs):
        env.reset(seed=seed)
    illegal_at = rng.integers(1000)
    for decision in range(1500):
        if not own.agents:
            break
        (seen, *rest), (seen_theirs, *rest_theirs) = own.last(), theirs.last()
        assert rest == rest_theirs
        if decision > illegal_at:  # PettingZoo's go on showing the mask of a game that is on
            seen_theirs["action_mask"][:] = 0
        for key, array in seen.items():
            np.testing.assert_array_equal(array, seen_theirs[key])
        legal = np.flatnonzero(seen["action_mask"] == (decision != illegal_at))
        action = None if rest[1] or rest[2] else int(rng.choice(legal))
        for env in (own, theirs):
            env.step(action)
        assert everything(own.unwrapped)[2:] == everything(theirs.unwrapped)[2:]
    assert not own.agents


def test_rendering_follows_the_game_in_a_window(monkeypatch):
    shown = []
    monkeypatch.setattr("catan_pz.env.painter.Painter.render", lambda _, game: shown.append(game))
    env = catan_v0.raw_env(render_mode="human", trading=False)
    env.reset(seed=1)
    play_random(env, 5)
    assert len(shown) == 6


def test_pictures_tell_what_happened_last():
    env = catan_v0.raw_env(render_mode="ansi", trading=False)
    env.reset(seed=1)
    assert "builds" not in env.render()
    for line in ("Player 0 builds a settlement", "Player 0 builds a road"):
        env.step(int(env.game.legal_actions()[0]))
        assert env.render().split("\n")[-1] == line
    twin = pickle.loads(pickle.dumps(env))
    assert twin.render() == env.render()
    env.game.reset(2)
    assert "builds" not in env.render()


def test_rendering_without_a_mode_warns():
    env = catan_v0.raw_env()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def to_the_roll(env):
    """Play up to the first roll."""
    roll = action_id("roll")
    while not env.unwrapped.game.mask[roll]:
        env.step(int(np.flatnonzero(env.unwrapped.game.mask)[0]))
    return roll


@pytest.mark.parametrize("make", [catan_v0.raw_env, catan_v0.env])
def test_a_step_can_name_its_outcome(make):
    env = make(num_players=3)
    env.reset(seed=7)
    other = Game(seed=7, num_players=3)
    roll = to_the_roll(env)
    while not other.mask[roll]:
        other.step(int(np.flatnonzero(other.mask)[0]))
    for outcome in ((7, 1), "ore", (True, True)):
        with pytest.raises(ValueError, match="can't come of"):
            env.step_with_outcome(roll, outcome)
    with pytest.raises(IllegalActionError):
        env.step_with_outcome(action_id("end_turn"), (3, 4))
    env.last()
    env.step_with_outcome(roll, [3, 4])
    other.step(roll, (3, 4))
    raw = env.unwrapped
    assert raw.snapshot() == other.snapshot()
    assert env.agent_selection == f"player_{other.player}"
    # The mask of the state before is forgotten: the next action is judged by the new one.
    action = int(np.flatnonzero(other.mask)[0])
    env.step(action)
    assert not any(env.terminations.values())


@pytest.mark.parametrize("make", [catan_v0.env, catan_v0.parallel_env])
def test_what_was_seen_before_a_restore_is_forgotten(make):
    env = make(num_players=2, trading=False)
    env.reset(seed=3)
    raw = env.unwrapped
    saved, first = raw.snapshot(), int(raw.game.legal_actions()[0])
    if make is catan_v0.env:
        env.step(first)
        env.last()
        raw.restore(saved)
        env.step(first)
    else:
        env.step({raw.agent_selection: first})
        raw.restore(saved)
        env.step({raw.agent_selection: first})
    assert not any(raw.terminations.values())
    assert raw.game.mask[first] == 0
    raw.restore(saved)
    if make is catan_v0.env:
        env.step(0)
        assert env.rewards["player_0"] == -1
