"""The rulebook's legal actions: slow, in plain Python, only from a state's JSON form."""

from collections.abc import Mapping
from typing import Any

from tests.helpers import CARD, CITY, ROAD, SETTLEMENT
from tests.reference_board import ENDS, HEX_VERTICES, NEIGHBORS, VERTEX_EDGES

Bundle = dict[str, int]


def size(bundle: Bundle) -> int:
    return sum(bundle.values())


def covers(hand: Bundle, bundle: Bundle) -> bool:
    return all(hand.get(r, 0) >= n for r, n in bundle.items())


def rate(state: Mapping[str, Any], p: int, resource: str) -> int:
    """Cards of a resource that the bank takes from a seat for one of another."""
    buildings = {*state["players"][p]["settlements"], *state["players"][p]["cities"]}
    harbors = state["board"]["harbors"]
    kinds = {h["resource"] for h in harbors if ENDS[h["edge"]] & buildings}
    return 2 if resource in kinds else 3 if None in kinds else 4


class Reference:
    """The rulebook's answers for one state."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.state = state
        self.rules = state["rules"]
        self.most = self.rules.get("max_offer_cards", 4)
        self.phase = state["phase"]
        self.p = state["player_to_move"]
        self.me = state["players"][self.p]
        self.hand: Bundle = self.me["hand"]
        self.n = len(state["players"])
        self.owner = {
            v: p
            for p, player in enumerate(state["players"])
            for v in player["settlements"] + player["cities"]
        }
        self.taken = {e for player in state["players"] for e in player["roads"]}
        self.own_roads = set(self.me["roads"])

    def allows(self, action: dict[str, Any]) -> bool:
        most_turns = self.rules["max_turns"]
        if self.phase == "over" or (most_turns is not None and self.state["turn"] >= most_turns):
            return False
        arguments = {k: v for k, v in action.items() if k != "kind"}
        return bool(getattr(self, action["kind"])(**arguments))

    # The turn.

    def roll(self):
        return self.phase == "roll"

    def end_turn(self):
        return self.phase == "main"

    # Building.

    def pays(self, cost):
        return self.phase == "main" and covers(self.hand, cost)

    def fits_a_road(self, edge):
        """Empty, and touching an own building or an own road not ended by an opponent's."""
        if edge in self.taken:
            return False
        for v in ENDS[edge]:
            if self.owner.get(v) == self.p:
                return True
            if v not in self.owner and VERTEX_EDGES[v] & self.own_roads:
                return True
        return False

    def roads_left(self):
        return 15 - len(self.own_roads)

    def build_road(self, edge):
        if self.phase == "setup_road":
            bare = [v for v in self.me["settlements"] if not VERTEX_EDGES[v] & self.own_roads]
            return edge not in self.taken and bare[0] in ENDS[edge]
        if self.phase == "free_road":
            return self.fits_a_road(edge) and self.roads_left() > 0
        return self.pays(ROAD) and self.fits_a_road(edge) and self.roads_left() > 0

    def build_settlement(self, vertex):
        keeps_distance = not ({vertex} | NEIGHBORS[vertex]) & set(self.owner)
        if self.phase == "setup_settlement":
            return keeps_distance
        on_road = VERTEX_EDGES[vertex] & self.own_roads
        left = 5 - len(self.me["settlements"])
        return self.pays(SETTLEMENT) and keeps_distance and on_road and left > 0

    def build_city(self, vertex):
        left = 4 - len(self.me["cities"])
        return self.pays(CITY) and vertex in self.me["settlements"] and left > 0

    def buy_development_card(self):
        return self.pays(CARD) and self.state["deck"]

    # Development cards.

    def may_play(self, card):
        old = self.me["cards"][card] - self.me["new_cards"][card]
        return self.phase in ("roll", "main") and not self.state["card_played"] and old > 0

    def play_knight(self):
        return self.may_play("knight")

    def play_road_building(self):
        some_edge = any(self.fits_a_road(e) for e in range(72))
        return self.may_play("road_building") and self.roads_left() > 0 and some_edge

    def play_year_of_plenty(self, pair):
        wanted = {r: pair.count(r) for r in pair}
        return self.may_play("year_of_plenty") and covers(self.state["bank"], wanted)

    def play_monopoly(self, resource):
        return self.may_play("monopoly")

    # The robber.

    def others_at(self, hex_id):
        return {self.owner[v] for v in HEX_VERTICES[hex_id] if v in self.owner} - {self.p}

    def is_barred(self, hex_id):
        """Whether the friendly robber protects somebody on a hex."""
        players, spared = self.state["players"], self.others_at(hex_id)
        if self.rules.get("robber_spares_mover"):
            spared = {self.owner[v] for v in HEX_VERTICES[hex_id] if v in self.owner}
        return any(players[q]["visible_points"] <= 2 for q in spared)

    def move_robber(self, **where):
        hex_id, robber = where["hex"], self.state["robber"]
        if self.phase != "move_robber" or hex_id == robber:
            return False
        if not self.rules["friendly_robber"] or not self.is_barred(hex_id):
            return True
        return all(self.is_barred(h) for h in range(19) if h != robber)

    def seat(self, relative):
        """An absolute seat, or None for an absent one."""
        return (self.p + relative) % self.n if relative < self.n else None

    def steal(self, seat):
        q = self.seat(seat)
        there = self.others_at(self.state["robber"])
        return self.phase == "steal" and q in there and size(self.state["players"][q]["hand"]) > 0

    def discard(self, resource):
        return self.phase == "discard" and self.hand[resource] > 0

    # Trade.

    def maritime_trade(self, give, get):
        enough = self.hand[give] >= rate(self.state, self.p, give)
        return self.phase == "main" and give != get and enough and self.state["bank"][get] > 0

    def may_begin(self):
        """Whether the player to move may make an offer or a counter-offer."""
        if not self.rules["trading"]:
            return False
        if self.phase == "main":
            return self.state["offers_made"] < self.rules["max_offers_per_turn"]
        return self.phase == "answer" and self.rules["counter_offers"]

    def can_be_paid(self, bundle):
        """Whether an addressed player can hold a bundle, by the mover's knowledge."""
        turn_player = self.state["turn_player"]
        addressed = set(range(self.n)) - {self.p} if self.p == turn_player else {turn_player}
        known = self.state["knowledge"][self.p]
        return any(
            covers(known[q]["max"], bundle)
            and size(bundle) <= size(self.state["players"][q]["hand"])
            for q in addressed
        )

    def offer(self, give, get):
        allowed = self.may_begin() and self.rules["offer_form"] in ("templates", "both")
        return allowed and covers(self.hand, give) and self.can_be_paid(get)

    def composed(self):
        """Both sides of the mover's offer in composition, empty before the first card."""
        offer = self.state["offer"]
        if self.phase != "compose":
            return {}, {}
        bundles = offer if offer["from"] == self.p else offer["answers"][self.p]
        return bundles["give"], bundles["get"]

    def may_compose(self):
        if self.rules["offer_form"] not in ("composed", "both"):
            return False
        return self.phase == "compose" or self.may_begin()

    def compose_give(self, resource):
        give, get = self.composed()
        held = self.hand[resource] > give.get(resource, 0)
        return self.may_compose() and held and size(give) < self.most and not get.get(resource, 0)

    def compose_get(self, resource):
        give, get = self.composed()
        more = {**get, resource: get.get(resource, 0) + 1}
        possible = size(get) < self.most and not give.get(resource, 0) and self.can_be_paid(more)
        return self.may_compose() and possible

    def compose_send(self):
        give, get = self.composed()
        return self.phase == "compose" and size(give) > 0 and size(get) > 0

    def accept(self):
        return self.phase == "answer" and covers(self.hand, self.state["offer"]["get"])

    def reject(self):
        return self.phase == "answer"

    def close_with(self, seat):
        q = self.seat(seat)
        if self.phase != "close" or q is None:
            return False
        answer = self.state["offer"]["answers"][q]
        if isinstance(answer, dict):
            return covers(self.hand, answer["get"])
        return answer == "accept"

    def withdraw(self):
        return self.phase in ("compose", "close")
