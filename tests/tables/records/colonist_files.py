"""Games of ours, played at random and written down as Colonist writes its replays."""

from itertools import count
from typing import Any

import numpy as np

from catan_pz import actions
from catan_pz.actions import MARITIME_SWAPS, PLENTY_PAIRS, action_id, describe_action
from catan_pz.board.topology import EDGE_POINTS, HEX_POINTS, VERTEX_POINTS
from catan_pz.engine.trade import COUNTERED
from catan_pz.events import Decision
from catan_pz.game import Game
from catan_pz.rules import Rules
from catan_pz.terms import Card, Phase, Resource

# What stands where in their numbering, as observed in files.
TILES = [0, 3, 7, 12, 16, 17, 18, 15, 11, 6, 2, 1, 4, 8, 13, 14, 10, 5, 9]
CORNERS = [
    *(1, 2, 10, 9, 8, 0, 19, 18, 17, 7, 29, 28, 27, 16, 30, 40, 39, 38, 41, 49, 48, 47, 42, 43),
    *(51, 50, 44, 45, 53, 52, 35, 36, 46, 34, 25, 26, 37, 24, 14, 15, 23, 13, 5, 6, 12, 4, 3, 11),
    *(21, 20, 31, 32, 33, 22),
]
EDGES = [
    *(1, 7, 12, 11, 6, 0, 19, 25, 24, 18, 10, 34, 40, 39, 33, 23, 41, 50, 55, 54, 49, 56, 63, 67),
    *(66, 62, 58, 64, 69, 68, 57, 60, 65, 71, 70, 59, 47, 53, 61, 52, 46, 32, 38, 48, 37, 31, 17),
    *(22, 30, 21, 16, 5, 9, 15, 8, 4, 3, 14, 13, 2, 20, 27, 26, 35, 42, 43, 51, 45, 44, 36, 29, 28),
]
PORTS = [0, 66, 69, 38, 18, 49, 61, 3, 17]
CARD_OF = {
    Resource.LUMBER: 1,
    Resource.BRICK: 2,
    Resource.WOOL: 3,
    Resource.GRAIN: 4,
    Resource.ORE: 5,
}
RESOURCE_OF = {card: resource for resource, card in CARD_OF.items()}
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
    """What a replay writes of a change: dictionaries in part, all else whole, null for gone."""
    changed = {key: None for key in old if key not in new}
    for key, value in new.items():
        before = old.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            inner = difference(before, value)
            changed |= {key: inner} if inner else {}
        elif value != before:
            changed[key] = value
    return changed


class Replay:
    """A game that is played and written down.

    Attributes:
        decisions: what a reader can know of those taken, in its form.
    """

    def __init__(self, rules: Rules, seed: int, perspective: int | None = None) -> None:
        self.game = Game(rules, seed)
        self.rng = np.random.default_rng(seed)
        self.rules = rules
        self.colors = [int(c) for c in self.rng.permutation(12)[: rules.num_players] + 1]
        self.perspective = perspective
        self.decisions: list[Decision] = []
        self.bought: list[int] = []
        self.events: list[dict[str, Any]] = []
        self.numbers = count()
        self.completed = 0
        self.offers: dict[str, Any] = {}
        self.start = self.document = self.seen()
        self.offer_ids = count()
        self.open = ""
        self.discarded: dict[int, list[int]] = {}

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

    def tell(self, *logs: dict[str, Any]) -> None:
        """Write an event: some entries, and what has changed since the last."""
        document = self.seen()
        change = difference(self.document, document)
        if logs:
            change["gameLogState"] = {str(next(self.numbers)): log for log in logs}
        self.events.append({"input": {"deltaS": 0.5}, "stateChange": change})
        self.document = document

    def entry(self, seat: int, kind: int, **told: Any) -> dict[str, Any]:
        color = self.colors[seat]
        return {"from": color, "text": {"type": kind, "playerColor": color, **told}}

    def take(self, action: int) -> None:
        """Play an action, and write what a replay would have of it."""
        game, before = self.game, self.game.copy()
        seat, phase = game.player, game.phase
        decision = Decision.of(game.step_once(action))
        if phase == Phase.DISCARD:
            self.decisions.append(decision)
            self.discarded.setdefault(seat, []).append(CARD_OF[Resource(action - actions.DISCARD)])
            if game.phase != Phase.DISCARD:
                self.tell_discards()
        elif action >= actions.OFFER:
            self.trade(before, action)
        else:
            self.decisions.append(decision)
            logs = self.logs(before, decision)
            placed = phase == Phase.SETUP_ROAD
            if placed or action == actions.END_TURN:
                self.completed += 1
                logs.append({"text": {"type": 44}})
            self.tell(*logs)
        if game.is_over:
            line = {"text": {"type": 44}}
            self.tell(line, self.entry(game.winner or 0, 45), line)

    def tell_discards(self) -> None:
        """All discards, the last to decide first: they come in any order."""
        state, after = self.game.state, self.game.games.copy()
        for seat, cards in self.discarded.items():
            for card in cards:
                state["hand"][seat][RESOURCE_OF[card]] += 1
                state["bank"][RESOURCE_OF[card]] -= 1
        for seat, cards in reversed(self.discarded.items()):
            for card in cards:
                state["hand"][seat][RESOURCE_OF[card]] -= 1
                state["bank"][RESOURCE_OF[card]] += 1
            self.tell(self.entry(seat, 55, cardEnums=cards, areResourceCards=True))
        self.discarded = {}
        assert self.game.games == after

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
        lost = self.game.state["hand_size"] < before.state["hand_size"]
        victim = int(np.flatnonzero(lost)[0])
        colors, card = self.colors, [CARD_OF[stolen]]
        to_thief = self.entry(thief, 14, cardEnums=card)
        to_thief["text"]["playerColor"] = colors[victim]
        to_victim = self.entry(thief, 15, cardEnums=card)
        to_victim["specificRecipients"] = [colors[victim]]
        parties = {"playerColorThief": colors[thief], "playerColorVictim": colors[victim]}
        to_others = {"from": colors[thief], "text": {"type": 16, **parties, "cardBacks": [0]}}
        if self.perspective is None:
            return [to_thief, to_victim, to_others]
        told = {thief: to_thief, victim: to_victim}
        return [told.get(self.perspective, to_others)]

    def trade(self, before: Game, action: int) -> None:
        """What a replay has of the decisions of a trade: offers that are sent, answers, ends."""
        game, seat, turn = self.game, before.player, before.turn_player
        composing = actions.COMPOSE_GIVE <= action < actions.COMPOSE_SEND
        if composing or (
            action == actions.WITHDRAW and before.phase == Phase.COMPOSE == game.phase
        ):
            return
        withdrawn = action == actions.WITHDRAW and before.phase == Phase.COMPOSE
        if withdrawn and seat == turn:
            return
        sent = actions.OFFER <= action < actions.COMPOSE_GIVE or action == actions.COMPOSE_SEND
        if sent:
            self.send(before, action, seat, turn)
        elif action in (actions.ACCEPT, actions.REJECT) or withdrawn:
            agreed = action == actions.ACCEPT
            answer = actions.ACCEPT if agreed else actions.REJECT
            self.decisions.append(Decision(seat, answer, None))
            offer = self.offers[self.open]
            answers = offer["playerResponses"] | {str(self.colors[seat]): 1 if agreed else 2}
            self.offers = self.offers | {self.open: offer | {"playerResponses": answers}}
            self.tell()
        else:
            self.decisions.append(Decision(seat, action, None))
        if game.phase == Phase.MAIN:
            self.offers = {}
            self.tell(*self.closed(before, action))

    def send(self, before: Game, action: int, seat: int, turn: int) -> None:
        """An offer or counter-offer, of one action where there is one for it."""
        shown = before.copy()
        if action != actions.COMPOSE_SEND:
            give, get = actions.OFFER_GIVE[action - 252], actions.OFFER_GET[action - 252]
        else:
            give, get = shown.state["offer_give"][seat], shown.state["offer_get"][seat]
        for one in offer_actions(give, get):
            self.decisions.append(Decision(seat, one, None))
        sides = {"offeredResources": cards_of(give), "wantedResources": cards_of(get)}
        number = f"offer {next(self.offer_ids)}"
        counter = seat != turn
        told = {"id": number, "creator": self.colors[seat], **sides, "playerResponses": {}}
        told["counterOfferInResponseToTradeId"] = self.open if counter else None
        self.offers = self.offers | {number: told}
        cards = {"offeredCardEnums": cards_of(give), "wantedCardEnums": cards_of(get)}
        if counter:
            text = {"type": 117, "playerColorCreator": self.colors[seat], **cards}
            self.tell({"from": self.colors[seat], "text": text})
        else:
            self.open = number
            self.tell(self.entry(seat, 118, **cards))

    def closed(self, before: Game, action: int) -> list[dict[str, Any]]:
        """The entry of a trade, if it came to one."""
        if not actions.CLOSE_WITH <= action < actions.WITHDRAW:
            return []
        seat = before.player
        other = (seat + action - actions.CLOSE_WITH + 1) % self.rules.num_players
        s = before.state
        give, get = s["offer_give"][seat], s["offer_get"][seat]
        if s["answer"][other] == COUNTERED:
            give, get = s["offer_get"][other], s["offer_give"][other]
        cards = {"givenCardEnums": cards_of(give), "receivedCardEnums": cards_of(get)}
        return [self.entry(seat, 115, acceptingPlayerColor=self.colors[other], **cards)]

    # A whole game.

    def play(self, most: int = 3000) -> "Replay":
        """Play at random, rather building than trading."""
        while not self.game.is_over and len(self.decisions) < most:
            legal = self.game.legal_actions()
            built = legal[(legal >= actions.BUILD_ROAD) & (legal < actions.MOVE_ROBBER)]
            offers = legal >= actions.OFFER
            if len(built) and self.rng.random() < 0.8:
                legal = built
            elif self.game.phase == Phase.MAIN and not offers.all() and self.rng.random() < 0.8:
                legal = legal[~offers]
            elif self.game.phase == Phase.ANSWER and actions.ACCEPT in legal:
                legal = legal[legal != actions.REJECT] if self.rng.random() < 0.5 else legal
            self.take(int(self.rng.choice(legal)))
        return self

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
                if self.game.is_over
                else {},
            },
        }


def offer_actions(give: Any, get: Any) -> list[int]:
    """The actions that make an offer, one if there is one for it."""
    sides = [{r: int(n) for r, n in zip(Resource, side, strict=True) if n} for side in (give, get)]
    named = [{r.name.lower(): n for r, n in side.items()} for side in sides]
    try:
        return [action_id("offer", give=named[0], get=named[1])]
    except ValueError:
        added = [
            first + r
            for first, side in zip((actions.COMPOSE_GIVE, actions.COMPOSE_GET), sides, strict=True)
            for r, n in side.items()
            for _ in range(n)
        ]
        return [*added, actions.COMPOSE_SEND]
