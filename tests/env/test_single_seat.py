import pickle

import gymnasium
import gymnasium.utils.env_checker
import numpy as np
import pytest

from catan_pz.actions import BUILD_CITY, action_id
from catan_pz.agents.base import Agent
from catan_pz.agents.random import RandomAgent
from catan_pz.board.topology import HEX_VERTICES
from catan_pz.env.single_seat import SingleSeatEnv
from catan_pz.game.game import Game, IllegalActionError
from catan_pz.game.position import position
from catan_pz.rules import Rules
from tests.helpers import CITY

pytestmark = pytest.mark.purepython

CORNERS = [int(v) for v in HEX_VERTICES[0]]
CONFIGURATIONS = [
    {},
    {"trading": False, "skip_forced": True},
    {"rules": "one_v_one"},
    {"observation": "dict", "num_players": 3, "trading": False, "seat": "random"},
]


def play(env, decisions=10**9, seed=0):
    """Play at random to the end of an episode; what the steps gave."""
    rng, steps = np.random.default_rng(seed), []
    for _ in range(decisions):
        steps.append(env.step(rng.choice(np.flatnonzero(env.action_masks()))))
        if steps[-1][2] or steps[-1][3]:
            break
    return steps


@pytest.mark.parametrize("options", CONFIGURATIONS, ids=str)
# SB3 would rather have flat arrays than the shaped segments of dict observations.
@pytest.mark.filterwarnings("ignore:Your observation .* has an unconventional shape:UserWarning")
@pytest.mark.filterwarnings("ignore:.*an illegal action ended:UserWarning")
def test_the_checks_of_the_libraries_pass(options):
    env_checker = pytest.importorskip(
        "stable_baselines3.common.env_checker", reason="takes the extra `train`"
    )
    env_checker.check_env(SingleSeatEnv(**options))
    env = gymnasium.make("catan_pz/SingleSeat-v0", **options).unwrapped
    gymnasium.utils.env_checker.check_env(env, skip_render_check=True)


@pytest.mark.parametrize("options", CONFIGURATIONS, ids=str)
def test_it_is_always_the_learners_decision(options):
    env = SingleSeatEnv(**options)
    observation, info = env.reset(seed=1)
    for _ in range(30):
        assert list(info) == ["action_mask"]
        assert info["action_mask"].dtype == np.int8
        np.testing.assert_array_equal(info["action_mask"], env.game.mask)
        assert env.observation_space.contains(observation)
        assert env.game.player == env.seat
        masks = env.action_masks()
        assert masks.dtype == np.bool_
        np.testing.assert_array_equal(masks, env.game.mask)
        observation, _, terminated, truncated, info = play(env, 1)[0]
        assert (terminated, truncated) == (False, False)


@pytest.mark.parametrize("seat", [0, 3])
def test_win_and_loss_reach_the_learner_in_every_seat(seat):
    outcomes = set()
    env = SingleSeatEnv(seat=seat, trading=False, victory_points=4)
    for seed in range(8):
        env.reset(seed=seed)
        steps = play(env, seed=seed)
        _, reward, *ends, info = steps[-1]
        assert ends == [True, False]
        assert reward == (1.0 if env.game.winner == seat else -1.0)
        assert all(step[1] == 0.0 and list(step[4]) == ["action_mask"] for step in steps[:-1])
        assert info.pop("action_mask").all()
        told = {"won": int(reward == 1.0), "points": env.game.points[seat], "turns": env.game.turn}
        assert info == told | {"decisions": len(steps), "illegal": 0}
        outcomes.add(reward)
    assert outcomes == {1.0, -1.0}
    env = SingleSeatEnv(seat=seat, trading=False, max_turns=3)
    env.reset(seed=1)
    _, reward, *ends, info = play(env)[-1]
    assert (*ends, reward, info["turns"], info["won"]) == (False, True, 0.0, 3, 0)


def test_an_opponents_win_is_in_the_reward_of_the_decision_before_it():
    rules, city = Rules(num_players=2, trading=False, victory_points=4), BUILD_CITY + CORNERS[0]

    class Builder(Agent):
        def act(self, view):
            return city if view.mask[city] else int(np.flatnonzero(view.mask)[0])

    env = SingleSeatEnv(rules=rules, opponents=Builder(), reward="win_and_lead")
    theirs = {"settlements": [CORNERS[0]], "cities": [CORNERS[2]], "hand": CITY}
    state = position([{}, theirs], rules=rules, seed=2).snapshot()
    env.reset(seed=1, options={"state": state})
    _, reward, terminated, _, info = env.step(action_id("end_turn"))
    assert terminated
    assert reward == pytest.approx(-0.75 - 0.02 * 4)
    assert (info["won"], info["decisions"]) == (0, 1)


def test_an_illegal_action_ends_the_episode_or_raises():
    env = SingleSeatEnv()
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        env.step(0)
    env.reset(seed=1)
    before = env.game.games.tobytes()
    with pytest.warns(
        UserWarning, match="ended the episode with reward -1: .* roll belongs to phase"
    ):
        _, reward, terminated, truncated, info = env.step(action_id("roll"))
    assert (reward, terminated, truncated, info["illegal"]) == (-1.0, True, False, 1)
    assert info["action_mask"].all()
    assert env.game.games.tobytes() == before
    env = SingleSeatEnv(illegal="raise")
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match="setup_settlement"):
        env.step(action_id("roll"))
    assert env.action_masks().any()


def test_a_pickled_one_has_the_same_future():
    env = SingleSeatEnv(opponents=RandomAgent(), seat="random", trading=False)
    env.reset(seed=5)
    play(env, 20)
    twin = pickle.loads(pickle.dumps(env))
    for one, other in zip(play(env, 60, seed=1), play(twin, 60, seed=1), strict=True):
        assert one[0].tobytes() == other[0].tobytes()
        assert one[1:4] == other[1:4]
        np.testing.assert_array_equal(one[4].pop("action_mask"), other[4].pop("action_mask"))
        assert one[4] == other[4]
    assert env.reset()[0].tobytes() == twin.reset()[0].tobytes()


def test_opponents_that_need_a_belief_get_one():
    class Believer(Agent):
        needs_belief = True
        resampled = 0

        def act(self, view):
            game = view.resample(np.random.default_rng(self.random.next()))
            np.testing.assert_array_equal(game.observe(self.seat), view.observation)
            Believer.resampled += 1
            return int(np.flatnonzero(view.mask)[-1])

    env = SingleSeatEnv(opponents=Believer(), num_players=3, trading=False, max_turns=20)
    state = middle(env, seat_to_move=1)
    for options in (None, {"state": state}, None):
        resampled = Believer.resampled
        env.reset(seed=1, options=options)
        play(env)
        assert Believer.resampled > resampled + 10


def middle(env, seat_to_move):
    game, rng = Game(env.game.rules, seed=4), np.random.default_rng(4)
    while game.turn < 8 or game.player != seat_to_move:
        game.step(rng.choice(game.legal_actions()))
    return game.snapshot()


@pytest.mark.parametrize(("seat", "seat_to_move"), [(0, 0), (1, 0), (0, 1), ("random", 2)])
def test_an_episode_starts_from_a_state(seat, seat_to_move):
    opponent = Counted()
    env = SingleSeatEnv(seat=seat, opponents=opponent, num_players=3, trading=False, max_turns=20)
    state = middle(env, seat_to_move)
    seen, info = env.reset(seed=1, options={"state": state})
    assert env.game.player == env.seat
    np.testing.assert_array_equal(info["action_mask"], env.game.mask)
    if env.seat == seat_to_move:
        assert env.game.snapshot() == state
    again, _ = env.reset(seed=1, options={"state": state})
    np.testing.assert_array_equal(again, seen)
    assert (opponent.calls.count("reset"), opponent.calls.count("close")) == (4, 2)
    assert play(env)[-1][4]["turns"] == 20


def test_states_that_no_episode_can_start_from_are_refused_and_the_episode_goes_on():
    rules = Rules(num_players=2, trading=False, max_turns=20)
    env = SingleSeatEnv(rules=rules)
    env.reset(seed=1)
    before = env.game.games.tobytes()
    state = env.game.snapshot()
    other = Game(Rules.make(rules, victory_points=5), seed=1).snapshot()
    finished = Game(rules, seed=1)
    while not finished.is_truncated:
        finished.step(int(finished.legal_actions()[0]))
    for wrong, said in (
        (None, "state: expected object, got null"),
        (state | {"bank": state["bank"] | {"ore": 3}}, "breaks the rules"),
        (other, r"differ in the rules \['victory_points'\]$"),
        (finished.snapshot(), "finished"),
    ):
        with pytest.raises(ValueError, match=said):
            env.reset(seed=2, options={"state": wrong})
        assert env.game.games.tobytes() == before
        assert env.action_masks().any()
    play(env, 3)
    last = position([{}, {}], rules=rules, turn=19, turn_player=1, player_to_move=1)
    with pytest.raises(ValueError, match="the game ends before seat 0 decides"):
        env.reset(seed=1, options={"state": last.snapshot()})


@pytest.mark.parametrize(
    "change",
    [
        lambda env: env.game.restore(middle(env, seat_to_move=0)),
        lambda env: [env.game.step(int(env.game.legal_actions()[0])) for _ in range(2)],
    ],
)
def test_a_game_that_was_changed_from_outside_is_refused(change):
    env = SingleSeatEnv(num_players=2, trading=False)
    env.reset(seed=1)
    change(env)
    before = env.game.games.tobytes()
    for call in (env.action_masks, lambda: env.step(int(env.game.legal_actions()[0]))):
        with pytest.raises(RuntimeError, match="changed from outside"):
            call()
    assert env.game.games.tobytes() == before


class Counted(Agent):
    def __init__(self):
        self.calls = []

    def reset(self, seat, rules, seed):
        super().reset(seat, rules, seed)
        self.calls.append("reset")

    def act(self, view):
        return int(view.mask.argmax())

    def end(self, result):
        self.calls.append(result.reason)

    def close(self):
        self.calls.append("close")


@pytest.mark.filterwarnings("ignore:.*an illegal action ended:UserWarning")
def test_opponents_are_told_the_end_of_each_episode_and_closed():
    opponent = Counted()
    env = SingleSeatEnv(opponents=opponent, num_players=2, trading=False, max_turns=20)
    env.reset(seed=1)
    play(env)
    assert opponent.calls == ["reset", "truncated", "close"]
    env.reset(seed=2)
    env.reset(seed=3)
    assert opponent.calls[3:] == ["reset", "aborted", "close", "reset"]
    env.step(-1)  # illegal: the episode is over
    assert opponent.calls[7:] == ["aborted", "close"]
    env.reset(seed=4)
    env.close()
    env.close()
    assert opponent.calls[9:] == ["reset", "aborted", "close"]


def test_masks_of_gymnasiums_vectors_can_be_sampled_from_over_many_ends():
    """With next-step autoreset the mask after an end is sampled from, too."""
    options = {"num_players": 2, "trading": False, "max_turns": 20, "vectorization_mode": "sync"}
    envs = gymnasium.make_vec("catan_pz.catan_v0:catan_pz/SingleSeat-v0", num_envs=2, **options)
    _, infos = envs.reset(seed=1)
    ends, rng = 0, np.random.default_rng(1)
    while ends < 20:
        masks = infos["action_mask"]
        assert masks.any(axis=1).all()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        _, _, terminated, truncated, infos = envs.step(actions)
        ends += int((terminated | truncated).sum())
    envs.close()
