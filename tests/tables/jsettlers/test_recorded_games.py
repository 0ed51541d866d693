"""Real games read message by message, and the commands that a robot gave in them."""

import pytest

from catan_pz.game.followed import ContradictionError, FollowedGame
from catan_pz.game.position import position
from catan_pz.tables.jsettlers.decisions import JSETTLERS, TableDecisions
from catan_pz.tables.jsettlers.messages import Message
from catan_pz.tables.jsettlers.player import is_refusal
from catan_pz.terms import Phase
from tests.tables.jsettlers.recorded import GAMES, received, seat, tell


@pytest.mark.parametrize("name", GAMES)
def test_the_same_choices_give_the_same_commands(name: str) -> None:
    seated = seat(name)
    tell(seated, *received(name)[1:])
    reader = seated.reader
    assert not seated._agent.coming  # type: ignore[attr-defined]
    assert seated.refused == []
    assert reader.is_finished
    assert reader.winner == reader.game.winner
    assert reader.game.phase == Phase.OVER
    assert reader.points is not None
    visible = reader.game.state["visible_points"][: len(reader.points)]
    assert (visible <= reader.points).all()
    assert reader.game.points[reader.seat] == reader.points[reader.seat]
    seated.leave()


WRONG = {
    "1028|g,13": "dice",
    "1009|g,0,0,1": "no edge",
    "1009|g,3,0,34": "nobody sits",
    "1009|g,0,3,34": "no piece",
    "1034|g,0,17": "no hex",
    "1009|g,x,0,34": "x",
    "1102|g,0,1,R,6,1,T": "without a move of the robber",
    "1092|g|1|0|2|1|1": "without a roll",
    "1052|g,1,1,0,0,0,0,2": "year of plenty",
    "1090|g,0,3,5,1": "without the card",
    "1052|g,3000000,0,0,0,0,0,2": "a count of cards must be",
    "1063|g,0,3000000": "a count of cards must be",
    "1061|g": "fields",
    "1096|g|1|2|3": "pairs",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_cannot_be_is_refused_by_name(wrong: str) -> None:
    seated = seat("two_players")
    tell(seated, *received("two_players")[1:121])
    with pytest.raises(ValueError, match=WRONG[wrong]):
        seated.take(Message.parse(wrong))


@pytest.mark.parametrize("turn", ["1026|g,0,15", "1026|g,0,10", "1026|g,0"])
def test_a_seat_in_a_game_that_has_begun_is_not_played(turn: str) -> None:
    """As when the server has the robot replace somebody who left: what came before is unknown."""
    seated = seat("two_players")
    for text in received("two_players")[1:]:
        if text.startswith("1018"):
            break
        tell(seated, text)
    with pytest.raises(ValueError, match="under way"):
        seated.take(Message.parse(turn))


@pytest.mark.parametrize("number", ["1028", "1033", "1039", "1046"])
def test_a_message_told_twice_contradicts_the_game(number: str) -> None:
    """What has happened can't happen again: the roll, the discard, the trade, the purchase."""
    seated = seat("four_players_trades")
    for text in received("four_players_trades")[1:]:
        tell(seated, text)
        if text.startswith(number) and seated.reader.table is not None:
            seated.reader.decisions.flush()
            break
    with pytest.raises(ValueError):  # noqa: PT011, PT012 (each has a reason of its own)
        seated.reader.take(Message.parse(text))
        seated.reader.decisions.flush()


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


def test_refusals() -> None:
    assert is_refusal(Message.parse("1037|g,1,1"))
    assert not is_refusal(Message.parse("1037|g,1")), "a player rejects an offer"
    assert not is_refusal(Message.parse("1028|g,7"))


def test_a_counter_offer_refused_in_the_own_turn_is_not_decided_anew() -> None:
    """It was sent in the turn before, and is late."""
    seated = seat("two_players")
    tell(seated, *received("two_players")[1:150])
    assert seated.reader.is_own_turn
    seated._offers.append(False)
    assert seated.take(Message.parse("1037|g,1,3")) == []
    assert seated.refusals == 0
