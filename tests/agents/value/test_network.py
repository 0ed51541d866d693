"""The network of the value: the compiled rules against NumPy, ends of games, calibration."""

import numpy as np
import pytest

from catan_pz.agents.random import EVOLVED
from catan_pz.agents.value.choice import Judge
from catan_pz.agents.value.features import NUM_FEATURES, NUM_SHARED
from catan_pz.agents.value.network import HEIGHT, NET_SIZE, NUM_INPUTS, WIDTH, ValueNet, shipped
from catan_pz.game.game import Game
from catan_pz.rules import Rules
from tests.agents.search.play import duel, play_out
from tests.agents.value.test_features import all_features_of
from tests.helpers import act

RULES = Rules(trading=False)


def net_of(seed: int, rules: Rules = RULES) -> ValueNet:
    weights = np.random.default_rng(seed).normal(0, 0.2, NET_SIZE)
    return ValueNet(rules, weights.astype(np.float32))


def values_in_numpy(net: ValueNet, features: np.ndarray, seats: int) -> np.ndarray:
    """(P,) from the viewer on."""
    sizes = (NUM_INPUTS, WIDTH), (WIDTH,), (WIDTH, HEIGHT), (HEIGHT,), (HEIGHT,)
    ends = np.cumsum([int(np.prod(size)) for size in sizes])
    first, offsets, second, second_offsets, output = (
        part.reshape(size)
        for part, size in zip(np.split(net.weights, ends[:-1]), sizes, strict=True)
    )
    own = features[:-NUM_SHARED].reshape(seats, NUM_FEATURES)
    shared = np.repeat(features[None, -NUM_SHARED:], seats, 0)
    inputs = np.concatenate([own, own.sum(0) - own, shared], 1)
    units = np.maximum(inputs @ first + offsets, 0)
    logits = np.maximum(units @ second + second_offsets, 0) @ output
    odds = np.exp(logits - logits.max())
    return odds / odds.sum()


@pytest.mark.purepython
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_rules_compute_the_network(seats: int) -> None:
    rules = Rules(num_players=seats, trading=False)
    game, net = Game(rules, seed=seats), net_of(1, rules)
    rng, judge = np.random.default_rng(seats), Judge(rules, net)
    for _ in range(60):
        game.step(int(rng.choice(game.legal_actions())))
    for viewer in range(seats):
        expected = values_in_numpy(net, all_features_of(game, viewer), seats)
        expected = np.roll(expected, viewer)
        found = judge.win_probabilities(game.games, viewer)
        np.testing.assert_allclose(found, expected, rtol=1e-4)


@pytest.mark.purepython
def test_ends_are_certain() -> None:
    game = duel({"grain": 2, "ore": 3}, turn=30)
    act(game, "build_city", vertex=6)
    judge = Judge(game.rules, net_of(1, game.rules))
    assert judge.win_probabilities(game.games, 1).tolist() == [1, 0]
    game = duel({}, rules=Rules(num_players=2, trading=False, max_turns=5), turn=4)
    act(game, "end_turn")
    assert game.is_truncated
    assert Judge(game.rules, net_of(1, game.rules)).win_probabilities(game.games, 0).sum() == 0


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_win_probabilities_are_calibrated(seats: int) -> None:
    """In positions of games between evolved players, gathered by what is foretold."""
    rules = Rules(num_players=seats, trading=False)
    judge = Judge(rules, shipped(seats))
    foretold, won = [], []
    for seed in range(150):
        game = Game(rules, seed=10_000 + seed)
        play_out(game.games, EVOLVED, seed, 12 + seed % 36)
        if game.is_over:
            continue
        foretold += judge.win_probabilities(game.games, seed % seats).tolist()
        play_out(game.games, EVOLVED, seed, 10**6)
        won += [game.winner == p for p in range(seats)]
    groups = np.digitize(foretold, [0.1, 0.2, 0.3, 0.45, 0.65])
    for group in range(6):
        here = groups == group
        mean, share = np.mean(np.array(foretold)[here]), np.mean(np.array(won)[here])
        error = (mean * (1 - mean) / here.sum()) ** 0.5
        # Its games are those of stronger players, too.
        assert here.sum() > 20
        assert abs(mean - share) < 0.03 + 3.5 * error, (group, mean, share)
