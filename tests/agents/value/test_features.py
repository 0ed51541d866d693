"""Features of the value: positions worked out by hand, and what a viewer can't know."""

import numpy as np
import pytest

from catan_pz.actions import PLAY_KNIGHT
from catan_pz.agents.value.features import NUM_FEATURES, NUM_SHARED, write_position
from catan_pz.engine.state import States
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.kernels.rule import entry
from catan_pz.kernels.types import Float32Array
from catan_pz.rules import Rules
from catan_pz.terms import KNIGHT, MONOPOLY, Phase
from tests.helpers import path

pytestmark = pytest.mark.purepython

RULES = Rules(num_players=2, trading=False)


@entry
def describe(games: States, viewer: int, features: Float32Array) -> None:
    write_position(games[0], viewer, features)


def all_features_of(game: Game, viewer: int = 0) -> np.ndarray:
    """(P * F + C) features as a viewer knows them."""
    features = np.zeros(game.rules.num_players * NUM_FEATURES + NUM_SHARED, np.float32)
    describe(game.games, viewer, features)
    return features


def features_of(game: Game, viewer: int = 0) -> np.ndarray:
    """(P, F) features of the seats from the viewer on."""
    return all_features_of(game, viewer)[:-NUM_SHARED].reshape(-1, NUM_FEATURES)


def test_a_position() -> None:
    """The settlement at 10 yields pips 3 (mountains 10), 1 (pasture 2) and 5 (hills 6)."""
    first = {
        "settlements": [10, 33],
        "roads": path(10, 11, 12),
        "hand": {"brick": 1, "lumber": 1, "wool": 1, "grain": 1, "ore": 3},
        "cards": {"knight": 2},
    }
    second = {"cities": [20], "hand": {"wool": 4}, "cards": {"monopoly": 1}}
    game = position([first, second], rules=RULES)
    own, other = features_of(game)
    assert own[0] == pytest.approx(0.8)
    assert own[1] == pytest.approx(1 / 8)
    assert own[2:6].tolist() == [0, 0, 0, 0]
    assert own[6:10].tolist() == [1, 0, 0, 0]
    assert other[6:10].tolist() == [0, 1, 0, 0]
    np.testing.assert_allclose(own[14:19], game.state["pips"][0] * 0.1, rtol=1e-6)
    np.testing.assert_allclose(own[19:24], [0.25, 0.25, 0.25, 0.25, 0.75])
    assert own[42:45].tolist() == pytest.approx([3 * 0.2, 1, 13 * 0.1])
    assert own[46] == pytest.approx(1 / 2)  # a grain short of a city
    assert own[47] == 1  # a road is paid for
    assert own[49] == pytest.approx(1)  # and a settlement
    assert own[55] == pytest.approx(0.6)
    assert own[59] == 0
    assert other[55:59].tolist() == [0, 0, 0, 0]
    assert other[59] == pytest.approx(0.3)
    assert own[61] == pytest.approx(0.2)
    assert own[70] == pytest.approx(1 / 4)  # three roads short of the longest road
    assert own[71] == pytest.approx(1 / 2)  # one knight short of the largest army
    assert (own[73], other[73]) == (1, 0)
    assert own[74] > 0  # a settlement at 12 can be built at once


def test_pending_choices_are_the_turn_players() -> None:
    game = position(
        [{"settlements": [10], "cards": {"knight": 1}}, {"settlements": [20]}], rules=RULES
    )
    before = features_of(game)
    assert before[:, 66:70].sum() == 0
    game.step(PLAY_KNIGHT)
    own, other = features_of(game)
    assert game.phase == Phase.MOVE_ROBBER
    assert own[66] == 1
    assert own[69] == 1
    assert other[64:70].sum() == 0


def test_cards_that_a_viewer_cant_see_change_nothing() -> None:
    seats = [{"settlements": [10], "cards": {"knight": 1}}, {"settlements": [20]}]
    game = position(seats, rules=RULES)
    other = position([seats[0] | {"cards": {"monopoly": 1}}, seats[1]], rules=RULES)
    assert (features_of(game, 1) == features_of(other, 1)).all()
    assert (features_of(game, 0) != features_of(other, 0)).any()
    assert game.state["cards"][0, KNIGHT] == other.state["cards"][0, MONOPOLY] == 1


def test_all_seats_are_looked_at_alike() -> None:
    """What is public of a seat is the same for those who look on."""
    game, rng = Game(Rules(trading=False), seed=3), np.random.default_rng(3)
    for _ in range(120):
        game.step(int(rng.choice(game.legal_actions())))
    seen = [features_of(game, viewer) for viewer in range(4)]
    for seat in range(4):
        onlookers = [seen[v][(seat - v) % 4] for v in range(4) if v != seat]
        assert all((one == onlookers[0]).all() for one in onlookers)
    assert np.isfinite(seen).all()
    assert np.abs(seen).max() < 5
