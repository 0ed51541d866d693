"""Boards of each kind: their parts, their odds, their seeds."""

from collections import Counter

import pytest

from catan_pz import Board, Game, Rules
from catan_pz.board import generators
from catan_pz.engine.deal import deal_of, seeded_board
from tests.reference_board import HEX_EDGES

TOKENS = [0, 2, 3, 3, 4, 4, 5, 5, 6, 6, 8, 8, 9, 9, 10, 10, 11, 11, 12]


def board(seed, **options):
    return Board.from_dict(Game(seed=seed, **options).snapshot()["board"])


@pytest.mark.parametrize("kind", ["random", "spiral"])
def test_parts_of_every_board(kind):
    for seed in range(200):
        b = board(seed, board=kind)
        assert sorted(b.tokens) == TOKENS
        assert Counter(b.terrains) == {0: 3, 1: 4, 2: 4, 3: 4, 4: 3, 5: 1}
        assert Counter(b.harbors) == {0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 5: 4}
        assert b.tokens[b.terrains.index(5)] == 0


def test_a_seed_gives_the_same_board_again():
    for kind in ("random", "spiral"):
        assert board(5, board=kind) == board(5, board=kind)
        assert board(5, board=kind) != board(6, board=kind)


BOARDS = 2400


@pytest.fixture(scope="module")
def random_boards():
    return [seeded_board(seed) for seed in range(BOARDS)]


def chi_square(counts, expected):
    return sum((n - expected) ** 2 / expected for n in counts)


def test_the_desert_lies_anywhere(random_boards):
    places = Counter(b.terrains.index(5) for b in random_boards)
    assert set(places) == set(range(19))
    assert chi_square(places.values(), BOARDS / 19) < 42.3  # 18 degrees of freedom, 0.1 %


@pytest.mark.parametrize("terrain", range(5))
def test_each_terrain_lies_anywhere(random_boards, terrain):
    share = {0: 3, 1: 4, 2: 4, 3: 4, 4: 3}[terrain] / 19
    for h in range(19):
        n = sum(b.terrains[h] == terrain for b in random_boards)
        spread = (BOARDS * share * (1 - share)) ** 0.5
        assert abs(n - BOARDS * share) < 4.5 * spread


@pytest.mark.parametrize("token", [2, 6, 12])
def test_each_token_lies_anywhere(random_boards, token):
    share = TOKENS.count(token) / 19
    for h in range(19):
        n = sum(b.tokens[h] == token for b in random_boards)
        spread = (BOARDS * share * (1 - share)) ** 0.5
        assert abs(n - BOARDS * share) < 4.5 * spread


def test_each_harbor_lies_anywhere(random_boards):
    for kind in range(5):
        places = Counter(b.harbors.index(kind) for b in random_boards)
        assert chi_square(places.values(), BOARDS / 9) < 26.2  # 8 degrees of freedom, 0.1 %


def test_spirals_start_at_each_corner_alike():
    counts = Counter()
    for seed in range(600):
        b = board(seed, board="spiral")
        counts[next(c for c in range(6) if _starts_at(b, c))] += 1
    assert chi_square(counts.values(), 100) < 20.6  # 5 degrees of freedom, 0.1 %


def _starts_at(b, c):
    from catan_pz.board.topology import SPIRALS

    laid = [b.tokens[h] for h in SPIRALS[c] if b.tokens[h]]
    return laid == [5, 2, 6, 3, 8, 10, 9, 12, 11, 4, 8, 10, 9, 4, 5, 6, 3, 11]


def test_no_adjacent_red_on_seeded_boards():
    beside = [(h, k) for h in range(19) for k in range(19) if h < k and HEX_EDGES[h] & HEX_EDGES[k]]
    assert len(beside) == 42
    touching = 0
    for seed in range(200):
        free, kept = seeded_board(seed), seeded_board(seed, no_adjacent_red=True)
        red = [{h for h in range(19) if b.tokens[h] in (6, 8)} for b in (free, kept)]
        touching += any(h in red[0] and k in red[0] for h, k in beside)
        assert not any(h in red[1] and k in red[1] for h, k in beside)
    assert touching > 100  # without the option it is the common case


@pytest.mark.parametrize("seed", [-1, 2**64, 1.7, True, "1"])
def test_what_is_no_seed_has_no_board(seed):
    with pytest.raises(ValueError, match=r"seed must be an int from 0 to 2\*\*64 - 1"):
        seeded_board(seed)


def test_seeds_of_a_list_are_those_of_seeded_boards():
    assert board(0, board=[77]) == seeded_board(77)
    seeds = [0, 5, 2**64 - 1]
    for red in (False, True):
        layouts = deal_of(Rules(board=seeds, no_adjacent_red=red)).layouts
        boards = [seeded_board(seed, no_adjacent_red=red) for seed in seeds]
        assert (layouts == [generators.flat_layout(b) for b in boards]).all()


def test_each_seed_of_a_list_is_drawn_alike():
    drawn = Counter(board(seed, board=[1, 2, 3, 4], num_players=2) for seed in range(400))
    assert set(drawn) == {seeded_board(k) for k in (1, 2, 3, 4)}
    assert chi_square(drawn.values(), 100) < 16.3  # 3 degrees of freedom, 0.1 %


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
