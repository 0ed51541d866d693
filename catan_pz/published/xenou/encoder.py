"""State and actions of Xenou et al., 2018: 161 integers, and 72 actions of trade.

The first 70 actions are offers, the first templates of the action table: 20 of one card for one,
20 of two alike for one, 30 of two different ones for a third. The others are accept and
reject.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from catan_pz.actions import ACCEPT, CLOSE_WITH, NUM_OPPONENTS, OFFER, OFFER_GET, REJECT
from catan_pz.encoders.arrays import Array, Constant, floats, gather, join, rows
from catan_pz.encoders.base import Encoder, Segment
from catan_pz.game.view import View
from catan_pz.observation.segments import PLACES
from catan_pz.terms import MAX_PLAYERS, NUM_EDGES, NUM_HEXES, NUM_VERTICES, Phase, Resource, Terrain

HANDS: Final = (Resource.BRICK, Resource.ORE, Resource.WOOL, Resource.GRAIN, Resource.LUMBER)
"""The order of the resources: number k + 1 is the k-th, 0 the desert."""

MOST_CARDS: Final = 10
MOST_POINTS: Final = 10
MOST_TURNS: Final = 100
NUM_PLACES_OF_ROADS: Final = 80
"""Numbers for edges; the 72 edges of the board come first, the rest is zero."""

NUM_NUMBERS: Final = len(HANDS) + NUM_HEXES + NUM_VERTICES + NUM_PLACES_OF_ROADS + 3

_HAND: Final = Constant(PLACES["own_hand"].start + np.array(HANDS))
_CODES: Final = Constant(
    np.array([0 if t == Terrain.DESERT else HANDS.index(Resource(t)) + 1 for t in Terrain], np.int8)
)
_TERRAINS: Final = len(_CODES.values)
_ROADS: Final = Constant(np.array([2] + [1] * (MAX_PLAYERS - 1), np.int8))


NUM_OFFERS: Final = int((OFFER_GET.sum(1) == 1).sum())
"""Offers that ask for one card."""

TRADES: Final = np.array([*range(OFFER, OFFER + NUM_OFFERS), ACCEPT, REJECT])
"""(72,) the flat id of each trade action."""
TRADES.flags.writeable = False

NUM_TRADES: Final = len(TRADES)
YES: Final = NUM_OFFERS
NO: Final = NUM_OFFERS + 1
"""Accept and reject among the trade actions."""


class XenouEncoder(Encoder):
    """Own hand, resources of the hexes, buildings, roads, the robber's resource, turn and points.

    It doesn't contain number tokens, harbors or the open offer.
    """

    name = "xenou"
    segments = (
        Segment(
            "state",
            (NUM_NUMBERS,),
            "(number) cards in hand of brick, ore, wool, grain, lumber, at most 10 each 0-4; "
            "resource of each hex, 1 to 5 in that order, 0 for the desert 5-23; each vertex: 1 "
            "settlement and 2 city of an opponent, 3 own settlement, 4 own city 24-77; each edge: "
            "1 road of an opponent, 2 own 78-149, zeros 150-157; resource of the robber's hex 158; "
            "turns ended, at most 100 159; own points, at most 10 160",
            high=float(MOST_TURNS),
        ),
    )

    def encode(self, units: Array) -> Array:
        """The observations (..., N) in natural units as (..., 161) float32."""
        terrain = rows(units[..., PLACES["hex_terrain"]], NUM_HEXES, _TERRAINS)
        hexes = (terrain * _CODES.beside(units)).sum(-1)
        buildings = rows(units[..., PLACES["vertex_building"]], NUM_VERTICES, MAX_PLAYERS)
        own = buildings[..., 0]
        roads = rows(units[..., PLACES["edge_road"]], NUM_EDGES, MAX_PLAYERS)
        edges = (roads * _ROADS.beside(units)).sum(-1)
        parts = [
            gather(units, _HAND).clip(max=MOST_CARDS),
            hexes,
            own + 2 * (own > 0) + buildings[..., 1:].sum(-1),
            edges,
            edges[..., : NUM_PLACES_OF_ROADS - NUM_EDGES] * 0,
            (hexes * units[..., PLACES["hex_robber"]]).sum(-1)[..., None],
            units[..., PLACES["turns_ended"]].clip(max=MOST_TURNS),
            units[..., PLACES["own_points"]].clip(max=MOST_POINTS),
        ]
        return join([floats(part) for part in parts])


def legal_trades(view: View, phase: int) -> NDArray[np.bool_]:
    """(72,) the legal trade actions, as a mask.

    Args:
        view: the seat's view.
        phase: MAIN in the own turn, where rejecting means no offer; ANSWER for an offer; or
            CLOSE, where accepting and rejecting answer the counter-offers to an own offer.
    """
    legal = view.mask[TRADES] != 0
    legal[NO] = True
    if phase == Phase.CLOSE:
        legal[YES] = view.mask[CLOSE_WITH : CLOSE_WITH + NUM_OPPONENTS].any()
    return np.asarray(legal)


def first_with(view: View, answer: int) -> int | None:
    """The legal action of closing with the first seat, in turn order, that gave an answer."""
    answers = view.observation[PLACES["answer"]].reshape(NUM_OPPONENTS + 1, -1)
    for k in range(1, NUM_OPPONENTS + 1):
        action = CLOSE_WITH + k - 1
        if answers[k, answer] and view.mask[action]:
            return action
    return None
