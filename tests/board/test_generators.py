"""Boards of each kind: their parts, their odds, their seeds."""

from collections import Counter

import pytest
from scipy import stats

from catan_pz import Board, Game, Rules
from catan_pz.board import generators
from catan_pz.board.topology import SPIRALS
from catan_pz.engine.deal import deal_of, seeded_board
from catan_pz.terms import LETTERED_TOKENS


def board(seed, **options):
    return Board.from_dict(Game(seed=seed, **options).snapshot()["board"])


BOARDS = 2400


@pytest.fixture(scope="module")
def layouts():
    """(BOARDS, 47) random boards: 19 terrains, 19 tokens, 9 harbors."""
    return deal_of(Rules(board=range(BOARDS))).layouts


@pytest.mark.parametrize(
    ("part", "kinds"),
    [(slice(19), range(6)), (slice(19, 38), (0, 2, 6, 12)), (slice(38, 47), range(6))],
    ids=["terrain", "token", "harbor"],
)
def test_each_part_lies_anywhere(layouts, part, kinds):
    for kind in kinds:
        found = (layouts[:, part] == kind).sum(0)
        share = found.sum() / BOARDS / len(found)
        spread = (BOARDS * share * (1 - share)) ** 0.5
        assert (abs(found - BOARDS * share) < 4.5 * spread).all()


def test_spirals_start_at_each_corner_alike():
    counts = Counter()
    for seed in range(600):
        tokens = board(seed, board="spiral").tokens
        laid = [[tokens[h] for h in spiral if tokens[h]] for spiral in SPIRALS]
        counts[laid.index(list(LETTERED_TOKENS))] += 1
    assert len(counts) == len(SPIRALS)
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


@pytest.mark.parametrize("red", [False, True])
def test_seeds_of_a_list_are_boards_of_their_own(red):
    seeds = [0, 5, 2**64 - 1]
    layouts = deal_of(Rules(board=seeds, no_adjacent_red=red)).layouts
    boards = [seeded_board(seed, no_adjacent_red=red) for seed in seeds]
    assert (layouts == [generators.flat_layout(b) for b in boards]).all()
    assert len(set(boards)) == 3


def test_each_seed_of_a_list_is_drawn_alike():
    drawn = Counter(board(seed, board=[1, 2, 3, 4], num_players=2) for seed in range(400))
    assert set(drawn) == {seeded_board(k) for k in (1, 2, 3, 4)}
    assert stats.chisquare(list(drawn.values())).pvalue > 0.001


def test_a_board_as_json_and_back():
    for seed in range(20):
        b = seeded_board(seed)
        assert Board.from_dict(b.to_dict()) == b


WRONG = {
    "two deserts": lambda d: d["hexes"][0].update(terrain="desert", token=None),
    "unknown terrain": lambda d: d["hexes"][0].update(terrain="swamp"),
    "no terrain": lambda d: d["hexes"][0].pop("terrain"),
    "another token": lambda d: d["hexes"][0].update(token=7),
    "a token in words": lambda d: d["hexes"][0].update(token="six"),
    "a token on the desert": lambda d: (
        d["hexes"][9].update(token=10),
        d["hexes"][0].update(token=None),
    ),
    "eighteen hexes": lambda d: d["hexes"].pop(),
    "eight harbors": lambda d: d["harbors"].pop(),
    "a harbor inland": lambda d: d["harbors"][0].update(edge=30),
    "two harbors on an edge": lambda d: d["harbors"].append(d["harbors"][0]),
    "two wool harbors": lambda d: d["harbors"][0].update(resource="wool"),
    "unknown resource": lambda d: d["harbors"][1].update(resource="gold"),
    "no harbors": lambda d: d.pop("harbors"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_board_that_cannot_be_is_refused(wrong):
    data = generators.BEGINNER_BOARD.to_dict()
    WRONG[wrong](data)
    with pytest.raises(ValueError, match="board"):
        Board.from_dict(data)
