"""3. A turn."""

from collections import Counter
from fractions import Fraction

import pytest
from scipy import stats

from catan_pz import Game
from catan_pz.terms import Card
from tests.helpers import (
    CARD,
    act,
    before_roll,
    can,
    edge,
    hand,
    kinds,
    next_turn,
    path,
    phase,
    player,
    refused,
    roll,
    table,
)

CARDS = {"knight": 2, "road_building": 1, "year_of_plenty": 1, "monopoly": 1}
PLAYS = {
    "play_knight": {},
    "play_road_building": {},
    "play_year_of_plenty": {"pair": ["brick", "ore"]},
    "play_monopoly": {"resource": "wool"},
}
PAIRS = [(a, b) for a in range(1, 7) for b in range(1, 7)]


def test_before_the_roll_a_card_may_be_played_or_the_dice_rolled():
    """Before the roll the player may play one development card; then must roll."""
    seat = {"cards": CARDS, "settlements": [0], "hand": {"brick": 9, "lumber": 9, "wool": 9}}
    game = before_roll(seat)
    assert kinds(game) == {"roll", *PLAYS}
    refused(game, "end_turn")
    act(game, "play_monopoly", resource="ore")
    assert kinds(game) == {"roll"}


def test_trading_building_and_buying_wait_for_the_roll():
    rich = {"brick": 9, "lumber": 9, "wool": 9, "grain": 9, "ore": 9}
    seat = {"settlements": [0], "roads": path(0, 1, 2), "hand": rich}
    game = before_roll(seat, {"hand": {"brick": 2}})
    assert kinds(game) == {"roll"}
    building = {"build_road", "build_settlement", "build_city", "buy_development_card"}
    assert kinds(roll(game, 2)) == building | {"maritime_trade", "offer", "end_turn"}


def test_after_the_roll_everything_is_free_in_any_order():
    """Trading, building, buying and playing a card are free, until the player ends the turn."""
    rich = {"brick": 6, "lumber": 1, "wool": 1, "grain": 1, "ore": 1}
    seat = {"settlements": [20], "hand": rich, "cards": {"monopoly": 1}}
    game = table(seat, {"hand": {"wool": 1}}, deck=["knight"])
    act(game, "buy_development_card")
    act(game, "build_road", edge=edge(20, 21))
    act(game, "play_monopoly", resource="wool")
    act(game, "maritime_trade", give="brick", get="lumber")
    act(game, "build_road", edge=edge(21, 22))
    assert (game.player, hand(game, 0)) == (0, {"wool": 1})
    act(game, "end_turn")
    assert (game.player, phase(game)) == (1, "roll")


@pytest.mark.parametrize("play", PLAYS)
def test_at_most_one_development_card_is_played_in_a_turn(play):
    """Before or after the roll, and in the next turn again."""
    seat = {"cards": CARDS, "settlements": [0]}
    for game in (table(seat), before_roll(seat)):
        assert can(game, play, **PLAYS[play])
        act(game, "play_year_of_plenty", pair=["ore", "ore"])
        if phase(game) == "roll":
            roll(game, 2)
        refused(game, play, **PLAYS[play])
    if play != "play_year_of_plenty":
        next_turn(next_turn(game, 2), 2)
        assert can(game, play, **PLAYS[play])


@pytest.mark.parametrize("play", PLAYS)
def test_a_card_bought_this_turn_cannot_be_played_this_turn(play):
    card = play.removeprefix("play_")
    game = table({"hand": CARD, "settlements": [0]}, deck=[card])
    act(game, "buy_development_card")
    assert player(game, 0)["cards"][card] == player(game, 0)["new_cards"][card] == 1
    refused(game, play, **PLAYS[play])
    next_turn(next_turn(game, 2), 2)
    assert can(game, play, **PLAYS[play])


def test_a_second_copy_bought_earlier_can_be_played():
    """A card bought this turn can't be played; a second copy bought earlier can."""
    game = table({"hand": CARD, "cards": {"monopoly": 1}}, deck=["monopoly"])
    act(game, "buy_development_card")
    act(game, "play_monopoly", resource="ore")
    seat = player(game, 0)
    copies = [seat[name]["monopoly"] for name in ("cards", "new_cards", "cards_played")]
    assert copies == [1, 1, 1]


def test_new_cards_are_those_of_the_player_in_turn_alone():
    """The other player's cards are old as soon as their turn comes."""
    game = table({"hand": CARD}, {"cards": {"knight": 1}}, deck=["knight"])
    act(game, "buy_development_card")
    assert can(act(game, "end_turn"), "play_knight")


def test_victory_point_cards_are_never_played():
    """They count at once and stay hidden."""
    game = table({"hand": CARD, "settlements": [0]})
    act(game, "buy_development_card", outcome=Card.VICTORY_POINT)
    assert player(game, 0)["points"] == 2
    assert player(game, 0)["visible_points"] == 1
    next_turn(next_turn(game, 2), 2)
    assert kinds(game) == {"end_turn"}


def test_two_independent_fair_dice():
    """Dice: two independent fair dice; each of the 36 throws about as often."""
    start = before_roll()
    assert len(start.outcomes(0)) == 36
    assert set(start.outcomes(0).values()) == {1 / 36}
    throws = Counter()
    for seed in range(3600):
        game = start.copy()
        game.games["rng"][0] = seed
        throws[tuple(act(game, "roll").snapshot()["dice"])] += 1
    assert set(throws) == set(PAIRS)
    assert stats.chisquare(list(throws.values())).pvalue > 0.001


def thrown(game, turns):
    throws = []
    for _ in range(turns):
        if phase(game) != "roll":
            act(game, "end_turn")
        throws.append(tuple(act(game, "roll").snapshot()["dice"]))
        if phase(game) == "move_robber":
            game.step(int(game.legal_actions()[0]))
    return throws


@pytest.mark.parametrize("seed", range(5))
def test_balanced_dice_are_drawn_without_replacement(seed):
    """`balanced`: from the 36 outcomes, reshuffled when fewer than 13 are left."""
    game = before_roll(dice="balanced", seed=seed)
    # 24 throws leave 12: the next throw comes from a full set again.
    for _ in range(4):
        assert len(set(thrown(game, 24))) == 24
        assert len(game.snapshot()["rng"]["dice_left"]) == 12
    act(game, "end_turn")
    assert len(game.outcomes(0)) == 36
    act(game, "roll")
    assert len(game.snapshot()["rng"]["dice_left"]) == 35


def test_balanced_dice_are_equally_likely_among_those_left():
    game = act(roll(before_roll(dice="balanced"), 2), "end_turn")
    assert (1, 1) not in game.outcomes(0)
    assert set(game.outcomes(0).values()) == {1 / 35}


def test_with_13_left_the_balanced_dice_go_on():
    left = [[a, b] for a in (1, 2) for b in range(1, 7)] + [[3, 1]]
    rng = {"state": 1, "dice_left": left, "script_place": 0}
    game = before_roll(dice="balanced", rng=rng)
    assert set(game.outcomes(0)) == {tuple(throw) for throw in left}
    assert len(act(game, "roll").snapshot()["rng"]["dice_left"]) == 12


def by_the_memory(roller, seats, left, sums, sevens, run):
    """How likely each roll is: a second, plain reading of the rule."""
    due = Fraction(1)
    if sum(sevens) >= seats:
        due += (Fraction(1, seats) - Fraction(sevens[roller], sum(sevens))) * seats
    due += Fraction(4, 10) * run[1] * (-1 if run[0] == roller else 1)
    weights = {}
    for pair in left:
        weights[pair] = max(Fraction(0), 1 - Fraction(34, 100) * sums.count(sum(pair)))
        if sum(pair) == 7:
            weights[pair] *= min(max(due, 0), 2)
    whole = sum(weights.values())
    return {pair: weight / whole for pair, weight in weights.items() if weight}


@pytest.mark.parametrize(
    ("roller", "seats", "dice", "left", "memory"),
    [
        (0, 2, "balanced", PAIRS, ([], [0, 0], [0, 0])),
        (1, 2, "balanced", PAIRS[3:], ([8, 6, 8, 11], [0, 1], [1, 1])),
        (0, 2, "balanced", PAIRS[2:30], ([7, 8, 7, 5, 8], [1, 4], [1, 2])),
        (0, 4, "balanced", PAIRS[20:], ([4, 4, 9, 4, 10], [3, 1, 0, 2], [0, 1])),
        (2, 3, "random", PAIRS, ([9, 7, 2, 7, 7], [1, 1, 6], [2, 5])),
        (1, 3, "balanced", PAIRS[5:], ([9, 3, 2, 11, 6], [5, 0, 0], [0, 5])),
    ],
)
def test_dice_with_a_memory(roller, seats, dice, left, memory):
    """`dice_memory`: sums rolled lately and sevens of one player become less likely."""
    rng = {
        "state": 1,
        "dice_left": [list(roll) for roll in left],
        "script_place": 0,
        "memory": dict(zip(("sums", "sevens", "run"), memory, strict=True)),
    }
    seat = {"turn_player": roller, "player_to_move": roller}
    start = before_roll(*[{}] * seats, dice=dice, dice_memory=True, rng=rng, **seat)
    likely = by_the_memory(roller, seats, left, *memory)
    assert start.outcomes(0) == {roll: float(share) for roll, share in likely.items()}
    rolls = Counter()
    for seed in range(1000):
        game = start.copy()
        game.games["rng"][0] = seed
        rolls[tuple(act(game, "roll").snapshot()["dice"])] += 1
    assert rolls.keys() <= likely.keys()
    expected = [1000 * float(likely[roll]) for roll in likely]
    assert stats.chisquare([rolls[roll] for roll in likely], expected).pvalue > 0.001
    rolled = act(start.copy(), "roll", outcome=(6, 1) if (6, 1) in likely else left[-1]).snapshot()
    sums, sevens, run = memory
    total = sum(rolled["dice"])
    sevens = [n + (total == 7 and p == roller) for p, n in enumerate(sevens)]
    if total == 7:
        run = [roller, run[1] + 1 if run[0] == roller else 1]
    after = {"sums": [total, *sums][:5], "sevens": sevens, "run": run}
    assert rolled["rng"]["memory"] == after


def test_scripted_dice():
    """A scripted sequence, from the start of the game; random dice follow it."""
    script = [(1, 2), (6, 6), (3, 1), (2, 2)]
    game = Game(num_players=2, dice=script)
    while phase(game) != "roll":
        game.step(int(game.legal_actions()[0]))
    assert thrown(game, 4) == script
    assert len(thrown(game, 1)) == 1
    assert game.snapshot()["rng"]["script_place"] == 4


def test_a_roll_set_from_outside_uses_up_one_of_the_scripted():
    """Every roll may be set: the list isn't among what tells the outcomes."""
    game = before_roll(dice=[(1, 2), (6, 6)])
    assert set(game.outcomes(0).values()) == {1 / 36}
    roll(game, 5)
    assert thrown(game, 1) == [(6, 6)]
