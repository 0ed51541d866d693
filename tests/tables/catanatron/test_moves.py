"""Places, names and moves of catanatron, and ours."""

import pytest

from catan_pz.actions import ACTION_KINDS, action_id
from catan_pz.board.topology import EDGE_VERTICES
from catan_pz.tables.catanatron import moves as numbering
from catan_pz.tables.catanatron.facts import board_from_map
from catan_pz.tables.catanatron.moves import Move, actions_of
from catan_pz.terms import NUM_EDGES, NUM_HEXES, NUM_VERTICES
from tests.tables.catanatron.recorded import NAMES, game

COLORS = ["RED", "BLUE", "ORANGE", "WHITE"]


def actions(kind, value, seat=0):
    return actions_of(Move(seat, kind, value), COLORS)


def test_every_place_has_one_of_the_other_side() -> None:
    assert sorted(numbering.HEX_OF.values()) == list(range(NUM_HEXES))
    assert sorted(numbering.VERTEX_OF) == list(range(NUM_VERTICES))
    assert sorted(numbering.NODES_OF) == list(range(NUM_EDGES))
    for e, (a, b) in numbering.NODES_OF.items():
        ends = {numbering.VERTEX_OF[a], numbering.VERTEX_OF[b]}
        assert ends == {int(v) for v in EDGE_VERTICES[e]}


def test_places_are_where_catanatron_has_them() -> None:
    """Nodes 0 to 5 go round the center from its top; 6 lies right of the hex to the east."""
    assert numbering.HEX_OF[0, 0, 0] == 9
    assert numbering.HEX_OF[1, -1, 0] == 10
    assert numbering.HEX_OF[0, -1, 1] == 14
    assert numbering.VERTEX_OF[:8] == (21, 22, 33, 32, 31, 20, 23, 24)
    assert numbering.VERTEX_OF[-3:] == (6, 14, 15)


def test_moves_stand_for_actions() -> None:
    e = numbering.EDGE_OF[0, 1]
    assert actions("ROLL", (3, 4)) == (action_id("roll"),)
    assert actions("END_TURN", None) == (action_id("end_turn"),)
    assert actions("BUILD_ROAD", (1, 0)) == (action_id("build_road", edge=e),)
    assert actions("BUILD_CITY", 0) == (action_id("build_city", vertex=21),)
    assert actions("PLAY_MONOPOLY", "WHEAT") == (action_id("play_monopoly", resource="grain"),)
    assert actions("PLAY_YEAR_OF_PLENTY", ("WOOD", "BRICK")) == (
        action_id("play_year_of_plenty", pair=["brick", "lumber"]),
    )
    assert actions("MARITIME_TRADE", ("ORE", "ORE", None, None, "SHEEP")) == (
        action_id("maritime_trade", give="ore", get="wool"),
    )
    assert actions("DISCARD", ("ORE", "WOOD")) == (
        action_id("discard", resource="ore"),
        action_id("discard", resource="lumber"),
    )
    move = action_id("move_robber", hex=9)
    assert actions("MOVE_ROBBER", ((0, 0, 0), None)) == (move,)
    assert actions("MOVE_ROBBER", ((0, 0, 0), "RED"), seat=3) == (move, action_id("steal", seat=1))
    assert actions("MOVE_ROBBER", ((0, 0, 0), "WHITE", None)) == (move, action_id("steal", seat=3))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("PLAY_YEAR_OF_PLENTY", ("ORE",)),
        ("OFFER_TRADE", (1, 0, 0, 0, 0, 0, 1, 0, 0, 0)),
        ("DISCARD", None),
        ("BUILD_ROAD", (0, 40)),
        ("BUILD_SETTLEMENT", 54),
        ("PLAY_MONOPOLY", "GOLD"),
    ],
)
def test_nothing_stands_for_other_moves(kind, value) -> None:
    assert actions(kind, value) is None


@pytest.mark.parametrize("written", [None, [], ["PINK", "ROLL", None], ["RED", "ROLL"], 3])
def test_what_is_no_move_is_refused(written) -> None:
    with pytest.raises(ValueError, match=r"is no \[color, type, value\]"):
        Move.read(COLORS, written)


@pytest.mark.parametrize("name", NAMES)
def test_all_moves_of_a_game_stand_for_actions(name) -> None:
    data = game(name)
    kinds = set()
    for written, result in data["records"]:
        found = actions_of(Move.read(data["colors"], written, result), data["colors"])
        assert found is not None, written
        kinds |= {kind.name for a in found for kind in ACTION_KINDS if a in kind.ids}
    assert {"move_robber", "steal", "discard", "play_monopoly", "maritime_trade"} <= kinds


def test_another_map_is_refused() -> None:
    tiles = [{"coordinate": [0, 0, 0], "type": "LAND", "resource": None, "number": None}]
    with pytest.raises(ValueError, match="isn't that of the base game"):
        board_from_map({"tiles": tiles})
