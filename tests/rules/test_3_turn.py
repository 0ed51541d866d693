"""3. A turn."""

from collections import Counter

import pytest

from catan_pz import Game, Rules
from catan_pz.game.position import position
from catan_pz.terms import Card
from tests.helpers import act, can, edge, hand, kinds, path, player, refused, roll

pytestmark = pytest.mark.purepython

CARDS = {"knight": 2, "road_building": 1, "year_of_plenty": 1, "monopoly": 1}
PLAYS = {
    "play_knight": {},
    "play_road_building": {},
    "play_year_of_plenty": {"pair": ["brick", "ore"]},
    "play_monopoly": {"resource": "wool"},
}


def two(seat, other=None, **entries):
    """A position of two players with this seat in turn."""
    entries.setdefault("rules", Rules(num_players=2))
    return position([seat, other or {}], **entries)


def test_before_the_roll_a_card_may_be_played_or_the_dice_rolled():
    """Before the roll the player may play one development card; then must roll."""
    seat = {"cards": CARDS, "settlements": [0], "hand": {"brick": 9, "lumber": 9, "wool": 9}}
    game = two(seat, phase="roll")
    assert kinds(game) == {"roll", *PLAYS}
    refused(game, "end_turn")


def test_trading_building_and_buying_wait_for_the_roll():
    rich = {"brick": 9, "lumber": 9, "wool": 9, "grain": 9, "ore": 9}
    seat = {"settlements": [0], "roads": path(0, 1, 2), "hand": rich}
    game = two(seat, {"hand": {"brick": 2}}, phase="roll")
    assert kinds(game) == {"roll"}
    roll(game, 2)
    assert {"build_road", "build_settlement", "build_city"} <= kinds(game)
    assert {"buy_development_card", "maritime_trade", "offer", "end_turn"} <= kinds(game)


@pytest.mark.parametrize("play", PLAYS)
def test_each_card_can_be_played_before_and_after_the_roll(play):
    seat = {"cards": CARDS, "settlements": [0]}
    for phase in ("roll", "main"):
        assert can(two(seat, phase=phase), play, **PLAYS[play])


def test_the_roll_still_comes_after_a_card_played_before_it():
    game = two({"cards": CARDS}, {"hand": {"wool": 3}}, phase="roll")
    act(game, "play_monopoly", resource="wool")
    assert kinds(game) == {"roll"}
    assert hand(game, 0) == {"wool": 3}


def test_after_the_roll_everything_is_free_in_any_order():
    """Trading, building, buying and playing a card are free in any order."""
    rich = {"brick": 6, "lumber": 1, "wool": 1, "grain": 1, "ore": 1}
    seat = {"settlements": [20], "hand": rich, "cards": {"monopoly": 1}}
    game = two(seat, {"hand": {"wool": 1}}, deck=["knight"])
    act(game, "buy_development_card")
    act(game, "build_road", edge=edge(20, 21))
    act(game, "play_monopoly", resource="wool")
    act(game, "maritime_trade", give="brick", get="lumber")
    act(game, "build_road", edge=edge(21, 22))
    act(game, "end_turn")
    assert game.player == 1


def test_the_turn_lasts_until_the_player_ends_it():
    game = two({"settlements": [0]})
    assert kinds(game) == {"end_turn"}
    act(game, "end_turn")
    assert (game.player, game.snapshot()["phase"]) == (1, "roll")


@pytest.mark.parametrize("play", PLAYS)
def test_at_most_one_development_card_is_played_in_a_turn(play):
    game = two({"cards": CARDS, "settlements": [0]}, card_played=True)
    refused(game, play, **PLAYS[play])


def test_a_card_played_before_the_roll_is_the_one_of_the_turn():
    game = two({"cards": CARDS}, phase="roll")
    act(game, "play_monopoly", resource="wool")
    roll(game, 2)
    for play, arguments in PLAYS.items():
        refused(game, play, **arguments)


def test_the_next_turn_allows_a_card_again():
    game = two({"cards": CARDS, "settlements": [0]}, card_played=True)
    act(game, "end_turn")
    roll(game, 2)
    act(game, "end_turn")
    assert game.player == 0
    assert set(PLAYS) <= kinds(game)


@pytest.mark.parametrize("play", PLAYS)
def test_a_card_bought_this_turn_cannot_be_played_this_turn(play):
    card = play.removeprefix("play_")
    seat = {"hand": {"wool": 1, "grain": 1, "ore": 1}, "settlements": [0]}
    game = two(seat, deck=[card])
    act(game, "buy_development_card")
    assert player(game, 0)["cards"][card] == player(game, 0)["new_cards"][card] == 1
    refused(game, play, **PLAYS[play])
    act(game, "end_turn")
    roll(game, 2)
    act(game, "end_turn")
    assert can(game, play, **PLAYS[play])


def test_a_second_copy_bought_earlier_can_be_played():
    """A card bought this turn can't be played; a second copy bought earlier can."""
    seat = {"hand": {"wool": 1, "grain": 1, "ore": 1}, "cards": {"monopoly": 1}}
    game = two(seat, deck=["monopoly"])
    act(game, "buy_development_card")
    act(game, "play_monopoly", resource="ore")
    assert player(game, 0)["cards"]["monopoly"] == 1
    assert player(game, 0)["new_cards"]["monopoly"] == 1
    assert player(game, 0)["cards_played"]["monopoly"] == 1


def test_new_cards_are_those_of_the_player_in_turn_alone():
    """The other player's cards are old as soon as their turn comes."""
    seat = {"hand": {"wool": 1, "grain": 1, "ore": 1}}
    game = two(seat, {"cards": {"knight": 1}}, deck=["knight"])
    act(game, "buy_development_card")
    act(game, "end_turn")
    assert can(game, "play_knight")


def test_victory_point_cards_are_never_played():
    game = two({"cards": {"victory_point": 2}, "settlements": [0]})
    assert kinds(game) == {"end_turn"}


def test_victory_point_cards_count_at_once_and_stay_hidden():
    game = two({"hand": {"wool": 1, "grain": 1, "ore": 1}, "settlements": [0]})
    act(game, "buy_development_card", outcome=Card.VICTORY_POINT)
    assert player(game, 0)["points"] == 2
    assert player(game, 0)["visible_points"] == 1


def test_two_independent_fair_dice():
    """Dice: two independent fair dice; each of the 36 throws about as often."""
    start = two({}, phase="roll")
    assert len(start.outcomes(0)) == 36
    assert set(start.outcomes(0).values()) == {1 / 36}
    throws = Counter()
    for seed in range(3600):
        game = start.copy()
        game.games["rng"][0] = seed
        act(game, "roll")
        throws[tuple(game.snapshot()["dice"])] += 1
    assert set(throws) == {(a, b) for a in range(1, 7) for b in range(1, 7)}
    chi_square = sum((n - 100) ** 2 / 100 for n in throws.values())
    assert chi_square < 66.6  # 35 degrees of freedom, 0.1 %


def thrown(game, turns):
    """The throws of some turns of a game in which nothing else happens."""
    throws = []
    for _ in range(turns):
        if game.snapshot()["phase"] != "roll":
            act(game, "end_turn")
        act(game, "roll")
        throws.append(tuple(game.snapshot()["dice"]))
        if game.snapshot()["phase"] == "move_robber":
            game.step(int(game.legal_actions()[0]))
    return throws


@pytest.mark.parametrize("seed", range(5))
def test_balanced_dice_are_drawn_without_replacement(seed):
    """`balanced`: from the 36 outcomes, reshuffled when fewer than 13 are left."""
    game = position([{}, {}], rules=Rules(num_players=2, dice="balanced"), phase="roll", seed=seed)
    # 24 throws leave 12: the next throw comes from a full set again.
    for _ in range(4):
        throws = thrown(game, 24)
        assert len(set(throws)) == 24
        assert len(game.snapshot()["rng"]["dice_left"]) == 12
    act(game, "end_turn")
    assert len(game.outcomes(0)) == 36
    act(game, "roll")
    assert len(game.snapshot()["rng"]["dice_left"]) == 35


def test_balanced_dice_are_equally_likely_among_those_left():
    game = position([{}, {}], rules=Rules(num_players=2, dice="balanced"), phase="roll")
    roll(game, 2)
    act(game, "end_turn")
    assert (1, 1) not in game.outcomes(0)
    assert set(game.outcomes(0).values()) == {1 / 35}


def test_with_13_left_the_balanced_dice_go_on():
    left = [[a, b] for a in (1, 2) for b in range(1, 7)] + [[3, 1]]
    rng = {"state": 1, "dice_left": left, "script_place": 0}
    rules = Rules(num_players=2, dice="balanced")
    game = position([{}, {}], rules=rules, phase="roll", rng=rng)
    assert set(game.outcomes(0)) == {tuple(throw) for throw in left}
    act(game, "roll")
    assert len(game.snapshot()["rng"]["dice_left"]) == 12


def test_scripted_dice():
    """A scripted sequence, for tests and study."""
    script = [(1, 2), (6, 6), (3, 1), (2, 2)]
    game = position([{}, {}], rules=Rules(num_players=2, dice=script), phase="roll")
    assert thrown(game, 4) == script
    act(game, "end_turn")
    act(game, "roll")  # random dice follow
    assert game.snapshot()["rng"]["script_place"] == 4


def test_scripted_dice_from_the_start_of_a_game():
    game = Game(seed=3, num_players=2, dice=[(4, 4)])
    while game.snapshot()["phase"] != "roll":
        game.step(int(game.legal_actions()[0]))
    act(game, "roll")
    assert game.snapshot()["dice"] == [4, 4]
