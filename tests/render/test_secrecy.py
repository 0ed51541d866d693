from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from catan_pz.render.ansi import board_text
from catan_pz.render.svg import board_svg
from tests.render import positions
from tests.render.positions import bundle, kinds

State = dict[str, Any]
DRAW: list[Callable[..., str]] = [board_svg, board_text]


def resampled(state: State) -> State:
    """The same public facts for seat 0, with everything hidden from it different."""
    other = deepcopy(state)
    second, third = other["players"][1], other["players"][2]
    # Seats 1 and 2 swap a lumber for a wool: sizes, the bank and seat 0's bounds stay.
    second["hand"]["lumber"] -= 1
    second["hand"]["wool"] += 1
    third["hand"]["lumber"] += 1
    third["hand"]["wool"] -= 1
    third["cards"] = kinds(0, 1, 0, 0, 2)
    third["new_cards"] = kinds(0, 0, 0, 0, 1)
    third["points"] += 2
    other["deck"].reverse()
    other["rng"] = {"key": 77}
    for observer in (1, 2, 3):
        other["knowledge"][observer] = [
            {"min": bundle(), "max": bundle(ore=9)} for _ in other["players"]
        ]
    return other


@pytest.mark.parametrize("draw", DRAW)
@pytest.mark.parametrize("state", [positions.midgame(), positions.with_offer()])
def test_hidden_cards_change_nothing(draw: Callable[..., str], state: State) -> None:
    other = resampled(state)
    assert draw(other, viewer=0) == draw(state, viewer=0)
    assert draw(other, viewer=2) != draw(state, viewer=2)
    assert draw(other) != draw(state)


@pytest.mark.parametrize("draw", DRAW)
@pytest.mark.parametrize("composer", [1, 2])
def test_unsent_bundle_is_seen_by_its_maker_alone(draw: Callable[..., str], composer: int) -> None:
    state = positions.composing(composer)
    other = deepcopy(state)
    offer = other["offer"] if composer == 1 else other["offer"]["answers"][composer]
    offer["give"] = bundle(lumber=1) if composer == 1 else bundle(ore=1)
    offer["get"] = bundle(brick=3)
    for viewer in (0, 3):
        assert draw(other, viewer=viewer) == draw(state, viewer=viewer)
    assert draw(other, viewer=composer) != draw(state, viewer=composer)


@pytest.mark.parametrize("draw", DRAW)
def test_what_a_viewer_knows_is_drawn(draw: Callable[..., str]) -> None:
    state = positions.midgame()
    other = deepcopy(state)
    other["knowledge"][0][1]["max"]["ore"] += 1
    assert draw(other, viewer=0) != draw(state, viewer=0)
    assert draw(other, viewer=2) == draw(state, viewer=2)


@pytest.mark.parametrize("draw", DRAW)
@pytest.mark.parametrize("viewer", [-2, 4])
def test_unknown_viewer(draw: Callable[..., str], viewer: int) -> None:
    with pytest.raises(ValueError, match="viewer must be None or a seat"):
        draw(positions.midgame(), viewer=viewer)
