"""8. Trade: with the bank and with players."""

import pytest

from tests.helpers import (
    RESOURCES,
    act,
    bank,
    can,
    hand,
    hands,
    kinds,
    legal,
    next_turn,
    path,
    phase,
    refused,
    roll,
    table,
)


def each(n):
    return dict.fromkeys(RESOURCES, n)


# With the bank.


@pytest.mark.parametrize("give", RESOURCES)
def test_the_bank_takes_4_of_a_kind_for_1_of_another(give):
    others = [r for r in RESOURCES if r != give]
    game = table({"hand": {give: 4}})
    assert legal(game, "maritime_trade") == [{"give": give, "get": get} for get in others]
    act(game, "maritime_trade", give=give, get=others[0])
    assert hand(game, 0) == {others[0]: 1}
    assert (bank(game)[give], bank(game)[others[0]]) == (19, 18)
    assert phase(game) == "main"


@pytest.mark.parametrize("piece", ["settlements", "cities"])
@pytest.mark.parametrize("vertex", [0, 1, 26, 37, 50, 51, 47, 48])
def test_a_generic_harbor_trades_3_to_1(piece, vertex):
    """3:1 with a generic harbor, by own settlements and cities on the harbor's vertices."""
    for give, get in zip(RESOURCES, RESOURCES[1:] + RESOURCES[:1], strict=True):
        game = table({piece: [vertex], "hand": each(2) | {give: 3}})
        assert {trade["give"] for trade in legal(game, "maritime_trade")} == {give}
        act(game, "maritime_trade", give=give, get=get)
        assert hand(game, 0) == {r: 2 + (r == get) for r in RESOURCES if r != give}


SPECIAL = {"brick": (28, 38), "lumber": (7, 17), "wool": (45, 46), "grain": (3, 4), "ore": (14, 15)}


@pytest.mark.parametrize("piece", ["settlements", "cities"])
@pytest.mark.parametrize("give", RESOURCES)
def test_a_special_harbor_trades_2_to_1_of_its_resource(give, piece):
    for vertex in SPECIAL[give]:
        game = table({piece: [vertex], "hand": each(3) | {give: 2}})
        assert {trade["give"] for trade in legal(game, "maritime_trade")} == {give}
        get = RESOURCES[RESOURCES.index(give) - 1]
        act(game, "maritime_trade", give=give, get=get)
        assert hand(game, 0) == {r: 3 + (r == get) for r in RESOURCES if r != give}


@pytest.mark.parametrize(("first", "second"), [(28, 47), (47, 28)])
def test_the_best_rate_held_is_the_one_paid(first, second):
    """With a 3:1 and the brick harbor, whichever is reached first: brick 2, everything else 3."""
    game = table({"settlements": [first], "roads": path(28, 38, 39, 47), "hand": each(4)})
    act(game, "build_settlement", vertex=second)
    act(game, "maritime_trade", give="brick", get="ore")
    act(game, "maritime_trade", give="wool", get="ore")
    assert hand(game, 0) == {"brick": 1, "lumber": 3, "grain": 3, "ore": 6}


NO_HARBOR = {
    "none": ({"settlements": [20]}, {}),
    "another's": ({}, {"settlements": [0, 28]}),
    "a road to it": ({"settlements": [2], "roads": path(2, 1, 0)}, {}),
    "beside it": ({"settlements": [8]}, {}),
}


@pytest.mark.parametrize("case", NO_HARBOR)
def test_without_a_harbor_three_of_a_kind_are_not_enough(case):
    seat, other = NO_HARBOR[case]
    assert legal(table(seat | {"hand": each(3)}, other), "maritime_trade") == []


def test_the_bank_must_have_the_card_asked_for():
    game = table({"hand": {"brick": 4}}, {"hand": {"ore": 19}})
    assert [trade["get"] for trade in legal(game, "maritime_trade")] == ["lumber", "wool", "grain"]


def test_trade_with_the_bank_waits_for_the_roll():
    game = table({"hand": {"brick": 7}}, phase="roll")
    assert legal(game, "maritime_trade") == []
    assert can(roll(game, 2), "maritime_trade", give="brick", get="ore")


def test_a_harbor_serves_from_the_turn_in_which_it_is_reached():
    rich = {"brick": 1, "lumber": 1, "wool": 1, "grain": 1, "ore": 3}
    game = table({"settlements": [3], "roads": path(3, 2, 1), "hand": rich})
    refused(game, "maritime_trade", give="ore", get="wool")
    act(game, "build_settlement", vertex=1)
    act(game, "maritime_trade", give="ore", get="wool")
    assert hand(game, 0) == {"wool": 1}


def test_a_harbor_serves_a_settlement_of_the_setup():
    game = table(
        {"settlements": [20], "roads": path(20, 21)},
        {"settlements": [40, 42], "roads": path(40, 41) + path(42, 43)},
        phase="setup_settlement",
    )
    act(game, "build_settlement", vertex=14)  # ore harbor
    assert list(game.games["rate"][0][0]) == [4, 4, 4, 4, 2]


# With players: templates.


def offer(game, give, get):
    return act(game, "offer", give=give, get=get)


def trio(**entries):
    """Three players: one has brick, both others hold ore."""
    seats = [{"hand": {"brick": 2}}, {"hand": {"ore": 1, "wool": 1}}, {"hand": {"ore": 2}}]
    return table(*seats, **entries)


def brick_for_ore(*answers, **entries):
    """The first of them has offered a brick for an ore; some have answered."""
    game = offer(trio(**entries), {"brick": 1}, {"ore": 1})
    for answer in answers:
        act(game, answer)
    return game


def on_the_table(game, answer=None):
    """Both sides of the offer, or of the counter-offer of a seat."""
    out = game.snapshot()["offer"]
    sides = out if answer is None else out["answers"][answer]
    return [{r: n for r, n in sides[side].items() if n} for side in ("give", "get")]


def is_open(game):
    return phase(game) != "main" or game.snapshot()["offer"] is not None or game.player != 0


def test_player_trade_is_an_option():
    assert (len(trio(trading=False).mask), kinds(trio(trading=False))) == (252, {"end_turn"})
    assert (len(trio().mask), kinds(trio())) == (389, {"end_turn", "offer"})


def test_offers_wait_for_the_roll():
    assert kinds(trio(phase="roll")) == {"roll"}


def test_an_offer_is_held_by_its_maker():
    """Holding what is offered."""
    game = table({"hand": {"brick": 1, "grain": 1}}, {"hand": {"ore": 4}})
    gives = [o["give"] for o in legal(game, "offer") if o["get"] == {"ore": 1}]
    assert gives == [{"brick": 1}, {"grain": 1}, {"brick": 1, "grain": 1}]


def test_the_templates():
    """1:1, 2:1, 1+1:1 and their mirror images, with no resource on both sides."""
    rich = {"hand": each(4)}
    offers = legal(table(rich, rich), "offer")
    assert not any(set(o["give"]) & set(o["get"]) for o in offers)
    shapes = [(sorted(o["give"].values()), sorted(o["get"].values())) for o in offers]
    assert shapes == (
        20 * [([1], [1])]
        + 20 * [([2], [1])]
        + 30 * [([1, 1], [1])]
        + 20 * [([1], [2])]
        + 30 * [([1], [1, 1])]
    )


def test_the_offer_goes_to_all_others_in_turn_order():
    """Each, in turn order, accepts or rejects; then the maker closes."""
    ore = {"hand": {"ore": 1}}
    game = table(ore, ore, {"hand": {"brick": 1}}, ore, turn_player=2, player_to_move=2)
    offer(game, {"brick": 1}, {"ore": 1})
    for p in (3, 0, 1):
        assert (game.player, phase(game)) == (p, "answer")
        act(game, "accept")
    assert (game.player, phase(game)) == (2, "close")


def test_accepting_needs_the_cards_asked_for():
    game = offer(trio(), {"brick": 1}, {"ore": 2})
    assert on_the_table(game) == [{"brick": 1}, {"ore": 2}]
    refused(game, "accept")
    act(game, "reject")
    assert game.player == 2
    act(game, "accept")


CLOSED = {
    "one accepts": (["reject", "accept"], 2, [{"brick": 1, "ore": 1}, {}, {"brick": 1, "ore": 1}]),
    "both accept": (["accept", "accept"], 1, [{"brick": 1, "ore": 1}, {"brick": 1, "wool": 1}, {}]),
}


@pytest.mark.parametrize("case", CLOSED)
def test_closing_exchanges_the_cards(case):
    answers, seat, expected = CLOSED[case]
    game = brick_for_ore(*answers)
    accepted = [p for p, answer in enumerate(answers, 1) if answer == "accept"]
    assert legal(game, "close_with") == accepted
    before = hands(game)
    act(game, "close_with", seat=seat)
    assert hands(game) == [after or old for after, old in zip(expected, before, strict=True)]
    assert not is_open(game)
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
    game = brick_for_ore("reject")
    assert phase(game) == "answer"
    act(game, "reject")
    assert not is_open(game)
    assert hands(game) == hands(trio())


def test_the_player_in_turn_may_withdraw():
    game = brick_for_ore("accept", "reject")
    assert kinds(game) == {"close_with", "withdraw"}
    act(game, "withdraw")
    assert not is_open(game)
    assert hands(game) == hands(trio())


def test_a_counter_offer_is_addressed_to_the_player_in_turn():
    """A bundle for bundle held in hand; what the player in turn can't hold is no use to ask."""
    game = brick_for_ore()
    counters = legal(game, "offer")
    assert {"give": {"ore": 1}, "get": {"brick": 2}} in counters
    assert {"give": {"ore": 2}, "get": {"brick": 1}} not in counters
    assert {r for o in counters for r in o["give"]} == {"ore", "wool"}
    assert {r for o in counters for r in o["get"]} == {"brick"}
    offer(game, {"ore": 1}, {"brick": 2})
    assert game.player == 2
    act(game, "reject")
    assert (game.player, phase(game)) == (0, "close")
    assert legal(game, "close_with") == [1]


COUNTERS = {
    "more for it": ({"ore": 1}, {"brick": 2}, [{"ore": 1}, {"brick": 2, "wool": 1}]),
    "a whole bundle": (
        {"ore": 1, "wool": 1},
        {"brick": 1},
        [{"brick": 1, "wool": 1, "ore": 1}, {"brick": 1}],
    ),
}


@pytest.mark.parametrize("case", COUNTERS)
def test_a_counter_offer_is_written_from_its_makers_side(case):
    """`give` is what its maker gives."""
    give, get, expected = COUNTERS[case]
    game = offer(brick_for_ore(), give, get)
    assert on_the_table(game, answer=1) == [give, get]
    act(game, "accept")
    assert legal(game, "close_with") == [1, 2]
    act(game, "close_with", seat=1)
    assert hands(game) == [*expected, {"ore": 2}]


def test_without_counter_offers_an_answer_is_yes_or_no():
    assert kinds(brick_for_ore(counter_offers=False)) == {"accept", "reject"}


def sure_of(seats):
    """What an observer knows who knows all hands."""
    return [{"min": s.get("hand", {}), "max": s.get("hand", {})} for s in seats]


def hidden_brick():
    """Player 0 holds wool and grain; the others know only that it has two cards of four."""
    seats = [
        {"hand": {"wool": 1, "grain": 1}},
        {"hand": {"ore": 1}},
        {"hand": {"brick": 1, "lumber": 1}},
    ]
    unknown = {"min": {}, "max": {"brick": 1, "lumber": 1, "wool": 1, "grain": 1}}
    sure = sure_of(seats)
    game = table(*seats, knowledge=[sure, [unknown, sure[1], unknown], sure])
    return offer(game, {"wool": 1}, {"ore": 1})


@pytest.mark.parametrize(("asked", "payable"), [("grain", [1, 2]), ("brick", [2])])
def test_closing_only_with_one_whom_it_can_pay(asked, payable):
    """With one who accepted or countered (and whom it can pay): it may hold brick, 1 thinks."""
    game = offer(hidden_brick(), {"ore": 1}, {asked: 1})
    offer(game, {"brick": 1}, {"grain": 1})
    assert legal(game, "close_with") == payable


def test_the_choice_comes_also_when_it_can_pay_none():
    """So that nothing is told."""
    game = offer(hidden_brick(), {"ore": 1}, {"brick": 1})
    act(game, "reject")
    assert (game.player, kinds(game)) == (0, {"withdraw"})
    act(game, "withdraw")
    assert phase(game) == "main"


@pytest.mark.parametrize("most", [0, 1, 3, 5])
def test_max_offers_per_turn(most):
    """O: `max_offers_per_turn` (default 3)."""
    game = trio() if most == 3 else trio(max_offers_per_turn=most)
    for made in range(most):
        assert game.snapshot()["offers_made"] == made
        offer(game, {"brick": 1}, {"ore": 1})
        act(game, "reject")
        act(game, "reject")
    assert legal(game, "offer") == []
    next_turn(game, 2)
    assert game.snapshot()["offers_made"] == 0
    assert (legal(game, "offer") == []) == (most == 0)


def test_counter_offers_are_not_counted_as_offers():
    game = offer(brick_for_ore(max_offers_per_turn=1), {"ore": 1}, {"brick": 2})
    assert game.snapshot()["offers_made"] == 1
    assert legal(game, "offer") != []


# Offers that nobody can pay, by what their maker knows.


def unsure(hands_held, *bounds, **entries):
    """Players of whose hands the first one has bounds alone; all others know everything."""
    seats = [{"hand": held} for held in hands_held]
    sure = sure_of(seats)
    known = [[sure[0], *bounds], *[sure] * (len(seats) - 1)]
    return table(*seats, knowledge=known, **entries)


EITHER = {"min": {}, "max": {"wool": 1, "ore": 1}}
REQUESTS = {
    "held by one or the other": (
        [{"brick": 1}, {"ore": 1, "wool": 1}, {"ore": 1}],
        None,
        [{"wool": 1}, {"ore": 1}, {"wool": 1, "ore": 1}],
    ),
    "in two hands of one card": (
        [{"brick": 1}, {"ore": 1}, {"wool": 1}],
        (EITHER, EITHER),
        [{"wool": 1}, {"ore": 1}],
    ),
    "in hands of one and two cards": (
        [{"brick": 1}, {"ore": 1}, {"wool": 1, "ore": 1}],
        (EITHER, {"min": {"ore": 1}, "max": {"wool": 1, "ore": 2}}),
        [{"wool": 1}, {"ore": 1}, {"ore": 2}, {"wool": 1, "ore": 1}],
    ),
    "in a hand of three with one card unknown": (  # upper bounds alone: it can't hold wool and ore
        [{"brick": 1}, {"lumber": 2, "ore": 1}, {"wool": 1}],
        ({"min": {"lumber": 2}, "max": {"lumber": 2, "wool": 1, "ore": 1}}, EITHER),
        [
            *({"lumber": 1}, {"wool": 1}, {"ore": 1}, {"lumber": 2}),
            *({"lumber": 1, "wool": 1}, {"lumber": 1, "ore": 1}, {"wool": 1, "ore": 1}),
        ],
    ),
}


@pytest.mark.parametrize("case", REQUESTS)
def test_requests_are_masked_that_nobody_can_hold(case):
    """By the maker's bounds and the sizes of hands, not by the truth."""
    held, bounds, asked = REQUESTS[case]
    game = unsure(held, *(bounds or sure_of({"hand": h} for h in held[1:])))
    assert [o["get"] for o in legal(game, "offer")] == asked
    if bounds:
        refused(offer(game, {"brick": 1}, {"wool": 1}), "accept")  # player 1 holds ore


# Composed card by card.

COMPOSED = {"offer_form": "composed"}


def compose(game, *cards):
    """Add cards, such as "give brick"."""
    for card in cards:
        side, resource = card.split()
        act(game, f"compose_{side}", resource=resource)
    return game


def test_offer_forms():
    composing = {"compose_give", "compose_get"}
    assert kinds(trio(**COMPOSED)) == {"end_turn", *composing}
    assert kinds(trio(offer_form="both")) == {"end_turn", "offer", *composing}


def test_a_bundle_may_be_composed_card_by_card():
    """While composing only adding, sending and withdrawing are possible."""
    game = compose(trio(**COMPOSED), "give brick")
    assert (phase(game), kinds(game)) == ("compose", {"compose_give", "compose_get", "withdraw"})
    compose(game, "get ore", "give brick")
    assert kinds(game) == {"compose_send", "compose_get", "withdraw"}
    act(game, "compose_send")
    assert on_the_table(game) == [{"brick": 2}, {"ore": 1}]
    assert game.snapshot()["offers_made"] == 1
    assert (game.player, phase(game)) == (1, "answer")
    act(game, "accept")
    act(game, "reject")
    act(game, "close_with", seat=1)
    assert hands(game) == [{"ore": 1}, {"brick": 2, "wool": 1}, {"ore": 2}]


def test_both_sides_must_hold_a_card_to_be_sent():
    game = compose(trio(**COMPOSED), "get ore")
    refused(game, "compose_send")
    assert can(compose(game, "give brick"), "compose_send")


def test_at_most_4_a_side():
    game = table({"hand": {"brick": 3, "wool": 9}}, {"hand": {"ore": 9}}, **COMPOSED)
    compose(game, "give brick", "give wool", "give brick", "give wool")
    assert legal(game, "compose_give") == []
    compose(game, *["get ore"] * 4)
    assert legal(game, "compose_get") == []
    act(game, "compose_send")
    act(game, "accept")
    act(game, "close_with", seat=1)
    assert hands(game) == [{"brick": 1, "wool": 7, "ore": 4}, {"brick": 2, "wool": 2, "ore": 5}]


def test_more_than_4_a_side():
    """`max_offer_cards`: cards that a side may have."""
    seats = {"hand": {"wool": 9}}, {"hand": {"ore": 9}}
    game = compose(table(*seats, max_offer_cards=6, **COMPOSED), *["give wool"] * 6)
    assert legal(game, "compose_give") == []
    act(compose(game, "get ore"), "compose_send")
    assert not game.validate()
    act(act(game, "accept"), "close_with", seat=1)
    assert hands(game) == [{"wool": 3, "ore": 1}, {"wool": 6, "ore": 8}]


def test_composing_gives_only_what_is_held():
    game = table({"hand": {"brick": 1, "wool": 1}}, {"hand": {"ore": 1}}, **COMPOSED)
    assert legal(game, "compose_give") == ["brick", "wool"]
    assert legal(compose(game, "give brick"), "compose_give") == ["wool"]


def test_composing_keeps_the_sides_disjoint():
    game = table({"hand": each(4)}, {"hand": each(4)}, **COMPOSED)
    compose(game, "give brick", "get ore")
    assert "brick" not in legal(game, "compose_get")
    assert "ore" not in legal(game, "compose_give")


@pytest.mark.parametrize(
    ("held", "bounds", "second"),
    [
        ([{"brick": 1}, {"ore": 2}, {"wool": 1, "ore": 1}], None, ["ore"]),
        ([{"brick": 1}, {"ore": 1}, {"wool": 1}], (EITHER, EITHER), []),
    ],
)
def test_composing_asks_only_for_what_somebody_may_hold_in_full(held, bounds, second):
    """By bounds, and by the size of each hand."""
    game = unsure(held, *(bounds or sure_of({"hand": h} for h in held[1:])), **COMPOSED)
    assert legal(game, "compose_get") == ["wool", "ore"]
    assert legal(compose(game, "get wool"), "compose_get") == second
    if second:
        assert legal(compose(game, "get ore"), "compose_get") == []


def test_others_do_not_see_it_before_it_is_sent():
    """What the others observe is the same whatever is being composed."""
    begun = (["give brick"], ["get ore"], ["give brick", "get ore"])
    games = [compose(trio(**COMPOSED), *cards) for cards in begun]
    seen = [len({game.observe(viewer).tobytes() for game in games}) for viewer in range(3)]
    assert seen == [3, 1, 1]


def test_an_offer_begun_and_withdrawn_counts_as_an_offer_made():
    game = trio(max_offers_per_turn=2, **COMPOSED)
    for made, card in enumerate(("give brick", "get ore"), start=1):
        compose(game, card)
        assert sum(map(len, on_the_table(game))) == 1  # a new offer starts empty
        act(game, "withdraw")
        assert phase(game) == "main"
        assert game.snapshot()["offers_made"] == made
    assert kinds(game) == {"end_turn"}


def composed_offer():
    """Player 0 has offered brick for ore, card by card."""
    return act(compose(trio(**COMPOSED), "give brick", "get ore"), "compose_send")


def test_a_composed_counter_offer():
    """It asks only for what the player in turn may hold."""
    game = composed_offer()
    assert kinds(game) == {"accept", "reject", "compose_give", "compose_get"}
    assert legal(game, "compose_get") == ["brick"]
    compose(game, "give ore")
    assert (game.player, kinds(game)) == (1, {"compose_give", "compose_get", "withdraw"})
    compose(game, "get brick", "get brick")
    assert legal(game, "compose_get") == []
    act(game, "compose_send")
    act(game, "reject")
    act(game, "close_with", seat=1)
    assert hands(game) == [{"ore": 1}, {"brick": 2, "wool": 1}, {"ore": 2}]


def test_an_answer_begun_and_withdrawn_is_a_rejection():
    game = act(compose(composed_offer(), "give ore"), "withdraw")
    assert (game.player, game.snapshot()["offer"]["answers"]) == (2, [None, "reject", None])
    act(compose(game, "get brick"), "withdraw")
    assert not is_open(game)  # all have rejected
    assert game.snapshot()["offers_made"] == 1


# What is told.


def known(game, p):
    """Least and most of each resource that player 2 thinks possible."""
    bounds = game.snapshot()["knowledge"][2][p]
    return {r: (bounds["min"][r], bounds["max"][r]) for r in RESOURCES if bounds["max"][r]}


def wider():
    """Players 0 and 1 hold two cards each, of which 2 knows only the sums; 0 offers brick."""
    seats = [{"hand": {"brick": 1, "wool": 1}}, {"hand": {"ore": 1, "wool": 1}}, {}]
    unknown = {"min": {}, "max": {"brick": 1, "wool": 2, "ore": 1}}
    sure = sure_of(seats)
    game = table(*seats, knowledge=[sure, sure, [unknown, unknown, sure[2]]])
    return offer(game, {"brick": 1}, {"ore": 1})


def test_what_is_offered_proves_its_cards():
    """An acceptance, an offer and a counter-offer prove their cards."""
    game = wider()
    assert known(game, 0)["brick"] == (1, 1)
    assert "brick" not in known(game, 1)
    countered = offer(game.copy(), {"wool": 1}, {"brick": 1})
    assert known(countered, 1)["wool"][0] >= 1
    act(game, "accept")
    assert known(game, 1)["ore"] == (1, 1)
    assert "ore" not in known(game, 0)
    act(game, "reject")
    act(game, "close_with", seat=1)  # the exchange is public
    assert known(game, 0)["ore"] == (1, 1)
    assert known(game, 1)["brick"] == (1, 1)


def test_a_refusal_tells_nothing_for_certain():
    game = wider()
    before = game.snapshot()["knowledge"]
    act(game, "reject")
    assert game.snapshot()["knowledge"] == before


def test_what_is_offered_and_answered_is_public():
    """The third player sees the offer, each answer and each counter-offer."""
    game = brick_for_ore()
    seen = [
        offer(trio(), {"brick": 1}, {"wool": 1}),
        game,
        brick_for_ore("accept"),
        brick_for_ore("reject"),
        offer(game.copy(), {"wool": 1}, {"brick": 1}),
        offer(game.copy(), {"ore": 1}, {"brick": 2}),
    ]
    assert len({game.observe(2).tobytes() for game in seen}) == 6


def test_the_answering_player_does_nothing_else():
    """Only the player in turn trades."""
    rich = {"hand": each(4), "cards": {"knight": 1}}
    game = table(rich | {"settlements": [20]}, rich | {"settlements": [40]})
    assert kinds(offer(game, {"brick": 1}, {"ore": 1})) == {"accept", "reject", "offer"}
