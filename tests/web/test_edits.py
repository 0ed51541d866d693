"""Changes of a position set up by hand, in words: position, change, position."""

from typing import Any

import pytest

from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.web.edits import edited


@pytest.fixture
def start() -> dict[str, Any]:
    seats: list[dict[str, Any]] = [
        {"settlements": [10], "hand": {"ore": 2}},
        {"settlements": [30], "cards": {"knight": 1}, "cards_played": {"monopoly": 1}},
    ]
    return position(seats, rules="one_v_one", dice=[1, 2]).snapshot()


def changed(before: dict[str, Any], **change: Any) -> dict[str, Any]:
    """The position after a change; the one before stays as it was."""
    copy = Game.from_snapshot(before).snapshot()
    after = edited(before, change)
    assert before == copy
    return after


def test_pieces_are_placed_replaced_and_taken_away(start: dict[str, Any]) -> None:
    there = changed(start, put="city", at="vertex 10", seat=1)
    assert there["players"][0]["settlements"] == []
    assert there["players"][1]["cities"] == [10]
    gone = edited(there, {"put": "city", "at": "vertex 10", "seat": 1})
    assert gone["players"][1]["cities"] == []
    assert changed(start, put="nothing", at="vertex 30")["players"][1]["settlements"] == []
    assert changed(start, put="road", at="edge 7", seat=0)["players"][0]["roads"] == [7]
    assert changed(start, put="robber", at="hex 3")["robber"] == 3


def test_pieces_are_moved(start: dict[str, Any]) -> None:
    moved = changed(start, move="vertex 10", to="vertex 40")
    assert moved["players"][0]["settlements"] == [40]
    taken = changed(start, move="vertex 10", to="vertex 30")
    assert taken["players"][0]["settlements"] == [30]
    assert taken["players"][1]["settlements"] == []
    robber = start["robber"]
    assert changed(start, move=f"hex {robber}", to="hex 1")["robber"] == 1


def test_hands_are_taken_from_the_bank_and_known(start: dict[str, Any]) -> None:
    after = changed(start, set="hand", seat=1, of="ore", to=5)
    assert after["bank"]["ore"] == 19 - 2 - 5
    assert after["knowledge"][0][1]["min"]["ore"] == after["knowledge"][0][1]["max"]["ore"] == 5
    Game.from_snapshot(after)


def test_cards_are_taken_from_the_deck_and_come_back_below(start: dict[str, Any]) -> None:
    more = changed(start, set="cards", seat=0, of="knight", to=3)
    assert more["deck"].count("knight") == 14 - 3 - 1
    back = edited(more, {"set": "cards", "seat": 0, "of": "knight", "to": 0})
    assert sorted(back["deck"]) == sorted(start["deck"])
    assert back["deck"][-1] == "knight"
    new = changed(start, set="new_cards", seat=0, of="monopoly", to=1)
    assert new["players"][0]["cards"]["monopoly"] == 1
    assert "monopoly" not in new["deck"]
    gone = edited(new, {"set": "cards", "seat": 0, "of": "monopoly", "to": 0})
    assert gone["players"][0]["new_cards"]["monopoly"] == 0
    for position_set in (more, back, new, gone):
        Game.from_snapshot(position_set)
    assert changed(start, set="next_card", to="victory_point")["deck"][0] == "victory_point"


def test_terrain_tokens_and_harbors_are_laid_by_hand(start: dict[str, Any]) -> None:
    wanted = [*reversed(start["board"]["hexes"])]
    laid, spared = start, []
    for entry in ("terrain", "token"):
        for k, part in enumerate(wanted):
            if part[entry] is not None and laid["board"]["hexes"][k]["terrain"] != "desert":
                lay = {"lay": entry, "at": f"hex {k}", "to": part[entry], "spared": spared}
                laid = edited(laid, lay)
                spared.append(f"hex {k}")
        spared.clear()
    assert [h["terrain"] for h in laid["board"]["hexes"]] == [h["terrain"] for h in wanted]
    assert laid["board"]["hexes"] == wanted
    ore = next(h["edge"] for h in start["board"]["harbors"] if h["resource"] == "ore")
    plain = edited(laid, {"lay": "harbor", "at": f"edge {ore}", "to": None, "spared": []})
    assert {"edge": ore, "resource": None} in plain["board"]["harbors"]
    assert Game.from_snapshot(plain).snapshot() == plain


@pytest.mark.parametrize("phase", ["roll", "move_robber", "main", "free_road"])
def test_a_phase_brings_what_it_needs(start: dict[str, Any], phase: str) -> None:
    after = changed(start, set="phase", to=phase)
    assert Game.from_snapshot(after).phase.name == phase.upper()
    other = edited(after, {"set": "turn_player", "to": 1})
    assert Game.from_snapshot(other).player == 1


def test_who_holds_too_many_cards_discards(start: dict[str, Any]) -> None:
    many = edited(start, {"set": "hand", "seat": 1, "of": "wool", "to": 11})
    after = edited(many, {"set": "phase", "to": "discard"})
    assert after["to_discard"] == [0, 5]
    assert Game.from_snapshot(after).player == 1
    fewer = edited(after, {"set": "to_discard", "seat": 1, "to": 2})
    assert fewer["to_discard"] == [0, 2]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"put": "road", "at": "vertex 3", "seat": 0}, "a road stands on an edge"),
        ({"put": "city", "at": "vertex 3", "seat": 2}, "seat must be .*, got 2"),
        ({"put": "city", "at": "vertex three", "seat": 0}, "a place must be"),
        ({"move": "vertex 11", "to": "vertex 12"}, "nothing stands at vertex 11"),
        ({"move": "vertex 10", "to": "edge 12"}, "can't stand on an edge"),
        ({"move": "hex 18", "to": "hex 2"}, "the robber isn't at hex 18"),
        ({"set": "hand", "seat": 0, "of": "ore", "to": 20}, "there are 19 cards of ore"),
        ({"set": "hand", "seat": 0, "of": "gold", "to": 1}, "no kind of card"),
        ({"set": "cards", "seat": 0, "of": "monopoly", "to": 2}, "the deck has 2 cards"),
        ({"set": "next_card", "to": "joker"}, "the deck holds no card"),
        ({"set": "phase", "to": "lunch"}, "phase must be one of .*, got 'lunch'"),
        ({"lay": "token", "at": "hex 9", "to": 7, "spared": []}, "there is no token 7"),
        ({"lay": "harbor", "at": "hex 0", "to": None, "spared": []}, "a harbor lies at one of"),
        ({"set": "weather", "to": 1}, "no change of a position"),
    ],
)
def test_what_makes_no_sense_is_refused(
    start: dict[str, Any], change: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        edited(start, change)
