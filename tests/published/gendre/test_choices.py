"""The choices: their order, their masks, and the actions that play them."""

import numpy as np
import pytest

from catan_pz import actions
from catan_pz.batch.cpu import CpuBatch
from catan_pz.board.topology import HEX_VERTICES
from catan_pz.encoders import load
from catan_pz.game import position
from catan_pz.observation.segments import PLACES
from catan_pz.published.gendre import choices as c
from catan_pz.published.gendre.choices import decide, kept_hands, undecided
from catan_pz.rules import Rules
from catan_pz.terms import Resource

RULES = Rules(num_players=2, trading=False)
TWO, TABLE = c.NUM_CHOICES["gendre"], c.NUM_CHOICES["gendre_table"]
BRICK, LUMBER, WOOL, GRAIN, ORE = Resource


def legal_in(game, seat=0, encoder="gendre"):
    legal = c.legal_choices(game.observe(seat)[None], game.mask[None], encoder)
    return np.flatnonzero(legal[0]).tolist()


def test_the_order_is_that_of_the_authors():
    expected = {
        5: actions.MOVE_ROBBER + 2,
        38: actions.BUILD_ROAD,
        109: actions.BUILD_ROAD + 71,
        110: actions.BUILD_SETTLEMENT,
        111: actions.BUILD_CITY,
        217: actions.BUILD_CITY + 53,
        218: actions.ROLL,
        219: actions.END_TURN,
        240: actions.BUY_DEVELOPMENT_CARD,
        241: actions.PLAY_KNIGHT,
        242: actions.PLAY_ROAD_BUILDING,
        **{249 + k: actions.PLAY_MONOPOLY + r for k, r in ((0, BRICK), (2, ORE), (4, WOOL))},
    }
    assert {choice: c.ACTIONS[choice] for choice in expected} == expected
    # Bank trades: brick for lumber first, wool for grain last.
    swaps = [tuple(actions.MARITIME_SWAPS[a - actions.MARITIME_TRADE]) for a in c.ACTIONS[220:240]]
    assert swaps[:5] == [(BRICK, LUMBER), (BRICK, ORE), (BRICK, GRAIN), (BRICK, WOOL), (1, 0)]
    assert swaps[-1] == (WOOL, GRAIN)
    assert len(set(swaps)) == 20
    assert (c.ACTIONS[[*range(243, 249), *range(254, 324)]] == actions.NO_ACTION).all()
    assert (TWO, TABLE) == (324, 464)
    assert c.ACTIONS[324:].tolist() == [*range(actions.STEAL, actions.STEAL + 3), *range(252, 389)]


def test_there_are_70_sets_of_four_cards_to_keep():
    assert len(c.KEEP_SETS) == 70 == len(np.unique(c.KEEP_SETS, axis=0))
    assert (c.KEEP_SETS.sum(axis=1) == 4).all()
    # Wool alone first, then grain in its place, brick alone last.
    assert c.KEEP_SETS[0].tolist() == [0, 0, 4, 0, 0]
    assert c.KEEP_SETS[1].tolist() == [0, 0, 3, 1, 0]
    assert c.KEEP_SETS[-1].tolist() == [4, 0, 0, 0, 0]


def two(own, other=None, **options):
    """The first seat has a settlement, a road and what is given, and so has the second."""
    players = [{"settlements": [10], "roads": [7], **own}]
    players += [{"settlements": [0], "roads": [0], **(other or {})}]
    return position(players, rules=RULES, turn=40, seed=1, **options)


def discard_position():
    """Seat 0 has rolled a 7 and holds nine cards: four of them go."""
    return two({"hand": {"brick": 6, "wool": 2, "ore": 1}}, phase="discard", to_discard=[4, 0])


def test_a_discard_chooses_four_cards_that_are_held():
    found = legal_in(discard_position())
    sets = {tuple(c.KEEP_SETS[k - c.KEEP]) for k in found}
    # Brick, lumber, wool, grain, ore: four of six bricks, two wool, one ore.
    assert sets == {
        *((4, 0, 0, 0, 0), (3, 0, 1, 0, 0), (3, 0, 0, 0, 1)),
        *((2, 0, 2, 0, 0), (2, 0, 1, 0, 1), (1, 0, 2, 0, 1)),
    }


def test_single_discards_follow_from_the_cards_kept():
    game = discard_position()
    keeping = undecided(1)
    asked, played = [], []

    def choose(rows, seen, legal):
        asked.append(rows)
        return np.array([c.KEEP + c.KEEP_SETS.tolist().index([1, 0, 2, 0, 1])])

    while game.mask[actions.DISCARD : actions.DISCARD + 5].any():
        bits = np.array([7], np.uint64)
        (action,) = decide(game.observe(0)[None], game.mask[None], keeping, bits, choose)
        played.append(int(action) - actions.DISCARD)
        game.step(int(action))
    # One brick beside the four cards is kept: there is no other to be drawn.
    assert played == [BRICK] * 4
    assert len(asked) == 1
    assert (keeping == -1).all()
    assert game.observe(0)[PLACES["own_hand"]].tolist() == [2, 0, 2, 0, 1]


def test_cards_beyond_four_are_drawn_from_the_rest_each_equally_likely():
    """Nine of 18 cards are kept: four chosen, five drawn from five bricks and nine wool."""
    game = two({"hand": {"brick": 5, "wool": 13}}, phase="discard", to_discard=[9, 0])
    count = 4_000
    units = np.repeat(game.observe(0)[None], count, axis=0)
    sets = np.repeat(np.array([[0, 0, 4, 0, 0]], np.int8), count, axis=0)
    bits = np.random.default_rng(1).integers(0, 2**64, count, np.uint64)
    hands = kept_hands(units, sets, bits)
    assert (hands.sum(axis=1) == 9).all()
    assert (hands[:, WOOL] >= 4).all()
    assert hands[:, BRICK].mean() == pytest.approx(5 * 5 / 14, abs=0.05)


def test_the_robber_says_whether_it_steals():
    # Vertex 0 is a corner of hex 0 alone, and the robber leaves hex 9.
    rich, poor = (two({}, {"hand": {"wool": n}}, phase="move_robber") for n in (1, 0))
    assert legal_in(rich) == [1, *(2 * h for h in range(1, 19) if h != 9)]
    assert legal_in(poor) == [2 * h for h in range(19) if h != 9]


def test_a_year_of_plenty_is_three_choices():
    own = {"cards": {"year_of_plenty": 1}, "hand": {"ore": 2}}
    game = two(own, {"hand": {"wool": 19, "grain": 18}})
    assert {c.PLENTY, c.END_TURN} <= set(legal_in(game))
    answers = iter([c.PLENTY, c.FREE_RESOURCE + 3, c.FREE_RESOURCE + 2])
    asked = []

    def choose(rows, seen, legal):
        asked.append((seen["scalars"][0], np.flatnonzero(legal[0]).tolist()))
        return np.array([next(answers)])

    bits = np.zeros(1, np.uint64)
    (action,) = decide(game.observe(0)[None], game.mask[None], undecided(1), bits, choose)
    pair = actions.PLENTY_PAIRS[action - actions.PLAY_YEAR_OF_PLENTY]
    assert sorted(pair) == [GRAIN, ORE]
    free = range(c.FREE_RESOURCE, c.MONOPOLY)
    # There is no wool in the bank, and a single grain.
    assert asked[1][1] == list(free)[:4]
    assert asked[2][1] == list(free)[:3]
    assert [seen[load("gendre").free_resources] for seen, _ in asked] == [0, 2, 1]
    # The card is on the table, then grain in the hand and no more of it in the bank.
    assert [seen[11] for seen, _ in asked] == [1, 0, 0]
    assert [seen[42] for seen, _ in asked] == [1, 0, 0]
    assert [seen[3] for seen, _ in asked] == [0, 0, 1]
    assert [seen[38] for seen, _ in asked] == [1, 1, 0]


def test_whom_to_steal_from_is_a_choice():
    """Three opponents build at the first hex; the second has no cards."""
    players = [
        {"settlements": [53]},
        {"settlements": [0], "hand": {"wool": 1}},
        {"settlements": [2]},
        {"settlements": [9], "hand": {"ore": 1}},
    ]
    rules = Rules(trading=False)
    game = position(players, rules=rules, phase="move_robber", turn=40, seed=1)
    assert {0, 2, 9} < set(HEX_VERTICES[0].tolist())
    assert legal_in(game, encoder="gendre_table")[0] == c.ROBBER + 1
    game.step(actions.MOVE_ROBBER)
    assert legal_in(game, encoder="gendre_table") == [c.VICTIM, c.VICTIM + 2]


@pytest.mark.parametrize(
    "rules",
    [Rules.make(RULES, discard_limit=6), Rules(skip_forced=True, discard_limit=6)],
    ids=["two", "four with trade"],
)
def test_masks_are_never_violated(rules):
    """By random choices; every kind of choice occurs."""
    games, seats = 256, rules.num_players
    encoder = "gendre" if seats == 2 else "gendre_table"
    batch = CpuBatch(games, rules, seed=5)
    rng = np.random.default_rng(1)
    keeping = undecided(seats * games).reshape(games, seats, 5)
    rows, used = np.arange(games), np.zeros(c.NUM_CHOICES[encoder], bool)
    options = {"skip_forced": rules.skip_forced, "encoder": encoder}

    def choose(asked, seen, legal):
        assert legal.any(axis=1).all()
        chosen = (legal * rng.random(legal.shape, np.float32)).argmax(axis=1)
        used[chosen] = True
        return chosen

    for _ in range(160):
        bits = rng.integers(0, 2**64, games, np.uint64)
        own = keeping[rows, batch.player]
        chosen = decide(batch.observation, batch.mask, own, bits, choose, **options)
        keeping[rows, batch.player] = own
        assert batch.mask[rows, chosen].all()
        batch.step(chosen)
    for first, stop in ((0, 38), (38, 110), (110, 218), (220, 240), (244, 249), (249, 254)):
        assert used[first:stop].any()
    assert used[254:324].sum() > 20
    assert used[324:327].sum() == (seats - 1 if seats > 2 else 0)
    assert used[327:].any() == rules.trading
    assert used[[219, 240, 241, 242, 243]].all()


@pytest.mark.parametrize(
    ("rules", "encoder"), [(RULES, "gendre"), (Rules(offer_form="both"), "gendre_table")]
)
def test_each_action_is_played_by_a_choice(rules, encoder):
    """Masks agree in random games: a choice for every legal action and none beside them."""
    batch = CpuBatch(64, rules, seed=2)
    singles = np.setdiff1d(c.ACTIONS, actions.NO_ACTION)
    singles = singles[singles < rules.num_actions]
    for _ in range(25):
        legal = c.legal_choices(batch.observation, batch.mask, encoder)
        played = np.zeros_like(batch.mask)
        games, choices = np.nonzero(legal & (c.ACTIONS[: legal.shape[1]] != actions.NO_ACTION))
        np.add.at(played, (games, c.ACTIONS[choices]), 1)
        assert (played[:, singles] == batch.mask[:, singles]).all()
        assert (legal[:, c.KEEP : c.VICTIM].any(1) == batch.mask[:, 227:232].any(1)).all()
        assert (legal[:, c.PLENTY] == batch.mask[:, 185:200].any(1)).all()
        batch.play_random(31)
