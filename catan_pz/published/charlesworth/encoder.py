"""The observation of Charlesworth's four-player agent: tiles, players, cards, offer on the table.

Source: H. Charlesworth, "Learning to Play Settlers of Catan with Deep Reinforcement Learning",
2022. Letters: H hexes, V vertices, P seats relative to the viewer, R resources, K bins; "..." any
leading axes.
"""

from functools import partial
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

_R: Final = Resource
RESOURCES: Final = (_R.LUMBER, _R.BRICK, _R.GRAIN, _R.ORE, _R.WOOL)
"""The order of resources in blocks."""

CORNERS: Final = (0, 5, 4, 3, 2, 1)
"""Corners of a hex counter-clockwise from the top, as indices in `HEX_VERTICES`."""

FEATURES: Final = {"tiles": 60, "roads": 6 * MAX_PLAYERS, "harbors": 6 * len(HARBOR_COUNTS)} | {
    "player": 152,
    "opponents": 159,
    "offer": 12,
    "hand": 6,
    "phase": len(Phase) + 4,
}
"""Sizes of each tile or player, of the offer, the hand and the phase."""

_HAND_BINS: Final = (0, 1, 2, 3, 4, 5, 8, 11)
_BANK_BINS: Final = (0, 1, 2, 3, 6, 8, 11)
_HIDDEN_BINS: Final = tuple(range(6))
_POINT_BINS: Final = tuple(range(10))
"""Lower bounds of the bins; the last has no upper bound."""

_MOST_OFFERS: Final = 4

_ORDER: Final = Constant(np.array(RESOURCES))
_TERRAINS: Final = Constant(np.array((Terrain.DESERT, *RESOURCES)))
_HARBOR_ORDER: Final = Constant(
    np.array((GENERIC_HARBOR, _R.BRICK, _R.LUMBER, _R.ORE, _R.WOOL, _R.GRAIN))
)
_TOKENS: Final = Constant(np.arange(2, 13))
_ROLLED: Final = Constant(np.array([2, 3, 4, 5, 6, 8, 9, 10, 11, 12]))
_SEATS: Final = Constant(np.eye(MAX_PLAYERS - 1))
_CORNER_PLACES: Final = Constant(HEX_VERTICES[:, CORNERS].ravel())
_EDGE_PLACES: Final = Constant(HEX_EDGES.ravel())


def _segment(units: Array, name: str, *shape: int) -> Array:
    """(..., n) a segment, or (..., *shape)."""
    segment = units[..., PLACES[name]]
    return rows(segment, *shape) if shape else segment


def _one_hot(values: Array, bounds: tuple[int, ...]) -> Array:
    """(..., K) one-hot bin of values (...), by the lower bounds of the bins."""
    below = [values[..., None] >= low for low in bounds]
    inside = [own ^ following for own, following in pairwise(below)]
    return floats(join([*inside, below[-1]]))


def _binned(values: Array, bounds: tuple[int, ...]) -> Array:
    """(..., R * K) one-hot bins of counts by resource (..., R), in the order of `RESOURCES`."""
    return merge(_one_hot(gather(values, _ORDER), bounds))


def _corners_of(per_vertex: Array) -> Array:
    """(..., H, 6, n) the values at the corners of each hex, from (..., V, n)."""
    swapped = gather(per_vertex.swapaxes(-1, -2), _CORNER_PLACES)
    *lead, n, _ = swapped.shape
    return swapped.swapaxes(-1, -2).reshape(*lead, NUM_HEXES, len(CORNERS), n)


def _buildings(units: Array) -> Array:
    """(..., V, P) 1 for a settlement, 2 for a city."""
    return _segment(units, "vertex_building", NUM_VERTICES, MAX_PLAYERS)


def _terrain(units: Array, kinds: Constant) -> Array:
    """(..., H, kinds) one-hot."""
    return floats(gather(_segment(units, "hex_terrain", NUM_HEXES, len(TERRAIN_COUNTS)), kinds))


def _tiles(units: Array) -> Array:
    """(..., H, 60) robber, token (the desert's is 7), resource, building and owner at corners."""
    robber, token = _segment(units, "hex_robber"), _segment(units, "hex_number_token")
    token = token + 7 * (token == 0)
    tokens = floats(token[..., None] == _TOKENS.beside(token))
    built = _corners_of(_buildings(units))
    kinds = [floats(built.sum(-1) == kind)[..., None] for kind in (0, 1, 2)]
    corners = merge(join([*kinds, floats(built > 0)]))
    return join([floats(robber)[..., None], tokens, _terrain(units, _TERRAINS), corners])


def _roads(units: Array) -> Array:
    """(..., H, 24) owner of the road at each side."""
    roads = _segment(units, "edge_road", NUM_EDGES, MAX_PLAYERS).swapaxes(-1, -2)
    around = gather(floats(roads), _EDGE_PLACES).swapaxes(-1, -2)
    return around.reshape(*around.shape[:-2], NUM_HEXES, FEATURES["roads"])


def _harbors(units: Array) -> Array:
    """(..., V, 6) kind of the harbor at each vertex."""
    return gather(floats(vertex_harbors(units)), _HARBOR_ORDER)


def _of_all(units: Array) -> Array:
    """(..., P, 60) the public features of each player.

    50 numbers for buildings at each resource and token, cities twice; longest road, its length (0
    if nobody holds it), largest army, its size; whether each kind of harbor is held.
    """
    token, buildings = _segment(units, "hex_number_token"), _buildings(units)
    tokens = floats(token[..., None] == _ROLLED.beside(token))
    fields = merge(_terrain(units, _ORDER)[..., None] * tokens[..., None, :])
    weights = floats(_corners_of(buildings)).sum(-2)
    production = weights.swapaxes(-1, -2) @ fields
    holds, army = (floats(_segment(units, name)) for name in ("longest_road", "largest_army"))
    lengths = floats(_segment(units, "road_length")) * holds.sum(-1)[..., None]
    knights = floats(_segment(units, "cards_played", MAX_PLAYERS, NUM_CARD_KINDS)[..., Card.KNIGHT])
    awards = [column[..., None] for column in (holds, lengths / 8, army, knights / 4)]
    harbors = floats(floats(buildings).swapaxes(-1, -2) @ _harbors(units) > 0)
    return join([production, *awards, harbors])


def _player(units: Array, of_all: Array) -> Array:
    """(..., 152) features of the viewer."""
    parts = [
        _binned(_segment(units, "own_hand"), _HAND_BINS),
        _one_hot(_segment(units, "own_points")[..., 0], _POINT_BINS),
        of_all[..., 0, :],
        _binned(_segment(units, "bank"), _BANK_BINS),
        _one_hot(_segment(units, "deck_left")[..., 0], _BANK_BINS),
    ]
    return join(parts)


def _opponents(units: Array, of_all: Array) -> Array:
    """(..., P - 1, 159) features of the others; zeros for absent seats."""
    known = [_segment(units, name, MAX_PLAYERS, NUM_RESOURCES) for name in ("hand_min", "hand_max")]
    parts = [
        *(_binned(counts, _HAND_BINS) for counts in known),
        _one_hot(_segment(units, "visible_points"), _POINT_BINS),
        of_all,
    ]
    whole = join(parts)[..., 1:, :]
    seats = _SEATS.beside(units) + whole[..., : MAX_PLAYERS - 1] * 0
    hidden = _one_hot(_segment(units, "card_count"), _HIDDEN_BINS)[..., 1:, :]
    present = floats(_segment(units, "present"))[..., 1:, None]
    return join([whole, seats, hidden]) * present


def _cards(units: Array) -> Array:
    """(..., 5, 5) development cards held by the viewer, then those played by each seat."""
    played = _segment(units, "cards_played", MAX_PLAYERS, NUM_CARD_KINDS)
    return floats(join([_segment(units, "own_cards")[..., None, :], played], axis=-2))


def _offer(units: Array, flags: bool) -> Array:
    """(..., 12) what the player in turn offers and asks for, each followed by a zero."""
    maker = _segment(units, "turn_player")[..., None]
    sides = []
    for name in ("offer_give", "offer_get"):
        side = (_segment(units, name, MAX_PLAYERS, NUM_RESOURCES) * maker).sum(-2)
        side = floats(gather(side, _ORDER))
        sides += [floats(side > 0) if flags else side, side[..., :1] * 0]
    return join(sides)


def _hand(units: Array) -> Array:
    """(..., 6) cards in hand, followed by a zero."""
    hand = floats(gather(_segment(units, "own_hand"), _ORDER))
    return join([hand, hand[..., :1] * 0])


def _phase(units: Array) -> Array:
    """(..., 16) phase, whether dice are rolled and a card is played, free roads, offers left."""
    offers = floats(_segment(units, "offers_left").clip(0, _MOST_OFFERS)) / _MOST_OFFERS
    parts = [floats(_segment(units, name)) for name in ("phase", "rolled", "card_played")]
    return join([*parts, floats(_segment(units, "free_roads")) / 2, offers])


class CharlesworthEncoder(Encoder):
    """Tiles, players, development cards and the open offer, in one-hot bins.

    Args:
        name: of the encoder.
        additions: whether to include roads, harbors and phase, which the source omits.
        flags: whether the offer has only flags of its resources, as in the source, not counts.
    """

    def __init__(
        self, name: str = "charlesworth", *, additions: bool = True, flags: bool = False
    ) -> None:
        self.name = name
        self.additions = additions
        self._flags = flags
        self.segments = (*_segments(flags), *(_ADDED if additions else ()))

    def encode(self, units: Array) -> dict[str, Array]:
        """The observations (..., N) in natural units as arrays by name."""
        of_all = _of_all(units)
        encoded = {
            "tiles": _tiles(units),
            "player": _player(units, of_all),
            "opponents": _opponents(units, of_all),
            "cards": _cards(units),
            "offer": _offer(units, self._flags),
            "hand": _hand(units),
        }
        if self.additions:
            encoded["roads"] = _roads(units)
            encoded["harbors"] = merge(_corners_of(_harbors(units)))
            encoded["phase"] = _phase(units)
        return encoded


with_flags = partial(CharlesworthEncoder, "charlesworth_flags", flags=True)
as_published = partial(CharlesworthEncoder, "charlesworth_2022", additions=False, flags=True)


def _shown(name: str, meaning: str, high: float = 1.0, *, count: int = 0) -> Segment:
    """A segment of `FEATURES`; with a `count`, one row per tile or player."""
    shape = (count, FEATURES[name]) if count else (FEATURES[name],)
    return Segment(name, shape, meaning, high=high)


_ADDED: Final = (
    _shown("roads", "(H, feature) owner of each side's road", count=NUM_HEXES),
    _shown(
        "harbors",
        "(H, feature) kind of each corner's harbor: 3:1, brick, lumber, ore, wool, grain",
        count=NUM_HEXES,
    ),
    _shown(
        "phase",
        "(feature) phase 0-11, rolled 12, card played 13, free roads / 2 14, offers left / 4 15",
    ),
)


def _segments(flags: bool) -> list[Segment]:
    """The segments of the source."""
    order = "lumber, brick, grain, ore, wool"
    most_built = 2.0 * len(CORNERS) * max(TERRAIN_COUNTS)
    return [
        _shown(
            "tiles",
            "(H, feature) robber 0, number token 2-12 (the desert 7) 1-11, desert and resource "
            "12-17, then for each corner counter-clockwise from the top none, settlement, city, "
            f"and owner; resources go {order}",
            count=NUM_HEXES,
        ),
        _shown(
            "player",
            "(feature) own hand in 8 bins a resource 0-39, points 40-49, buildings by resource and "
            "token 50-99, longest road, length / 8, largest army, knights / 4 100-103, harbors "
            "104-109, bank in 7 bins a resource 110-144, deck in 7 bins 145-151",
            most_built,
        ),
        _shown(
            "opponents",
            "(P - 1, feature) fewest cards 0-39, most 40-79, points 80-89, buildings by resource "
            "and token 90-139, roads and army 140-143, harbors 144-149, seat 150-152, hidden cards "
            "153-158",
            most_built,
            count=MAX_PLAYERS - 1,
        ),
        Segment(
            "cards",
            (1 + MAX_PLAYERS, NUM_CARD_KINDS),
            "(list, C) development cards held, then played by each seat",
            high=float(max(DECK_COUNTS)),
        ),
        _shown(
            "offer",
            f"(feature) {'1 for each resource' if flags else 'cards'} that the player in turn "
            "gives 0-4, and gets 6-10; zeros 5, 11",
            1.0 if flags else float(_MOST_OFFERS),
        ),
        _shown("hand", f"(feature) cards in hand, {order} 0-4; zero 5", float(BANK_PER_RESOURCE)),
    ]
