"""Rollouts of self-play against a slow calculation, seat by seat."""

from copy import copy

import numpy as np
import pytest

from catan_pz.encoders.arrays import each
from catan_pz.env.self_play import SelfPlayBatch
from catan_pz.env.self_play_rollout import SelfPlayRollout

GAMMA, LAMBDA = 0.9, 0.8
OPTIONS = {"trading": False, "victory_points": 3, "max_turns": 25, "reward": "win_and_terms"}


def record(batch, num_steps, rollout=None):
    """Play at random through a rollout; what each step showed, to calculate from."""
    rollout = rollout or SelfPlayRollout(batch, num_steps)
    rng, log = np.random.default_rng(4), []
    for _ in range(num_steps):
        values = rng.normal(size=batch.num_games).astype(np.float32)
        actions, players = batch.sample().copy(), batch.player.copy()
        observation, mask = each(batch.observation, copy), batch.mask.copy()
        rollout.step(actions, values, log_probability=-values)
        log.append(
            {
                "player": players,
                "action": actions,
                "value": values,
                "log_probability": -values,
                "observation": observation,
                "mask": mask,
                "step_reward": batch.step_reward.copy(),
                "done": batch.done.copy(),
                "truncated": batch.truncated.copy(),
            }
        )
    last_values = rng.normal(size=batch.num_games).astype(np.float32)
    waiting = batch.player.copy()
    data = rollout.finish(last_values, gamma=GAMMA, gae_lambda=LAMBDA)
    return data, log, last_values, waiting


def decisions_of(log, game, seat):
    """A seat's decisions, game by game: lists of [step, value, reward], and how each ended."""
    found, current = [], []
    for t, step in enumerate(log):
        if step["player"][game] == seat:
            current.append([t, step["value"][game], 0.0])
        if current:
            current[-1][2] += float(step["step_reward"][game, seat])
        if step["done"][game]:
            found.append((current, "truncated" if step["truncated"][game] else "over"))
            current = []
    return [*found, (current, "goes on")]


def reference(log, last_values, waiting, game, seat):
    """Step to (reward, advantage, next step) of a seat's complete decisions."""
    expected = {}
    for decisions, end in decisions_of(log, game, seat):
        following, advantage, then = 0.0, 0.0, -1
        rows = list(decisions)
        if end == "goes on" and waiting[game] == seat:
            following, then = float(last_values[game]), len(log)
        elif end != "over" and rows:
            dropped = rows.pop()
            following, then = float(dropped[1]), dropped[0]
        for t, value, reward in reversed(rows):
            advantage = reward + GAMMA * following - value + GAMMA * LAMBDA * advantage
            expected[t] = reward, advantage, then
            following, then = float(value), t
    return expected


@pytest.mark.parametrize("options", [OPTIONS, OPTIONS | {"num_players": 2, "max_turns": 1000}])
def test_rollouts_are_as_calculated_seat_by_seat(options):
    batch = SelfPlayBatch(6, seed=2, observation=False, **options)
    rollout = SelfPlayRollout(batch, 150)
    complete, ends = 0, set()
    for _ in range(2):  # the second goes on in the middle of games
        data, log, last_values, waiting = record(batch, 150, rollout)
        is_complete = np.zeros_like(data.is_complete)
        for game in range(6):
            for seat in range(batch.num_players):
                ends |= {end for _, end in decisions_of(log, game, seat)}
                expected = reference(log, last_values, waiting, game, seat)
                for t, (reward, advantage, then) in expected.items():
                    is_complete[t, game] = True
                    assert data.reward[t, game] == pytest.approx(reward, rel=1e-4, abs=1e-4)
                    assert data.advantage[t, game] == pytest.approx(advantage, rel=1e-4, abs=1e-3)
                    assert data.next_step[t, game] == then
        np.testing.assert_array_equal(data.is_complete, is_complete)
        values = np.array([step["value"] for step in log])
        np.testing.assert_allclose(data.target, data.advantage + values)
        complete += is_complete.sum()
    assert complete > 0.95 * 2 * 6 * 150
    assert ends >= {"over", "goes on"}
    assert ("truncated" in ends) == (options["max_turns"] == 25)


def test_targets_of_those_who_look_on_are_what_comes_to_them():
    batch = SelfPlayBatch(6, seed=2, observation=False, **OPTIONS)
    data, log, last_values, waiting = record(batch, 150)
    cases = set()
    for game in range(6):
        for seat in range(batch.num_players):
            own = {t for t in range(150) if log[t]["player"][game] == seat}
            for t in range(150):
                reward, then, end = 0.0, t, "goes on"
                while then < 150 and (then == t or then not in own) and end == "goes on":
                    reward += float(log[then]["step_reward"][game, seat])
                    if log[then]["done"][game]:
                        end = "truncated" if log[then]["truncated"][game] else "over"
                    then += 1
                if t in own:
                    case, expected = "own", data.target[t, game]
                    known = data.is_complete[t, game]
                elif end != "goes on":
                    case, known, expected = end, end == "over", reward
                elif then == 150:
                    case, known = "waits", waiting[game] == seat
                    expected = reward + last_values[game]
                else:
                    case, known = "decides", True
                    expected = reward + log[then]["value"][game] + data.advantage[then, game]
                cases.add(case)
                assert data.has_target[t, game, seat] == known
                if known:
                    assert data.targets[t, game, seat] == pytest.approx(expected, abs=1e-3)
    assert cases == {"own", "over", "truncated", "waits", "decides"}


@pytest.mark.parametrize("observation", ["units", "dict"])
def test_complete_decisions_are_what_was_recorded(observation):
    batch = SelfPlayBatch(3, seed=2, observation=observation, **OPTIONS)
    data, log, _, _ = record(batch, 60)
    found = data.complete()
    if observation == "dict":
        found = found | found.pop("observation")
        log = [step | step["observation"] for step in log]
    for name, values in found.items():
        assert len(values) == data.is_complete.sum()
        if name in log[0]:
            expected = np.array([step[name] for step in log])[data.is_complete]
            np.testing.assert_array_equal(values, expected, name)
    np.testing.assert_array_equal(found["target"], data.target[data.is_complete])


def test_trajectories_hold_every_complete_decision_once():
    batch = SelfPlayBatch(6, seed=2, observation=False, **OPTIONS)
    data, log, _, _ = record(batch, 200)
    seen = np.zeros((200, 6), int)
    for game, seat, steps in data.trajectories():
        seen[steps, game] += 1
        assert (data.recorded["player"][steps, game] == seat).all()
        np.testing.assert_array_equal(data.next_step[steps[:-1], game], steps[1:])
        ends = [t for t in range(steps[0], steps[-1]) if log[t]["done"][game]]
        assert not ends
    np.testing.assert_array_equal(seen, data.is_complete)


def test_a_refused_step_leaves_nothing_behind():
    batch = SelfPlayBatch(2, seed=2, observation=False)
    rollout = SelfPlayRollout(batch, 2)
    refused = np.zeros(3, int), np.zeros((2, 2), int), batch.sample().astype(float), [[1], []]
    for actions in refused:
        with pytest.raises((TypeError, ValueError), match="actions"):
            rollout.step(actions, np.zeros(2), more=np.zeros(2), lp=np.zeros(2))
    for _ in range(2):
        rollout.step(batch.sample(), np.zeros(2), more=np.zeros((2, 3), int))
    recorded = rollout.finish(np.zeros(2)).recorded
    assert set(recorded) == {"mask", "player", "action", "value", "more"}
    assert recorded["action"].dtype == np.int64
    assert recorded["more"].shape == (2, 2, 3)


def test_steps_of_other_games_are_noticed_though_there_are_as_many():
    batch = SelfPlayBatch(2, seed=2, observation=False)
    rollout, zeros = SelfPlayRollout(batch, 4), np.zeros(2)
    rollout.step(batch.sample(), zeros)
    batch.reset(3)
    batch.step(batch.sample())
    with pytest.raises(RuntimeError, match=r"clear\(\) first"):
        rollout.step(batch.sample(), zeros)
    rollout.clear()
    for _ in range(4):
        rollout.step(batch.sample(), zeros)
    rollout.finish(zeros)
