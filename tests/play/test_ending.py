"""What is counted at the end of a game."""

from catan_pz.actions import action_id
from catan_pz.game.position import position
from catan_pz.play.ending import counts_of
from catan_pz.rules import Rules

TWO = Rules(num_players=2)


def test_a_trade_is_counted_on_both_sides() -> None:
    game = position([{"hand": {"brick": 2}}, {"hand": {"ore": 1}}], rules=TWO)
    game.step(action_id("offer", give={"brick": 2}, get={"ore": 1}))
    game.step(action_id("accept"))
    closed = game.step_once(action_id("close_with", seat=1))
    names = ("trades", "given", "got")
    assert [counts_of(closed)[0, name] for name in names] == [1, 2, 1]
    assert [counts_of(closed)[1, name] for name in names] == [1, 1, 2]


def test_cards_taken_by_a_monopoly_are_no_trade() -> None:
    game = position([{"cards": {"monopoly": 1}}, {"hand": {"ore": 2}}], rules=TWO)
    assert not counts_of(game.step_once(action_id("play_monopoly", resource="ore")))


def test_what_comes_by_a_roll_from_the_bank_and_by_theft() -> None:
    seats = [{"settlements": [20], "hand": {"wool": 4}}, {"settlements": [9], "hand": {"ore": 1}}]
    game = position(seats, rules=TWO, phase="roll")
    assert counts_of(game.step_once(action_id("roll"), (5, 1))) == {
        (0, "rolled"): 1,
        (1, "rolled"): 1,
    }
    swapped = game.step_once(action_id("maritime_trade", give="wool", get="ore"))
    assert counts_of(swapped) == {(0, "bank given"): 4, (0, "bank got"): 1, (0, "bank"): 1}
    robbing = position(seats, rules=TWO, phase="move_robber")
    stolen = robbing.step_once(action_id("move_robber", hex=4))
    assert counts_of(stolen) == {(0, "stolen"): 1, (1, "lost"): 1}
