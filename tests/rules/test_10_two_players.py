"""10. Two players."""

import pytest

from catan_pz import Game, Rules
from catan_pz.game.position import position
from tests.helpers import act, hands, kinds, legal, roll

pytestmark = pytest.mark.purepython

PRESET = Rules.preset("one_v_one")


def test_the_same_rules_with_two_seats():
    """The same rules with two seats."""
    assert Rules(num_players=2).to_dict() == Rules().to_dict() | {"num_players": 2}
    game = Game(seed=0, num_players=2)
    assert len(game.snapshot()["players"]) == 2
    assert len(game.mask) == 389


def test_two_players_trade_and_steal():
    seats = [{"hand": {"brick": 1}}, {"settlements": [10], "hand": {"ore": 2}}]
    game = position(seats, rules=Rules(num_players=2))
    act(game, "offer", give={"brick": 1}, get={"ore": 1})
    assert game.player == 1
    act(game, "accept")
    act(game, "close_with", seat=1)
    assert hands(game) == [{"ore": 1}, {"brick": 1, "ore": 1}]


def test_the_options_of_one_v_one():
    """15 points, discard limit 9, balanced dice and friendly robber, no trade."""
    differs = {k: v for k, v in PRESET.to_dict().items() if v != Rules().to_dict()[k]}
    assert differs == {
        "num_players": 2,
        "victory_points": 15,
        "discard_limit": 9,
        "dice": "balanced",
        "friendly_robber": True,
        "trading": False,
    }


def test_one_v_one_is_played_to_15_points():
    seat = {"cities": [0, 2, 4, 6], "settlements": [20, 22, 24, 40], "hand": {"grain": 2, "ore": 3}}
    game = position([{**seat, "cards": {"victory_point": 2}}, {}], rules=PRESET)
    assert game.points[0] == 14
    assert game.winner is None
    game = position(
        [{**seat, "cards": {"victory_point": 3}}, {}], rules=PRESET, phase="over", winner=0
    )
    assert game.points[0] == 15


def test_one_v_one_discards_above_9_cards():
    game = position([{"hand": {"brick": 9}}, {"hand": {"ore": 10}}], rules=PRESET, phase="roll")
    assert roll(game, 7).snapshot()["to_discard"] == [0, 5]


def test_one_v_one_has_balanced_dice():
    game = position([{}, {}], rules=PRESET, phase="roll")
    roll(game, 2)
    assert [1, 1] not in game.snapshot()["rng"]["dice_left"]


def test_one_v_one_has_the_friendly_robber():
    game = position([{}, {"settlements": [10]}], rules=PRESET, phase="move_robber")
    assert not {0, 1, 4} & set(legal(game, "move_robber"))


def test_one_v_one_has_no_trade_between_players():
    game = position([{"hand": {"brick": 1}}, {"hand": {"ore": 1}}], rules=PRESET)
    assert kinds(game) == {"end_turn"}
    assert len(game.mask) == 252
