import re
import unicodedata

import pytest

from catan_pz.actions import RESOURCE_NAMES
from catan_pz.board.topology import EDGE_VERTICES
from catan_pz.render.ansi import ASIDE_COLUMNS, ASIDE_LINES, board_text
from catan_pz.render.ansi_board import BOARD_LINES
from tests.render import positions

STYLE = re.compile(r"\x1b\[[\d;]*m")
LONG_NAMES = ["Bartholomew the Second", "heuristic", "heuristic", "search"]


def fits(words: str, rows: int = 23) -> bool:
    lines = words.split("\n")
    return max(map(len, lines)) <= 80 and len(lines) <= rows and words.isascii()


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_fits_a_terminal(num_players: int) -> None:
    state = positions.played(num_players, 1)
    assert fits(board_text(state, viewer=0, color=False), rows=22)
    names = LONG_NAMES[:num_players]
    assert fits(board_text(state, viewer=0, color=False, names=names, last_action="x" * 99))


@pytest.mark.parametrize("phase", positions.PHASES)
def test_fits_in_every_phase(phase: str) -> None:
    state = positions.in_phase(phase)
    for names in (None, LONG_NAMES):
        assert fits(board_text(state, color=False, last_action="x" * 200, names=names))


@pytest.mark.parametrize("name", [*RESOURCE_NAMES, None])
def test_every_harbor_fits_wherever_it_lies(name: str | None) -> None:
    state = positions.midgame()
    for player in state["players"]:
        player |= {"roads": [], "settlements": [], "cities": []}
    for harbor in state["board"]["harbors"]:
        harbor["resource"] = name
    words = board_text(state, color=False)
    assert fits(words)
    board = "\n".join(words.split("\n")[:BOARD_LINES])
    rate = "3:1" if name is None else name
    found = re.findall(rf"{rate}~|~{rate}", board)
    narrow = re.findall("~any" if name is None else rf"~{name[:4]}", board)
    assert board.count("~") == 9
    assert len(found) in (8, 9)
    assert len(narrow) > 0


def test_wide_contents_still_fit() -> None:
    state = positions.midgame()
    for seat, player in enumerate(state["players"]):
        player["cards_played"] = positions.kinds(9, 2, 2, 2, 0)
        player["cards"] = positions.kinds(9, 2, 2, 2, 5)
        player |= {"visible_points": 10, "points": 15, "road_length": 15}
        for resource in RESOURCE_NAMES:
            state["knowledge"][0][seat]["min"][resource] = 10
            state["knowledge"][0][seat]["max"][resource] = 19
    for names in (None, LONG_NAMES):
        assert fits(board_text(state, viewer=0, color=False, names=names))


def columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


@pytest.mark.parametrize("phase", ["main", "answer"])
def test_wide_letters_take_two_columns(phase: str) -> None:
    names = ["山田太郎山田太郎", "가나다라마바사아", "Ann", "金"]
    state = positions.in_phase(phase)
    state["player_to_move"] = state["turn_player"] = 0
    words = board_text(
        state, color=False, names=names, last_action="羊" * 80, aside=["木" * 20] * 7
    )
    lines = words.split("\n")
    assert max(map(columns, lines)) <= 80
    assert lines[-1] == "羊" * 40
    heading, *seats = lines[BOARD_LINES : BOARD_LINES + 5]
    if phase == "main":
        assert len({columns(line) for line in (heading, *seats)}) == 1
    assert "山田太郎" in words
    assert heading.startswith("10 to win")
    shown = board_text(state, color=False, names=names)
    assert max(map(columns, shown.split("\n"))) <= 80


def test_color_adds_nothing_but_color() -> None:
    state = positions.with_offer()
    plain = board_text(state, viewer=2, color=False)
    colored = board_text(state, viewer=2)
    assert "\x1b[" in colored
    assert "\x1b[" not in plain
    assert STYLE.sub("", colored) == plain


def test_pieces_carry_their_seat() -> None:
    state = positions.midgame()
    lines = board_text(state, color=False, aside=()).split("\n")[:BOARD_LINES]
    board = "\n".join(lines)
    for seat, player in enumerate(state["players"]):
        assert board.count(f"({seat})") == len(player["settlements"])
        assert board.count(f"[{seat}]") == len(player["cities"])
    assert board.count("ROBBER") == 1


def test_the_trade_stands_beside_the_seats() -> None:
    lines = board_text(positions.with_offer(), color=False).split("\n")[BOARD_LINES:]
    assert lines[0].endswith("  trade")
    assert [line.split("  ")[-1] for line in lines[1:]] == [
        *("accepts", "offers 2 grain for ore", "counters wool+ore for 2 lumber", "rejects")
    ]


def test_a_trade_of_many_cards_fits_whole() -> None:
    state = positions.with_offer()
    everything = positions.bundle(brick=1, lumber=1, wool=1, grain=1)
    state["offer"]["answers"][2] = {"give": everything, "get": positions.bundle(ore=4)}
    words = board_text(state, color=False, names=LONG_NAMES, viewer=0)
    assert "counters brick+lumber+wool+grain for 4 ore" in words
    assert fits(words)


def test_the_column_at_the_right_is_the_callers() -> None:
    state = positions.midgame()
    own = [f"line {k}" + "x" * 20 for k in range(9)]
    lines = board_text(state, color=False, aside=own).split("\n")
    column = [line[64:] for line in lines[BOARD_LINES - ASIDE_LINES : BOARD_LINES]]
    assert column == [words[:ASIDE_COLUMNS] for words in own[:ASIDE_LINES]]
    usual = board_text(state, color=False)
    assert "trade, build and" in usual
    assert "(1) settlement" in usual


@pytest.mark.parametrize(
    ("kind", "count"), [("vertices", 54), ("edges", 72), ("hexes", 19)], ids=str
)
def test_marked_places_show_their_number(kind: str, count: int) -> None:
    state = positions.midgame()
    for place in range(count):
        plain = board_text(state, color=False).split("\n")[:BOARD_LINES]
        marked = board_text(state, color=False, marks={kind: [place]}).split("\n")[:BOARD_LINES]
        changed = [(a, b) for a, b in zip(plain, marked, strict=True) if a != b]
        if not changed:  # the road there has the number that the edge has
            continue
        ((_, line),) = changed
        assert str(place) in line
    bare = board_text(state, color=False, marks={kind: range(count)}).split("\n")
    colored = STYLE.sub("", board_text(state, marks={kind: range(count)})).split("\n")
    assert [line.rstrip() for line in colored] == bare


def test_numbers_of_vertices_and_edges_never_touch() -> None:
    state = positions.midgame()
    for player in state["players"]:
        player |= {"roads": [], "settlements": [], "cities": []}
    marks = {"vertices": range(10, 54), "edges": range(10, len(EDGE_VERTICES))}
    lines = board_text(state, color=False, marks=marks, aside=()).split("\n")[:BOARD_LINES]
    numbers = re.findall(r"\d+", " ".join(line[:63] for line in lines))
    assert max(map(len, numbers)) == 2
