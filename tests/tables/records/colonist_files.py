"""Our random games, written in the format of Colonist's replays."""

from itertools import count
from typing import Any

from catan_pz import actions
from catan_pz.actions import MARITIME_SWAPS, PLENTY_PAIRS, describe_action
from catan_pz.board.topology import EDGE_POINTS, HEX_POINTS, VERTEX_POINTS
from catan_pz.events import Decision
from catan_pz.game import Game
from catan_pz.rules import Rules
from catan_pz.terms import (
    HARBOR_EDGES,
    NUM_EDGES,
    NUM_HEXES,
    NUM_VERTICES,
    Card,
    Phase,
    Resource,
)
from tests.tables.records.random_games import RandomGame, victim

# Our places in the order of the file's numbers, which isn't ours.
TILES = list(reversed(range(NUM_HEXES)))
CORNERS = list(reversed(range(NUM_VERTICES)))
EDGES = list(reversed(range(NUM_EDGES)))
PORTS = list(reversed(HARBOR_EDGES))
CARD_OF = {
    Resource.LUMBER: 1,
    Resource.BRICK: 2,
    Resource.WOOL: 3,
    Resource.GRAIN: 4,
    Resource.ORE: 5,
}
TILE_OF = (2, 1, 3, 4, 5, 0)
KIND_OF = {
    Card.KNIGHT: 11,
    Card.VICTORY_POINT: 12,
    Card.MONOPOLY: 13,
    Card.ROAD_BUILDING: 14,
    Card.YEAR_OF_PLENTY: 15,
}


def axial(x: int, y: int, z: int | None = None) -> dict[str, int]:
    """A hex of our coordinates in theirs, with the z of a corner or an edge."""
    return {"x": (x - y) // 4, "y": y // 2} | ({} if z is None else {"z": z})


def corner(vertex: int) -> dict[str, int]:
    x, y = VERTEX_POINTS[vertex].tolist()
    return axial(x, y + 1, 0) if (x - y - 1) % 4 == 0 else axial(x, y - 1, 1)


def side(edge: int) -> dict[str, int]:
    x, y = EDGE_POINTS[edge].tolist()
    if y % 2 == 0:
        return axial(x + 2, y, 1)
    return axial(x + 1, y + 1, 0) if (x - y) % 4 == 0 else axial(x + 1, y - 1, 2)


def cards_of(counts: Any) -> list[int]:
    return [CARD_OF[r] for r in Resource for _ in range(int(counts[r]))]


def kinds_of(counts: Any) -> list[int]:
    return [KIND_OF[card] for card in Card for _ in range(int(counts[card]))]


def difference(old: Any, new: Any) -> dict[str, Any]:
    """A change in a replay: dictionaries in part, all else whole, null for removed."""
    changed = {key: None for key in old if key not in new}
    for key, value in new.items():
        before = old.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            inner = difference(before, value)
            changed |= {key: inner} if inner else {}
        elif value != before:
            changed[key] = value
    return changed


class Replay(RandomGame):
    """A game in Colonist's format: all cards, or those that a seat sees.

    Sparse files have what captured games have: thefts in events of their own, turns not counted,
    and no end.
    """

    def __init__(
        self, rules: Rules, seed: int, perspective: int | None = None, *, sparse: bool = False
    ) -> None:
        super().__init__(rules, seed)
        self.colors = [int(c) for c in self.rng.permutation(12)[: rules.num_players] + 1]
        self.perspective = perspective
        self.sparse = sparse
        self.bought: list[int] = []
        self.events: list[dict[str, Any]] = []
        self.numbers = count()
        self.completed = 0
        self.offers: dict[str, Any] = {}
        self.start = self.document = self.seen()
        self.offer_ids = count()
        self.open = ""

    # The state as a replay has it.

    def seen(self) -> dict[str, Any]:
        s = self.game.state
        return {
            "mapState": {
                "tileHexStates": {str(k): self.tile(h) for k, h in enumerate(TILES)},
                "tileCornerStates": {str(k): self.corner(v) for k, v in enumerate(CORNERS)},
                "tileEdgeStates": {str(k): self.edge(e) for k, e in enumerate(EDGES)},
                "portEdgeStates": {str(k): self.port(e) for k, e in enumerate(PORTS)},
            },
            "bankState": {"resourceCards": {str(CARD_OF[r]): int(s["bank"][r]) for r in Resource}},
            "diceState": {"diceThrown": bool(s["rolled"])},
            "currentState": {
                "completedTurns": self.completed,
                "currentTurnPlayerColor": self.colors[self.game.turn_player],
            },
            "tradeState": {"activeOffers": self.offers},
            "playerStates": self.by_color(self.player),
            "mechanicLongestRoadState": self.by_color(
                lambda p: {
                    "longestRoad": int(s["road_length"][p]),
                    "hasLongestRoad": bool(p == s["longest_road_owner"]) or None,
                }
            ),
            "mechanicLargestArmyState": self.by_color(
                lambda p: {"hasLargestArmy": bool(p == s["largest_army_owner"]) or None}
            ),
            "mechanicRobberState": {"locationTileIndex": TILES.index(s["robber"])},
            "mechanicDevelopmentCardsState": {
                "bankDevelopmentCards": {"cards": [10] * int(s["deck_left"])},
                "players": self.by_color(
                    lambda p: {
                        "developmentCards": {"cards": self.hide(p, kinds_of(s["cards"][p]), 10)},
                        "developmentCardsUsed": kinds_of(s["played"][p]),
                    }
                ),
            },
            "gameLogState": {},
        }

    def by_color(self, of: Any) -> dict[str, Any]:
        return {str(color): of(seat) for seat, color in enumerate(self.colors)}

    def hide(self, seat: int, cards: list[int], hidden: int) -> list[int]:
        return cards if self.perspective in (None, seat) else [hidden] * len(cards)

    def tile(self, h: int) -> dict[str, int]:
        s = self.game.state
        told = {"type": TILE_OF[s["terrain"][h]], "diceNumber": int(s["token"][h])}
        return axial(*HEX_POINTS[h].tolist()) | told

    def corner(self, v: int) -> dict[str, int]:
        on = int(self.game.state["on_vertex"][v])
        told = corner(v)
        return (
            told | {"owner": self.colors[(on - 1) % 4], "buildingType": 1 + (on > 4)}
            if on
            else told
        )

    def edge(self, e: int) -> dict[str, int]:
        on = int(self.game.state["on_edge"][e])
        return side(e) | ({"owner": self.colors[on - 1], "type": 1} if on else {})

    def port(self, e: int) -> dict[str, int]:
        kinds = {h["edge"]: h["resource"] for h in self.board["harbors"]}
        kind = kinds[e]
        return side(e) | {"type": 1 if kind is None else 1 + CARD_OF[Resource[kind.upper()]]}

    @property
    def board(self) -> Any:
        if not hasattr(self, "_board"):
            self._board = self.game.snapshot()["board"]
        return self._board

    def player(self, p: int) -> dict[str, Any]:
        s = self.game.state
        special = {"3": int(s["largest_army_owner"] == p), "4": int(s["longest_road_owner"] == p)}
        points = {"0": s["settlements"][p].item().bit_count()} | special
        points["1"] = s["cities"][p].item().bit_count()
        if self.perspective in (None, p):
            points["2"] = int(s["cards"][p][Card.VICTORY_POINT])
        hand = self.hide(p, cards_of(s["hand"][p]), 0)
        return {"resourceCards": {"cards": hand}, "victoryPointsState": points}

    # Events.

    def write(self, *logs: dict[str, Any]) -> None:
        """Write an event: some entries, and what has changed since the last."""
        document = self.seen()
        if self.sparse:
            del document["currentState"]["completedTurns"]
        change = difference(self.document, document)
        if logs:
            change["gameLogState"] = {str(next(self.numbers)): log for log in logs}
        self.events.append({"input": {"deltaS": 0.5}, "stateChange": change})
        self.document = document

    def entry(self, seat: int, kind: int, **told: Any) -> dict[str, Any]:
        color = self.colors[seat]
        return {"from": color, "text": {"type": kind, "playerColor": color, **told}}

    def tell(self, before: Game, decision: Decision) -> None:
        logs = self.logs(before, decision)
        if before.phase == Phase.SETUP_ROAD or decision.action == actions.END_TURN:
            self.completed += 1
            logs.append({"text": {"type": 44}})
        if self.sparse and len(logs) > 3:  # a theft that follows at once
            document = self.document
            self.write(*logs[:1])
            self.events[-1]["stateChange"].pop("playerStates", None)
            self.document["playerStates"] = document["playerStates"]
            self.write(*logs[1:])
            return
        self.write(*logs)

    def tell_winner(self) -> None:
        line = {"text": {"type": 44}}
        self.write(line, self.entry(self.game.winner or 0, 45), line)

    def tell_discards(self) -> None:
        """The last decisions first, since discards come in any order."""
        state = self.game.state
        for seat, cards in self.discarded.items():
            for r in cards:
                state["hand"][seat][r] += 1
                state["bank"][r] -= 1
        for seat, cards in reversed(self.discarded.items()):
            for r in cards:
                state["hand"][seat][r] -= 1
                state["bank"][r] += 1
            told = [CARD_OF[r] for r in cards]
            self.write(self.entry(seat, 55, cardEnums=told, areResourceCards=True))

    def logs(self, before: Game, decision: Decision) -> list[dict[str, Any]]:
        """The entries of a decision outside of trades between players."""
        action, seat = decision.action, decision.player
        told = describe_action(action)
        setup = before.phase in (Phase.SETUP_SETTLEMENT, Phase.SETUP_ROAD, Phase.FREE_ROAD)
        match told["kind"]:
            case "roll":
                first, second = decision.outcome
                return [self.entry(seat, 10, firstDice=first, secondDice=second)]
            case "build_road" | "build_settlement" | "build_city" as kind:
                piece = ("build_road", "", "build_settlement", "build_city").index(kind)
                return [self.entry(seat, 4 if setup else 5, pieceEnum=piece)]
            case "buy_development_card":
                self.bought.append(KIND_OF[decision.outcome])
                return [self.entry(seat, 1)]
            case "play_knight":
                return [self.entry(seat, 20, cardEnum=11)]
            case "play_road_building":
                return [self.entry(seat, 20, cardEnum=14)]
            case "play_year_of_plenty":
                pair = [CARD_OF[r] for r in PLENTY_PAIRS[action - actions.PLAY_YEAR_OF_PLENTY]]
                played = self.entry(seat, 20, cardEnum=15)
                return [played, self.entry(seat, 21, cardEnums=pair)]
            case "play_monopoly":
                card = CARD_OF[action - actions.PLAY_MONOPOLY]
                played = self.entry(seat, 20, cardEnum=13)
                return [played, self.entry(seat, 86, cardEnum=card)]
            case "move_robber" | "steal" as kind:
                moved = [self.entry(seat, 11, pieceEnum=5)] if kind == "move_robber" else []
                if decision.outcome is not None:
                    return moved + self.theft(before, seat, decision.outcome)
                waits = self.game.phase == Phase.STEAL
                return moved if waits else [*moved, {"text": {"type": 74}}]
            case "maritime_trade":
                give, get = MARITIME_SWAPS[action - actions.MARITIME_TRADE]
                lot = [CARD_OF[give]] * int(before.state["rate"][seat][give])
                swap = {"givenCardEnums": lot, "receivedCardEnums": [CARD_OF[get]]}
                return [self.entry(seat, 116, **swap)]
        return []

    def theft(self, before: Game, thief: int, stolen: Resource) -> list[dict[str, Any]]:
        robbed = victim(before, self.game)
        colors, card = self.colors, [CARD_OF[stolen]]
        to_thief = self.entry(thief, 14, cardEnums=card)
        to_thief["text"]["playerColor"] = colors[robbed]
        to_victim = self.entry(thief, 15, cardEnums=card)
        to_victim["specificRecipients"] = [colors[robbed]]
        parties = {"playerColorThief": colors[thief], "playerColorVictim": colors[robbed]}
        to_others = {"from": colors[thief], "text": {"type": 16, **parties, "cardBacks": [0]}}
        if self.perspective is None:
            return [to_thief, to_victim, to_others]
        told = {thief: to_thief, robbed: to_victim}
        return [told.get(self.perspective, to_others)]

    def tell_offer(self, seat: int, give: Any, get: Any) -> None:
        number, color = f"offer {next(self.offer_ids)}", self.colors[seat]
        sides = {"offeredResources": cards_of(give), "wantedResources": cards_of(get)}
        told = {"id": number, "creator": color, **sides, "playerResponses": {}}
        cards = {"offeredCardEnums": cards_of(give), "wantedCardEnums": cards_of(get)}
        counter = seat != self.game.turn_player
        told["counterOfferInResponseToTradeId"] = self.open if counter else None
        self.offers = self.offers | {number: told}
        if counter:
            self.write({"from": color, "text": {"type": 117, "playerColorCreator": color, **cards}})
        else:
            self.open = number
            self.write(self.entry(seat, 118, **cards))

    def tell_answer(self, seat: int, *, accepts: bool) -> None:
        offer = self.offers[self.open]
        answers = offer["playerResponses"] | {str(self.colors[seat]): 1 if accepts else 2}
        self.offers = self.offers | {self.open: offer | {"playerResponses": answers}}
        self.write()

    def tell_end(self, seat: int, other: int | None, give: Any = (), get: Any = ()) -> None:
        self.offers = {}
        if other is None:
            self.write()
            return
        cards = {"givenCardEnums": cards_of(give), "receivedCardEnums": cards_of(get)}
        self.write(self.entry(seat, 115, acceptingPlayerColor=self.colors[other], **cards))

    def data(self) -> dict[str, Any]:
        """The replay as JSON values."""
        rules, everybody = self.rules, list(range(self.rules.num_players))
        told = everybody if self.perspective is None else [self.perspective]
        points = self.game.state["points"]
        return {
            "playOrder": self.colors,
            "playerUserStates": [
                {"username": f"Person {seat}", "selectedColor": self.colors[seat], "isBot": False}
                for seat in everybody
            ],
            "gameSettings": {
                "diceSetting": int(rules.dice == "balanced"),
                "victoryPointsToWin": rules.victory_points,
                "cardDiscardLimit": rules.discard_limit,
                "friendlyRobber": rules.friendly_robber,
                **dict.fromkeys(("mapSetting", "modeSetting", "extensionSetting"), 0),
            },
            "playerPerspective": self.colors[told[0]],
            "eventHistory": {
                "version": 0,
                "initialState": self.start,
                "events": self.events,
                "eventsPerspectives": [self.colors[seat] for seat in told],
                "endGameState": {
                    "players": self.by_color(lambda p: {"victoryPoints": {"0": int(points[p])}}),
                    "developmentCardStats": self.bought,
                }
                if self.game.is_over and not self.sparse
                else None,
            },
        }
