"""The network of the value: its rules against NumPy, ends of games, calibration, its files."""

import json
from importlib.resources import files

import numpy as np
import pytest

from catan_pz.agents.network import Model
from catan_pz.agents.random import EVOLVED
from catan_pz.agents.value.choice import Judge
from catan_pz.agents.value.features import NUM_FEATURES, NUM_SHARED
from catan_pz.agents.value.network import (
    HEIGHT,
    LARGEST,
    NUM_INPUTS,
    WIDTH,
    ValueNet,
    Workspace,
    clear_base,
    set_base,
    shipped,
    size_of,
    width_of,
    workspace,
    write_values,
)
from catan_pz.engine.state import STATE, States, as_games
from catan_pz.files import read_arrays
from catan_pz.game.game import Game
from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import Float64Matrix
from catan_pz.rules import Rules
from tests.agents.search.play import duel, in_the_middle, play_out
from tests.agents.value.test_features import all_features_of
from tests.helpers import act

RULES = Rules(num_players=3, trading=False)
FOLDER = files("catan_pz.agents.value")


def net_of(seed: int, rules: Rules = RULES, width: int = WIDTH) -> ValueNet:
    weights = np.random.default_rng(seed).normal(0, 0.2, size_of(width))
    return ValueNet(rules, weights.astype(np.float32))


def values_in_numpy(net: ValueNet, features: np.ndarray, seats: int) -> np.ndarray:
    """(P,) from the viewer on."""
    width = width_of(net.weights.size)
    sizes = (NUM_INPUTS, width), (width,), (width, HEIGHT), (HEIGHT,), (HEIGHT,)
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
@pytest.mark.parametrize(("seats", "width"), [(2, WIDTH), (3, WIDTH), (4, WIDTH), (2, 256)])
def test_the_rules_compute_the_network(seats: int, width: int) -> None:
    rules = Rules(num_players=seats, trading=False)
    game, net = Game(rules, seed=seats), net_of(1, rules, width)
    rng, judge = np.random.default_rng(seats), Judge(rules, net)
    for _ in range(60):
        game.step(int(rng.choice(game.legal_actions())))
    for viewer in range(seats):
        expected = values_in_numpy(net, all_features_of(game, viewer), seats)
        expected = np.roll(expected, viewer)
        found = judge.win_probabilities(game.games, viewer)
        np.testing.assert_allclose(found, expected, rtol=1e-4)


@entry
def write_both(games: States, base: int, viewer: int, w: Workspace, values: Float64Matrix) -> None:
    """By what differs from the base, another of the games, and from nothing."""
    for k in range(games.shape[0]):
        set_base(games[base], viewer, w)
        for row in range(2 * k, 2 * k + 2):
            write_values(games[k], viewer, w)
            for p in range(games[k].num_players):
                values[row, p] = w.values[p]
            clear_base(w)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_what_differs_from_any_position_gives_the_same(seats: int) -> None:
    """In any other position of some games, from any base and for any viewer."""
    rules, rng = Rules(num_players=seats, trading=False), np.random.default_rng(seats)
    games = np.zeros(24, STATE)
    for k in range(len(games)):
        game, _ = in_the_middle(rules, k, int(rng.integers(1, 200)))
        games[k] = game.games[0]
    w, values = workspace(shipped(seats).weights, rules.num_actions), np.zeros((48, 4))
    for base in range(len(games)):
        write_both(as_games(games), base, int(rng.integers(seats)), w, values)
        np.testing.assert_allclose(values[::2], values[1::2], rtol=2e-5)
        assert np.ptp(values[::2, 0]) > 0.01


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


def test_a_file_gives_the_same_network(tmp_path) -> None:
    weights = np.random.default_rng(1).normal(0, 1, size_of(WIDTH)).astype(np.float16)
    net = ValueNet(RULES, weights.astype(np.float32), {"seed": 4})
    net.save(tmp_path / "v.npz")
    again = ValueNet.read(tmp_path / "v.npz")
    assert again.weights.tobytes() == net.weights.tobytes()
    assert (again.rules, again.card) == (RULES, {"seed": 4})
    text = again.card_text("v")
    assert "positions of 3 players" in text
    assert "162 - 64 - 32" in text


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_those_that_are_shipped_have_their_cards(seats: int) -> None:
    net = shipped(seats)
    assert net.rules.num_players == seats
    assert (FOLDER / f"{seats}p.md").read_text(encoding="utf-8") == net.card_text("value")
    assert len((FOLDER / f"{seats}p.npz").read_bytes()) < 10**6


def test_what_is_no_such_network_is_refused(tmp_path) -> None:
    with pytest.raises(ValueError, match=r"weights \(5,\), must be \(12544,\)"):
        ValueNet(RULES, np.zeros(5, np.float32))
    for odd in (np.nan, np.inf, -1e30):
        weights = np.zeros(size_of(WIDTH), np.float32)
        weights[7] = odd
        with pytest.raises(ValueError, match="must be numbers from -65504 to 65504"):
            ValueNet(RULES, weights)
    net = ValueNet(RULES, np.zeros(size_of(WIDTH), np.float32))
    net.save(tmp_path / "v.npz")
    with pytest.raises(ValueError, match="no model that can be played"):
        Model.read(tmp_path / "v.npz")


def test_a_file_of_odd_numbers_or_with_an_odd_card_is_named(tmp_path) -> None:
    content = read_arrays((FOLDER / "2p.npz").read_bytes())
    header = json.loads(content.pop("header").tobytes())
    for name, weights, card, match in (
        ("nan", np.full(size_of(WIDTH), np.nan, np.float16), {}, "value: weights"),
        ("card", content["weights"], 5, "model: card must be an object, got 5"),
    ):
        header |= {"card": card}
        text = np.frombuffer(json.dumps(header).encode(), np.uint8)
        np.savez(tmp_path / f"{name}.npz", header=text, weights=weights)
        with pytest.raises(ValueError, match=f"{name}.npz is no model that can be played: {match}"):
            ValueNet.read(tmp_path / f"{name}.npz")


def test_win_probabilities_are_sound_for_the_largest_weights() -> None:
    rng = np.random.default_rng(2)
    net = ValueNet(RULES, rng.choice([-LARGEST, LARGEST], size_of(WIDTH)).astype(np.float32))
    for steps in (60, 160):
        game, _ = in_the_middle(RULES, steps, steps)
        found = Judge(RULES, net).win_probabilities(game.games, 0)
        assert found.sum() == pytest.approx(1)
