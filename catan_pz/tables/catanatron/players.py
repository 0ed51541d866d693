"""Our agents as catanatron players, for its programs and its command line.

    from catan_pz.tables.catanatron.players import register

    register("PZ", "heuristic")

in a file `pz.py` makes `catanatron-play --code pz.py --players PZ,F` play with it, and
`PZ:NAME` with any other agent.
"""

from typing import Any

from catan_pz.agents import load
from catan_pz.agents.base import Agent
from catan_pz.rules import Rules
from catan_pz.tables.catanatron import installed
from catan_pz.tables.catanatron.seat import TableAgent


def document_of(game: Any) -> dict[str, Any]:
    """The document of a game, with the parts that are read here, all hands included."""
    state = game.state
    colors = [color.value for color in state.colors]
    return {
        "game": {
            "vps_to_win": game.vps_to_win,
            "discard_limit": state.discard_limit,
            "friendly_robber": getattr(state, "friendly_robber", False),
        },
        "colors": colors,
        "player_state": state.player_state,
        "buildings_by_color": {c.value: state.buildings_by_color[c] for c in state.colors},
        "resource_freqdeck": state.resource_freqdeck,
        "board": {"robber_coordinate": state.board.robber_coordinate},
        "current_player_index": state.current_player_index,
        "current_turn_index": state.current_turn_index,
        "current_prompt": state.current_prompt.value,
        "is_road_building": state.is_road_building,
        "free_roads_available": state.free_roads_available,
        "discard_counts": _discard_counts(state),
    }


def _discard_counts(state: Any) -> list[int]:
    """Cards that each seat still has to discard; 3.2.1 doesn't store them."""
    if hasattr(state, "discard_counts"):
        return list(state.discard_counts)
    size_of = installed.module("state_functions").player_num_resource_cards
    sizes = [size_of(state, color) for color in state.colors]
    return [
        size // 2
        if state.is_discarding and p >= state.current_player_index and size > state.discard_limit
        else 0
        for p, size in enumerate(sizes)
    ]


def map_document_of(catan_map: Any) -> dict[str, Any]:
    """The board of a game in the form of documents."""
    tiles: list[dict[str, Any]] = []
    for place, tile in catan_map.tiles.items():
        written: dict[str, Any] = {"coordinate": place, "type": "WATER"}
        if hasattr(tile, "number"):
            written |= {"type": "LAND", "resource": tile.resource, "number": tile.number}
        elif hasattr(tile, "resource"):
            written |= {"type": "PORT", "id": tile.id, "resource": tile.resource}
        tiles.append(written)
    return {"tiles": tiles}


class AgentPlayer(TableAgent):
    """An agent as a catanatron player.

    It knows only its seat's information: all moves as the seat sees them, and the open table. It
    makes no trade offers and rejects all.
    """

    is_bot = True
    IS_BOT = True

    def __init__(
        self,
        color: Any,
        agent: Agent | str = "heuristic",
        rules: Rules | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(agent, seed, rules)
        self.color = color
        self._game_id: Any = None

    def __repr__(self) -> str:
        return f"{self.agent.name}:{self.color.value}"

    def reset_state(self) -> None:
        """Prepare for a new game; the end of the last one isn't reported."""
        self.leave()

    def decide(self, game: Any, offered: Any) -> Any:
        """Choose one of the offered actions."""
        document = document_of(game)
        if self.follower is None or self._game_id != game.id:
            start = {"map": map_document_of(game.state.board.map)}
            self.begin(document | start, self.color.value)
            self._game_id = game.id
        offered = list(offered)
        return offered[self.choose(installed.written_records(game), document, offered)]


def register(code: str, agent: str) -> None:
    """Register an agent under a code for `catanatron-play --code`, and any other as CODE:NAME."""
    load(agent)
    if not installed.has_module("cli.cli_players"):
        raise ImportError(f"catanatron {installed.version()} has no command line; 3.3.0 has one")

    def make(color: Any, name: str = agent) -> AgentPlayer:
        """An agent of catan-pz."""
        return AgentPlayer(color, name)

    installed.module("cli.cli_players").register_cli_player(code, make)
