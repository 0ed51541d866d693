"""Development cards: buying and playing them."""

from catan_pz.engine.awards import award_largest_army
from catan_pz.engine.building import has_road_spot, place_road, roads_left
from catan_pz.engine.chance import draw_development_card
from catan_pz.engine.hands import CARD, can_afford, gain, move_cards, note_count, pay
from catan_pz.engine.robber import resume_turn
from catan_pz.engine.state import State
from catan_pz.kernels.rule import rare, rule
from catan_pz.terms import (
    KNIGHT,
    MONOPOLY,
    ROAD_BUILDING,
    ROADS_OF_A_CARD,
    VICTORY_POINT,
    YEAR_OF_PLENTY,
    Phase,
)


@rule
def can_buy_card(s: State, p: int) -> bool:
    return s.deck_left > 0 and can_afford(s, p, CARD)


@rule
def apply_buy_card(s: State, p: int) -> None:
    """Buy the top card of the deck; a victory point counts at once and stays hidden."""
    pay(s, p, CARD)
    card = draw_development_card(s)
    s.cards[p, card] += 1
    s.new_cards[card] += 1
    if card == VICTORY_POINT:
        s.points[p] += 1


@rule
def may_play(s: State, p: int, card: int) -> bool:
    """Whether p, in turn, has a playable card of this kind and has played none this turn."""
    return not s.card_played and s.cards[p, card] > s.new_cards[card]


@rule
def can_play_road_building(s: State, p: int) -> bool:
    return may_play(s, p, ROAD_BUILDING) and roads_left(s, p) > 0 and has_road_spot(s, p)


@rule
def put_down(s: State, p: int, card: int) -> None:
    s.cards[p, card] -= 1
    s.played[p, card] += 1
    s.card_played = 1


@rule
def apply_play_knight(s: State, p: int) -> None:
    put_down(s, p, KNIGHT)
    award_largest_army(s, p)
    s.phase = Phase.MOVE_ROBBER


@rule
@rare
def apply_play_road_building(s: State, p: int) -> None:
    put_down(s, p, ROAD_BUILDING)
    s.free_roads = min(ROADS_OF_A_CARD, roads_left(s, p))
    s.phase = Phase.FREE_ROAD


@rule
def apply_free_road(s: State, p: int, e: int) -> None:
    """Place a free road; the card is finished when no further road can be placed."""
    place_road(s, p, e)
    s.free_roads -= 1
    if s.free_roads == 0 or not has_road_spot(s, p):
        s.free_roads = 0
        resume_turn(s)


@rule
@rare
def apply_year_of_plenty(s: State, p: int, first: int, second: int) -> None:
    put_down(s, p, YEAR_OF_PLENTY)
    gain(s, p, first, 1)
    gain(s, p, second, 1)


@rule
@rare
def apply_monopoly(s: State, p: int, r: int) -> None:
    """Take all cards of a resource from every other player, in public."""
    put_down(s, p, MONOPOLY)
    for q in range(s.num_players):
        if q != p:
            move_cards(s, q, p, r, int(s.hand[q, r]))
            note_count(s, q, r)
