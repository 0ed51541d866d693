"""10. Two players."""

from catan_pz import Game, Rules
from tests.helpers import act, hands, kinds, legal, roll, table


def one_v_one(*seats, **entries):
    return table(*seats, rules="one_v_one", **entries)


def test_the_same_rules_with_two_seats():
    assert Rules(num_players=2).to_dict() == Rules().to_dict() | {"num_players": 2}
    assert len(Game(seed=0, num_players=2).snapshot()["players"]) == 2
    game = table({"hand": {"brick": 1}}, {"hand": {"ore": 2}})
    act(game, "offer", give={"brick": 1}, get={"ore": 1})
    assert game.player == 1
    act(game, "accept")
    act(game, "close_with", seat=1)
    assert hands(game) == [{"ore": 1}, {"brick": 1, "ore": 1}]


def test_the_options_of_one_v_one():
    """15 points, discard limit 9, no trade; dice and friendly robber as on the web."""
    assert Rules.preset("one_v_one").differences() == {
        "num_players": 2,
        "victory_points": 15,
        "discard_limit": 9,
        "dice": "balanced",
        "friendly_robber": True,
        "robber_spares_mover": True,
        "dice_memory": True,
        "trading": False,
    }


def test_one_v_one_is_played_by_them():
    game = one_v_one({"hand": {"brick": 9}}, {"hand": {"ore": 10}}, phase="roll")
    assert roll(game, 7).snapshot()["to_discard"] == [0, 5]
    assert [1, 6] not in game.snapshot()["rng"]["dice_left"]
    game = one_v_one({}, {"settlements": [10]}, phase="move_robber")
    assert not {0, 1, 4} & set(legal(game, "move_robber"))
    game = one_v_one({"hand": {"brick": 1}}, {"hand": {"ore": 1}})
    assert kinds(game) == {"end_turn"}
    assert len(game.mask) == 252
    seat = {"cities": [0, 2, 4, 6], "settlements": [20, 22, 24, 40], "cards": {"victory_point": 2}}
    game = one_v_one(seat | {"hand": {"wool": 1, "grain": 1, "ore": 1}}, deck=["victory_point"])
    assert (game.points[0], game.winner) == (14, None)
    act(game, "buy_development_card")
    assert (game.points[0], game.winner) == (15, 0)
