import random

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="takes OpenSpiel")

from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import mcts  # noqa: E402

from catan_pz.encoders import load  # noqa: E402
from catan_pz.env.open_spiel import SHORT_NAME  # noqa: E402

pytestmark = pytest.mark.libraries


def play(game, seed, most=10_000):
    """A random game, and its states' chance nodes by number of outcomes."""
    rng = random.Random(seed)
    state, nodes = game.new_initial_state(), []
    while not state.is_terminal() and len(state.history()) < most:
        if state.is_chance_node():
            outcomes, shares = zip(*state.chance_outcomes(), strict=True)
            assert sum(shares) == pytest.approx(1)
            nodes.append(len(outcomes))
            state.apply_action(rng.choices(outcomes, shares)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    return state, nodes


@pytest.mark.parametrize("players", [2, 3, 4])
def test_openspiels_own_simulation_passes(players):
    trading = players == 3
    parameters = {"num_players": players, "max_turns": 12, "trading": trading, "boards": 3}
    pyspiel.random_sim_test(
        pyspiel.load_game(SHORT_NAME, parameters), num_sims=1, serialize=True, verbose=False
    )


def test_all_chance_is_in_chance_nodes():
    game = pyspiel.load_game("python_catan(max_turns=200,boards=5)")
    state, nodes = play(game, seed=1)
    assert nodes[0] == 5
    assert nodes.count(36) == len([n for n in nodes if n > 5])
    again = game.new_initial_state()
    for action in state.history():
        again.apply_action(action)
    assert np.array_equal(again.game.games, state.game.games)
    assert str(again) == str(state)


@pytest.mark.parametrize("players", [2, 4])
def test_the_winner_gets_one_and_the_others_lose_one(players):
    game = pyspiel.load_game("python_catan", {"num_players": players, "victory_points": 3})
    state, _ = play(game, seed=2)
    winner = state.game.winner
    assert state.returns() == [1.0 if seat == winner else -1.0 for seat in range(players)]
    kind = game.get_type()
    zero_sum = pyspiel.GameType.Utility.ZERO_SUM
    assert (kind.utility == zero_sum) == (players == 2)
    assert kind.reward_model == pyspiel.GameType.RewardModel.TERMINAL


def test_points_pay_and_rewards_add_up():
    env = rl_environment.Environment(SHORT_NAME, point_reward=0.5, victory_points=4)
    env.seed(3)
    rng = random.Random(3)
    step = env.reset()
    total = np.zeros(2)
    while not step.last():
        legal = step.observations["legal_actions"][step.observations["current_player"]]
        step = env.step([rng.choice(legal)])
        total += step.rewards
    state = env.get_state
    assert total == pytest.approx(state.returns())
    paid = state.game.points * 0.5
    paid += np.where(np.arange(2) == state.game.winner, 1, -1)
    assert state.returns() == pytest.approx(paid.tolist())


def test_observations_are_the_packages_own():
    game = pyspiel.load_game("python_catan")
    state, _ = play(game, seed=4, most=60)
    for seat in range(2):
        seen = state.game.observe(seat)
        assert np.allclose(state.observation_tensor(seat), load("flat").encode(seen[None])[0])
        assert state.observation_string(seat) == seen.tobytes().hex()
    assert sum(game.new_initial_state().observation_tensor(0)) == 0


def test_tree_search_plays():
    game = pyspiel.load_game("python_catan(max_turns=6)")
    rng = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2, 3, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    state = game.new_initial_state()
    state.apply_action(1)
    assert bot.step(state) in state.legal_actions()
