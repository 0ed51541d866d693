"""catanatron's alpha-beta search with correct chance outcomes.

The published search names a roll, a card or a theft as a branch's outcome and weighs it by that,
but its games then draw another: a branch "two ones, 1 in 36" plays any roll, the card bought is
always the next one of the deck, and a theft takes each resource with probability 1 in 5 whatever
the victim holds. Here each possible outcome is played, with its probability.
"""

import math
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

from catan_pz.tables.catanatron.installed import module
from catan_pz.tables.catanatron.moves import CARD_OF, RESOURCE_NAMES

Outcomes = Iterator[tuple[Any, float]]
"""Games after an action, each with its probability."""


@cache
def mended_player() -> type:
    """The player's class, with the arguments of `AlphaBetaPlayer`."""
    base: type = module("players.minimax").AlphaBetaPlayer
    return type("MendedAlphaBetaPlayer", (base,), {"alphabeta": _alphabeta})


def _alphabeta(
    player: Any, game: Any, depth: int, alpha: float, beta: float, deadline: float, node: Any
) -> tuple[Any, float]:
    """The best action of the color to move, and its value to the player."""
    if depth == 0 or game.winning_color() is not None or time.time() >= deadline:
        value_of = module("players.value").get_value_fn(player.value_fn_builder_name, player.params)
        return None, value_of(game, player.color)
    is_own = game.state.current_color() == player.color
    best_action, best = None, -math.inf if is_own else math.inf
    for action in player.get_actions(game):
        value = 0.0
        for outcome, probability in outcomes_of(game, action):
            # This node's bounds don't apply to the parts of a mean.
            bounds = (alpha, beta) if probability == 1 else (-math.inf, math.inf)
            value += (
                probability * _alphabeta(player, outcome, depth - 1, *bounds, deadline, node)[1]
            )
        if (value > best) if is_own else (value < best):
            best_action, best = action, value
        alpha, beta = (max(alpha, best), beta) if is_own else (alpha, min(beta, best))
        if alpha >= beta:
            break
    return best_action, best


def outcomes_of(game: Any, action: Any) -> Outcomes:
    """All outcomes of an action, for a player who doesn't know hidden cards and the deck."""
    kinds = module("models.enums").ActionType
    if action.action_type == kinds.ROLL:
        for number in range(2, 13):
            dice = number // 2, number - number // 2
            yield _played(game, action, dice), (6 - abs(number - 7)) / 36
    elif action.action_type == kinds.BUY_DEVELOPMENT_CARD:
        yield from _purchases(game, action)
    elif action.action_type == kinds.MOVE_ROBBER and action.value[1] is not None:
        victim = game.state.color_to_index[action.value[1]]
        held = {r: game.state.player_state[f"P{victim}_{r}_IN_HAND"] for r in RESOURCE_NAMES}
        for resource, count in held.items():
            if count:
                yield _played(game, action, resource), count / sum(held.values())
    else:
        copy = game.copy()
        copy.execute(action, validate_action=False)
        yield copy, 1


def _purchases(game: Any, action: Any) -> Outcomes:
    """Purchases of each card: the buyer sees neither the deck nor other players' cards."""
    state = game.state
    buyer = state.color_to_index[action.color]
    unseen = list(state.development_listdeck)
    for p in range(len(state.colors)):
        if p != buyer:
            for card in CARD_OF:
                unseen += [card] * state.player_state[f"P{p}_{card}_IN_HAND"]
    for card in dict.fromkeys(unseen):
        yield _bought(game, action, card), unseen.count(card) / len(unseen)


def _bought(game: Any, action: Any, card: str) -> Any:
    deck = game.state.development_listdeck
    if card in deck:
        return _played(game, action, card)
    # An opponent holds the last of these: in this branch it is in the deck.
    copy = game.copy()
    copy.state.development_listdeck[-1] = card
    return _played(copy, action, card)


def _played(game: Any, action: Any, result: Any) -> Any:
    copy = game.copy()
    record = module("models.enums").ActionRecord(action=action, result=result)
    copy.execute(action, validate_action=False, action_record=record)
    return copy
