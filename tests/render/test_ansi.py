import re

import pytest

from catan_pz.render.ansi import board_text
from tests.render import positions

STYLE = re.compile(r"\x1b\[[\d;]*m")


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(6))
def test_fits_a_terminal(num_players: int, seed: int) -> None:
    lines = board_text(positions.midgame(num_players, seed), viewer=0, color=False).split("\n")
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 45


@pytest.mark.parametrize("phase", positions.PHASES)
def test_fits_in_every_phase(phase: str) -> None:
    words = board_text(positions.in_phase(phase), color=False, last_action="x" * 200)
    assert max(map(len, words.split("\n"))) <= 80
    assert len(words.split("\n")) <= 45
    assert words.isascii()


@pytest.mark.parametrize("name", positions.RESOURCES)
def test_every_harbor_fits_wherever_it_lies(name: str) -> None:
    state = positions.midgame()
    for harbor in state["board"]["harbors"]:
        harbor["resource"] = name
    words = board_text(state, color=False)
    assert words.count(f"2:1 {name}") == 9
    assert max(map(len, words.split("\n"))) <= 80


def test_wide_contents_still_fit() -> None:
    state = positions.midgame()
    for seat, player in enumerate(state["players"]):
        player["cards_played"] = positions.kinds(9, 2, 2, 2, 0)
        player["cards"] = positions.kinds(9, 2, 2, 2, 5)
        player |= {"visible_points": 10, "points": 15, "road_length": 15}
        for resource in positions.RESOURCES:
            state["knowledge"][0][seat]["min"][resource] = 10
            state["knowledge"][0][seat]["max"][resource] = 19
    assert max(map(len, board_text(state, viewer=0, color=False).split("\n"))) <= 80


def test_color_adds_nothing_but_color() -> None:
    state = positions.with_offer()
    plain = board_text(state, viewer=2, color=False)
    colored = board_text(state, viewer=2)
    assert "\x1b[" in colored
    assert "\x1b[" not in plain
    assert STYLE.sub("", colored) == plain


def test_pieces_carry_their_seat() -> None:
    state = positions.midgame()
    board = "\n".join(board_text(state, color=False).split("\n")[:23])
    for seat, player in enumerate(state["players"]):
        assert board.count(f"({seat})") == len(player["settlements"])
        assert board.count(f"[{seat}]") == len(player["cities"])
    assert board.count("ROBBER") == 1


def test_offer_is_told() -> None:
    words = board_text(positions.with_offer(), color=False)
    assert "offer: player 1 gives 2 grain for 1 ore" in words
    assert "player 0 accepts" in words
    assert "player 2 counters, gives 1 wool + 1 ore for 2 lumber" in words
    assert "player 3 rejects" in words


def test_names_stand_before_the_numbers_on_the_board() -> None:
    names = ["Ann", "heuristic", "a name that is far too long", "random"]
    state = positions.with_offer()
    state["offer"]["answers"][2] = {
        "give": positions.bundle(brick=1, lumber=1, wool=1, grain=1),
        "get": positions.bundle(ore=1),
    }
    words = board_text(state, color=False, names=names)
    assert "heuristic (1) closes the trade or withdraws" in words
    assert "a name th (2) counters" in words
    assert max(map(len, words.split("\n"))) <= 80


@pytest.mark.parametrize(
    ("kind", "count"), [("vertices", 54), ("edges", 72), ("hexes", 19)], ids=str
)
def test_marked_places_show_their_number(kind: str, count: int) -> None:
    state = positions.midgame()
    for place in range(count):
        plain = board_text(state, color=False).split("\n")[:23]
        marked = board_text(state, color=False, marks={kind: [place]}).split("\n")[:23]
        changed = [(a, b) for a, b in zip(plain, marked, strict=True) if a != b]
        if not changed:  # the road there has the number that the edge has
            continue
        ((_, line),) = changed
        assert str(place) in line
    bare = board_text(state, color=False, marks={kind: range(count)}).split("\n")
    colored = STYLE.sub("", board_text(state, marks={kind: range(count)})).split("\n")
    assert [line.rstrip() for line in colored] == bare
