import pytest

from catan_pz.terms import DECK_SIZE
from tests.render import positions


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_cards_and_pieces_add_up(num_players: int) -> None:
    state = positions.midgame(num_players)
    players = state["players"]
    for resource in positions.RESOURCES:
        assert state["bank"][resource] + sum(p["hand"][resource] for p in players) == 19
    held = sum(sum(p["cards"].values()) + sum(p["cards_played"].values()) for p in players)
    assert held + len(state["deck"]) == DECK_SIZE
    for kind in ("roads", "settlements", "cities"):
        placed = [place for p in players for place in p[kind]]
        assert placed
        assert len(placed) == len(set(placed))


def test_the_picture_has_something_to_mark() -> None:
    state = positions.midgame()
    assert state["longest_road_owner"] is not None
    assert state["largest_army_owner"] is not None


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_bounds_hold_the_true_hands(num_players: int) -> None:
    state = positions.midgame(num_players)
    for row in state["knowledge"]:
        for known, player in zip(row, state["players"], strict=True):
            for resource, count in player["hand"].items():
                assert known["min"][resource] <= count <= known["max"][resource]
