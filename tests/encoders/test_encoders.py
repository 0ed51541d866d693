"""What each encoder gives, by positions set up in words, and the same everywhere."""

import json
import pickle

import numpy as np
import pytest

from catan_pz import encoders
from catan_pz.board.topology import EDGE_POINTS, EDGE_VERTICES, HEX_VERTICES, VERTEX_POINTS
from catan_pz.encoders import features
from catan_pz.encoders.base import fingerprint, fits
from catan_pz.encoders.flat import NamedVectors
from catan_pz.encoders.graph import EDGE_VERTEX, HEX_VERTEX, VERTEX_VERTEX
from catan_pz.encoders.planes import PLANES
from catan_pz.game import position
from catan_pz.observation.segments import PLACES, SCALES, SEGMENTS, SIZE, named_views
from catan_pz.rules import Rules
from catan_pz.testing import check_encoder
from tests.env.test_observations import same

NAMES = encoders.names()


@pytest.fixture(scope="module")
def game():
    """Three players on the beginner board, with pieces, seen from the second one's seat."""
    players = [
        {"settlements": [0], "roads": [0]},
        {"hand": {"ore": 3, "wool": 11}, "cities": [20], "settlements": [5], "roads": [26, 4]},
        {"cities": [40], "roads": [50], "cards_played": {"knight": 2}},
    ]
    return position(players, rules=Rules(num_players=3, board="beginner"), turn=44, seed=1)


@pytest.fixture(scope="module")
def units(game):
    return game.observe(1)


@pytest.mark.parametrize("name", NAMES)
def test_each_passes_the_check_and_survives_pickle(name, units):
    check_encoder(name)
    encoder = encoders.load(name)
    assert encoder is encoders.load(name)
    twin = pickle.loads(pickle.dumps(encoder))
    assert (encoder.name, twin.layout) == (name, encoder.layout)
    assert same(encoder.encode(units), twin.encode(units))


def test_flat_scales_as_compiled_code_does():
    counts = np.arange(128, dtype=np.int8)
    units = np.repeat(counts[:, None], SIZE, axis=1)
    flat = encoders.load("flat").encode(units)
    assert (flat == np.minimum(counts[:, None].astype(np.float32) * SCALES, 1)).all()
    with pytest.raises(ValueError, match=r"^units have shape .*, must have \(\.\.\., "):
        encoders.load("flat").encode(counts)


def test_dict_holds_the_segments(units):
    flat = encoders.load("flat").encode(units)
    named = encoders.load("dict").encode(units)
    assert list(named) == [segment.name for segment in SEGMENTS]
    for name, array in named_views(flat).items():
        assert (named[name] == array).all()


def test_every_number_of_the_view_is_described_once():
    listed = features.OF_HEXES + features.OF_VERTICES + features.OF_EDGES
    listed += features.OF_PLAYERS + features.OF_GAME
    assert sorted(listed) == sorted(segment.name for segment in SEGMENTS)


@pytest.mark.parametrize("name", ["graph", "planes", "tokens"])
def test_no_number_of_the_view_is_lost(name):
    """Changing any number of the view changes what the encoder gives."""
    encoder = encoders.load(name)
    start = np.ones(SIZE, np.int8)
    changed = np.repeat(start[None], SIZE, axis=0)
    np.fill_diagonal(changed, 0)
    whole = encoder.encode(start)
    parts = encoder.encode(changed)
    differs = np.zeros(SIZE, bool)
    for key, array in parts.items():
        differs |= (array != whole[key]).reshape(SIZE, -1).any(axis=1)
    lost = [s.name for s in SEGMENTS if not differs[PLACES[s.name]].all()]
    assert lost == []


def test_edge_lists_are_the_board():
    shapes = [edges.shape for edges in (VERTEX_VERTEX, EDGE_VERTEX, HEX_VERTEX)]
    assert shapes == [(2, 144), (2, 144), (2, 114)]
    for k, (a, b) in enumerate(VERTEX_VERTEX.T):
        assert {a, b} == set(EDGE_VERTICES[k % 72])
    assert len({(a, b) for a, b in VERTEX_VERTEX.T}) == 144
    for edge, vertex in EDGE_VERTEX.T:
        assert vertex in EDGE_VERTICES[edge]
    for hex_id, vertex in HEX_VERTEX.T:
        assert vertex in HEX_VERTICES[hex_id]


def test_graph_tells_pieces_by_relative_seat(units):
    graph = encoders.load("graph").encode(units)
    settlements, cities = graph["vertices"][:, :4], graph["vertices"][:, 4:8]
    # Seat 1 looks: it is 0 itself, seat 2 follows as 1, seat 0 as 2.
    assert np.argwhere(settlements).tolist() == [[0, 2], [5, 0]]
    assert np.argwhere(cities).tolist() == [[20, 0], [40, 1]]
    assert np.argwhere(graph["edges"]).tolist() == [[0, 2], [4, 0], [26, 0], [50, 1]]
    assert graph["players_mask"].tolist() == [1, 1, 1, 0]
    assert not graph["players"][3].any()


def test_harbors_lie_at_their_two_vertices(units):
    harbors = encoders.load("graph").encode(units)["vertices"][:, 8:]
    assert (harbors.sum(), harbors.sum(axis=1).max(), harbors[:, 5].sum()) == (18, 1, 8)


def test_tokens_tell_what_surrounds_a_vertex(game, units):
    tokens = encoders.load("tokens").encode(units)
    board = game.snapshot()["board"]["hexes"]
    pips = [0, 0, 1, 2, 3, 4, 5, 0, 5, 4, 3, 2, 1]
    names = ["hills", "forest", "pasture", "fields", "mountains"]
    expected = np.zeros((54, 5))
    for hex_id, tile in enumerate(board):
        if tile["terrain"] in names:
            for vertex in HEX_VERTICES[hex_id]:
                expected[vertex, names.index(tile["terrain"])] += pips[tile["token"]] / 15
    np.testing.assert_allclose(tokens["vertices"][:, 14:19], expected, atol=1e-6)
    robber = game.snapshot()["robber"]
    assert board[robber]["token"] is None
    assert not tokens["vertices"][:, 19].any()
    assert len(np.unique(tokens["vertices"][:, 20:], axis=0)) == 54
    assert [tokens[f"{kind}_mask"].sum() for kind in ("hexes", "vertices", "edges")] == [19, 54, 72]
    assert tokens["players_mask"].tolist() == [1, 1, 1, 0]


def test_planes_lie_on_the_brick_grid(units):
    made = encoders.load("planes").encode(units)
    planes = dict(zip(PLANES, made["planes"], strict=True))

    def cells(points):
        return [(int(y) + 5, int(x) + 10) for x, y in points]

    def marked(name):
        return list(zip(*np.nonzero(planes[name]), strict=True))

    assert marked("settlement of seat 0") == cells(VERTEX_POINTS[[5]])
    assert marked("city of seat 0") == cells(VERTEX_POINTS[[20]])
    assert marked("settlement of seat 2") == cells(VERTEX_POINTS[[0]])
    assert marked("city of seat 1") == cells(VERTEX_POINTS[[40]])
    assert marked("road of seat 0") == cells(EDGE_POINTS[[4, 26]])
    assert marked("road of seat 3") == []
    sizes = {
        name: int(planes[f"cell of {name}"].sum()) for name in ("a hex", "a vertex", "an edge")
    }
    assert sizes == {"a hex": 19, "a vertex": 54, "an edge": 72}
    assert np.maximum.reduce([planes[f"cell of {name}"] for name in sizes]).sum() == 145
    assert not made["planes"][:, 0, 0].any()
    assert planes["robber"].sum() == 1
    harbors = [name for name in PLANES if "harbor" in name]
    assert sum(planes[name].sum() for name in harbors) == 18


def test_named_vectors_are_used_again_only_when_nobody_holds_them():
    new = NamedVectors(encoders.load("dict"))
    held = [new()[1]["own_hand"], new()[1]["edge_road"][3:5], memoryview(new()[1]["bank"])]
    for _ in range(20):
        flat, named = new()
        assert named["own_hand"].base is flat
        assert not any(np.shares_memory(flat, np.asarray(view)) for view in held)
    addresses = set()
    for _ in range(20):
        flat, named = new()
        addresses.add(flat.ctypes.data)
    assert len(addresses) <= NamedVectors.KEPT
    kept = [new()[1] for _ in range(20)]
    assert len({named["bank"].base.ctypes.data for named in kept}) == 20


class Doubled(encoders.Encoder):
    name = "doubled"
    segments = (encoders.Segment("doubled", (5,), "(R) twice the own hand", "int8", 0, 127),)

    def encode(self, units):
        return units[..., PLACES["own_hand"]] * 2


def misnamed():
    return encoders.load("flat")


def no_encoder():
    return 7


@pytest.fixture
def _registry(monkeypatch):
    from catan_pz.encoders import registry

    for known in ("_HOMES", "_LOADED"):
        monkeypatch.setattr(registry, known, dict(getattr(registry, known)))


@pytest.mark.usefixtures("_registry")
def test_a_registered_encoder_is_found_by_its_name(units):
    encoders.register("doubled", f"{__name__}:Doubled")
    assert "doubled" in encoders.names()
    assert encoders.as_encoder("doubled").encode(units)[4] == 6


@pytest.mark.usefixtures("_registry")
def test_what_can_not_be_registered_or_loaded_is_refused():
    for name, home in (("flat", "module:thing"), ("other", "module.thing")):
        with pytest.raises(ValueError, match="must be"):
            encoders.register(name, home)
    encoders.register("misnamed", f"{__name__}:misnamed")
    encoders.register("none", f"{__name__}:no_encoder")
    for name, said in (("pictures", "'pictures'"), ("misnamed", "must be"), ("none", "is 7")):
        with pytest.raises(ValueError, match=said):
            encoders.load(name)
    assert "other" not in encoders.names()


@pytest.mark.usefixtures("_registry")
@pytest.mark.parametrize("home", ["no_such_module:thing", f"{__name__}:NoSuch"])
def test_a_home_that_is_none_is_named_and_can_be_mended(home):
    encoders.register("doubled", home)
    with pytest.raises(ValueError, match=f"encoder 'doubled': home '{home}'"):
        encoders.load("doubled")
    encoders.register("doubled", f"{__name__}:Doubled")
    assert encoders.load("doubled") is encoders.load("doubled")
    with pytest.raises(ValueError, match=r"name must be .* taken"):
        encoders.register("doubled", f"{__name__}:misnamed")


class Signed(encoders.Encoder):
    """Float numbers of both signs, changed a little."""

    name = "signed"
    segments = (encoders.Segment("signed", (54, 4), "(V, P)", low=-1.0),)

    def __init__(self, change):
        self.change = change

    def encode(self, units):
        vertices = units[..., PLACES["vertex_building"]].astype(np.float32) - 1
        return (vertices * self.change).reshape(*units.shape[:-1], 54, 4)


@pytest.mark.parametrize("name", encoders.names())
def test_each_encoder_has_one_that_fits_and_depends_on_every_segment(name):
    encoder = encoders.load(name)
    noted = json.loads(json.dumps(fingerprint(encoder)))
    assert fits(encoder, noted)
    for key, sums in noted.items():
        assert not fits(encoder, noted | {key: [1.01 * number for number in sums]})
    assert not fits(encoder, {})


def test_rounding_is_borne_and_changes_are_not():
    noted, one = fingerprint(Signed(1.0)), np.ones(216, np.float32)
    one[7] = 0.5
    assert fits(Signed(1 + 1e-6), noted)
    assert not any(fits(Signed(change), noted) for change in (1.01, -1.0, one))


@pytest.mark.parametrize("change", [np.nan, "text"])
def test_an_encoder_that_refuses_the_samples_has_none(change):
    assert fingerprint(Signed(change)) is None
    assert fits(Signed(change), fingerprint(Signed(1.0)))
    assert fits(Signed(1.0), None)
