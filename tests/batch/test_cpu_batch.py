"""The batch on the CPU: the same games as single ones, whatever its size and threads."""

from typing import Any

import numpy as np
import pytest

from catan_pz import Game, IllegalActionError
from catan_pz.batch import base
from catan_pz.batch.cpu import CpuBatch
from catan_pz.rewards import PointsGained

RULE_SETS = (
    {"trading": False},
    {"offer_form": "both", "num_players": 3, "skip_forced": True},
    {"rules": "one_v_one", "board": "spiral", "first_player": "random"},
)


@pytest.mark.parametrize("options", RULE_SETS)
def test_each_game_is_the_single_game_of_its_seed(options: dict) -> None:
    batch = CpuBatch(5, seed=40, **options)
    games = [Game(seed=40 + i, **options) for i in range(5)]
    for _ in range(300):
        actions = batch.sample().copy()
        batch.step(actions)
        for i, game in enumerate(games):
            game.step(int(actions[i]))
            assert batch.games[i].tobytes() == game.games[0].tobytes()
            assert (batch.mask[i] == game.mask).all()
            assert batch.player[i] == game.player
            assert (batch.observation[i] == game.observe(game.player)).all()
        if batch.done.any():
            break


def test_actions_are_played_as_they_were_checked(monkeypatch) -> None:
    batch, twin = (CpuBatch(8, seed=3) for _ in range(2))
    actions = batch.sample().copy()
    twin.step(actions)
    play = batch._change

    def change(*given: Any) -> None:
        actions[:] = 10**9  # another writer of the same memory, between the check and the play
        play(*given)

    monkeypatch.setattr(batch, "_change", change)
    batch.step(actions)
    assert batch.games.tobytes() == twin.games.tobytes()


def test_threads_and_batch_size_change_nothing(monkeypatch) -> None:
    monkeypatch.setattr(base, "FEWEST_GAMES_AT_ONCE", 4)
    batches = [
        CpuBatch(size, trading=False, seed=7, threads=threads, max_turns=60, observation="flat")
        for size, threads in ((16, 1), (16, 2), (16, 3), (3, 1))
    ]
    ended = 0
    for _ in range(600):
        actions = batches[0].sample().copy()
        for batch in batches:
            size = batch.num_games
            batch.step(actions[:size])
            for name in ("games", "observation", "mask", "reward"):
                ours, theirs = getattr(batch, name), getattr(batches[0], name)[:size]
                assert ours.tobytes() == theirs.tobytes(), name
        ended += int(batches[0].done.sum())
    assert ended > 16
    for batch in batches:
        batch.close()


@pytest.mark.purepython
def test_a_finished_game_is_followed_by_the_next_at_once() -> None:
    batch = CpuBatch(4, trading=False, seed=1, max_turns=10)
    seeds = batch.seeds.copy()
    while not batch.done.any():
        batch.step(batch.sample())
    ended = batch.done
    assert (batch.truncated == ended).all()
    assert (batch.games["turn"][ended] == 0).all()
    assert batch.mask.any(axis=1).all()
    assert ((batch.seeds != seeds) == ended).all()


def test_rewards_reach_every_seat() -> None:
    batch = CpuBatch(8, num_players=2, trading=False, seed=3)
    while not batch.done.any():
        batch.step(batch.sample())
    assert sorted(batch.reward[batch.done][0]) == [-1, 1]
    assert not batch.reward[~batch.done].any()

    linear = CpuBatch(4, trading=False, seed=3, reward=PointsGained())
    called = CpuBatch(4, trading=False, seed=3, reward=lambda terms, _: terms[:, :, 2] * 1.0)
    for _ in range(100):
        actions = linear.sample()
        linear.step(actions)
        called.step(actions)
        assert (linear.reward == called.reward).all()
    assert linear.reward.shape == (4, 4)


@pytest.mark.purepython
def test_an_illegal_action_names_the_game_and_touches_none() -> None:
    batch = CpuBatch(6, trading=False, seed=3)
    before = batch.games.tobytes()
    actions = batch.sample().copy()
    actions[4] = 1
    with pytest.raises(IllegalActionError, match=r"game 4: phase 'setup_settlement'"):
        batch.step(actions)
    for wrong in (-1, 252, 2**40):
        actions[4] = wrong
        with pytest.raises(IllegalActionError, match=r"game 4: .*doesn't exist"):
            batch.step(actions)
    for odd in (actions[:3], actions.astype(float)):
        with pytest.raises((ValueError, TypeError), match="actions must"):
            batch.step(odd)
    assert batch.games.tobytes() == before


def test_actions_may_be_of_any_integer_type_and_sealed() -> None:
    batches = [CpuBatch(6, trading=False, seed=3, threads=2) for _ in range(4)]
    for _ in range(50):
        actions = batches[0].sample().copy()
        strided = np.repeat(actions, 2)[::2]
        sealed = actions.astype(np.int16)
        sealed.flags.writeable = False
        kinds = (actions, strided, sealed, np.frombuffer(actions.tobytes(), np.int64))
        for batch, kind in zip(batches, kinds, strict=True):
            batch.step(kind)
            assert batch.games.tobytes() == batches[0].games.tobytes()


def test_samples_are_legal_and_spread() -> None:
    batch = CpuBatch(2000, trading=False, seed=0, observation=False)
    actions = batch.sample()
    assert batch.mask[np.arange(2000), actions].all()
    counts = np.bincount(actions - 74, minlength=54)
    assert 15 < counts.min() <= counts.max() < 65


@pytest.mark.parametrize("observation", ["units", False])
def test_a_batch_goes_on_from_a_state(observation) -> None:
    """Masks, observations and seats to move follow from the games."""
    batch, other = (CpuBatch(3, seed=seed, observation=observation) for seed in (1, 2))
    batch.play_random(30)
    other.set_state(batch.get_state())
    for _ in range(2):
        for name in ("games", "mask", "player", "observation"):
            np.testing.assert_array_equal(getattr(other, name), getattr(batch, name), name)
        for one in (batch, other):
            one.play_random(30)


@pytest.mark.parametrize("threads", [1, 2])
def test_positions_take_the_places_of_games(monkeypatch, threads) -> None:
    monkeypatch.setattr(base, "FEWEST_GAMES_AT_ONCE", 2)
    batch = CpuBatch(6, trading=False, seed=1, threads=threads, observation="flat")
    alone = CpuBatch(6, trading=False, seed=1, observation="flat")
    game = Game(trading=False, seed=77)
    for _ in range(60):
        game.step(int(game.legal_actions()[-1]))
    batch.place_games([4, 1], np.concatenate([game.games, alone.games[5:6]]))
    assert batch.games[4].tobytes() == game.games[0].tobytes()
    assert (batch.mask[4] == game.mask).all()
    assert batch.player[4] == game.player
    assert (batch.units[4] == game.observe(game.player)).all()
    for name in ("games", "mask", "player", "observation"):
        there, here = getattr(alone, name)[[0, 5, 2, 3, 5]], getattr(batch, name)[[0, 1, 2, 3, 5]]
        assert here.tobytes() == there.tobytes()
    assert (batch.seeds == alone.seeds).all()
    for _ in range(100):
        actions = batch.sample().copy()
        batch.step(actions)
        game.step(int(actions[4]))
        if batch.done[4]:
            break
        assert batch.games[4].tobytes() == game.games[0].tobytes()
    batch.close()


@pytest.mark.parametrize(
    ("numbers", "change", "named"),
    [
        ([0, 0], {}, "each game once"),
        ([0, 3], {}, "between 0 and 2"),
        ([-1, 0], {}, "between 0 and 2"),
        ([0], {}, "must have"),
        ([0.5, 1.0], {}, "must be integers"),
        ([0, 1], {"winner": 3}, "winner"),
        ([0, 1], {"longest_road_owner": 0}, "breaks the rules"),
    ],
)
def test_positions_that_are_not_possible_change_nothing(numbers, change, named) -> None:
    batch = CpuBatch(3, num_players=3, trading=False, seed=1, max_turns=20)
    before = batch.games.tobytes()
    given = batch.games[1:].copy()
    for field, value in change.items():
        given[field][0] = value
    with pytest.raises((TypeError, ValueError), match=named):
        batch.place_games(numbers, given)
    assert batch.games.tobytes() == before
    batch.step(batch.sample())


def test_positions_of_other_rules_are_refused() -> None:
    batch, game = CpuBatch(2, trading=False, seed=1), Game(seed=1)
    with pytest.raises(ValueError, match="trading"):
        batch.place_games([0], game.games)
    for given in (game, game.snapshot(), [game.snapshot()], game.mask):
        with pytest.raises(ValueError, match=r"`games` of a Game; .*from_snapshot\(state\)\.games"):
            batch.place_games([0], given)


def test_finished_games_are_no_positions() -> None:
    over = CpuBatch(2, trading=False, seed=1, max_turns=9, auto_reset=False)
    while not over.done[0]:
        over.play_random()
    with pytest.raises(ValueError, match=r"games\[0\] is finished"):
        CpuBatch(2, trading=False, seed=1, max_turns=9).place_games([1], over.games[:1])


@pytest.mark.purepython
def test_without_auto_reset_games_that_are_over_wait_for_the_others() -> None:
    batch = CpuBatch(4, num_players=2, trading=False, seed=1, max_turns=3, auto_reset=False)
    ends = np.zeros(4, np.int64)
    while (ends == 0).any():
        actions = batch.sample()
        assert ((actions == -1) == (ends > 0)).all()
        batch.step(actions)
        ends += batch.done
        assert (batch.truncated == batch.done).all()
    batch.step(batch.sample())
    batch.play_random()
    assert not batch.done.any()
    assert ends.tolist() == [1] * 4
    batch.reset_finished()
    with pytest.raises(IllegalActionError, match=r"game 0: .*action -1"):
        batch.step(np.full(4, -1))


@pytest.mark.parametrize("reward", [None, lambda terms, games: terms[:, :, 0] + 1.0])
def test_a_game_that_waits_is_not_paid_again(reward: Any) -> None:
    options: dict[str, Any] = {"victory_points": 3, "auto_reset": False}
    batch = CpuBatch(2, num_players=2, trading=False, seed=1, reward=reward, **options)
    while not batch.done.any():
        batch.step(batch.sample())
    ended = batch.done.copy()
    assert not ended.all()
    assert batch.reward[ended].any()
    batch.step(batch.sample())
    assert not batch.reward[ended].any()


def test_threads_far_beyond_the_cores_are_capped() -> None:
    with pytest.warns(UserWarning, match="threads=1000000 is far beyond this machine's cores"):
        batch = CpuBatch(64, threads=10**6, seed=1, trading=False)
    batch.close()
