import pickle

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo.utils import wrappers

from catan_pz import Game, action_id, catan_v0
from catan_pz.game.game import IllegalActionError
from catan_pz.observation.segments import SIZE
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


@pytest.mark.parametrize("limit", [{"victory_points": 4}, {"max_turns": 5}], ids=str)
def test_all_agents_end_on_the_same_step(limit):
    env = catan_v0.raw_env(trading=False, **limit)
    env.reset(seed=1)
    play_random(env)
    winner = env.game.winner
    paid = [0.0 if winner is None else 1.0 if p == winner else -1.0 for p in range(4)]
    assert env.agents == env.possible_agents
    assert set(env.terminations.values()) == {winner is not None} == {"max_turns" not in limit}
    assert set(env.truncations.values()) == {winner is None}
    assert list(env.rewards.values()) == paid
    assert env._cumulative_rewards == env.rewards
    assert set(map(len, env.infos.values())) == {0}
    for _ in range(4):
        env.step(None)
    assert env.agents == []


def test_an_illegal_action_is_refused_and_changes_nothing(env):
    before = everything(env)
    for action in (0, 388, -1, 10**30):
        with pytest.raises(IllegalActionError, match="phase 'setup_settlement'"):
            env.step(action)
    assert everything(env) == before


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
    for agent in env.possible_agents:  # everybody can be observed after the last step, too
        observation = env.observe(agent)
        assert env.observation_space(agent).contains(observation)
        assert not observation["action_mask"].any()


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


def test_the_wrapped_environment_refuses_what_is_no_action():
    env = catan_v0.env(trading=False)
    env.reset(seed=1)
    for action in (252, -1, None, "roll", True):
        with pytest.raises(AssertionError, match=r"action must be an int from 0 to 251"):
            env.step(action)


@pytest.mark.parametrize("seed", range(3))
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
    assert isinstance(own, wrappers.OrderEnforcingWrapper)
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


@pytest.mark.parametrize("make", [catan_v0.raw_env, catan_v0.env])
def test_a_step_can_name_its_outcome(make):
    env = make(num_players=3)
    env.reset(seed=7)
    other, roll = Game(seed=7, num_players=3), action_id("roll")
    while not other.mask[roll]:
        env.step(int(other.legal_actions()[0]))
        other.step(int(other.legal_actions()[0]))
    with pytest.raises(ValueError, match="is impossible for"):
        env.step_with_outcome(roll, "ore")
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
def test_a_game_goes_on_where_one_that_an_illegal_action_ended_is_restored(make):
    env = make(num_players=2, trading=False)
    env.reset(seed=3)
    raw = env.unwrapped
    saved, first = raw.snapshot(), int(raw.game.legal_actions()[0])
    for action, ended in ((0, True), (first, False)):
        raw.restore(saved)
        assert raw.observe("player_0")["action_mask"][first]
        env.step(action if make is catan_v0.env else {"player_0": action})
        assert ended != any(not raw.terminations[agent] for agent in env.agents)


def first_legal(seen):
    return int(np.flatnonzero(seen["action_mask"])[0])


def test_outcomes_can_be_named_in_pettingzoos_loop():
    env = catan_v0.env(num_players=2, trading=False)
    env.reset(seed=3)
    named = 0
    for _agent in env.agent_iter(60):
        seen = env.last()[0]
        if seen["action_mask"][action_id("roll")]:
            env.step_with_outcome(action_id("roll"), (3, 4))
            assert env.unwrapped.snapshot()["dice"] == [3, 4]
            named += 1
        else:
            env.step(first_legal(seen))
    assert named > 3


@pytest.mark.parametrize("mask_in_info", [False, True])
def test_masks_show_no_game_once_an_illegal_action_has_ended_it(mask_in_info):
    env = catan_v0.env(num_players=3, trading=False, mask_in_info=mask_in_info)
    env.reset(seed=1)
    play_random(env, 20)
    before = {agent: dict(info) for agent, info in env.infos.items()}
    masks = [info["action_mask"].copy() for info in before.values() if mask_in_info]
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))
    assert all(env.terminations.values())
    for agent in env.possible_agents:
        assert not env.observe(agent)["action_mask"].any()
        assert set(env.infos[agent]) == set(before[agent])
        assert not mask_in_info or env.infos[agent]["action_mask"].all()
    for info, mask in zip(before.values(), masks, strict=False):
        np.testing.assert_array_equal(info["action_mask"], mask)
    while env.agents:
        env.step(None)
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
    env.reset(seed=2)
    assert env.last()[0]["action_mask"].any()


def test_the_parallel_environment_names_the_agent_to_move():
    env = catan_v0.parallel_env(trading=False)
    env.reset(seed=1)
    before = env.unwrapped.snapshot()
    for actions in ({"player_1": 74}, None):
        with pytest.raises(ValueError, match=r"actions.* a dict with .* 'player_0'"):
            env.step(actions)
    assert env.unwrapped.snapshot() == before
    env.step({"player_0": int(env.unwrapped.game.legal_actions()[0])})


@pytest.mark.parametrize("mask_in_info", [False, True])
def test_infos_of_the_parallel_environment(mask_in_info):
    env = catan_v0.parallel_env(trading=False, max_turns=20, mask_in_info=mask_in_info)
    observations, infos = env.reset(seed=1)
    for agent in env.possible_agents:
        env.action_space(agent).seed(1)
    while env.agents:
        (mover,) = [a for a, seen in observations.items() if seen["action_mask"].any()]
        for agent, info in infos.items():
            assert list(info) == ["action_mask"] * mask_in_info
            if mask_in_info and agent == mover:
                np.testing.assert_array_equal(
                    *(d["action_mask"] for d in (info, observations[mover]))
                )
            elif mask_in_info:
                assert (info["action_mask"].dtype, info["action_mask"].all()) == (np.int8, True)
        # As a library does that samples from every agent's masked policy.
        masks = infos if mask_in_info else observations
        actions = {a: env.action_space(a).sample(m["action_mask"]) for a, m in masks.items()}
        observations, _, _, truncations, infos = env.step(actions)
    assert all(truncations.values())
    assert env.step({}) == ({}, {}, {}, {}, {})


def test_what_was_observed_is_the_callers():
    env = catan_v0.env(num_players=2)
    env.reset(seed=1)
    seen = env.last()[0]
    action = first_legal(seen)
    seen.pop("action_mask")[:] = 1
    env.step(action)
    env.last()[0]["action_mask"][:] = 1
    env.step(action_id("roll"))
    assert all(env.terminations.values())
