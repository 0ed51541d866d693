"""Messages, places and boards in the protocol's form."""

from functools import partial

import pytest

from catan_pz.tables.jsettlers.contents import (
    _LAND_PLACES,
    bank_trade_in,
    board_in,
    discard_in,
    elements_in,
    invitation_in,
    offer_in,
    production_in,
    two_bundles,
)
from catan_pz.tables.jsettlers.messages import (
    Kind,
    Message,
    MessageError,
    command,
    frame,
)
from catan_pz.terms import Terrain
from tests.tables.jsettlers.recorded import received


def test_commands_are_as_the_server_wants_them() -> None:
    assert command(Kind.SIT_DOWN, "g", "\t", 2, True) == "1012|g,\t,2,true"
    with pytest.raises(MessageError, match="got 70000"):
        frame("x" * 70000)


@pytest.mark.parametrize("text", ["", "x|1", "-5|g", "²|g", "9" * 5000 + "|g"])
def test_what_has_no_number_is_no_message(text: str) -> None:
    with pytest.raises(MessageError):
        Message.parse(text)


def test_fields_that_are_missing_or_no_numbers_are_named() -> None:
    message = Message.parse("1028|g,x")
    with pytest.raises(MessageError, match="'x'"):
        message.integer(1)
    with pytest.raises(MessageError, match="2 fields"):
        message.integers(1, 4)
    with pytest.raises(MessageError, match="1 fields"):
        Message.parse("1061|g").text(1)
    with pytest.raises(MessageError, match="not a number"):
        Message.parse("1028|g," + "9" * 5000).integer(1)


WRONG_COUNTS = {
    "1033|g,p1,0,0,0,0,0,3000000": discard_in,
    "1033|g,p1,0,0,-1,0,0,0": discard_in,
    "1033|g,p²,0,0,0,0,0": discard_in,
    "1040|g,40000000,0,0,0,0,0,1,0,0,0,0": bank_trade_in,
    "1041|g,0,true,true,true,true,128,0,0,0,0,0,0,0,0,1": offer_in,
    "1039|g,0,1,0,0,0,0,0,0,-1,0,0,0": partial(two_bundles, start=3),
    "1092|g|1|0|5|1000|1|0": production_in,
    "1024|g,0,102,6,3000000": elements_in,
    "1024|g,0,102": elements_in,
    "1086|g|0|102|1|1|2|-1": elements_in,
    "1086|g": elements_in,
}


@pytest.mark.parametrize(
    ("options", "trading", "other_rules"),
    [
        ("PL=4,NT=t", False, ()),
        ("PL=3", True, ()),
        ("-", True, ()),
        ("PL=4,RD=f,N7=f7,BC=t4,NT=f,VP=f10,SC=,UBL=t7", True, ()),
        ("PL=4,VP=t10", True, ()),
        ("PL=6,PLB=t", True, ("PLB=t", "PL=6")),
        (
            "PL=4,RD=t,N7=t7,NT=t,VP=t13,SC=SC_4ISL",
            False,
            ("RD=t", "N7=t7", "VP=t13", "SC=SC_4ISL"),
        ),
    ],
)
def test_options_of_a_game(options: str, trading: bool, other_rules: tuple[str, ...]) -> None:
    invitation = invitation_in(Message.parse(f"1023|g,2,{options}"))
    assert invitation == ("g", 2, trading, other_rules)


@pytest.mark.parametrize("text", WRONG_COUNTS)
def test_counts_that_no_hand_has_are_refused(text: str) -> None:
    with pytest.raises(MessageError):
        WRONG_COUNTS[text](Message.parse(text))


def layout() -> Message:
    texts = [text for text in received("two_players") if text.startswith("1014|")]
    return Message.parse(texts[-1])


def test_a_board_reads_the_same_in_both_forms() -> None:
    message = layout()
    board = board_in(message)
    assert board is not None
    tokens = [0 if board.terrains[h] == Terrain.DESERT else board.tokens[h] for h in range(19)]
    in_parts = [0] * 37
    for place, token in zip(_LAND_PLACES, tokens, strict=True):
        in_parts[place] = token
    hexes = ",".join(message.fields[1:38])
    numbers = ",".join(map(str, in_parts))
    other = Message.parse(f"1084|g,1,HL,[37,{hexes},NL,[37,{numbers},RH,85")
    assert board_in(other) == board


def test_an_empty_board_is_none_and_a_wrong_one_is_refused() -> None:
    water = ",".join(["6"] * 37 + ["-1"] * 37 + ["-1"])
    assert board_in(Message.parse(f"1014|g,{water}")) is None
    fields = list(layout().fields)
    fields[fields.index("5")] = "4"
    with pytest.raises(MessageError, match="isn't a board of the base game"):
        board_in(Message(Kind.BOARD_LAYOUT, tuple(fields)))
