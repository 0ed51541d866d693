"""The 72 trade actions, and which of them are legal when."""

import pytest

from catan_pz import describe_action
from catan_pz.actions import action_id
from catan_pz.engine.trade import ACCEPTED, COUNTERED
from catan_pz.game import position
from catan_pz.game.view import view_of
from catan_pz.published.xenou.encoder import (
    NO,
    NUM_OFFERS,
    NUM_TRADES,
    TRADES,
    YES,
    first_with,
    legal_trades,
)
from catan_pz.rules import Rules
from catan_pz.terms import Phase
from tests.helpers import RESOURCES, act

PLAYERS = [
    {"hand": {"brick": 2, "wool": 1}},
    {"hand": {"ore": 1}},
    {"hand": {"ore": 2, "grain": 1}},
    {"hand": {"wool": 5}},
]


@pytest.fixture
def game():
    return position(PLAYERS, rules=Rules(), seed=1)


def view(game):
    return view_of(game, game.player)


def test_there_are_20_one_for_one_20_two_alike_and_30_two_different_for_one():
    offers = [describe_action(int(a)) for a in TRADES[:NUM_OFFERS]]
    terms = []
    for offer in offers:
        assert offer["kind"] == "offer"
        (got,) = offer["get"].items()
        assert got[1] == 1
        assert got[0] not in offer["give"]
        terms.append(tuple(sorted(offer["give"].values())))
    assert [terms.count(kind) for kind in ((1,), (2,), (1, 1))] == [20, 20, 30]
    assert len({str(offer) for offer in offers}) == 70
    assert {r for offer in offers for r in offer["give"]} == set(RESOURCES)
    assert describe_action(int(TRADES[YES])) == {"kind": "accept"}
    assert describe_action(int(TRADES[NO])) == {"kind": "reject"}
    assert NUM_TRADES == 72


def described(legal):
    return [describe_action(int(a)) for a in TRADES[legal]]


def test_in_the_own_turn_offers_of_held_cards_or_none_at_all(game):
    legal = legal_trades(view(game), Phase.MAIN)
    assert legal[NO]
    assert not legal[YES]
    gives = [offer["give"] for offer in described(legal) if offer["kind"] == "offer"]
    assert {tuple(give.items()) for give in gives} == {
        (("brick", 1),),
        (("brick", 2),),
        (("wool", 1),),
        (("brick", 1), ("wool", 1)),
    }


def test_an_offer_is_accepted_rejected_or_countered(game):
    act(game, "offer", give={"brick": 1}, get={"ore": 1})
    assert game.player == 1
    legal = legal_trades(view(game), Phase.ANSWER)
    assert legal[[YES, NO]].all()
    counters = described(legal)[:-2]
    assert counters
    assert all(offer["give"] == {"ore": 1} for offer in counters)


def test_counter_offers_are_accepted_or_rejected(game):
    act(game, "offer", give={"brick": 1}, get={"ore": 1})
    act(game, "reject")
    act(game, "offer", give={"grain": 1}, get={"brick": 2})
    act(game, "reject")
    seen = view(game)
    assert first_with(seen, ACCEPTED) is None
    legal = legal_trades(seen, Phase.CLOSE)
    assert legal.nonzero()[0].tolist() == [YES, NO]
    assert first_with(seen, COUNTERED) == action_id("close_with", seat=2)
    game.step(action_id("withdraw"))
    act(game, "offer", give={"wool": 1}, get={"ore": 1})
    for kind in ("reject", "accept", "reject"):
        act(game, kind)
    assert first_with(view(game), ACCEPTED) == action_id("close_with", seat=2)
