"""A seat's view, read from the JSON state by an independent, slow and plain program."""

from collections.abc import Mapping
from typing import Any

from tests.engine.reference_legal import rate
from tests.reference_board import HEX_VERTICES

RESOURCES = ["brick", "lumber", "wool", "grain", "ore"]
CARDS = ["knight", "road_building", "year_of_plenty", "monopoly", "victory_point"]
TERRAINS = ["hills", "forest", "pasture", "fields", "mountains", "desert"]
PHASES = [
    *("setup_settlement", "setup_road", "roll", "discard", "move_robber", "steal"),
    *("main", "free_road", "compose", "answer", "close", "over"),
]
FEWEST_BALANCED = 13
"""Balanced dice are reshuffled if fewer rolls are left."""

State = Mapping[str, Any]


def one_hot(place: int, size: int) -> list[int]:
    return [int(k == place) for k in range(size)]


def counts(bundle: Mapping[str, int], names: list[str]) -> list[int]:
    return [bundle[name] for name in names]


def pips(token: int | None) -> int:
    return 0 if token is None else 6 - abs(7 - token)


def board_of(state: State, seats: list[int | None]) -> dict[str, Any]:
    """Everything that belongs to a place."""
    hexes, harbors = state["board"]["hexes"], state["board"]["harbors"]
    players = [None if p is None else state["players"][p] for p in seats]
    kinds = [*RESOURCES, None]
    return {
        "hex_terrain": [one_hot(TERRAINS.index(h["terrain"]), 6) for h in hexes],
        "hex_number_token": [h["token"] or 0 for h in hexes],
        "hex_pips": [pips(h["token"]) for h in hexes],
        "harbor": [one_hot(kinds.index(h["resource"]), 6) for h in harbors],
        "hex_robber": one_hot(state["robber"], 19),
        "vertex_building": [
            [(v in p["settlements"]) + 2 * (v in p["cities"]) if p else 0 for p in players]
            for v in range(54)
        ],
        "edge_road": [[int(e in p["roads"]) if p else 0 for p in players] for e in range(72)],
    }


def production(player: State, state: State) -> list[int]:
    """Pips of a player's hexes by resource, cities twice, without the robber's hex."""
    total = [0] * 5
    for number, tile in enumerate(state["board"]["hexes"]):
        if number == state["robber"] or tile["terrain"] == "desert":
            continue
        corners = HEX_VERTICES[number]
        cards = len(corners & {*player["settlements"]}) + 2 * len(corners & {*player["cities"]})
        total[TERRAINS.index(tile["terrain"])] += cards * pips(tile["token"])
    return total


def row(state: State, viewer: int, p: int) -> dict[str, Any]:
    """The visible features of seat p."""
    player, known = state["players"][p], state["knowledge"][viewer][p]
    return {
        "present": 1,
        "visible_points": player["visible_points"],
        "hand_size": sum(player["hand"].values()),
        "hand_min": counts(known["min"], RESOURCES),
        "hand_max": counts(known["max"], RESOURCES),
        "card_count": sum(player["cards"].values()),
        "cards_played": counts(player["cards_played"], CARDS),
        "road_length": player["road_length"],
        "longest_road": int(state["longest_road_owner"] == p),
        "largest_army": int(state["largest_army_owner"] == p),
        "pieces_left": [
            most - len(player[kind])
            for kind, most in {"roads": 15, "settlements": 5, "cities": 4}.items()
        ],
        "trade_rate": [rate(state, p, resource) for resource in RESOURCES],
        "production": production(player, state),
        "turn_player": int(state["turn_player"] == p),
        "player_to_move": int(state["player_to_move"] == p),
        "to_discard": state["to_discard"][p],
        **offer_row(state, viewer, p),
    }


def offer_row(state: State, viewer: int, p: int) -> dict[str, Any]:
    """The visible offer and answer of seat p."""
    blank = {"offer_give": [0] * 5, "offer_get": [0] * 5, "answer": [0] * 4}
    offer = state["offer"]
    if offer is None:
        return blank
    answer = offer["answers"][p]
    bundle = offer if p == offer["from"] else answer if isinstance(answer, dict) else None
    composing = state["phase"] == "compose" and p == state["player_to_move"]
    if bundle is not None and (not composing or p == viewer):
        blank["offer_give"] = counts(bundle["give"], RESOURCES)
        blank["offer_get"] = counts(bundle["get"], RESOURCES)
    if p != state["turn_player"]:
        kinds = {None: 0, "accept": 1, "reject": 2}
        countered = isinstance(answer, dict) and not composing
        place = 3 if countered else 0 if composing else kinds[answer]
        blank["answer"] = one_hot(place, 4)
    return blank


def rest(state: State, viewer: int) -> dict[str, Any]:
    """The viewer's private features, and those of the game."""
    rules, player = state["rules"], state["players"][viewer]
    turn_player = state["players"][state["turn_player"]]
    most = 127 if rules["max_turns"] is None else rules["max_turns"] - state["turn"]
    rolls = state["rng"]["dice_left"] if rules["dice"] == "balanced" else []
    if rules["dice"] == "balanced" and len(rolls) < FEWEST_BALANCED:
        rolls = [(a, b) for a in range(1, 7) for b in range(1, 7)]
    trading, form = rules["trading"], rules["offer_form"]
    return {
        "own_hand": counts(player["hand"], RESOURCES),
        "own_cards": counts(player["cards"], CARDS),
        "own_new_cards": counts(player["new_cards"], CARDS),
        "own_points": [player["points"]],
        "points_to_win": [rules["victory_points"]],
        "discard_limit": [rules["discard_limit"]],
        "bank": counts(state["bank"], RESOURCES),
        "deck_left": [len(state["deck"])],
        "phase": one_hot(PHASES.index(state["phase"]), 12),
        "dice": state["dice"],
        "rolls_left": [sum(a + b == total for a, b in rolls) for total in range(2, 13)],
        "rolled": [int(state["rolled"])],
        "card_played": [int(state["card_played"])],
        "free_roads": [state["free_roads"]],
        "offers_left": [rules["max_offers_per_turn"] - state["offers_made"] if trading else 0],
        "turns_ended": [min(127, state["turn"])],
        "turns_left": [max(0, min(127, most))],
        "cards_bought": [sum(turn_player["new_cards"].values())],
        "rules_in_force": [
            int(trading),
            int(trading and rules["counter_offers"]),
            int(trading and form in ("templates", "both")),
            int(trading and form in ("composed", "both")),
            int(rules["friendly_robber"]),
            int(rules["dice"] == "balanced"),
            *[0] * 8,
        ],
        "offers_a_turn": [rules["max_offers_per_turn"] if trading else 0],
    }


def view(state: State, viewer: int) -> dict[str, Any]:
    """All segments by name, in natural units."""
    players = len(state["players"])
    present = [(viewer + k) % players for k in range(players)]
    seats: list[int | None] = [*present, *[None] * (4 - players)]
    rows = [row(state, viewer, p) for p in present]
    blank = {name: [0] * len(v) if isinstance(v, list) else 0 for name, v in rows[0].items()}
    rows += [blank] * (4 - players)
    by_seat = {name: [row[name] for row in rows] for name in rows[0]}
    return {**board_of(state, seats), **by_seat, **rest(state, viewer)}
