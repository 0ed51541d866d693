"""A game of ours as a catanatron game, for its bots."""

from collections import defaultdict
from functools import lru_cache
from typing import Any

from catan_pz.board.topology import EDGE_VERTICES, VERTEX_SURROUNDINGS
from catan_pz.game.game import Game
from catan_pz.game.state_json import board_of, edges_of, vertices_of
from catan_pz.rules import Board
from catan_pz.tables.catanatron.installed import has_records, module, set_playable_actions
from catan_pz.tables.catanatron.moves import (
    COORDINATE_OF,
    COORDINATES,
    HEX_OF,
    NAME_OF,
    NODE_OF,
    NODES_OF,
    their_order,
)
from catan_pz.terms import (
    CITIES_PER_PLAYER,
    DECK_SIZE,
    GENERIC_HARBOR,
    NOBODY,
    NUM_VERTICES,
    ROADS_PER_PLAYER,
    SETTLEMENTS_PER_PLAYER,
    Card,
    Phase,
    Terrain,
)

_PROMPTS = {
    Phase.SETUP_SETTLEMENT: "BUILD_INITIAL_SETTLEMENT",
    Phase.SETUP_ROAD: "BUILD_INITIAL_ROAD",
    Phase.DISCARD: "DISCARD",
    Phase.MOVE_ROBBER: "MOVE_ROBBER",
}


@lru_cache(32)
def map_of(board: Board) -> Any:
    """The board as a `CatanMap`."""
    maps = module("models.map")
    order = [HEX_OF[place] for place in COORDINATES]
    terrains = [board.terrains[h] for h in order]
    tokens = [board.tokens[h] for h in order if board.terrains[h] != Terrain.DESERT]
    resources = [None if t == Terrain.DESERT else NAME_OF[t] for t in terrains]
    harbors = [None if k == GENERIC_HARBOR else NAME_OF[k] for k in board.harbors]
    # catanatron takes them from the ends of these lists.
    parts = [tokens[::-1], harbors[::-1], resources[::-1]]
    if hasattr(maps, "NumberPlacement"):
        parts.append("random")
    return maps.CatanMap.from_tiles(maps.initialize_tiles(maps.BASE_MAP_TEMPLATE, *parts))


def game_of(game: Game, players: list[Any]) -> Any:
    """A game between catanatron's players in the same position, with full information."""
    record, rules = game.state, game.rules
    options = {"friendly_robber": rules.friendly_robber} if has_records() else {}
    made = module("game").Game(
        players,
        seed=1,
        discard_limit=rules.discard_limit,
        vps_to_win=rules.victory_points,
        catan_map=map_of(board_of(record)),
        **options,
    )
    state = made.state
    state.players = players
    state.colors = tuple(player.color for player in players)
    state.color_to_index = {color: p for p, color in enumerate(state.colors)}
    _write_pieces(state, record)
    _write_players(state, record)
    _write_course(state, record)
    set_playable_actions(made, module("models.actions").generate_playable_actions(state))
    return made


def _write_pieces(state: Any, record: Any) -> None:
    enums, board = module("models.enums"), state.board
    barred = 0
    for p, color in enumerate(state.colors):
        roads = edges_of(record["roads"][p])
        ends = {int(v) for e in roads for v in EDGE_VERTICES[e]}
        # The settlement whose road is due comes last.
        settlements = sorted(vertices_of(record["settlements"][p]), key=lambda v: v not in ends)
        cities = vertices_of(record["cities"][p])
        own = state.buildings_by_color[color]
        own[enums.SETTLEMENT] = [NODE_OF[v] for v in settlements]
        own[enums.CITY] = [NODE_OF[v] for v in cities]
        own[enums.ROAD] = [NODES_OF[e] for e in roads]
        for kind in (enums.SETTLEMENT, enums.CITY):
            board.buildings.update(dict.fromkeys(own[kind], (color, kind)))
        for a, b in own[enums.ROAD]:
            board.roads[a, b] = board.roads[b, a] = color
        for v in settlements + cities:
            barred |= int(VERTEX_SURROUNDINGS[v])
        board.road_lengths[color] = int(record["road_length"][p])
    board.board_buildable_ids = {
        NODE_OF[v] for v in range(NUM_VERTICES) if not barred >> v & 1
    } & set(board.map.land_nodes)
    for color in state.colors:
        board.connected_components[color] = _components(board, color)
    owner = int(record["longest_road_owner"])
    board.road_color = None if owner == NOBODY else state.colors[owner]
    board.road_length = 0 if owner == NOBODY else int(record["road_length"][owner])
    board.robber_coordinate = COORDINATE_OF[int(record["robber"])]


def _components(board: Any, color: Any) -> list[set[int]]:
    """The sets of nodes that a color's roads and buildings connect."""
    neighbors = defaultdict(set)
    for (a, b), owner in board.roads.items():
        if owner == color:
            neighbors[a].add(b)
    starts = [node for node, (owner, _) in board.buildings.items() if owner == color]
    found: list[set[int]] = []
    for start in [*starts, *neighbors]:
        if any(start in part for part in found) or board.is_enemy_node(start, color):
            continue
        part, waiting = set(), [start]
        while waiting:
            node = waiting.pop()
            if node not in part and not board.is_enemy_node(node, color):
                part.add(node)
                waiting.extend(neighbors[node])
        found.append(part)
    return found


def _write_players(state: Any, record: Any) -> None:
    turn_player = int(record["turn_player"])
    for p in range(len(state.colors)):
        owned = record["cards"][p] - (record["new_cards"] if p == turn_player else 0)
        pieces = (
            ("ROADS", ROADS_PER_PLAYER - len(edges_of(record["roads"][p]))),
            ("SETTLEMENTS", SETTLEMENTS_PER_PLAYER - int(record["settlements"][p]).bit_count()),
            ("CITIES", CITIES_PER_PLAYER - int(record["cities"][p]).bit_count()),
        )
        values: dict[str, Any] = {f"{name}_AVAILABLE": left for name, left in pieces}
        values |= {
            "VICTORY_POINTS": int(record["visible_points"][p]),
            "ACTUAL_VICTORY_POINTS": int(record["points"][p]),
            "HAS_ROAD": bool(record["longest_road_owner"] == p),
            "HAS_ARMY": bool(record["largest_army_owner"] == p),
            "HAS_ROLLED": bool(p == turn_player and record["rolled"]),
            "HAS_PLAYED_DEVELOPMENT_CARD_IN_TURN": bool(p == turn_player and record["card_played"]),
            "LONGEST_ROAD_LENGTH": int(record["road_length"][p]),
        }
        values |= {f"{NAME_OF[r]}_IN_HAND": int(k) for r, k in enumerate(record["hand"][p])}
        for card in Card:
            values[f"{card.name}_IN_HAND"] = int(record["cards"][p, card])
            values[f"PLAYED_{card.name}"] = int(record["played"][p, card])
            if has_records() and card != Card.VICTORY_POINT:
                values[f"{card.name}_OWNED_AT_START"] = bool(owned[card] > 0)
        state.player_state.update({f"P{p}_{name}": value for name, value in values.items()})


def _write_course(state: Any, record: Any) -> None:
    n = len(state.colors)
    phase = Phase(int(record["phase"]))
    prompts = module("models.enums").ActionPrompt
    state.resource_freqdeck = their_order(record["bank"])
    deck = record["deck"][DECK_SIZE - int(record["deck_left"]) :]
    # Our deck is drawn from its start, theirs from its end.
    state.development_listdeck = [Card(int(card)).name for card in deck[::-1]]
    state.num_turns = int(record["turn"]) + (2 * n - 2)
    state.current_player_index = int(record["player"])
    state.current_turn_index = int(record["turn_player"])
    state.current_prompt = prompts[_PROMPTS.get(phase, "PLAY_TURN")]
    state.is_initial_build_phase = phase in (Phase.SETUP_SETTLEMENT, Phase.SETUP_ROAD)
    state.is_discarding = phase == Phase.DISCARD
    state.is_moving_knight = phase == Phase.MOVE_ROBBER
    state.is_road_building = phase == Phase.FREE_ROAD
    state.free_roads_available = int(record["free_roads"])
    if has_records():
        state.discard_counts = record["to_discard"][:n].tolist()
