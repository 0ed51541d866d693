"""Our random games, written in the format of JSettlers' logs."""

from typing import Any

from catan_pz import actions
from catan_pz.actions import MARITIME_SWAPS, PLENTY_PAIRS, describe_action
from catan_pz.events import Decision
from catan_pz.game import Game
from catan_pz.rules import Rules
from catan_pz.tables.jsettlers.contents import (
    CARD_NUMBERS,
    EDGES,
    LAND,
    VERTICES,
    board_of,
    resource_number,
    to_theirs,
)
from catan_pz.terms import NUM_RESOURCES, Card, Phase
from tests.tables.records.random_games import RandomGame, victim

HEXES = (
    *(52, 6, 10, 6, 6, 3, 0, 4, 10, 34, 5, 5, 4, 3, 6, 6, 4, 1, 2),
    *(5, 3, 11, 35, 1, 3, 2, 4, 6, 6, 5, 1, 2, 97, 7, 6, 101, 6),
)
TOKENS = (
    *(-1, -1, -1, -1, -1, 3, -1, 5, -1, -1, 0, 7, 1, 2, -1, -1, 4, 6),
    *(8, 4, 8, -1, -1, 1, 2, 3, 9, -1, -1, 5, 7, 6, -1, -1, -1, -1, -1),
)
BOARD = board_of(HEXES, TOKENS, coded=True)


def cards(counts: Any) -> str:
    names = ("clay", "ore", "sheep", "wheat", "wood")
    told = [f"{name}={n}" for name, n in zip(names, to_theirs(counts), strict=True)]
    return "|".join([*told, "unknown=0"])


def counted(resources: Any) -> list[int]:
    return [list(resources).count(r) for r in range(NUM_RESOURCES)]


class Log(RandomGame):
    """A game as the server logs it; seat 0 of ours sits in their last seat, and goes first."""

    def __init__(self, rules: Rules, seed: int) -> None:
        super().__init__(rules, seed)
        n = rules.num_players
        self.numbers = [(seat + n - 1) % n for seat in range(n)]
        self.countering: set[int] = set()
        self.lines = ["SOC game event log: type=F, version=2500, game_name=g"]
        self.write("NewGameWithOptions", f"param1=-1|param2=PL=4,VP=t{rules.victory_points}")
        for number in range(n):
            self.write("SitDown", f"nickname=p{number}|playerNumber={number}|robotFlag=false")
        layout = [" ".join(map(str, numbers)) for numbers in (HEXES, TOKENS)]
        self.write("BoardLayout", f"hexLayout={{ {layout[0]} }}|numberLayout={{ {layout[1]} }}")
        self.turn(5)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def write(self, kind: str, held: str, to: str = "all") -> None:
        self.lines.append(f"{to}:SOC{kind}:game=g|{held}")

    def turn(self, state: int) -> None:
        number = self.numbers[self.game.turn_player]
        self.write("Turn", f"playerNumber={number}|gameState={state}")

    def tell(self, before: Game, decision: Decision) -> None:
        number, told = self.numbers[decision.player], describe_action(decision.action)
        s = self.game.state
        kind, *arguments = told.values()
        match kind:
            case "roll":
                self.write("DiceResult", f"param={sum(decision.outcome)}")
                for seat, other in enumerate(self.numbers):
                    hand = ",".join(
                        f"e{k}={n}" for k, n in enumerate(to_theirs(s["hand"][seat]), 1)
                    )
                    held = f"playerNum={other}|actionType=SET|{hand}"
                    self.write("PlayerElements", held, f"p{other}")
            case "build_road" | "build_settlement" | "build_city":
                piece = ("build_road", "build_settlement", "build_city").index(kind)
                place = (VERTICES if piece else EDGES)[arguments[0]]
                held = f"playerNumber={number}|pieceType={piece}|coord={place:x}"
                self.write("PutPiece", held)
                if before.phase == Phase.SETUP_ROAD:
                    self.turn(15 if self.game.phase == Phase.ROLL else 5)
            case "buy_development_card":
                card = CARD_NUMBERS[decision.outcome]
                for to, shown in ((f"p{number}", card), (f"!p{number}", 0)):
                    held = f"playerNum={number}|actionType=DRAW|cardType={shown}"
                    self.write("DevCardAction", held, to)
                held = f"pn={number}|actType=1|v1={s['deck_left']}|v2=0"
                self.write("SimpleAction", held)
            case "end_turn":
                self.turn(15)
            case "maritime_trade":
                give, get = MARITIME_SWAPS[decision.action - actions.MARITIME_TRADE].tolist()
                rate = int(before.state["rate"][decision.player][give])
                sides = cards(counted([give] * rate)), cards(counted([get]))
                self.write("BankTrade", f"give={sides[0]}|get={sides[1]}|pn={number}")
            case "move_robber" | "steal":
                self.tell_robber(before, decision, kind)
            case _:
                self.tell_card(kind, decision.action, number)
        owner = int(s["longest_road_owner"])
        if before.phase == Phase.MAIN:
            self.write("GameElements", f"e6={self.numbers[owner] if owner >= 0 else -1}")

    def tell_robber(self, before: Game, decision: Decision, kind: str) -> None:
        number = self.numbers[decision.player]
        if kind == "move_robber":
            place = LAND[decision.action - actions.MOVE_ROBBER]
            self.write("MoveRobber", f"playerNumber={number}|coord={place:x}")
        if decision.outcome is None:
            return
        other = self.numbers[victim(before, self.game)]
        known = resource_number(decision.outcome)
        for to, shown in ((f"p{number}", known), (f"p{other}", known), (f"!p[{number}]", 6)):
            held = f"perp={number}|victim={other}|resType={shown}|amount=1|isGainLose=true"
            self.write("RobberyResult", held, to)

    def tell_card(self, kind: str, action: int, number: int) -> None:
        card = Card[kind.removeprefix("play_").upper()]
        held = f"playerNum={number}|actionType=PLAY|cardType={CARD_NUMBERS[card]}"
        self.write("DevCardAction", held)
        if card == Card.YEAR_OF_PLENTY:
            taken = PLENTY_PAIRS[action - actions.PLAY_YEAR_OF_PLENTY]
            self.write("PickResources", f"resources={cards(counted(taken))}|pn={number}|reason=2")
        elif card == Card.MONOPOLY:
            kind_of = resource_number(action - actions.PLAY_MONOPOLY)
            self.write("SimpleAction", f"pn={number}|actType=3|v1=1|v2={kind_of}")

    def tell_discards(self) -> None:
        """The order of a seat's discards isn't logged."""
        seats, count = [*self.discarded], sum(map(len, self.discarded.values()))
        played = sorted(self.decisions[-count:], key=lambda d: (seats.index(d.player), d.action))
        self.decisions[-count:] = played
        for seat, lost in reversed(self.discarded.items()):
            number = self.numbers[seat]
            held = f"playerNum={number}|resources={cards(counted(lost))}"
            self.write("Discard", held, f"p{number}")
            self.write("Discard", held, f"!p{number}")

    def tell_offer(self, seat: int, give: Any, get: Any) -> None:
        self.countering = {*self.countering, seat} if seat != self.game.turn_player else set()
        held = f"from={self.numbers[seat]}|to=true|give={cards(give)}|get={cards(get)}"
        self.write("MakeOffer", held)

    def tell_end(self, seat: int, other: int | None, give: Any = (), get: Any = ()) -> None:
        if other is not None:
            numbers, sides = [self.numbers[seat], self.numbers[other]], [give, get]
            if other in self.countering:  # their offer is accepted
                numbers, sides = numbers[::-1], sides[::-1]
            held = f"toAccepting={cards(sides[0])}|toOffering={cards(sides[1])}"
            self.write("AcceptOffer", f"accepting={numbers[1]}|offering={numbers[0]}|{held}")
        self.write("ClearOffer", "playerNumber=-1")

    def tell_answer(self, seat: int, *, accepts: bool) -> None:
        if not accepts:
            self.write("RejectOffer", f"playerNumber={self.numbers[seat]}")

    def tell_winner(self) -> None:
        points = self.game.points
        told = [points[self.numbers.index(n)] if n in self.numbers else 0 for n in range(4)]
        self.write("GameState", "state=1000")
        self.write("GameStats", "|".join(map(str, [*told, *["false"] * 4])))
