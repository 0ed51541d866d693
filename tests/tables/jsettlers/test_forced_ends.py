"""A server that takes a robot for too slow ends its turn, or draws what it discards."""

import numpy as np
import pytest

from catan_pz.agents import load
from catan_pz.engine.violations import Violation
from catan_pz.tables.jsettlers.messages import Message
from catan_pz.tables.jsettlers.player import MOST_REFUSALS, MOST_TOLD, TablePlayer
from catan_pz.tables.jsettlers.reader import Asks
from catan_pz.terms import NOBODY, Card, Phase
from tests.tables.jsettlers.recorded import received, seat, tell

GAME = "four_players_trade"
OWN_KNIGHT = 1
"""How many own knights come before the one that is looked at."""


def told_until(text: str, skipped: int = 0, name: str = GAME) -> tuple[TablePlayer, list[str]]:
    """A recorded game up to a message, that one told too; and what came after it."""
    seated = seat(name)
    texts = received(name)[1:]
    for k, one in enumerate(texts):
        tell(seated, one)
        if seated.reader.table is not None and one.startswith(text):
            if skipped == 0:
                return seated, texts[k + 1 :]
            skipped -= 1
    raise AssertionError(f"{text} isn't told")


def end_by_force(seated: TablePlayer, *before: str) -> None:
    """Begin the next player's turn."""
    reader = seated.reader
    seat = (reader.game.turn_player + 1) % len(reader.numbers)
    tell(seated, *before)
    reader.take(Message.parse(f"1026|g,{reader.numbers[seat]},15"))
    game = reader.game
    assert (game.turn_player, game.player, game.phase) == (seat, seat, Phase.ROLL)


def assert_sound(seated: TablePlayer) -> None:
    drawn = seated.reader.followed.resample(np.random.default_rng(1))
    assert drawn.validate() == Violation.NONE


@pytest.mark.parametrize(
    ("told", "skipped", "more", "kept"),
    [("1026|g,3,15", 2, 0, "hand_size"), ("1028|g,7", 0, 1, "robber")],
    ids=["before the roll", "before the robber is moved"],
)
def test_nothing_has_happened(told: str, skipped: int, more: int, kept: str) -> None:
    seated, rest = told_until(told, skipped)
    tell(seated, *rest[:more])
    before = seated.reader.game.state[kept].tolist()
    end_by_force(seated)
    assert seated.reader.game.state[kept].tolist() == before


def test_an_own_knight_comes_back() -> None:
    seated, _ = told_until("1046|g,0,1,9", skipped=OWN_KNIGHT)
    seated.reader.decisions.flush()
    reader = seated.reader
    assert reader.number == 0
    held = int(reader.game.state["cards"][reader.seat, Card.KNIGHT])
    assert reader.game.state["played"][reader.seat, Card.KNIGHT] == OWN_KNIGHT + 1
    end_by_force(seated, "1046|g,0,3,9", "1024|g,0,100,15,1")
    state = reader.game.state
    assert state["cards"][reader.seat, Card.KNIGHT] == held + 1
    assert state["played"][reader.seat, Card.KNIGHT] == OWN_KNIGHT
    assert_sound(seated)


def test_with_a_knight_goes_the_largest_army() -> None:
    seated, _ = told_until("1046|g,0,1,9", skipped=2)
    reader = seated.reader
    reader.decisions.flush()
    assert reader.game.state["largest_army_owner"] == reader.seat
    points = int(reader.game.state["points"][reader.seat])
    end_by_force(seated, "1046|g,0,3,9", "1024|g,0,100,15,2", "1096|g|5|-1")
    assert reader.game.state["largest_army_owner"] == NOBODY
    assert reader.game.state["points"][reader.seat] == points - 2


def test_another_players_road_building_is_a_hidden_card_again() -> None:
    seated, _ = told_until("1046|g,3,1,1")
    reader = seated.reader
    reader.decisions.flush()
    assert reader.game.phase == Phase.FREE_ROAD
    player = reader.game.turn_player
    held = int(reader.game.state["cards"][player].sum())
    end_by_force(seated, "1046|g,3,3,0")
    assert reader.game.state["cards"][player].sum() == held + 1
    assert reader.game.state["played"][player, Card.ROAD_BUILDING] == 0
    assert reader.game.state["free_roads"] == 0
    assert_sound(seated)


@pytest.mark.parametrize("told", ["1046|g,1,1,3", "1046|g,3,1,2"])
def test_a_card_whose_resources_were_not_named_was_never_played(told: str) -> None:
    seated, _ = told_until(told)
    player = seated.reader.game.turn_player
    cards, played = (seated.reader.game.state[name][player].copy() for name in ("cards", "played"))
    end_by_force(seated, f"1046|g,{told[7]},3,0")
    assert (seated.reader.game.state["cards"][player] == cards).all()
    assert (seated.reader.game.state["played"][player] == played).all()
    late = {"3": "1090|g,1,3,5,1", "2": "1052|g,1,0,0,0,1,3,2"}[told[-1]]
    with pytest.raises(ValueError, match="without"):
        seated.reader.take(Message.parse(late))


def test_cards_that_the_table_draws_for_the_own_seat() -> None:
    """The own seat, alone, has to discard four cards."""
    seated, rest = told_until("1028|g,7", skipped=6)
    while not rest[0].startswith("1029"):
        tell(seated, rest.pop(0))
    reader = seated.reader
    hand = reader.game.state["hand"][reader.seat].copy()
    assert reader.take(Message.parse("1029|g,4")) is Asks.DISCARD
    reader.take(Message.parse("1024|g,0,102,3,2"))
    assert reader.game.phase == Phase.DISCARD
    reader.take(Message.parse("1024|g,0,102,4,2"))
    assert reader.game.phase == Phase.MOVE_ROBBER
    gone = hand - reader.game.state["hand"][reader.seat]
    assert sorted(gone.tolist()) == [0, 0, 0, 2, 2]


def test_a_turn_that_cannot_be_ended_is_not_ended_for_ever() -> None:
    seated = seat("two_players", load("random"))
    for text in received("two_players")[1:150]:
        seated.take(Message.parse(text))
    assert seated.reader.is_own_turn
    refusal = Message.parse("1104|g,20,3")
    sent = [text for _ in range(50) for text in seated.take(refusal)]
    assert len(sent) <= MOST_REFUSALS + 1
    assert sent[-1] == "1032|g"
    assert seated.refusals == 50
    assert len(seated.refused) == MOST_TOLD
    for words in seated.refused:
        assert words.endswith("fields=('g', '20', '3'))")
    assert len(seated.take(Message.parse("1025|g,20"))) == 1


def test_nothing_is_put_back_where_the_rules_forbid_the_end() -> None:
    """Nobody can be in turn before the set-up is over."""
    seated, _ = told_until("1009", name="two_players")
    assert seated.reader.game.phase in (Phase.SETUP_SETTLEMENT, Phase.SETUP_ROAD)
    reader = seated.reader
    other = reader.numbers[1 - reader.game.turn_player]
    with pytest.raises(ValueError, match="in turn"):
        reader.take(Message.parse(f"1026|g,{other},15"))
