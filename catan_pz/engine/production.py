"""Production: the yield of each dice roll."""

from catan_pz.board.topology import HEX_VERTEX_SET, VERTEX_HEXES
from catan_pz.engine import bits
from catan_pz.engine.hands import gain
from catan_pz.engine.state import State
from catan_pz.kernels.rule import rule
from catan_pz.terms import MAX_PLAYERS, Terrain


@rule
def pips_of(number: int) -> int:
    """The number of rolls of two dice that make a number, 0 for none; `terms.PIPS` as a formula."""
    return max(0, 6 - abs(7 - number))


@rule
def cards_due_from(s: State, p: int, h: int) -> int:
    """Cards that a hex gives to p: one for each settlement, two for each city."""
    corners = HEX_VERTEX_SET[h]
    return bits.count(s.settlements[p] & corners) + 2 * bits.count(s.cities[p] & corners)


@rule
def cards_due(s: State, p: int, h: int, twin: int) -> int:
    """Cards due to p from a hex and, if there is one, its twin of the same resource."""
    due = cards_due_from(s, p, h)
    if twin >= 0:
        due += cards_due_from(s, p, twin)
    return due


@rule
def share_out(s: State, h: int, twin: int) -> None:
    """Distribute one resource.

    If the bank can't pay all players, nobody gets any, except that a single player who is due
    cards gets what is left.
    """
    r = int(s.terrain[h])
    total, claimants = 0, 0
    for p in range(MAX_PLAYERS):
        due = cards_due(s, p, h, twin)
        total += due
        claimants += int(due > 0)
    left = int(s.bank[r])
    if total > left and claimants > 1:
        return
    for p in range(MAX_PLAYERS):
        gain(s, p, r, min(cards_due(s, p, h, twin), left))


@rule
def produce(s: State, number: int) -> None:
    """Pay the yield of every hex with a number, except the robber's hex."""
    h = int(s.token_hexes[number, 0])
    twin = int(s.token_hexes[number, 1])
    if h == s.robber:
        h = -1
    if twin == s.robber:
        twin = -1
    if h >= 0 and twin >= 0 and s.terrain[h] == s.terrain[twin]:
        share_out(s, h, twin)
        return
    if h >= 0:
        share_out(s, h, -1)
    if twin >= 0:
        share_out(s, twin, -1)


@rule
def add_pips_at(s: State, p: int, v: int) -> None:
    """Add the pips of the hexes at a vertex where p has built."""
    for k in range(3):
        h = VERTEX_HEXES[v, k]
        if h >= 0 and h != s.robber and s.terrain[h] != Terrain.DESERT:
            s.pips[p, int(s.terrain[h])] += pips_of(s.token[h])


@rule
def add_pips_of(s: State, h: int, sign: int) -> None:
    """Update pips as the robber leaves a hex (sign 1) or arrives (sign -1)."""
    if s.terrain[h] != Terrain.DESERT:
        for p in range(MAX_PLAYERS):
            pips = pips_of(s.token[h]) * cards_due_from(s, p, h)
            s.pips[p, int(s.terrain[h])] += sign * pips
