"""The observation of Charlesworth's four-player agent: tiles, players, cards, offer on the table.

Source: H. Charlesworth, "Learning to Play Settlers of Catan with Deep Reinforcement Learning",
2022. Letters: H hexes, P seats relative to the viewer, R resources, K bins; "..." any leading axes.
"""

from itertools import pairwise
from typing import Final

import numpy as np

from catan_pz.board.topology import HEX_EDGES, HEX_VERTICES
from catan_pz.encoders.arrays import Array, Constant, floats, gather, join, merge, rows
from catan_pz.encoders.base import Encoder, Segment
from catan_pz.encoders.features import vertex_harbors
from catan_pz.observation.segments import PLACES
from catan_pz.terms import (
    BANK_PER_RESOURCE,
    DECK_COUNTS,
    GENERIC_HARBOR,
    HARBOR_COUNTS,
    MAX_PLAYERS,
    NUM_CARD_KINDS,
    NUM_EDGES,
    NUM_HEXES,
    NUM_RESOURCES,
    NUM_VERTICES,
    TERRAIN_COUNTS,
    Card,
    Phase,
    Resource,
    Terrain,
)

RESOURCES: Final = (
    Resource.LUMBER,
    Resource.BRICK,
    Resource.GRAIN,
    Resource.ORE,
    Resource.WOOL,
)
"""Resources in the order in which blocks list them."""

CORNERS: Final = (0, 5, 4, 3, 2, 1)
"""Corners of a hex counter-clockwise from the top, as places in `HEX_VERTICES`."""

_HARBORS: Final = (
    GENERIC_HARBOR,
    Resource.BRICK,
    Resource.LUMBER,
    Resource.ORE,
    Resource.WOOL,
    Resource.GRAIN,
)
_HAND_BINS: Final = (0, 1, 2, 3, 4, 5, 8, 11)
_BANK_BINS: Final = (0, 1, 2, 3, 6, 8, 11)
_HIDDEN_BINS: Final = (0, 1, 2, 3, 4, 5)
_POINT_BINS: Final = tuple(range(10))
"""Lower ends of the bins; the last has no upper end."""

TILE_FEATURES: Final = 60
ROAD_FEATURES: Final = 6 * MAX_PLAYERS
HARBOR_FEATURES: Final = 6 * len(HARBOR_COUNTS)
PLAYER_FEATURES: Final = 152
OPPONENT_FEATURES: Final = 159
CARD_LISTS: Final = 1 + MAX_PLAYERS
OFFER_FEATURES: Final = 12
HAND_FEATURES: Final = 6
PHASE_FEATURES: Final = len(Phase) + 4

_MOST_OFFERS: Final = 4
_ROAD_SCALE, _ARMY_SCALE = 1 / 8, 1 / 4
_DESERT_TOKEN: Final = 7
_OPPONENTS: Final = slice(1, MAX_PLAYERS)

_ORDER: Final = Constant(np.array(RESOURCES))
_TERRAINS: Final = Constant(np.array((Terrain.DESERT, *RESOURCES)))
_HARBOR_ORDER: Final = Constant(np.array(_HARBORS))
_TOKENS: Final = Constant(np.arange(2, 13))
_ROLLED: Final = Constant(np.array([2, 3, 4, 5, 6, 8, 9, 10, 11, 12]))
_SEATS: Final = Constant(np.eye(MAX_PLAYERS - 1))
_CORNER_PLACES: Final = Constant(HEX_VERTICES[:, CORNERS].ravel())
_EDGE_PLACES: Final = Constant(HEX_EDGES.ravel())


def _segment(units: Array, name: str) -> Array:
    return units[..., PLACES[name]]


def _of_players(units: Array, name: str, *shape: int) -> Array:
    """(..., P, ...) a segment with an axis of seats in front."""
    return rows(_segment(units, name), MAX_PLAYERS, *shape)


def _one_hot(values: Array, bounds: tuple[int, ...]) -> Array:
    """(..., K) one-hot bin of values (...), by the lower ends of the bins."""
    below = [values[..., None] >= low for low in bounds]
    inside = [own ^ following for own, following in pairwise(below)]
    return floats(join([*inside, below[-1]]))


def _binned(values: Array, bounds: tuple[int, ...]) -> Array:
    """(..., R * K) one-hot bins of counts by resource (..., R), in the order of `RESOURCES`."""
    return merge(_one_hot(gather(values, _ORDER), bounds))


def _corners_of(per_vertex: Array) -> Array:
    """(..., H, 6, n) what stands at the corners of each hex, from (..., V, n)."""
    swapped = gather(per_vertex.swapaxes(-1, -2), _CORNER_PLACES)
    *lead, n, _ = swapped.shape
    return swapped.swapaxes(-1, -2).reshape(*lead, NUM_HEXES, len(CORNERS), n)


def _buildings(units: Array) -> Array:
    """(..., V, P) 1 for a settlement, 2 for a city."""
    return rows(_segment(units, "vertex_building"), NUM_VERTICES, MAX_PLAYERS)


def _tokens(units: Array) -> Array:
    """(..., H, 11) one-hot number token; the desert counts as 7."""
    token = _segment(units, "hex_number_token")
    token = token + _DESERT_TOKEN * (token == 0)
    return floats(token[..., None] == _TOKENS.beside(token))


def _tiles(units: Array) -> Array:
    """(..., H, 60) robber, token, resource, and building and owner at each corner."""
    robber = floats(_segment(units, "hex_robber"))[..., None]
    terrain = rows(_segment(units, "hex_terrain"), NUM_HEXES, len(TERRAIN_COUNTS))
    built = _corners_of(_buildings(units))
    level = built.sum(-1)
    kinds = [floats(level == kind)[..., None] for kind in (0, 1, 2)]
    corners = merge(join([*kinds, floats(built > 0)]))
    return join([robber, _tokens(units), floats(gather(terrain, _TERRAINS)), corners])


def _roads(units: Array) -> Array:
    """(..., H, 24) owner of the road at each side."""
    roads = rows(_segment(units, "edge_road"), NUM_EDGES, MAX_PLAYERS).swapaxes(-1, -2)
    around = gather(floats(roads), _EDGE_PLACES).swapaxes(-1, -2)
    return around.reshape(*around.shape[:-2], NUM_HEXES, ROAD_FEATURES)


def _harbors(units: Array) -> Array:
    """(..., H, 36) kind of the harbor at each corner."""
    at_vertices = gather(floats(vertex_harbors(units)), _HARBOR_ORDER)
    return merge(_corners_of(at_vertices))


def _production(units: Array, buildings: Array) -> Array:
    """(..., P, 50) own buildings at each resource and token, cities twice."""
    terrain = rows(_segment(units, "hex_terrain"), NUM_HEXES, len(TERRAIN_COUNTS))
    token = _segment(units, "hex_number_token")
    tokens = floats(token[..., None] == _ROLLED.beside(token))
    fields = merge(floats(gather(terrain, _ORDER))[..., None] * tokens[..., None, :])
    weights = floats(_corners_of(buildings)).sum(-2)
    return weights.swapaxes(-1, -2) @ fields


def _harbors_held(units: Array, buildings: Array) -> Array:
    """(..., P, 6) whether a player has each kind of harbor."""
    at_vertices = gather(floats(vertex_harbors(units)), _HARBOR_ORDER)
    return floats(floats(buildings).swapaxes(-1, -2) @ at_vertices > 0)


def _awards(units: Array) -> Array:
    """(..., P, 4) longest road, its length, largest army, its size.

    Lengths are zero as long as nobody holds the longest road.
    """
    holds = floats(_segment(units, "longest_road"))
    lengths = floats(_segment(units, "road_length")) * holds.sum(-1)[..., None]
    knights = floats(_of_players(units, "cards_played", NUM_CARD_KINDS)[..., Card.KNIGHT])
    army = floats(_segment(units, "largest_army"))
    columns = (holds, lengths * _ROAD_SCALE, army, knights * _ARMY_SCALE)
    return join([column[..., None] for column in columns])


def _player(units: Array, production: Array, awards: Array, harbors: Array) -> Array:
    """(..., 152) of the viewer."""
    return join(
        [
            _binned(_segment(units, "own_hand"), _HAND_BINS),
            _one_hot(_segment(units, "own_points")[..., 0], _POINT_BINS),
            production[..., 0, :],
            awards[..., 0, :],
            harbors[..., 0, :],
            _binned(_segment(units, "bank"), _BANK_BINS),
            _one_hot(_segment(units, "deck_left")[..., 0], _BANK_BINS),
        ]
    )


def _opponents(units: Array, production: Array, awards: Array, harbors: Array) -> Array:
    """(..., P - 1, 159) of the others; zeros for seats that don't play."""
    known = [
        _binned(_of_players(units, name, NUM_RESOURCES), _HAND_BINS)
        for name in ("hand_min", "hand_max")
    ]
    whole = join(
        [
            *known,
            _one_hot(_segment(units, "visible_points"), _POINT_BINS),
            production,
            awards,
            harbors,
        ]
    )[..., _OPPONENTS, :]
    seats = _SEATS.beside(units) + whole[..., : MAX_PLAYERS - 1] * 0
    hidden = _one_hot(_segment(units, "card_count"), _HIDDEN_BINS)[..., _OPPONENTS, :]
    present = floats(_segment(units, "present"))[..., _OPPONENTS, None]
    return join([whole, seats, hidden]) * present


def _cards(units: Array) -> Array:
    """(..., 5, 5) development cards that the viewer holds, then those that each seat has played."""
    held = _segment(units, "own_cards")[..., None, :]
    return floats(join([held, _of_players(units, "cards_played", NUM_CARD_KINDS)], axis=-2))


def _offer(units: Array, flags: bool) -> Array:
    """(..., 12) what the player in turn offers and asks for, each with a zero behind it."""
    maker = _segment(units, "turn_player")[..., None]
    sides = []
    for name in ("offer_give", "offer_get"):
        side = (_of_players(units, name, NUM_RESOURCES) * maker).sum(-2)
        side = floats(gather(side, _ORDER))
        sides += [floats(side > 0) if flags else side, side[..., :1] * 0]
    return join(sides)


def _hand(units: Array) -> Array:
    """(..., 6) cards in hand, with a zero behind them."""
    hand = floats(gather(_segment(units, "own_hand"), _ORDER))
    return join([hand, hand[..., :1] * 0])


def _phase(units: Array) -> Array:
    """(..., 16) phase, whether dice are rolled and a card is played, free roads, offers left."""
    offers = floats(_segment(units, "offers_left").clip(0, _MOST_OFFERS)) / _MOST_OFFERS
    parts = [floats(_segment(units, name)) for name in ("phase", "rolled", "card_played")]
    return join([*parts, floats(_segment(units, "free_roads")) / 2, offers])


class CharlesworthEncoder(Encoder):
    """Tiles, players, development cards and the offer on the table, in one-hot bins.

    Args:
        name: of the encoder.
        additions: whether roads, harbors and phase are there, which the source leaves out.
        flags: whether the offer tells which resources it has only, as in the source, not how many.
    """

    def __init__(
        self, name: str = "charlesworth", *, additions: bool = True, flags: bool = False
    ) -> None:
        self.name = name
        self.additions = additions
        self._flags = flags
        added = [
            Segment("roads", (NUM_HEXES, ROAD_FEATURES), "(H, feature) owner of each side's road"),
            Segment(
                "harbors",
                (NUM_HEXES, HARBOR_FEATURES),
                "(H, feature) kind of each corner's harbor: 3:1, brick, lumber, ore, wool, grain",
            ),
            Segment(
                "phase",
                (PHASE_FEATURES,),
                "(feature) phase 0-11, rolled 12, card played 13, free roads / 2 14, offers left / "
                "4 15",
            ),
        ]
        self.segments = (*_segments(flags), *(added if additions else ()))

    def encode(self, units: Array) -> dict[str, Array]:
        """The observations (..., N) in natural units as arrays by name."""
        buildings = _buildings(units)
        of_players = (
            _production(units, buildings),
            _awards(units),
            _harbors_held(units, buildings),
        )
        encoded = {
            "tiles": _tiles(units),
            "player": _player(units, *of_players),
            "opponents": _opponents(units, *of_players),
            "cards": _cards(units),
            "offer": _offer(units, self._flags),
            "hand": _hand(units),
        }
        if self.additions:
            encoded["roads"] = _roads(units)
            encoded["harbors"] = _harbors(units)
            encoded["phase"] = _phase(units)
        return encoded


def _segments(flags: bool) -> list[Segment]:
    """The segments of the source."""
    order = "lumber, brick, grain, ore, wool"
    most_built = 2.0 * len(CORNERS) * max(TERRAIN_COUNTS)
    counted = "1 for each resource" if flags else "cards"
    players = MAX_PLAYERS - 1
    return [
        Segment(
            "tiles",
            (NUM_HEXES, TILE_FEATURES),
            "(H, feature) robber 0, number token 2-12 (the desert 7) 1-11, desert and resource "
            "12-17, then for each corner counter-clockwise from the top none, settlement, city, "
            f"and owner; resources go {order}",
        ),
        Segment(
            "player",
            (PLAYER_FEATURES,),
            "(feature) own hand in 8 bins a resource 0-39, points 40-49, buildings by resource and "
            "token 50-99, longest road, length / 8, largest army, knights / 4 100-103, harbors "
            "104-109, bank in 7 bins a resource 110-144, deck in 7 bins 145-151",
            high=most_built,
        ),
        Segment(
            "opponents",
            (players, OPPONENT_FEATURES),
            "(P - 1, feature) fewest cards 0-39, most 40-79, points 80-89, buildings by resource "
            "and token 90-139, roads and army 140-143, harbors 144-149, seat 150-152, hidden cards "
            "153-158",
            high=most_built,
        ),
        Segment(
            "cards",
            (CARD_LISTS, NUM_CARD_KINDS),
            "(list, C) development cards held, then played by each seat",
            high=float(max(DECK_COUNTS)),
        ),
        Segment(
            "offer",
            (OFFER_FEATURES,),
            f"(feature) {counted} that the player in turn gives 0-4, and gets 6-10; zeros 5, 11",
            high=1.0 if flags else float(_MOST_OFFERS),
        ),
        Segment(
            "hand",
            (HAND_FEATURES,),
            f"(feature) cards in hand, {order} 0-4; zero 5",
            high=float(BANK_PER_RESOURCE),
        ),
    ]


def with_flags() -> CharlesworthEncoder:
    """The encoder `charlesworth_flags`."""
    return CharlesworthEncoder("charlesworth_flags", flags=True)


def as_published() -> CharlesworthEncoder:
    """The encoder `charlesworth_2022`."""
    return CharlesworthEncoder("charlesworth_2022", additions=False, flags=True)
