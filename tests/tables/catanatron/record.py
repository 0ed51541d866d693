"""Records a game of catanatron 3.3.0 as its newer versions tell it to bots.

    python -m tests.tables.catanatron.record 4 7 FILE

writes, for the tests that do without catanatron, a game of some players and seed: its moves,
and for each decision the document of the game and the moves offered. Nothing is hidden in it;
`recorded.hidden_from` makes of it what one seat is told.
"""

import gzip
import json
import random
import sys
from pathlib import Path

from catan_pz.tables.catanatron.bots import BotSpec
from catan_pz.tables.catanatron.installed import installed_version, moves_offered, written_records
from catan_pz.tables.catanatron.moves import plain
from catan_pz.tables.catanatron.players import document_of, map_document_of
from catan_pz.tables.catanatron.table import deal, table_rules


def record(num_players: int, seed: int) -> dict:
    """A game between bots that choose by value and by weight."""
    game = deal(table_rules(num_players), seed)
    bots = [BotSpec.read("value"), BotSpec.read("weighted")]
    colors = game.state.colors
    game.state.players = [bots[p % 2].player(color) for p, color in enumerate(colors)]
    random.seed(seed)
    decisions = []
    while game.winning_color() is None:
        offered = moves_offered(game)
        state = plain_json(document_of(game))
        options, state["development_listdeck"] = state.pop("game"), {}
        decisions.append(
            {
                "seat": game.state.current_player_index,
                "moves": len(written_records(game)),
                "state": state,
                "offered": plain_json(offered),
            }
        )
        game.execute(game.state.current_player().decide(game, offered))
    return {
        "catanatron": installed_version(),
        "seed": seed,
        "game": options,
        "map": plain_json(map_document_of(game.state.board.map)),
        "colors": [color.value for color in colors],
        "records": plain_json([list(one) for one in written_records(game)]),
        "decisions": decisions,
    }


def plain_json(value):
    return json.loads(json.dumps(value, default=plain))


if __name__ == "__main__":
    recorded = record(int(sys.argv[1]), int(sys.argv[2]))
    data = json.dumps(recorded, separators=(",", ":")).encode()
    Path(sys.argv[3]).write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{len(recorded['decisions'])} decisions, {Path(sys.argv[3]).stat().st_size} bytes")
    print({r[0][1] for r in recorded["records"]})
