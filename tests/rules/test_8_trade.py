"""8. Trade: with the bank and with players."""

import pytest

from catan_pz import Rules
from catan_pz.game.position import position
from tests.helpers import (
    RESOURCES,
    act,
    bank,
    can,
    hand,
    hands,
    kinds,
    legal,
    path,
    player,
    refused,
    roll,
)

pytestmark = pytest.mark.purepython

ALL_TYPES = dict.fromkeys(RESOURCES, 4)


def two(seat, other=None, **entries):
    """A position of two players with this seat in turn, after the roll."""
    entries.setdefault("rules", Rules(num_players=2))
    return position([seat, other or {}], **entries)


# With the bank.


@pytest.mark.parametrize("give", RESOURCES)
def test_the_bank_takes_4_of_a_kind_for_1_of_another(give):
    """4 of a kind for 1 of another."""
    game = two({"hand": {give: 4}})
    assert legal(game, "maritime_trade") == [
        {"give": give, "get": get} for get in RESOURCES if get != give
    ]
    get = RESOURCES[RESOURCES.index(give) - 1]
    act(game, "maritime_trade", give=give, get=get)
    assert hand(game, 0) == {get: 1}
    assert (bank(game)[give], bank(game)[get]) == (19, 18)
    assert game.snapshot()["phase"] == "main"


def test_three_of_a_kind_are_not_enough_without_a_harbor():
    assert (
        legal(two({"settlements": [20], "hand": dict.fromkeys(RESOURCES, 3)}), "maritime_trade")
        == []
    )


@pytest.mark.parametrize("piece", ["settlements", "cities"])
@pytest.mark.parametrize("vertex", [0, 1, 26, 37, 50, 51, 47, 48])
def test_a_generic_harbor_trades_3_to_1(piece, vertex):
    """3:1 with a generic harbor, by own settlements and cities on the harbor's vertices."""
    for give in RESOURCES:
        game = two({piece: [vertex], "hand": {give: 3}})
        get = RESOURCES[RESOURCES.index(give) - 1]
        act(game, "maritime_trade", give=give, get=get)
        assert hand(game, 0) == {get: 1}
        assert legal(two({piece: [vertex], "hand": {give: 2}}), "maritime_trade") == []


SPECIAL = {"brick": (28, 38), "lumber": (7, 17), "wool": (45, 46), "grain": (3, 4), "ore": (14, 15)}


@pytest.mark.parametrize("piece", ["settlements", "cities"])
@pytest.mark.parametrize("resource", RESOURCES)
def test_a_special_harbor_trades_2_to_1_of_its_resource(resource, piece):
    """2:1 of its resource with a special harbor; other resources stay at 4:1."""
    for vertex in SPECIAL[resource]:
        pairs = dict.fromkeys(RESOURCES, 3) | {resource: 2}
        game = two({piece: [vertex], "hand": pairs})
        assert {trade["give"] for trade in legal(game, "maritime_trade")} == {resource}
        get = RESOURCES[RESOURCES.index(resource) - 1]
        act(game, "maritime_trade", give=resource, get=get)
        assert hand(game, 0) == {**{r: 3 for r in RESOURCES if r != resource}, get: 4}


def test_the_best_rate_held_is_the_one_paid():
    """With a 3:1 and the brick harbor: brick 2, everything else 3."""
    rich = dict.fromkeys(RESOURCES, 4)
    game = two({"settlements": [0, 28], "hand": rich})
    act(game, "maritime_trade", give="brick", get="ore")
    act(game, "maritime_trade", give="wool", get="ore")
    assert hand(game, 0) == {"brick": 2, "lumber": 4, "wool": 1, "grain": 4, "ore": 6}
    game = two({"settlements": [28, 0], "hand": {"brick": 3}})
    act(game, "maritime_trade", give="brick", get="ore")
    assert hand(game, 0) == {"brick": 1, "ore": 1}


def test_anothers_harbor_is_of_no_use():
    game = two({"hand": dict.fromkeys(RESOURCES, 3)}, {"settlements": [0, 28]})
    assert legal(game, "maritime_trade") == []


def test_a_road_to_a_harbor_is_not_enough():
    seat = {"settlements": [2], "roads": path(2, 1, 0), "hand": {"brick": 3}}
    assert legal(two(seat), "maritime_trade") == []


def test_a_settlement_beside_the_harbors_vertices_does_not_reach_it():
    assert legal(two({"settlements": [8], "hand": {"wool": 3}}), "maritime_trade") == []


def test_the_bank_must_have_the_card_asked_for():
    game = two({"hand": {"brick": 4}}, {"hand": {"ore": 19}})
    assert [trade["get"] for trade in legal(game, "maritime_trade")] == ["lumber", "wool", "grain"]


def test_trade_with_the_bank_waits_for_the_roll():
    """Own turn, after the roll."""
    game = two({"hand": {"brick": 7}}, phase="roll")
    assert legal(game, "maritime_trade") == []
    roll(game, 2)
    assert can(game, "maritime_trade", give="brick", get="ore")


def test_a_harbor_serves_from_the_turn_in_which_it_is_reached():
    rich = {"brick": 1, "lumber": 1, "wool": 1, "grain": 1, "ore": 3}
    game = two({"settlements": [3], "roads": path(3, 2, 1), "hand": rich})
    refused(game, "maritime_trade", give="ore", get="wool")
    act(game, "build_settlement", vertex=1)
    act(game, "maritime_trade", give="ore", get="wool")
    assert hand(game, 0) == {"wool": 1}


def test_a_harbor_serves_a_settlement_of_the_setup():
    game = two(
        {"settlements": [20], "roads": path(20, 21)},
        {"settlements": [40, 42], "roads": path(40, 41) + path(42, 43)},
        phase="setup_settlement",
    )
    act(game, "build_settlement", vertex=14)  # ore harbor; forest 9 and hills 10
    act(game, "build_road", edge=path(14, 13)[0])
    roll(game, 10)
    assert hand(game, 0) == {"brick": 2, "lumber": 1}
    rates = game.games["rate"][0][0]
    assert list(rates) == [4, 4, 4, 4, 2]


# With players: templates.


def table(*players, rules=None, **entries):
    """A position of as many players as are given, the first in turn after the roll."""
    options = {"num_players": len(players)} | (rules or {})
    return position(list(players), rules=Rules(**options), **entries)


def offer(game, give, get):
    """Offer a bundle for a bundle in one action."""
    return act(game, "offer", give=give, get=get)


def trio(rules=None, **entries):
    """Three players: one offers brick for ore, both others hold ore."""
    seats = [{"hand": {"brick": 2}}, {"hand": {"ore": 1, "wool": 1}}, {"hand": {"ore": 2}}]
    return table(*seats, rules=rules, **entries)


def test_player_trade_is_an_option():
    """O: `trading`."""
    game = trio({"trading": False})
    assert len(game.mask) == 252
    assert kinds(game) == {"end_turn"}
    assert len(trio().mask) == 389
    assert "offer" in kinds(trio())


def test_offers_wait_for_the_roll():
    """Own turn, after the roll."""
    assert kinds(trio(phase="roll")) == {"roll"}


def test_an_offer_is_held_by_its_maker():
    """Holding what is offered."""
    game = table({"hand": {"brick": 1}}, {"hand": {"ore": 4, "wool": 4}})
    assert {str(o["give"]) for o in legal(game, "offer")} == {"{'brick': 1}"}
    game = table({"hand": {"brick": 1, "grain": 1}}, {"hand": {"ore": 4}})
    gives = [o["give"] for o in legal(game, "offer") if o["get"] == {"ore": 1}]
    assert gives == [{"brick": 1}, {"grain": 1}, {"brick": 1, "grain": 1}]


def test_no_resource_is_on_both_sides():
    """A non-empty bundle for a non-empty bundle, with no resource on both sides."""
    rich = {"hand": dict.fromkeys(RESOURCES, 4)}
    offers = legal(table(rich, rich), "offer")
    assert len(offers) == 120
    for o in offers:
        assert o["give"]
        assert o["get"]
        assert not set(o["give"]) & set(o["get"])


def test_the_templates():
    """1:1, 2:1, 1+1:1 and their mirror images."""
    rich = {"hand": dict.fromkeys(RESOURCES, 4)}
    shapes = [
        (sorted(o["give"].values()), sorted(o["get"].values()))
        for o in legal(table(rich, rich), "offer")
    ]
    assert shapes == (
        20 * [([1], [1])]
        + 20 * [([2], [1])]
        + 30 * [([1, 1], [1])]
        + 20 * [([1], [2])]
        + 30 * [([1], [1, 1])]
    )


def test_the_offer_goes_to_all_others_in_turn_order():
    """Each, in turn order, accepts or rejects; then the maker closes."""
    seats = [
        {"hand": {"ore": 1}},
        {"hand": {"ore": 1}},
        {"hand": {"brick": 1}},
        {"hand": {"ore": 1}},
    ]
    game = table(*seats, turn_player=2, player_to_move=2)
    offer(game, {"brick": 1}, {"ore": 1})
    order = []
    while game.snapshot()["phase"] == "answer":
        order.append(game.player)
        act(game, "accept")
    assert order == [3, 0, 1]
    assert (game.player, game.snapshot()["phase"]) == (2, "close")


def test_an_offer_on_the_table():
    game = offer(trio(), {"brick": 1}, {"ore": 1})
    on_the_table = game.snapshot()["offer"]
    assert on_the_table["from"] == 0
    assert {r: n for r, n in on_the_table["give"].items() if n} == {"brick": 1}
    assert {r: n for r, n in on_the_table["get"].items() if n} == {"ore": 1}
    assert on_the_table["answers"] == [None, None, None]


def test_accepting_needs_the_cards_asked_for():
    """Accepts (only with the cards asked for in hand)."""
    game = offer(trio(), {"brick": 1}, {"ore": 2})
    refused(game, "accept")
    act(game, "reject")
    assert game.player == 2
    act(game, "accept")


def test_closing_exchanges_the_cards():
    """The player in turn closes with one who accepted."""
    game = offer(trio(), {"brick": 1}, {"ore": 1})
    act(game, "accept")
    act(game, "accept")
    assert legal(game, "close_with") == [1, 2]
    act(game, "close_with", seat=2)
    assert hands(game) == [{"brick": 1, "ore": 1}, {"ore": 1, "wool": 1}, {"brick": 1, "ore": 1}]
    assert game.snapshot()["phase"] == "main"
    assert game.snapshot()["offer"] is None
    assert bank(game) == {"brick": 17, "lumber": 19, "wool": 18, "grain": 19, "ore": 16}


def test_a_trade_of_several_cards():
    """Two of the offer's kinds against one, as it was told."""
    game = table({"hand": {"brick": 1, "wool": 1}}, {"hand": {"ore": 1}})
    offer(game, {"brick": 1, "wool": 1}, {"ore": 1})
    act(game, "accept")
    act(game, "close_with", seat=1)
    assert hands(game) == [{"ore": 1}, {"brick": 1, "wool": 1}]


def test_seats_to_close_with_are_counted_from_the_player_in_turn():
    seats = [{"hand": {"ore": 1}}, {}, {"hand": {"brick": 1}}]
    game = table(*seats, turn_player=2, player_to_move=2)
    offer(game, {"brick": 1}, {"ore": 1})
    act(game, "accept")
    act(game, "reject")
    assert legal(game, "close_with") == [1]
    act(game, "close_with", seat=1)
    assert hands(game) == [{"brick": 1}, {}, {"ore": 1}]


def test_if_all_reject_the_offer_lapses_at_once():
    game = offer(trio(), {"brick": 1}, {"ore": 1})
    act(game, "reject")
    assert game.snapshot()["phase"] == "answer"
    act(game, "reject")
    assert (game.player, game.snapshot()["phase"]) == (0, "main")
    assert game.snapshot()["offer"] is None
    assert hands(game)[0] == {"brick": 2}


def test_one_who_rejected_cannot_be_traded_with():
    game = offer(trio(), {"brick": 1}, {"ore": 1})
    act(game, "reject")
    act(game, "accept")
    assert legal(game, "close_with") == [2]
    assert kinds(game) == {"close_with", "withdraw"}


def test_the_player_in_turn_may_withdraw():
    """Or withdraws."""
    game = offer(trio(), {"brick": 1}, {"ore": 1})
    act(game, "accept")
    act(game, "reject")
    before = hands(game)
    act(game, "withdraw")
    assert hands(game) == before
    assert (game.player, game.snapshot()["phase"]) == (0, "main")


def test_counter_offers():
    """Answers with a bundle for bundle of its own, again held in hand."""
    game = offer(trio(), {"brick": 1}, {"ore": 1})
    counters = legal(game, "offer")
    assert {"give": {"ore": 1}, "get": {"brick": 2}} in counters
    assert all(set(o["give"]) <= {"ore", "wool"} for o in counters)
    assert all(sum(o["give"].values()) <= 2 for o in counters)
    assert {"give": {"ore": 2}, "get": {"brick": 1}} not in counters


def test_a_counter_offer_is_addressed_to_the_player_in_turn():
    """Others never trade among themselves: requests the player in turn can't hold are no use."""
    game = offer(trio(), {"brick": 1}, {"ore": 1})
    assert {r for o in legal(game, "offer") for r in o["get"]} == {"brick"}
    offer(game, {"ore": 1}, {"brick": 2})
    assert game.player == 2
    act(game, "reject")
    assert (game.player, game.snapshot()["phase"]) == (0, "close")
    assert legal(game, "close_with") == [1]


def test_a_counter_offer_is_written_from_its_makers_side():
    """`give` is what its maker gives."""
    game = offer(trio(), {"brick": 1}, {"ore": 1})
    offer(game, {"ore": 1}, {"brick": 2})
    counter = game.snapshot()["offer"]["answers"][1]
    assert {r: n for r, n in counter["give"].items() if n} == {"ore": 1}
    assert {r: n for r, n in counter["get"].items() if n} == {"brick": 2}
    act(game, "reject")
    act(game, "close_with", seat=1)
    assert hands(game) == [{"ore": 1}, {"brick": 2, "wool": 1}, {"ore": 2}]


def test_a_counter_offer_asks_and_gives_the_whole_bundle():
    game = offer(trio(), {"brick": 1}, {"ore": 1})
    offer(game, {"ore": 1, "wool": 1}, {"brick": 1})
    act(game, "accept")
    assert legal(game, "close_with") == [1, 2]
    act(game, "close_with", seat=1)
    assert hands(game) == [{"brick": 1, "wool": 1, "ore": 1}, {"brick": 1}, {"ore": 2}]


def test_without_counter_offers_an_answer_is_yes_or_no():
    """O: `counter_offers`."""
    game = offer(trio({"counter_offers": False}), {"brick": 1}, {"ore": 1})
    assert kinds(game) == {"accept", "reject"}


def hidden_brick(rules=None):
    """Player 0 holds wool and grain; the others know only that it has two cards of four."""
    seats = [
        {"hand": {"wool": 1, "grain": 1}},
        {"hand": {"ore": 1}},
        {"hand": {"brick": 1, "lumber": 1}},
    ]
    unknown = {"min": {}, "max": {"brick": 1, "lumber": 1, "wool": 1, "grain": 1}}
    sure = [{"min": s["hand"], "max": s["hand"]} for s in seats]
    bounds = [[sure[0], sure[1], sure[2]], [unknown, sure[1], unknown], [sure[0], sure[1], sure[2]]]
    return table(*seats, rules=rules, knowledge=bounds)


def test_closing_only_with_one_whom_it_can_pay():
    """With one who accepted or countered (and whom it can pay)."""
    game = offer(hidden_brick(), {"wool": 1}, {"ore": 1})
    offer(game, {"ore": 1}, {"grain": 1})
    offer(game, {"brick": 1}, {"grain": 1})
    assert legal(game, "close_with") == [1, 2]
    game = offer(hidden_brick(), {"wool": 1}, {"ore": 1})
    offer(game, {"ore": 1}, {"brick": 1})  # player 0 may hold brick, as far as 1 knows
    offer(game, {"brick": 1}, {"grain": 1})
    assert legal(game, "close_with") == [2]
    refused(game, "close_with", seat=1)


def test_the_choice_comes_also_when_it_can_pay_none():
    """So that nothing is told."""
    game = offer(hidden_brick(), {"wool": 1}, {"ore": 1})
    offer(game, {"ore": 1}, {"brick": 1})
    act(game, "reject")
    assert (game.player, game.snapshot()["phase"]) == (0, "close")
    assert kinds(game) == {"withdraw"}
    act(game, "withdraw")
    assert game.snapshot()["phase"] == "main"


def test_max_offers_per_turn():
    """O: `max_offers_per_turn` (default 3)."""
    game = trio()
    for made in range(3):
        assert game.snapshot()["offers_made"] == made
        offer(game, {"brick": 1}, {"ore": 1})
        act(game, "reject")
        act(game, "reject")
    assert legal(game, "offer") == []
    act(game, "end_turn")
    roll(game, 2)
    assert game.snapshot()["offers_made"] == 0
    assert legal(game, "offer") != []


@pytest.mark.parametrize("most", [0, 1, 5])
def test_max_offers_per_turn_can_be_chosen(most):
    game = trio({"max_offers_per_turn": most})
    for _ in range(most):
        offer(game, {"brick": 1}, {"ore": 1})
        act(game, "reject")
        act(game, "reject")
    assert legal(game, "offer") == []


def test_counter_offers_are_not_counted_as_offers():
    game = trio({"max_offers_per_turn": 1})
    offer(game, {"brick": 1}, {"ore": 1})
    assert legal(game, "offer") != []
    offer(game, {"ore": 1}, {"brick": 2})
    assert game.snapshot()["offers_made"] == 1
    assert legal(game, "offer") != []


# Offers that nobody can pay, by what their maker knows.


def test_offers_are_masked_when_nobody_can_hold_the_request():
    """Requests beyond everybody's bounds or hand size are masked."""
    game = table({"hand": {"brick": 2}}, {"hand": {"ore": 1, "wool": 1}}, {"hand": {"ore": 1}})
    asked = [o["get"] for o in legal(game, "offer") if o["give"] == {"brick": 1}]
    assert asked == [{"wool": 1}, {"ore": 1}, {"wool": 1, "ore": 1}]


def test_offers_are_masked_by_bounds_and_not_by_the_truth():
    """Player 1 holds one ore; as far as 0 knows it may be wool."""
    seats = [{"hand": {"brick": 1}}, {"hand": {"ore": 1}}, {"hand": {"wool": 1}}]
    unknown = {"min": {}, "max": {"wool": 1, "ore": 1}}
    sure = [{"min": s["hand"], "max": s["hand"]} for s in seats]
    bounds = [[sure[0], unknown, unknown], sure, sure]
    game = table(*seats, knowledge=bounds)
    asked = [o["get"] for o in legal(game, "offer")]
    assert asked == [{"wool": 1}, {"ore": 1}]  # not both: each of them has one card
    offer(game, {"brick": 1}, {"wool": 1})
    refused(game, "accept")


def test_the_hand_size_bounds_a_request():
    """Two possible kinds in a hand of one card don't make two cards."""
    seats = [{"hand": {"brick": 1}}, {"hand": {"ore": 1}}, {"hand": {"wool": 1, "ore": 1}}]
    unknown = [
        {"min": {}, "max": {"wool": 1, "ore": 1}},
        {"min": {"ore": 1}, "max": {"wool": 1, "ore": 2}},
    ]
    sure = [{"min": s["hand"], "max": s["hand"]} for s in seats]
    game = table(*seats, knowledge=[[sure[0], *unknown], sure, sure])
    asked = [o["get"] for o in legal(game, "offer")]
    assert asked == [{"wool": 1}, {"ore": 1}, {"ore": 2}, {"wool": 1, "ore": 1}]


# Composed card by card.

COMPOSED = {"offer_form": "composed"}


def test_offer_forms():
    """`offer_form`: templates, composed, both."""
    assert kinds(trio()) == {"end_turn", "offer"}
    assert kinds(trio(COMPOSED)) == {"end_turn", "compose_give", "compose_get"}
    both = kinds(trio({"offer_form": "both"}))
    assert both == {"end_turn", "offer", "compose_give", "compose_get"}


def test_a_bundle_may_be_composed_card_by_card():
    game = trio(COMPOSED)
    act(game, "compose_give", resource="brick")
    assert game.snapshot()["phase"] == "compose"
    act(game, "compose_get", resource="ore")
    act(game, "compose_give", resource="brick")
    act(game, "compose_send")
    on_the_table = game.snapshot()["offer"]
    assert (on_the_table["give"]["brick"], on_the_table["get"]["ore"]) == (2, 1)
    assert (game.player, game.snapshot()["phase"]) == (1, "answer")
    act(game, "accept")
    act(game, "reject")
    act(game, "close_with", seat=1)
    assert hands(game) == [{"ore": 1}, {"brick": 2, "wool": 1}, {"ore": 2}]


def test_while_composing_only_adding_sending_and_withdrawing():
    """While composing only adding, sending and withdrawing are possible."""
    game = table({"hand": ALL_TYPES, "settlements": [20]}, {"hand": ALL_TYPES}, rules=COMPOSED)
    act(game, "compose_give", resource="brick")
    assert kinds(game) == {"compose_give", "compose_get", "withdraw"}
    act(game, "compose_get", resource="ore")
    assert kinds(game) == {"compose_give", "compose_get", "compose_send", "withdraw"}


def test_both_sides_must_hold_a_card_to_be_sent():
    game = act(trio(COMPOSED), "compose_get", resource="ore")
    refused(game, "compose_send")
    act(game, "compose_give", resource="brick")
    assert can(game, "compose_send")


def test_at_most_4_a_side():
    """(at most 4 a side)"""
    game = table({"hand": {"brick": 3, "wool": 9}}, {"hand": {"ore": 9}}, rules=COMPOSED)
    for resource in ("brick", "wool", "brick", "wool"):
        act(game, "compose_give", resource=resource)
    assert legal(game, "compose_give") == []
    for _ in range(4):
        act(game, "compose_get", resource="ore")
    assert legal(game, "compose_get") == []
    act(game, "compose_send")
    act(game, "accept")
    act(game, "close_with", seat=1)
    assert hands(game) == [
        {"brick": 1, "wool": 7, "ore": 4},
        {"brick": 2, "wool": 2, "ore": 5},
    ]


def test_composing_gives_only_what_is_held():
    game = table({"hand": {"brick": 1, "wool": 1}}, {"hand": {"ore": 1}}, rules=COMPOSED)
    assert legal(game, "compose_give") == ["brick", "wool"]
    act(game, "compose_give", resource="brick")
    assert legal(game, "compose_give") == ["wool"]


def test_composing_keeps_the_sides_disjoint():
    game = table({"hand": ALL_TYPES}, {"hand": ALL_TYPES}, rules=COMPOSED)
    act(game, "compose_give", resource="brick")
    act(game, "compose_get", resource="ore")
    assert "brick" not in legal(game, "compose_get")
    assert "ore" not in legal(game, "compose_give")


def test_composing_asks_only_for_what_somebody_may_hold_in_full():
    seats = [{"hand": {"brick": 1}}, {"hand": {"ore": 2}}, {"hand": {"wool": 1, "ore": 1}}]
    game = table(*seats, rules=COMPOSED)
    assert legal(game, "compose_get") == ["wool", "ore"]
    act(game, "compose_get", resource="wool")
    assert legal(game, "compose_get") == ["ore"]  # player 2 holds wool and ore
    act(game, "compose_get", resource="ore")
    assert legal(game, "compose_get") == []


def test_composing_asks_for_no_more_cards_than_a_hand_may_hold():
    """Player 1 has one card, of one kind or the other: never both."""
    seats = [{"hand": {"brick": 1}}, {"hand": {"ore": 1}}, {"hand": {"wool": 1}}]
    unknown = {"min": {}, "max": {"wool": 1, "ore": 1}}
    sure = [{"min": s["hand"], "max": s["hand"]} for s in seats]
    game = table(*seats, rules=COMPOSED, knowledge=[[sure[0], unknown, unknown], sure, sure])
    assert legal(game, "compose_get") == ["wool", "ore"]
    act(game, "compose_get", resource="wool")
    assert legal(game, "compose_get") == []


def test_others_do_not_see_it_before_it_is_sent():
    """What the others observe is the same whatever is being composed."""
    first = act(trio(COMPOSED), "compose_give", resource="brick")
    second = act(trio(COMPOSED), "compose_get", resource="ore")
    third = act(first.copy(), "compose_get", resource="ore")
    for viewer in (1, 2):
        seen = [g.observe(viewer).tobytes() for g in (first, second, third)]
        assert len(set(seen)) == 1
    assert len({g.observe(0).tobytes() for g in (first, second, third)}) == 3


def test_an_offer_begun_and_withdrawn_counts_as_an_offer_made():
    game = trio({"offer_form": "composed", "max_offers_per_turn": 2})
    for made in (1, 2):
        act(game, "compose_give", resource="brick")
        act(game, "withdraw")
        assert game.snapshot()["phase"] == "main"
        assert game.snapshot()["offers_made"] == made
    assert kinds(game) == {"end_turn"}


def test_composing_several_cards_is_one_offer():
    game = trio(COMPOSED)
    for kind, resource in (("give", "brick"), ("give", "brick"), ("get", "ore")):
        act(game, f"compose_{kind}", resource=resource)
    act(game, "compose_send")
    assert game.snapshot()["offers_made"] == 1


def test_a_new_offer_starts_empty():
    game = act(act(trio(COMPOSED), "compose_give", resource="brick"), "withdraw")
    act(game, "compose_get", resource="ore")
    composing = game.snapshot()["offer"]
    assert sum(composing["give"].values()) == 0
    assert sum(composing["get"].values()) == 1


def composed_offer(rules=COMPOSED):
    """Player 0 has offered brick for ore, card by card."""
    game = act(trio(rules), "compose_give", resource="brick")
    return act(act(game, "compose_get", resource="ore"), "compose_send")


def test_a_composed_counter_offer():
    game = composed_offer()
    assert kinds(game) == {"accept", "reject", "compose_give", "compose_get"}
    assert legal(game, "compose_get") == ["brick"]
    act(game, "compose_give", resource="ore")
    assert (game.player, kinds(game)) == (1, {"compose_give", "compose_get", "withdraw"})
    act(game, "compose_get", resource="brick")
    act(game, "compose_get", resource="brick")
    act(game, "compose_send")
    act(game, "reject")
    act(game, "close_with", seat=1)
    assert hands(game) == [{"ore": 1}, {"brick": 2, "wool": 1}, {"ore": 2}]


def test_an_answer_begun_and_withdrawn_is_a_rejection():
    game = composed_offer()
    act(game, "compose_give", resource="ore")
    act(game, "withdraw")
    assert (game.player, game.snapshot()["offer"]["answers"]) == (2, [None, "reject", None])
    act(game, "compose_get", resource="brick")
    act(game, "withdraw")
    assert (game.player, game.snapshot()["phase"]) == (0, "main")  # all have rejected
    assert game.snapshot()["offers_made"] == 1


def test_a_composed_counter_offer_asks_only_for_what_the_player_in_turn_may_hold():
    game = composed_offer()
    act(game, "compose_get", resource="brick")
    act(game, "compose_get", resource="brick")
    assert legal(game, "compose_get") == []


# What is told.


def known(game, observer, p):
    """Least and most of each resource that an observer thinks possible."""
    bounds = game.snapshot()["knowledge"][observer][p]
    return {r: (bounds["min"][r], bounds["max"][r]) for r in RESOURCES if bounds["max"][r]}


def wider():
    """Players 0 and 1 hold two cards each; 2 knows only the sums."""
    seats = [{"hand": {"brick": 1, "wool": 1}}, {"hand": {"ore": 1, "wool": 1}}, {}]
    unknown = {"min": {}, "max": {"brick": 1, "wool": 2, "ore": 1}}
    sure = [{"min": s.get("hand", {}), "max": s.get("hand", {})} for s in seats]
    bounds = [sure, sure, [unknown, unknown, sure[2]]]
    return table(*seats, knowledge=bounds)


def test_an_offer_proves_its_cards():
    """An acceptance, an offer and a counter-offer prove their cards."""
    game = offer(wider(), {"brick": 1}, {"ore": 1})
    assert known(game, 2, 0)["brick"] == (1, 1)
    assert "brick" not in known(game, 2, 1)


def test_an_acceptance_proves_its_cards():
    game = offer(wider(), {"brick": 1}, {"ore": 1})
    act(game, "accept")
    assert known(game, 2, 1)["ore"] == (1, 1)
    assert "ore" not in known(game, 2, 0)


def test_a_counter_offer_proves_its_cards():
    game = offer(wider(), {"brick": 1}, {"ore": 1})
    offer(game, {"wool": 1}, {"brick": 1})
    assert known(game, 2, 1)["wool"][0] >= 1


def test_a_refusal_tells_nothing_for_certain():
    game = offer(wider(), {"brick": 1}, {"ore": 1})
    before = game.snapshot()["knowledge"]
    act(game, "reject")
    assert game.snapshot()["knowledge"] == before


def test_what_is_exchanged_is_public():
    game = offer(wider(), {"brick": 1}, {"ore": 1})
    act(game, "accept")
    act(game, "reject")
    act(game, "close_with", seat=1)
    assert known(game, 2, 0)["ore"] == (1, 1)
    assert known(game, 2, 1)["brick"] == (1, 1)


def test_what_is_offered_and_answered_is_public():
    """The third player sees the offer, each answer and each counter-offer."""

    def seen(game):
        return game.observe(2).tobytes()

    wool, ore = (offer(trio(), {"brick": 1}, {r: 1}) for r in ("wool", "ore"))
    assert seen(wool) != seen(ore)
    answers = [
        act(ore.copy(), "accept"),
        act(ore.copy(), "reject"),
        offer(ore.copy(), {"wool": 1}, {"brick": 1}),
        offer(ore.copy(), {"ore": 1}, {"brick": 2}),
    ]
    assert len({seen(game) for game in answers}) == 4


def test_the_answering_player_does_nothing_else():
    """Only the player in turn trades."""
    rich = {"hand": dict.fromkeys(RESOURCES, 4), "settlements": [20], "cards": {"knight": 1}}
    other = {"hand": dict.fromkeys(RESOURCES, 4), "settlements": [40], "cards": {"knight": 1}}
    game = offer(table(rich, other), {"brick": 1}, {"ore": 1})
    assert kinds(game) == {"accept", "reject", "offer"}
    assert player(game, 1)["hand"] == dict.fromkeys(RESOURCES, 4)
