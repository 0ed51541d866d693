"""1. Parts: the board, the cards, the pieces, and the ways to lay out a board."""

from collections import Counter

import pytest

from catan_pz import Board, Game, Rules
from catan_pz.board.generators import BEGINNER_BOARD
from catan_pz.board.topology import EDGE_VERTICES, HEX_POINTS, HEX_VERTICES, VERTEX_HEXES
from catan_pz.game.position import position
from tests.helpers import CITY, act, can, edge, path, player, refused, roll

pytestmark = pytest.mark.purepython

BOARDS = ["random", "spiral", "beginner", (7, 8)]
LETTERS = [5, 2, 6, 3, 8, 10, 9, 12, 11, 4, 8, 10, 9, 4, 5, 6, 3, 11]
TOKENS = sorted([2, 12, *(2 * [3, 4, 5, 6, 8, 9, 10, 11])])


def board_of(game):
    return game.snapshot()["board"]


def terrains(game):
    return [h["terrain"] for h in board_of(game)["hexes"]]


def tokens(game):
    return [h["token"] for h in board_of(game)["hexes"]]


def neighbors(h):
    """Hexes that share two corners with a hex."""
    corners = set(HEX_VERTICES[h])
    return [k for k in range(19) if k != h and len(corners & set(HEX_VERTICES[k])) == 2]


@pytest.mark.parametrize("board", BOARDS)
def test_19_land_hexes_of_six_terrains(board):
    """Board: 4 forest, 3 hills, 4 pasture, 4 fields, 3 mountains, 1 desert."""
    counts = {"forest": 4, "hills": 3, "pasture": 4, "fields": 4, "mountains": 3, "desert": 1}
    for seed in range(5):
        assert Counter(terrains(Game(seed=seed, board=board))) == counts


def test_each_terrain_gives_its_resource():
    """forest (lumber), hills (brick), pasture (wool), fields (grain), mountains (ore)."""
    gives = {"forest": "lumber", "hills": "brick", "pasture": "wool", "fields": "grain"}
    gives["mountains"] = "ore"
    for h, terrain in enumerate(terrains(Game(seed=0, board="beginner"))):
        if terrain == "desert":
            continue
        game = position([{"settlements": [int(HEX_VERTICES[h][0])]}] + 3 * [{}], phase="roll")
        roll(game, BEGINNER_BOARD.tokens[h])
        assert player(game, 0)["hand"][gives[terrain]] >= 1


def test_54_vertices_and_72_edges():
    """54 vertices (intersections); 72 edges (paths)."""
    game = Game(seed=0, num_players=2)
    assert len(game.legal_actions()) == 54
    assert EDGE_VERTICES.shape == (72, 2)
    assert set(EDGE_VERTICES.ravel()) == set(range(54))


@pytest.mark.parametrize("board", BOARDS)
def test_18_number_tokens(board):
    """18 number tokens: one 2, one 12, two each of 3 4 5 6 8 9 10 11."""
    for seed in range(5):
        laid = [n for n in tokens(Game(seed=seed, board=board)) if n is not None]
        assert sorted(laid) == TOKENS


@pytest.mark.parametrize("board", BOARDS)
def test_the_desert_has_no_token_and_starts_with_the_robber(board):
    for seed in range(5):
        game = Game(seed=seed, board=board)
        desert = terrains(game).index("desert")
        assert tokens(game)[desert] is None
        assert game.snapshot()["robber"] == desert


@pytest.mark.parametrize("board", BOARDS)
def test_9_harbors_on_fixed_coastal_edges(board):
    """9 harbors, each serving the two vertices of its edge: four 3:1, one 2:1 for each."""
    for seed in range(5):
        harbors = board_of(Game(seed=seed, board=board))["harbors"]
        assert {h["edge"] for h in harbors} == {38, 61, 69, 66, 49, 18, 0, 3, 17}
        kinds = Counter(h["resource"] for h in harbors)
        assert kinds == {None: 4, "brick": 1, "lumber": 1, "wool": 1, "grain": 1, "ore": 1}


def test_harbor_edges_lie_on_the_coast():
    for harbor in board_of(Game(seed=0))["harbors"]:
        v, w = EDGE_VERTICES[harbor["edge"]]
        shared = set(VERTEX_HEXES[v]) & set(VERTEX_HEXES[w]) - {-1}
        assert len(shared) == 1  # one hex on one side, the sea on the other


def test_the_bank_has_19_cards_of_each_resource():
    game = Game(seed=0)
    expected = {"brick": 19, "lumber": 19, "wool": 19, "grain": 19, "ore": 19}
    assert game.snapshot()["bank"] == expected


def test_25_development_cards():
    """25 (14 knight, 5 victory point, 2 road building, 2 year of plenty, 2 monopoly)."""
    deck = Counter(Game(seed=0).snapshot()["deck"])
    assert deck == {
        "knight": 14,
        "victory_point": 5,
        "road_building": 2,
        "year_of_plenty": 2,
        "monopoly": 2,
    }


def test_the_deck_is_shuffled():
    decks = {tuple(Game(seed=seed).snapshot()["deck"]) for seed in range(20)}
    assert len(decks) == 20


FIFTEEN_ROADS = path(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 37, 36, 35, 34, 33)


def test_each_player_has_15_roads():
    rich = {"brick": 5, "lumber": 5}
    fourteen = [{"roads": FIFTEEN_ROADS[:14], "hand": rich, "settlements": [16]}, {}, {}, {}]
    game = position(fourteen)
    act(game, "build_road", edge=FIFTEEN_ROADS[14])
    refused(game, "build_road", edge=edge(33, 32))


def test_each_player_has_5_settlements():
    roads = path(0, 1, 2, 3, 4, 5, 6) + path(16, 17, 18, 19, 20)
    rich = {"brick": 3, "lumber": 3, "wool": 3, "grain": 3}
    seat = {"roads": roads, "hand": rich, "settlements": [0, 2, 4, 16]}
    game = position([seat, {}, {}, {}])
    act(game, "build_settlement", vertex=6)
    refused(game, "build_settlement", vertex=18)


def test_each_player_has_4_cities():
    rich = {"grain": 4, "ore": 6}
    game = position([{"cities": [0, 2, 4], "settlements": [6, 16], "hand": rich}, {}, {}, {}])
    act(game, "build_city", vertex=6)
    refused(game, "build_city", vertex=16)


def test_a_settlement_returned_by_a_city_can_be_built_again():
    rich = {"brick": 1, "lumber": 1, "wool": 1, "grain": 3, "ore": 3}
    seat = {"settlements": [0, 2, 4, 6, 16], "roads": path(16, 17, 18), "hand": rich}
    game = position([seat, {}, {}, {}])
    refused(game, "build_settlement", vertex=18)
    act(game, "build_city", vertex=0)
    act(game, "build_settlement", vertex=18)
    assert player(game, 0)["settlements"] == [2, 4, 6, 16, 18]
    assert player(game, 0)["cities"] == [0]
    assert CITY == {"grain": 2, "ore": 3}


def test_random_boards_shuffle_hexes_tokens_and_harbors():
    """board: `random` (hexes, tokens and harbors shuffled)."""
    games = [Game(seed=seed, board="random") for seed in range(30)]
    assert len({tuple(terrains(g)) for g in games}) == 30
    assert len({tuple(tokens(g)) for g in games}) == 30
    kinds = {tuple(h["resource"] for h in board_of(g)["harbors"]) for g in games}
    assert len(kinds) > 25


def counter_clockwise_spiral(corner):
    """Hexes along the coast from a corner, then the inner ring, then the middle."""

    def angle(h):
        # Counter-clockwise as one looks at the board, on which y grows downwards.
        x, y = HEX_POINTS[h]
        return complex(x * 3**0.5 / 2, -y * 1.5)

    def ring(members, first):
        order, here = [first], first
        while len(order) < len(members):
            beside = [h for h in neighbors(here) if h in members and h not in order]

            # Of the (at most two) ways on, the one that turns to the left around the middle.
            def turns_left(h, here=here):
                return (angle(here).conjugate() * angle(h)).imag

            here = max(beside, key=turns_left)
            order.append(here)
        return order

    coast = [h for h in range(19) if len(neighbors(h)) < 6]
    inner = [h for h in range(19) if h not in coast and h != 9]
    outer_ring = ring(coast, corner)
    start = next(h for h in neighbors(corner) if h in inner)
    return [*outer_ring, *ring(inner, start), 9]


def test_spiral_boards_lay_the_letters_counter_clockwise_from_a_corner():
    """`spiral`: tokens in the letter order A to R, counter-clockwise, skipping the desert."""
    corners = [h for h in range(19) if len(neighbors(h)) == 3]
    assert len(corners) == 6
    seen = set()
    for seed in range(60):
        game = Game(seed=seed, board="spiral")
        laid = tokens(game)
        matching = [
            corner
            for corner in corners
            if [laid[h] for h in counter_clockwise_spiral(corner) if laid[h] is not None] == LETTERS
        ]
        assert len(matching) == 1
        seen.update(matching)
    assert seen == set(corners)


def test_spiral_boards_shuffle_hexes_and_harbors():
    games = [Game(seed=seed, board="spiral") for seed in range(30)]
    assert len({tuple(terrains(g)) for g in games}) == 30
    kinds = {tuple(h["resource"] for h in board_of(g)["harbors"]) for g in games}
    assert len(kinds) > 25


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
    game = Game(seed=0, board="beginner")
    assert terrains(game) == [word[0] for word in words]
    assert tokens(game) == [int(word[1]) if len(word) > 1 else None for word in words]
    harbors = {h["edge"]: h["resource"] for h in board_of(game)["harbors"]}
    clockwise_from_the_upper_left = [
        (edge(0, 1), None),
        (edge(3, 4), "grain"),
        (edge(14, 15), "ore"),
        (edge(26, 37), None),
        (edge(45, 46), "wool"),
        (edge(50, 51), None),
        (edge(47, 48), None),
        (edge(28, 38), "brick"),
        (edge(7, 17), "lumber"),
    ]
    assert harbors == dict(clockwise_from_the_upper_left)


def test_the_beginner_board_is_the_same_in_each_game():
    assert board_of(Game(seed=1, board="beginner")) == board_of(Game(seed=2, board="beginner"))


def test_a_list_of_seeds_gives_one_of_their_boards_to_each_game():
    """A list of board seeds (one is drawn for each game)."""

    def drawn(seeds):
        games = [Game(seed=s, board=seeds) for s in range(40)]
        return {str(board_of(g)) for g in games}

    first, second = drawn([11]), drawn([12])
    assert len(first) == len(second) == 1
    assert drawn([11, 12]) == first | second
    assert len(first | second) == 2


def test_an_explicit_board_is_laid_as_given():
    given = Game(seed=5, board="random").snapshot()["board"]
    for seed in (1, 2):
        assert board_of(Game(seed=seed, board=given)) == given
        assert board_of(Game(seed=seed, board=Board.from_dict(given))) == given


def red_neighbors(game):
    laid = tokens(game)
    return [
        (h, k) for h in range(19) for k in neighbors(h) if laid[h] in (6, 8) and laid[k] in (6, 8)
    ]


def test_no_adjacent_red():
    """`no_adjacent_red` (for `random` boards): no 6 or 8 next to another 6 or 8."""
    assert any(red_neighbors(Game(seed=seed)) for seed in range(20))
    for seed in range(100):
        assert not red_neighbors(Game(seed=seed, no_adjacent_red=True))
        assert not red_neighbors(Game(seed=seed, board=[seed], no_adjacent_red=True))


def test_no_adjacent_red_is_for_random_boards():
    for board in ("spiral", "beginner", BEGINNER_BOARD):
        with pytest.raises(ValueError, match="no_adjacent_red"):
            Rules(board=board, no_adjacent_red=True)


def test_a_road_can_be_built_where_fourteen_stand():
    """15 roads: the last piece is as good as the first."""
    seat = {"roads": FIFTEEN_ROADS[:14], "hand": {"brick": 1, "lumber": 1}, "settlements": [16]}
    assert can(position([seat, {}, {}, {}]), "build_road", edge=FIFTEEN_ROADS[14])
