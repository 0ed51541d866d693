"""Offers and acceptances that the server refuses: faults, or late as the table had gone on."""

import pytest

from catan_pz.game.followed import ContradictionError, FollowedGame
from catan_pz.game.position import position
from catan_pz.tables.jsettlers.decisions import JSETTLERS, TableDecisions
from catan_pz.tables.jsettlers.messages import Message
from catan_pz.tables.jsettlers.trading import (
    Acceptance,
    SentOffer,
    TradesUnderWay,
    is_out_of_turn,
    is_refusal,
)

WOOL_FOR_ORE = ([0, 0, 1, 0, 0], [0, 0, 0, 0, 1])
CANNOT_TRADE = Message.parse("1037|g,1,1")
CANNOT_OFFER = Message.parse("1037|g,1,3")
HAND = [0, 0, 1, 0, 0]


def test_an_acceptance_is_late_where_the_offer_is_gone() -> None:
    acceptance = Acceptance(2, WOOL_FOR_ORE, in_own_turn=False)
    assert acceptance.is_late({}, 2, HAND)
    again = ([0, 0, 1, 0, 0], [0, 0, 0, 0, 1])
    assert acceptance.is_late({2: again}, 2, HAND), "the same offer made anew is another one"
    assert not acceptance.is_late({2: WOOL_FOR_ORE}, 2, HAND)


def test_an_offer_is_late_once_the_turn_is_over_or_the_cards_are_gone() -> None:
    offer = SentOffer(1, WOOL_FOR_ORE[0], in_own_turn=False)
    assert offer.is_late({}, 0, HAND)
    assert offer.is_late({}, 1, [4, 4, 0, 4, 4])
    assert not offer.is_late({}, 1, HAND)


def test_answers_of_the_server_come_in_order() -> None:
    acceptances = [Acceptance(maker, WOOL_FOR_ORE, in_own_turn=False) for maker in range(3)]
    offers = [SentOffer(turn, HAND, in_own_turn=turn == 0) for turn in range(3)]
    under_way = TradesUnderWay()
    for acceptance, offer in zip(acceptances, offers, strict=True):
        under_way.accept(acceptance)
        under_way.offer(offer)
    under_way.is_traded()
    assert under_way.refused(CANNOT_TRADE) is acceptances[1]
    assert under_way.refused(CANNOT_OFFER) is offers[0]
    under_way.is_offered()
    assert under_way.refused(CANNOT_OFFER) is offers[2]
    assert under_way.refused(CANNOT_OFFER) is None
    assert under_way.refused(CANNOT_TRADE) is acceptances[2]
    assert under_way.refused(CANNOT_TRADE) is None
    assert under_way.refused(Message.parse("1104|g,20,3")) is None


def test_refusals() -> None:
    assert is_refusal(CANNOT_TRADE)
    assert not is_refusal(Message.parse("1037|g,1")), "a player rejects an offer"
    assert not is_refusal(Message.parse("1028|g,7"))
    assert is_out_of_turn(Message.parse("1104|g,0,2"))
    assert not is_out_of_turn(Message.parse("1104|g,0,3"))
    assert not is_out_of_turn(CANNOT_TRADE)


@pytest.mark.parametrize("given", [3, 5, 7])
def test_cards_beyond_the_rate_of_the_bank_are_a_contradiction(given: int) -> None:
    players = [{"hand": {"brick": 9}, "settlements": [20]}, {"settlements": [33]}]
    table = position(players, rules="one_v_one")
    decisions = TableDecisions(
        FollowedGame.from_snapshot(table.snapshot(), 0, JSETTLERS), lambda _events: None
    )
    with pytest.raises(ContradictionError, match="with the bank"):
        decisions.trade_with_bank(0, ([given, 0, 0, 0, 0], [0, 1, 0, 0, 0]))
    decisions.trade_with_bank(0, ([8, 0, 0, 0, 0], [0, 1, 1, 0, 0]))
    assert decisions.game.snapshot()["players"][0]["hand"]["brick"] == 1
