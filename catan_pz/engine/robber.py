"""Rolling a seven, the robber and stealing."""

from catan_pz.board.topology import HEX_VERTEX_SET
from catan_pz.engine import bits
from catan_pz.engine.chance import draw_stolen_resource
from catan_pz.engine.hands import move_cards, note_payment, note_theft, return_cards
from catan_pz.engine.production import add_pips_of
from catan_pz.engine.state import State, seat_after
from catan_pz.kernels.rule import rule
from catan_pz.terms import NUM_HEXES, Phase, Terrain

ALL_HEXES = (1 << NUM_HEXES) - 1
SPARED_POINTS = 2
"""The friendly robber spares players with this many visible points or fewer."""


@rule
def next_to_discard(s: State) -> None:
    """Pass the move to the next player who must discard, starting at the roller."""
    for k in range(s.num_players):
        p = seat_after(s, int(s.turn_player), k)
        if s.to_discard[p] > 0:
            s.phase = Phase.DISCARD
            s.player = p
            return
    s.phase = Phase.MOVE_ROBBER
    s.player = s.turn_player


@rule
def cards_due(s: State, p: int) -> int:
    """The cards that p discards to a seven: half of a hand above the limit, rounded down."""
    return s.hand_size[p] // 2 if s.hand_size[p] > s.discard_limit else 0


@rule
def apply_seven(s: State) -> None:
    """Make each hand above the limit discard half; then the robber moves."""
    for p in range(s.num_players):
        s.to_discard[p] = cards_due(s, p)
    next_to_discard(s)


@rule
def apply_discard(s: State, p: int, r: int) -> None:
    return_cards(s, p, r, 1)
    s.to_discard[p] -= 1
    next_to_discard(s)


@rule
def touches(s: State, p: int, h: int) -> bool:
    return (s.settlements[p] | s.cities[p]) & HEX_VERTEX_SET[h] != 0


@rule
def is_refuge(s: State, h: int) -> bool:
    """Whether a hex is the desert as a friendly robber's refuge, where it steals nothing."""
    return s.friendly_robber and s.robber_on_desert and s.terrain[h] == Terrain.DESERT


@rule
def robber_spots(s: State, p: int) -> int:
    """The hexes to which p may move the robber, as a set."""
    others = ALL_HEXES & ~(1 << int(s.robber))
    if not s.friendly_robber:
        return others
    spots = others
    for q in range(s.num_players):
        spared = q != p or s.robber_spares_mover
        if spared and s.visible_points[q] <= SPARED_POINTS:
            for h in range(NUM_HEXES):
                if touches(s, q, h) and not is_refuge(s, h):
                    spots &= ~(1 << h)
    return spots if spots != 0 else others


@rule
def victims(s: State, p: int, h: int) -> int:
    """The seats that p may steal from at a hex, as a set."""
    seats = 0
    if is_refuge(s, h):
        return seats
    for q in range(s.num_players):
        seats |= int((q != p) & (s.hand_size[q] > 0) & touches(s, q, h)) << q
    return seats


@rule
def resume_turn(s: State) -> None:
    """Return to the phase of the player in turn before the robber or a card."""
    s.phase = Phase.MAIN if s.rolled else Phase.ROLL


@rule
def apply_steal(s: State, p: int, victim: int) -> None:
    """Move a random card from the victim to p; only these two see its resource."""
    r = draw_stolen_resource(s, victim)
    note_theft(s, p, victim, r)
    move_cards(s, victim, p, r, 1)
    # Thief and victim learn that this card was in the hand; the bounds of all others
    # already allow for it, so nothing leaks.
    note_payment(s, victim)
    resume_turn(s)


@rule
def apply_move_robber(s: State, p: int, h: int) -> None:
    """Move the robber; if there is only one possible victim, steal from it at once."""
    add_pips_of(s, int(s.robber), 1)
    s.robber = h
    add_pips_of(s, h, -1)
    seats = victims(s, p, h)
    n = bits.count(seats)
    if n == 0:
        resume_turn(s)
    elif n == 1:
        apply_steal(s, p, bits.first(seats))
    else:
        s.phase = Phase.STEAL
