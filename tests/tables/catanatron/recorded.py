"""Recorded games of catanatron, as its messages tell them to one seat.

    python -m tests.tables.catanatron.recorded 4 7 FILE

records a game of some players and seed, by catanatron 3.3.0 as newer versions tell it to bots:
its moves, and for each decision the document of the game and the moves offered.
"""

import gzip
import json
import random
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from catan_pz.tables.catanatron.bots import BotSpec
from catan_pz.tables.catanatron.installed import moves_offered, version, written_records
from catan_pz.tables.catanatron.moves import CARD_OF, RESOURCE_NAMES, plain
from catan_pz.tables.catanatron.players import document_of, map_document_of
from catan_pz.tables.catanatron.table import deal, table_rules

GAMES = Path(__file__).parent / "games"
NAMES = ("two_players", "four_players")


@cache
def game(name: str) -> Any:
    return json.loads(gzip.decompress((GAMES / f"{name}.json.gz").read_bytes()))


def messages(name: str, seat: int, *, hides: bool) -> Iterator[dict[str, Any]]:
    """The messages to a seat, before the game, at each of its decisions, and after it."""
    data = game(name)
    color = data["colors"][seat]
    yield {"type": "hello", "protocol_version": 1}
    start = {"game": data["game"], "map": data["map"], "colors": data["colors"]}
    yield {"type": "before", "game_id": name, "color": color, "state": start}
    for decision in data["decisions"]:
        if decision["seat"] != seat:
            continue
        records = data["records"][: decision["moves"]]
        state = {**decision["state"], "game": data["game"], "action_records": records}
        yield {
            "type": "decide",
            "game_id": name,
            "color": color,
            "state": hidden_from(state, seat) if hides else state,
            "playable_actions": decision["offered"],
        }
    yield {"type": "after", "game_id": name, "winning_color": None}


def hidden_from(state: dict[str, Any], seat: int) -> dict[str, Any]:
    """A document without information known only to others."""
    own = state["colors"][seat]
    players = dict(state["player_state"])
    for p in range(len(state["colors"])):
        if p == seat:
            continue
        for count, names in (
            ("NUM_RESOURCES_IN_HAND", RESOURCE_NAMES),
            ("NUM_DEVELOPMENT_CARDS_IN_HAND", CARD_OF),
        ):
            players[f"P{p}_{count}"] = sum(players.pop(f"P{p}_{one}_IN_HAND") for one in names)
        players.pop(f"P{p}_ACTUAL_VICTORY_POINTS")
        for name in [name for name in players if name.startswith(f"P{p}_")]:
            if name.endswith("_OWNED_AT_START"):
                del players[name]
    records = [
        record if record[0][0] == own else _hidden(*record) for record in state["action_records"]
    ]
    return {**state, "player_state": players, "action_records": records}


def _hidden(written: list[Any], result: Any) -> list[Any]:
    if written[1] == "BUY_DEVELOPMENT_CARD":
        return [[*written[:2], None], None]
    return [written, None if written[1] == "MOVE_ROBBER" else result]


def record(num_players: int, seed: int) -> dict[str, Any]:
    """A game between bots that choose by value and by weight."""
    dealt = deal(table_rules(num_players), seed)
    bots = [BotSpec.read("value"), BotSpec.read("weighted")]
    colors = dealt.state.colors
    dealt.state.players = [bots[p % 2].player(color) for p, color in enumerate(colors)]
    random.seed(seed)
    decisions = []
    while dealt.winning_color() is None:
        offered = moves_offered(dealt)
        state = plain_json(document_of(dealt))
        options, state["development_listdeck"] = state.pop("game"), {}
        decisions.append(
            {
                "seat": dealt.state.current_player_index,
                "moves": len(written_records(dealt)),
                "state": state,
                "offered": plain_json(offered),
            }
        )
        dealt.execute(dealt.state.current_player().decide(dealt, offered))
    return {
        "catanatron": version(),
        "seed": seed,
        "game": options,
        "map": plain_json(map_document_of(dealt.state.board.map)),
        "colors": [color.value for color in colors],
        "records": plain_json([list(one) for one in written_records(dealt)]),
        "decisions": decisions,
    }


def plain_json(value: Any) -> Any:
    return json.loads(json.dumps(value, default=plain))


if __name__ == "__main__":
    made = record(int(sys.argv[1]), int(sys.argv[2]))
    data = json.dumps(made, separators=(",", ":")).encode()
    Path(sys.argv[3]).write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{len(made['decisions'])} decisions, {Path(sys.argv[3]).stat().st_size} bytes")
    print({r[0][1] for r in made["records"]})
