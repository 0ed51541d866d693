"""The reason why an action is not legal, in words."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from catan_pz.actions import describe_action
from catan_pz.checks import quoted
from catan_pz.terms import CARD_COST, CITY_COST, ROAD_COST, SETTLEMENT_COST, Resource

_COSTS: Final = {
    "build_road": ROAD_COST,
    "build_settlement": SETTLEMENT_COST,
    "build_city": CITY_COST,
    "buy_development_card": CARD_COST,
}

_PHASES: Final = {
    "roll": ("roll",),
    "end_turn": ("main",),
    "build_road": ("main", "setup_road", "free_road"),
    "build_settlement": ("main", "setup_settlement"),
    "build_city": ("main",),
    "buy_development_card": ("main",),
    "play_knight": ("roll", "main"),
    "play_road_building": ("roll", "main"),
    "play_year_of_plenty": ("roll", "main"),
    "play_monopoly": ("roll", "main"),
    "move_robber": ("move_robber",),
    "steal": ("steal",),
    "discard": ("discard",),
    "maritime_trade": ("main",),
    "offer": ("main", "answer"),
    "compose_give": ("main", "answer", "compose"),
    "compose_get": ("main", "answer", "compose"),
    "compose_send": ("compose",),
    "accept": ("answer",),
    "reject": ("answer",),
    "close_with": ("close",),
    "withdraw": ("compose", "close"),
}

_CONDITIONS: Final = {
    "build_road": "the edge must be empty and touch your road or building (in set-up: the "
    "settlement just placed), with a road left to build",
    "build_settlement": "the vertex must be empty, keep the distance rule and (after set-up) touch "
    "your road, with a settlement left to build",
    "build_city": "the vertex must hold your settlement, with a city left to build",
    "buy_development_card": "the deck must not be empty",
    "play_knight": "a knight bought in an earlier turn must be in hand, and no card played yet",
    "play_road_building": "a road building card bought in an earlier turn must be in hand, no card "
    "played yet, a road left and a legal edge for it",
    "play_year_of_plenty": "a year of plenty card bought in an earlier turn must be in hand, no "
    "card played yet, and the bank must hold both cards",
    "play_monopoly": "a monopoly card bought in an earlier turn must be in hand, no card "
    "played yet",
    "move_robber": "the robber must move to another hex (and spare players with 2 visible points "
    "or fewer where it is friendly)",
    "steal": "the seat must have a building on the robber's hex and at least one card",
    "discard": "the resource must be in hand",
    "maritime_trade": "the hand must hold the rate of the card given, the bank the card asked for",
    "offer": "offers must be allowed and left this turn, the cards offered in hand, and the cards "
    "asked for possible in the hand of an addressee",
    "compose_give": "composed offers must be allowed, the card in hand and not asked for, with no "
    "more cards a side than max_offer_cards",
    "compose_get": "composed offers must be allowed, the card not offered and possible in the hand "
    "of an addressee, with no more cards a side than max_offer_cards",
    "compose_send": "both sides of the offer must hold a card",
    "accept": "the cards asked for must be in hand",
    "close_with": "the seat must have accepted, or countered with a request that can be paid",
}


def why_illegal(state: Mapping[str, Any], mask: np.ndarray, action: int) -> str:
    """A sentence that names phase, player, action and the missing condition."""
    phase, player = state["phase"], state["player_to_move"]
    where = f"phase {phase!r}, turn {state['turn']}, player {player} to move"
    if not 0 <= action < len(mask):
        return f"{where}: action {quoted(action)} doesn't exist; actions are 0 to {len(mask) - 1}"
    description = describe_action(int(action))
    if not mask.any():
        reason = "the game is over" if phase == "over" else "the game is truncated"
    else:
        reason = _missing(state, description)
    return f"{where}: action {action} {description} is illegal: {reason}"


def _missing(state: Mapping[str, Any], description: Mapping[str, Any]) -> str:
    kind, phase = description["kind"], state["phase"]
    if phase not in _PHASES[kind]:
        return f"{kind} belongs to phase {' or '.join(_PHASES[kind])}"
    hand = state["players"][state["player_to_move"]]["hand"]
    if kind in _COSTS and phase == "main":
        lacking = [
            f"{cost - hand[r.name.lower()]} {r.name.lower()}"
            for r, cost in zip(Resource, _COSTS[kind], strict=True)
            if hand[r.name.lower()] < cost
        ]
        if lacking:
            return f"the hand lacks {', '.join(lacking)}"
    return _CONDITIONS[kind]
