"""The course of a turn: the roll, its end, and winning."""

from catan_pz.engine.chance import roll_dice
from catan_pz.engine.production import produce
from catan_pz.engine.robber import apply_seven
from catan_pz.engine.state import State, seat_after
from catan_pz.engine.trade import end_offer
from catan_pz.kernels.rule import rare, rule
from catan_pz.kernels.types import Int8Matrix
from catan_pz.terms import NUM_CARD_KINDS, Phase


@rule
def apply_roll(s: State, script: Int8Matrix) -> None:
    roll_dice(s, script)
    s.rolled = 1
    number = int(s.dice[0]) + int(s.dice[1])
    if number == 7:
        apply_seven(s)
    else:
        s.phase = Phase.MAIN
        produce(s, number)


@rule
def apply_end_turn(s: State) -> None:
    for card in range(NUM_CARD_KINDS):
        s.new_cards[card] = 0
    s.rolled = 0
    s.card_played = 0
    s.offers_made = 0
    s.turn += 1
    s.turn_player = seat_after(s, int(s.turn_player), 1)
    s.player = s.turn_player
    s.phase = Phase.ROLL


@rule
def is_setup(s: State) -> bool:
    return s.phase == Phase.SETUP_SETTLEMENT or s.phase == Phase.SETUP_ROAD


@rule
def is_truncated(s: State) -> bool:
    """Whether the turn limit is reached without a winner."""
    return s.max_turns > 0 and s.turn >= s.max_turns and s.phase != Phase.OVER


@rule
def is_finished(s: State) -> bool:
    return s.phase == Phase.OVER or is_truncated(s)


@rule
@rare
def end_as_won(s: State) -> None:
    end_offer(s)
    s.free_roads = 0
    s.winner = s.turn_player
    s.player = s.turn_player
    s.phase = Phase.OVER


@rule
def end_if_won(s: State) -> None:
    """End the game if the player in turn has enough points, during the turn or at its start."""
    if not is_setup(s) and s.points[int(s.turn_player)] >= s.victory_points:
        end_as_won(s)
