"""Games saved by JSettlers: positions without earlier moves."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from catan_pz.game.position import position
from catan_pz.game.record import GameRecord
from catan_pz.tables.jsettlers import contents
from catan_pz.tables.records.playing import Disagreement, ReadGame, Report
from catan_pz.tables.records.soclog import options_in, rules_of

FORMAT: Final = "JSettlers saved game"
_PHASES: Final = {15: "roll", 20: "main", 33: "move_robber", 1000: "over"}
"""Our phases, by the states in which games can be read."""
_OVER: Final = 1000
_CARDS: Final = {
    "KNIGHT": "knight",
    "ROADS": "road_building",
    "DISC": "year_of_plenty",
    "MONO": "monopoly",
    **dict.fromkeys(("CAP", "MARKET", "UNIV", "TEMPLE", "CHAPEL"), "victory_point"),
}
_PLAYED: Final = {
    "NUMKNIGHTS": "knight",
    "NUM_PLAYED_DEV_CARD_ROADS": "road_building",
    "NUM_PLAYED_DEV_CARD_DISC": "year_of_plenty",
    "NUM_PLAYED_DEV_CARD_MONO": "monopoly",
}
_RESOURCES: Final = {
    "clay": "brick",
    "ore": "ore",
    "sheep": "wool",
    "wheat": "grain",
    "wood": "lumber",
}
_PIECES: Final = {
    "ROAD": ("roads", contents.EDGE_IDS),
    "SETTLEMENT": ("settlements", contents.VERTEX_IDS),
    "CITY": ("cities", contents.VERTEX_IDS),
}


def is_one(data: Any) -> bool:
    """Whether JSON values look like a saved game."""
    return isinstance(data, Mapping) and {"modelVersion", "playerSeats", "boardInfo"} <= data.keys()


def read_game(data: Mapping[str, Any]) -> ReadGame:
    """A record that begins, and ends, at the saved position."""
    options = options_in(data["gameOptions"])
    layout = data["boardInfo"].get("layout1")
    if layout is None:
        raise ValueError("the board must be that of the base game")
    if data["gameState"] not in _PHASES:
        allowed = ", ".join(map(str, _PHASES))
        raise ValueError(f"the state must be one of {allowed}, got {data['gameState']}")
    board = contents.board_of(layout["hexLayout"], layout["numberLayout"], coded=True)
    seats = [k for k, seat in enumerate(data["playerSeats"]) if not seat["isSeatVacant"]]
    first = seats.index(data["elements"]["FIRST_PLAYER"])
    seats = seats[first:] + seats[:first]
    told = [data["playerSeats"][k] for k in seats]
    turn = seats.index(data["elements"]["CURRENT_PLAYER"])
    game = position(
        [_player(seat, in_turn=k == turn) for k, seat in enumerate(told)],
        rules=rules_of(options, len(seats), board),
        board=board,
        phase=_PHASES[data["gameState"]],
        robber=contents.place(contents.HEX_IDS, layout["robberHex"], "hex"),
        deck=[_CARDS[card] for card in reversed(data["devCardDeck"])],
        turn_player=turn,
        player_to_move=turn,
        turn=len(seats) * max(data["elements"]["ROUND_COUNT"] - 1, 0) + turn,
        winner=turn if data["gameState"] == _OVER else None,
        card_played=bool(told[turn]["elements"].get("PLAYED_DEV_CARD_FLAG")),
        longest_road_owner=_owner(seats, data["elements"]["LONGEST_ROAD_PLAYER"]),
        largest_army_owner=_owner(seats, data["elements"]["LARGEST_ARMY_PLAYER"]),
    )
    record = GameRecord.of(game, [str(seat["name"]) for seat in told])
    report = Report(FORMAT, list(range(len(seats))))
    report.notes.append("A saved game is a position: earlier moves aren't in the file.")
    points = [int(seat["totalVP"]) for seat in told]
    if points != game.points.tolist():
        ours = f"the points are {game.points.tolist()}"
        report.disagreement = Disagreement("totalVP", "special cards and points", ours, f"{points}")
    return ReadGame(record, report)


def _owner(seats: list[int], number: int) -> int | None:
    return seats.index(number) if number >= 0 else None


def _player(told: Mapping[str, Any], *, in_turn: bool) -> dict[str, Any]:
    """A seat's holdings for `position`; cards are new in the turn of their purchase."""
    cards, new = (
        Counter(_CARDS[card] for card in told[name]) for name in ("oldDevCards", "newDevCards")
    )
    has: dict[str, Any] = {
        "hand": {ours: told["resources"].get(name, 0) for name, ours in _RESOURCES.items()},
        "cards": cards + new,
        "new_cards": new if in_turn else {},
        "cards_played": {card: told["elements"].get(name, 0) for name, card in _PLAYED.items()},
        **{name: [] for name, _ in _PIECES.values()},
    }
    for piece in told["pieces"]:
        name, ids = _PIECES[piece["pieceType"]]
        has[name].append(contents.place(ids, piece["coord"], "place"))
    return has
