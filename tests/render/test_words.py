"""The table in sentences: what a viewer knows, and no more."""

from typing import Any

from catan_pz.actions import action_id
from catan_pz.events import ONLOOKER
from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.render.ansi import board_text
from catan_pz.render.view import table_view
from catan_pz.render.words import table_words
from catan_pz.rules import Rules
from tests.render import positions
from tests.render.test_secrecy import resampled
from tests.render.test_svg import labels


def test_a_seat_is_told_what_it_may_know() -> None:
    seats: list[dict[str, Any]] = [
        {"settlements": [10], "hand": {"ore": 2, "wool": 1}, "cards": {"knight": 1}},
        {"cities": [30], "hand": {"brick": 2}, "cards": {"monopoly": 1}},
    ]
    game = position(seats, rules=Rules(num_players=2), dice=[1, 2])
    game.step(action_id("offer", give={"ore": 1}, get={"brick": 1}))
    told = table_words(table_view(game.snapshot(), 0, ["Ann", "Bob"]))
    assert told[0] == "Turn 0. Bob answers the offer. The dice show 1 and 2."
    assert told[1].startswith("Ann (you): 1 point; 3 cards (1 wool, 2 ore); development cards: ")
    assert told[1].endswith(".")
    assert "settlement at " in told[1]
    assert told[2].startswith("Bob: 2 points; 2 cards (2 brick); 1 development card; 0 roads")
    assert "city at " in told[2]
    assert told[3].startswith("Bank: 17 brick, 19 lumber, 18 wool, 19 grain, 17 ore; 23 ")
    assert told[4] == "The robber stands on desert."
    assert told[5:] == ["Ann offers 1 ore for 1 brick.", "Bob hasn't answered."]


def test_nobody_is_to_move_once_the_turns_are_over() -> None:
    game = Game(num_players=2, trading=False, max_turns=3, seed=1)
    while game.mask.any():
        assert "no turns are left" not in table_words(table_view(game.snapshot()))[0]
        game.step(int(game.legal_actions()[0]))
    assert game.is_truncated
    state = game.snapshot()
    assert table_words(table_view(state))[0].startswith(
        "Turn 3. Player 1 stops: no turns are left."
    )
    assert "Player 1 stops: no turns are left" in labels(state)
    lines = board_text(state, color=False).split("\n")
    aside = " ".join(line[64:].strip() for line in lines[:20])
    assert "player 1 stops: no turns are left" in aside


def test_what_is_hidden_is_not_told() -> None:
    state = positions.midgame()
    other = resampled(state)
    for viewer in (0, ONLOOKER):
        assert table_words(table_view(state, viewer)) == table_words(table_view(other, viewer))
    assert table_words(table_view(state)) != table_words(table_view(other))
