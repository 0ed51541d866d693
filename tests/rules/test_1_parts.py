"""1. Parts: the board, the cards, the pieces, and the ways to lay out a board."""

from collections import Counter

import pytest

from catan_pz import Board, Game, Rules
from catan_pz.board.generators import BEGINNER_BOARD
from catan_pz.board.topology import EDGE_VERTICES, HEX_NEIGHBORS, HEX_VERTICES, SPIRALS
from tests.helpers import act, before_roll, edge, path, player, refused, roll, table

LETTERS = [5, 2, 6, 3, 8, 10, 9, 12, 11, 4, 8, 10, 9, 4, 5, 6, 3, 11]
GIVES = {
    "forest": "lumber",
    "hills": "brick",
    "pasture": "wool",
    "fields": "grain",
    "mountains": "ore",
}


def board_of(game):
    return game.snapshot()["board"]


def terrains(game):
    return [h["terrain"] for h in board_of(game)["hexes"]]


def tokens(game):
    return [h["token"] for h in board_of(game)["hexes"]]


def harbors(game):
    return {h["edge"]: h["resource"] for h in board_of(game)["harbors"]}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("board", ["random", "spiral", "beginner", (7, 8)])
def test_what_a_board_consists_of(board, seed):
    """19 land hexes, 18 number tokens, 9 harbors on fixed edges; the robber on the desert."""
    game = Game(seed=seed, board=board)
    counts = {"forest": 4, "hills": 3, "pasture": 4, "fields": 4, "mountains": 3, "desert": 1}
    assert Counter(terrains(game)) == counts
    desert = terrains(game).index("desert")
    assert tokens(game)[desert] is None
    assert game.snapshot()["robber"] == desert
    assert sorted(n for n in tokens(game) if n) == sorted([2, 12, *2 * [3, 4, 5, 6, 8, 9, 10, 11]])
    assert set(harbors(game)) == {38, 61, 69, 66, 49, 18, 0, 3, 17}
    assert Counter(harbors(game).values()) == {None: 4, **dict.fromkeys(GIVES.values(), 1)}


def test_each_terrain_gives_its_resource():
    """forest (lumber), hills (brick), pasture (wool), fields (grain), mountains (ore)."""
    for h, terrain in enumerate(terrains(Game(board="beginner"))):
        if terrain != "desert":
            game = before_roll({"settlements": [int(HEX_VERTICES[h][0])]})
            roll(game, BEGINNER_BOARD.tokens[h])
            assert player(game, 0)["hand"][GIVES[terrain]] >= 1


def test_54_vertices_and_72_edges():
    assert len(Game(seed=0).legal_actions()) == 54
    assert EDGE_VERTICES.shape == (72, 2)
    assert set(EDGE_VERTICES.ravel()) == set(range(54))


def test_bank_and_development_cards():
    """19 of each resource; 14 knight, 5 victory point, 2 of each other kind, shuffled."""
    state = Game(seed=0).snapshot()
    assert state["bank"] == dict.fromkeys(GIVES.values(), 19)
    two_each = dict.fromkeys(("road_building", "year_of_plenty", "monopoly"), 2)
    assert Counter(state["deck"]) == {"knight": 14, "victory_point": 5, **two_each}
    assert len({tuple(Game(seed=seed).snapshot()["deck"]) for seed in range(20)}) == 20


FIFTEEN_ROADS = path(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 37, 36, 35, 34, 33)
RICH = {"brick": 5, "lumber": 5, "wool": 3, "grain": 4, "ore": 6}
LAST_PIECES = {
    "road": (
        {"settlements": [16], "roads": FIFTEEN_ROADS[:14]},
        [FIFTEEN_ROADS[14], edge(33, 32)],
    ),
    "settlement": (
        {"settlements": [0, 2, 4, 16], "roads": path(*range(7)) + path(16, 17, 18, 19, 20)},
        [6, 18],
    ),
    "city": ({"cities": [0, 2, 4], "settlements": [6, 16]}, [6, 16]),
}


@pytest.mark.parametrize("piece", LAST_PIECES)
def test_each_player_has_15_roads_5_settlements_and_4_cities(piece):
    """The last piece can be built, and no other."""
    seat, (last, beyond) = LAST_PIECES[piece]
    where = "edge" if piece == "road" else "vertex"
    game = act(table({**seat, "hand": RICH}), f"build_{piece}", **{where: last})
    refused(game, f"build_{piece}", **{where: beyond})


def test_a_settlement_returned_by_a_city_can_be_built_again():
    seat = {"settlements": [0, 2, 4, 6, 16], "roads": path(16, 17, 18), "hand": RICH}
    game = table(seat)
    refused(game, "build_settlement", vertex=18)
    act(game, "build_city", vertex=0)
    act(game, "build_settlement", vertex=18)
    assert player(game, 0)["settlements"] == [2, 4, 6, 16, 18]
    assert player(game, 0)["cities"] == [0]


@pytest.mark.parametrize("board", ["random", "spiral"])
def test_hexes_and_harbors_are_shuffled(board):
    games = [Game(seed=seed, board=board) for seed in range(30)]
    assert len({tuple(terrains(g)) for g in games}) == 30
    assert len({tuple(tokens(g)) for g in games}) > 20
    assert len({tuple(harbors(g).values()) for g in games}) > 25


def test_spiral_boards_lay_the_letters_counter_clockwise_from_a_corner():
    """`spiral`: tokens in the letter order A to R, counter-clockwise, skipping the desert."""
    corners = set()
    for seed in range(60):
        laid = tokens(Game(seed=seed, board="spiral"))
        (spiral,) = (s for s in SPIRALS if [laid[h] for h in s if laid[h]] == LETTERS)
        corners.add(int(spiral[0]))
    assert corners == {0, 2, 7, 11, 16, 18}


def test_the_beginner_board():
    """`beginner` (the rulebook's fixed first-game board, harbors included)."""
    rows = """
        mountains 10, pasture 2, forest 9
        fields 12, hills 6, pasture 4, hills 10
        fields 9, forest 11, desert, forest 3, mountains 8
        forest 8, mountains 3, fields 4, pasture 5
        hills 5, fields 6, pasture 11
    """
    words = [part.split() for line in rows.strip().splitlines() for part in line.split(",")]
    for seed in (0, 1):
        game = Game(seed=seed, board="beginner")
        assert terrains(game) == [word[0] for word in words]
        assert tokens(game) == [int(word[1]) if len(word) > 1 else None for word in words]
        assert harbors(game) == {
            **dict.fromkeys((edge(0, 1), edge(26, 37), edge(50, 51), edge(47, 48))),
            edge(3, 4): "grain",
            edge(14, 15): "ore",
            edge(45, 46): "wool",
            edge(28, 38): "brick",
            edge(7, 17): "lumber",
        }


def test_a_list_of_seeds_gives_one_of_their_boards_to_each_game():
    def drawn(seeds):
        return {str(board_of(Game(seed=s, board=seeds))) for s in range(40)}

    first, second = drawn([11]), drawn([12])
    assert len(first) == len(second) == 1
    assert first != second
    assert drawn([11, 12]) == first | second


def test_an_explicit_board_is_laid_as_given():
    given = board_of(Game(seed=5))
    for board in (given, Board.from_dict(given)):
        assert board_of(Game(seed=1, board=board)) == given


def has_red_neighbors(game):
    red = [n in (6, 8) for n in tokens(game)]
    return any(red[h] and red[k] for h in range(19) for k in HEX_NEIGHBORS[h] if k >= 0)


def test_no_adjacent_red():
    """`no_adjacent_red` (for `random` boards): no 6 or 8 next to another 6 or 8."""
    assert sum(has_red_neighbors(Game(seed=seed)) for seed in range(20)) > 10
    for seed in range(100):
        assert not has_red_neighbors(Game(seed=seed, no_adjacent_red=True))
        assert not has_red_neighbors(Game(seed=seed, board=[seed], no_adjacent_red=True))
    for board in ("spiral", "beginner", BEGINNER_BOARD):
        with pytest.raises(ValueError, match="no_adjacent_red"):
            Rules(board=board, no_adjacent_red=True)
