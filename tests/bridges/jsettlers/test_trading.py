"""Answers to offers that the server refuses: faults, or late because the table had gone on."""

from catan_pz.bridges.jsettlers.messages import Message
from catan_pz.bridges.jsettlers.trading import AnswersUnderWay, is_out_of_turn, is_refusal

WOOL_FOR_ORE = ([0, 0, 1, 0, 0], [0, 0, 0, 0, 1])
CANNOT_TRADE = Message.parse("1037|g,1,1")
CANNOT_OFFER = Message.parse("1037|g,1,3")


def test_an_acceptance_is_late_where_the_offer_is_gone() -> None:
    answers = AnswersUnderWay()
    answers.accept(2, WOOL_FOR_ORE)
    answer = answers.refused(CANNOT_TRADE)
    assert answer is not None
    assert answer.is_late({}, turn_player=2)
    again = ([0, 0, 1, 0, 0], [0, 0, 0, 0, 1])
    assert answer.is_late({2: again}, turn_player=2), "the same offer made anew is another one"
    assert not answer.is_late({2: WOOL_FOR_ORE}, turn_player=2)
    assert answers.refused(CANNOT_TRADE) is None


def test_acceptances_are_answered_in_order() -> None:
    answers = AnswersUnderWay()
    answers.accept(0, WOOL_FOR_ORE)
    answers.accept(3, WOOL_FOR_ORE)
    answers.is_traded()
    answer = answers.refused(CANNOT_TRADE)
    assert answer is not None
    assert answer.maker == 3


def test_a_counter_offer_is_late_once_the_turn_is_over() -> None:
    answers = AnswersUnderWay()
    answers.counter(1)
    answer = answers.refused(CANNOT_OFFER)
    assert answer is not None
    assert answer.is_late({}, turn_player=0)
    assert not answer.is_late({}, turn_player=1)


def test_an_own_offer_is_no_answer() -> None:
    answers = AnswersUnderWay()
    answers.counter(1)
    answers.is_offered()
    assert answers.refused(CANNOT_OFFER) is None
    assert answers.refused(Message.parse("1104|g,20,3")) is None


def test_refusals() -> None:
    assert is_refusal(CANNOT_TRADE)
    assert not is_refusal(Message.parse("1037|g,1")), "a player rejects an offer"
    assert not is_refusal(Message.parse("1028|g,7"))
    assert is_out_of_turn(Message.parse("1104|g,0,2"))
    assert not is_out_of_turn(Message.parse("1104|g,0,3"))
    assert not is_out_of_turn(CANNOT_TRADE)
