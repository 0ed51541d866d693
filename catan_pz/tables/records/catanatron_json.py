"""catanatron's games as JSON: the board, all moves with their outcomes, the last state."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from catan_pz.checks import check_count, quoted
from catan_pz.engine.ranges import MOST_CARDS
from catan_pz.rules import Board
from catan_pz.tables.catanatron import moves as theirs
from catan_pz.tables.catanatron.facts import board_from_map, player_facts
from catan_pz.tables.catanatron.moves import CARD_OF, RESOURCE_OF, Move, our_order
from catan_pz.tables.records import moves
from catan_pz.tables.records.moves import BOT, Marks
from catan_pz.tables.records.playing import ReadGame, Report, ToldGame, played, rules_at
from catan_pz.tables.records.sight import Sight
from catan_pz.tables.records.telling import Telling

FORMAT: Final = "catanatron game"
_USUAL_POINTS: Final = 10
_TRADES: Final = ("ACCEPT_TRADE", "REJECT_TRADE", "CONFIRM_TRADE", "CANCEL_TRADE")


def is_one(data: Any) -> bool:
    """Whether JSON values look like a game of catanatron."""
    return isinstance(data, Mapping) and {"tiles", "player_state", "colors"} <= data.keys()


def read_game(data: Mapping[str, Any]) -> ReadGame:
    """The game; the points to win are missing, so values that fit the winner's are tried."""
    goals = [_USUAL_POINTS]
    if data.get("winning_color") is not None:
        seat = data["colors"].index(data["winning_color"])
        points = int(data["player_state"][f"P{seat}_ACTUAL_VICTORY_POINTS"])
        goals += [goal for goal in (points, points - 1) if goal != _USUAL_POINTS]
    games = []
    for goal in goals:
        games.append(played(_Game(data).told(goal)))
        if games[-1].report.disagreement is None:
            return games[-1]
    return max(games, key=lambda game: len(game.record.decisions))


def _board(tiles: Sequence[Mapping[str, Any]]) -> Board:
    """The board, in the form of catanatron's documents."""
    written = []
    for entry in tiles:
        tile = {"resource": None, "number": None} | entry["tile"]
        kind = {"DESERT": "LAND", "RESOURCE_TILE": "LAND"}.get(tile["type"], tile["type"])
        written.append(tile | {"type": kind, "coordinate": entry["coordinate"]})
    return board_from_map({"tiles": written})


class _Game(Telling):
    """A file, read move by move."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__()
        self.data = data
        self.colors: list[str] = data["colors"]
        self.open_offer: moves.Offer | None = None

    def told(self, goal: int) -> ToldGame:
        """All moves, and the last state as a check."""
        rules = rules_at(len(self.colors), _board(self.data["tiles"]), victory_points=goal)
        for number, (written, result) in enumerate(_records(self.data)):
            self.place = f"move {number}"
            self.take(Move.read(self.colors, written, result))
        self.place = "end"
        self.flush()
        self.moves.append(moves.Check("end", self.end().values))
        if self.data.get("winning_color") is not None:
            self.moves.append(moves.Over("end", self.colors.index(self.data["winning_color"])))
        report = Report(FORMAT, list(range(len(self.colors))))
        report.notes.append(f"The file doesn't contain the points to win: {goal} fit.")
        return ToldGame(rules, self.moves, report, list(self.colors))

    def marks(self, seat: int) -> Marks:
        """The mark of a seat that a program plays."""
        return (BOT,) if self.colors[seat] in self.data.get("bot_colors", ()) else ()

    def take(self, move: Move) -> None:
        """Read one move."""
        seat, answered = move.seat, self.open_offer
        if move.kind in ("DISCARD", "DISCARD_RESOURCE"):
            names = move.value if move.kind == "DISCARD" else (move.value or move.result,)
            cards = [RESOURCE_OF[name] for name in names]
            self.discard(seat, self.discards.get(seat, []) + cards)
        elif move.kind == "MOVE_ROBBER":
            self.move_robber(seat, theirs.HEX_OF[move.value[0]])
            card = RESOURCE_OF.get(move.brought)
            self.rob(theirs.victim_of(move, self.colors), card)
        elif move.kind == "OFFER_TRADE":
            self.open_offer = self.offer(seat, *_sides(move.value))
        elif move.kind in _TRADES:
            if answered is not None and move.kind == "CONFIRM_TRADE":
                answered.other = self.colors.index(move.value[-1])
            elif answered is not None and move.kind != "CANCEL_TRADE":
                answered.answers[seat] = move.kind == "ACCEPT_TRADE"
        elif (found := theirs.actions_of(move, self.colors)) is not None:
            for one in found:
                self.add(seat, one, _outcome(move))
        else:
            self.flush()
            self.moves.append(moves.Foreign(self.place, quoted((move.kind, move.value))))

    def end(self) -> Sight:
        """The facts in the file about the last state."""
        sight = Sight()
        for seat in range(len(self.colors)):
            hand, cards, played_cards = player_facts(self.data["player_state"], seat)
            sight["hand"][seat], sight["cards"][seat] = hand, cards
            sight["played"][seat] = played_cards
            state = self.data["player_state"]
            sight["points"][seat] = state[f"P{seat}_ACTUAL_VICTORY_POINTS"]
            sight["road_length"][seat] = state[f"P{seat}_LONGEST_ROAD_LENGTH"]
        sight["robber"][0] = theirs.HEX_OF[tuple(self.data["robber_coordinate"])]
        return sight


def _records(data: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """Moves with their results, which older versions store in the values."""
    if "action_records" in data:
        return [(record[0], record[1]) for record in data["action_records"]]
    return [(written, None) for written in data["actions"]]


def _sides(value: Sequence[int]) -> tuple[moves.Bundle, moves.Bundle]:
    counts = [check_count("count of cards", n, 0, MOST_CARDS) for n in value[:10]]
    return tuple(our_order(counts[:5])), tuple(our_order(counts[5:]))


def _outcome(move: Move) -> Any:
    """The chance outcome of a move other than the robber's."""
    if move.kind == "ROLL":
        return move.brought
    return CARD_OF[move.brought] if move.kind == "BUY_DEVELOPMENT_CARD" else None
