"""The state after an action: slow, in plain Python, only on a state's JSON form.

Written from the rulebook. The random generator and players' knowledge of hidden hands are
omitted.
"""

import copy
from typing import Any

from tests.engine.reference_legal import rate, size
from tests.helpers import CARD, CITY, ROAD, SETTLEMENT
from tests.reference_board import ENDS, HEX_VERTICES, VERTEX_EDGES, VERTEX_HEXES

State = dict[str, Any]

COSTS = {
    "build_road": ROAD,
    "build_settlement": SETTLEMENT,
    "build_city": CITY,
    "buy_development_card": CARD,
}
GIVES = {
    "hills": "brick",
    "forest": "lumber",
    "pasture": "wool",
    "fields": "grain",
    "mountains": "ore",
}
RESOURCES = tuple(GIVES.values())
NOTHING = dict.fromkeys(RESOURCES, 0)


def longest_trail(roads, opponents):
    """The longest trail of roads, which ends at an opponent's building."""

    def onward(v, left):
        return max((1 + beyond(e, v, left - {e}) for e in VERTEX_EDGES[v] & left), default=0)

    def beyond(e, v, left):
        (w,) = ENDS[e] - {v}
        return 0 if w in opponents else onward(w, left)

    starts = {v for e in roads for v in ENDS[e]}
    return max((onward(v, frozenset(roads)) for v in starts), default=0)


class Play:
    """One action played on a copy of a state; the result is `state`."""

    def __init__(self, state: State, action: dict[str, Any], outcome: Any) -> None:
        self.state = s = copy.deepcopy(state)
        self.players = s["players"]
        self.n = len(self.players)
        self.p = s["player_to_move"]
        self.me = self.players[self.p]
        self.outcome = outcome
        self.shortages = 0
        arguments = {k: v for k, v in action.items() if k != "kind"}
        getattr(self, action["kind"])(**arguments)
        self.recount()
        self.find_winner()

    # Cards from hand to hand.

    def take(self, p, resource, count=1):
        """Move cards from the bank, or back to it with a negative count."""
        self.players[p]["hand"][resource] += count
        self.state["bank"][resource] -= count

    def pass_on(self, giver, taker, bundle):
        for resource, count in bundle.items():
            self.players[giver]["hand"][resource] -= count
            self.players[taker]["hand"][resource] += count

    def pay(self, kind):
        for resource, count in COSTS[kind].items():
            self.take(self.p, resource, -count)

    # Points and special cards.

    def buildings(self, p):
        return self.players[p]["settlements"] + self.players[p]["cities"]

    def recount(self):
        for p, player in enumerate(self.players):
            opponents = {v for q in range(self.n) if q != p for v in self.buildings(q)}
            player["road_length"] = longest_trail(player["roads"], opponents)
        self.award_longest_road()
        for p, player in enumerate(self.players):
            points = len(player["settlements"]) + 2 * len(player["cities"])
            points += 2 * (self.state["longest_road_owner"] == p)
            points += 2 * (self.state["largest_army_owner"] == p)
            player["visible_points"] = points
            player["points"] = points + player["cards"]["victory_point"]

    def award_longest_road(self):
        lengths = [player["road_length"] for player in self.players]
        longest = max(lengths)
        holder = self.state["longest_road_owner"]
        if holder is not None and lengths[holder] == longest >= 5:
            return
        alone = longest >= 5 and lengths.count(longest) == 1
        self.state["longest_road_owner"] = lengths.index(longest) if alone else None

    def award_largest_army(self):
        knights = [player["cards_played"]["knight"] for player in self.players]
        holder = self.state["largest_army_owner"]
        if knights[self.p] >= 3 and (holder is None or knights[self.p] > knights[holder]):
            self.state["largest_army_owner"] = self.p

    def find_winner(self):
        s = self.state
        p = s["turn_player"]
        if s["phase"].startswith("setup"):
            return
        if self.players[p]["points"] >= s["rules"]["victory_points"]:
            s.update(phase="over", winner=p, player_to_move=p, offer=None, free_roads=0)

    # The turn.

    def go_on(self):
        """Return to the roll, or to the rest of the turn."""
        self.state["phase"] = "main" if self.state["rolled"] else "roll"
        self.state["player_to_move"] = self.state["turn_player"]

    def roll(self):
        s = self.state
        s["rolled"] = True
        s["dice"] = list(self.outcome)
        if sum(self.outcome) == 7:
            limit = s["rules"]["discard_limit"]
            for p, player in enumerate(self.players):
                held = size(player["hand"])
                s["to_discard"][p] = held // 2 if held > limit else 0
            self.next_discard()
        else:
            self.produce(sum(self.outcome))
            self.go_on()

    def produce(self, number):
        due = [dict(NOTHING) for _ in self.players]
        for h, land in enumerate(self.state["board"]["hexes"]):
            if land["token"] == number and h != self.state["robber"]:
                for p, player in enumerate(self.players):
                    settlements = HEX_VERTICES[h] & set(player["settlements"])
                    cities = HEX_VERTICES[h] & set(player["cities"])
                    due[p][GIVES[land["terrain"]]] += len(settlements) + 2 * len(cities)
        for r in RESOURCES:
            claims = {p: d[r] for p, d in enumerate(due) if d[r]}
            left = self.state["bank"][r]
            self.shortages += sum(claims.values()) > left
            if sum(claims.values()) > left and len(claims) > 1:
                continue
            for p, count in claims.items():
                self.take(p, r, min(count, left))

    def next_discard(self):
        s = self.state
        in_order = [(s["turn_player"] + k) % self.n for k in range(self.n)]
        waiting = [p for p in in_order if s["to_discard"][p]]
        s["phase"] = "discard" if waiting else "move_robber"
        s["player_to_move"] = waiting[0] if waiting else s["turn_player"]

    def discard(self, resource):
        self.take(self.p, resource, -1)
        self.state["to_discard"][self.p] -= 1
        self.next_discard()

    def move_robber(self, **where):
        s = self.state
        s["robber"] = where["hex"]
        victims = [
            q
            for q in range(self.n)
            if q != self.p
            and size(self.players[q]["hand"])
            and set(self.buildings(q)) & HEX_VERTICES[s["robber"]]
        ]
        if len(victims) > 1:
            s["phase"] = "steal"
            return
        if victims:
            self.pass_on(victims[0], self.p, {self.outcome.name.lower(): 1})
        self.go_on()

    def steal(self, seat):
        self.pass_on((self.p + seat) % self.n, self.p, {self.outcome.name.lower(): 1})
        self.go_on()

    def end_turn(self):
        s = self.state
        for card in self.me["new_cards"]:
            self.me["new_cards"][card] = 0
        s.update(rolled=False, card_played=False, offers_made=0, phase="roll")
        s["turn"] += 1
        s["turn_player"] = s["player_to_move"] = (self.p + 1) % self.n

    # Building and buying.

    def build_settlement(self, vertex):
        self.me["settlements"] = sorted([*self.me["settlements"], vertex])
        if self.state["phase"] != "setup_settlement":
            self.pay("build_settlement")
            return
        if len(self.me["settlements"]) == 2:
            for h in VERTEX_HEXES[vertex]:
                terrain = self.state["board"]["hexes"][h]["terrain"]
                if terrain != "desert":
                    self.take(self.p, GIVES[terrain])
        self.state["phase"] = "setup_road"

    def build_road(self, edge):
        self.me["roads"] = sorted([*self.me["roads"], edge])
        if self.state["phase"] == "setup_road":
            self.next_placement()
        elif self.state["phase"] == "free_road":
            self.state["free_roads"] -= 1
            if self.state["free_roads"] == 0 or not self.can_place_a_road():
                self.state["free_roads"] = 0
                self.go_on()
        else:
            self.pay("build_road")

    def can_place_a_road(self):
        taken = {e for player in self.players for e in player["roads"]}
        others = {v for q in range(self.n) if q != self.p for v in self.buildings(q)}
        own = {v for e in self.me["roads"] for v in ENDS[e]} - others | set(self.buildings(self.p))
        return any(ENDS[e] & own for e in range(72) if e not in taken)

    def next_placement(self):
        """Seats place in order, then in reverse; the last one to place is the first player."""
        s = self.state
        placed = [len(player["roads"]) for player in self.players]
        if sum(placed) == 2 * self.n:
            s["phase"] = "roll"
            return
        s["phase"] = "setup_settlement"
        if sum(placed) < self.n:
            s["turn_player"] = (self.p + 1) % self.n
        elif sum(placed) > self.n:
            s["turn_player"] = (self.p - 1) % self.n
        s["player_to_move"] = s["turn_player"]

    def build_city(self, vertex):
        self.pay("build_city")
        self.me["settlements"].remove(vertex)
        self.me["cities"] = sorted([*self.me["cities"], vertex])

    def buy_development_card(self):
        self.pay("buy_development_card")
        card = self.outcome.name.lower()
        deck = self.state["deck"]
        # A named card is swapped with the one on top.
        deck[deck.index(card)] = deck[0]
        del deck[0]
        self.me["cards"][card] += 1
        self.me["new_cards"][card] += 1

    # Development cards.

    def put_down(self, card):
        self.me["cards"][card] -= 1
        self.me["cards_played"][card] += 1
        self.state["card_played"] = True

    def play_knight(self):
        self.put_down("knight")
        self.award_largest_army()
        self.state["phase"] = "move_robber"

    def play_road_building(self):
        self.put_down("road_building")
        self.state["free_roads"] = min(2, 15 - len(self.me["roads"]))
        self.state["phase"] = "free_road"

    def play_year_of_plenty(self, pair):
        self.put_down("year_of_plenty")
        for resource in pair:
            self.take(self.p, resource)

    def play_monopoly(self, resource):
        self.put_down("monopoly")
        for q in range(self.n):
            if q != self.p:
                self.pass_on(q, self.p, {resource: self.players[q]["hand"][resource]})

    # Trade.

    def maritime_trade(self, give, get):
        self.take(self.p, give, -rate(self.state, self.p, give))
        self.take(self.p, get)

    def bundles(self):
        """The offer of the player to move: a new one, or one in composition."""
        s = self.state
        if s["phase"] == "main":
            s["offers_made"] += 1
            answers = [None] * self.n
            s["offer"] = {"from": self.p, "give": dict(NOTHING), "get": dict(NOTHING)}
            s["offer"]["answers"] = answers
        if self.p == s["turn_player"]:
            return s["offer"]
        if s["phase"] == "answer":
            s["offer"]["answers"][self.p] = {"give": dict(NOTHING), "get": dict(NOTHING)}
        return s["offer"]["answers"][self.p]

    def next_answer(self):
        """The next player in turn order who hasn't answered; then the player in turn."""
        s = self.state
        answers = s["offer"]["answers"]
        in_order = [(s["turn_player"] + k) % self.n for k in range(1, self.n)]
        waiting = [p for p in in_order if answers[p] is None]
        s["player_to_move"] = waiting[0] if waiting else s["turn_player"]
        if waiting:
            s["phase"] = "answer"
        elif all(answers[p] == "reject" for p in in_order):
            self.end_offer()
        else:
            s["phase"] = "close"

    def end_offer(self):
        turn_player = self.state["turn_player"]
        self.state.update(offer=None, phase="main", player_to_move=turn_player)

    def offer(self, give, get):
        written = self.bundles()
        written["give"] = NOTHING | give
        written["get"] = NOTHING | get
        self.next_answer()

    def compose_give(self, resource):
        self.bundles()["give"][resource] += 1
        self.state["phase"] = "compose"

    def compose_get(self, resource):
        self.bundles()["get"][resource] += 1
        self.state["phase"] = "compose"

    def compose_send(self):
        self.next_answer()

    def accept(self):
        self.state["offer"]["answers"][self.p] = "accept"
        self.next_answer()

    def reject(self):
        self.state["offer"]["answers"][self.p] = "reject"
        self.next_answer()

    def close_with(self, seat):
        q = (self.p + seat) % self.n
        offer = self.state["offer"]
        answer = offer["answers"][q]
        if answer == "accept":
            self.pass_on(self.p, q, offer["give"])
            self.pass_on(q, self.p, offer["get"])
        else:
            self.pass_on(q, self.p, answer["give"])
            self.pass_on(self.p, q, answer["get"])
        self.end_offer()

    def withdraw(self):
        if self.p == self.state["turn_player"]:
            self.end_offer()
        else:
            self.reject()
