import math
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from catan_pz.actions import action_id
from catan_pz.render.overlay import Overlay
from catan_pz.render.svg import board_svg
from tests.render import positions
from tests.render.test_svg import labels

SVG = "{http://www.w3.org/2000/svg}"


def policy() -> np.ndarray:
    p = np.zeros(389)
    p[action_id("build_road", edge=5)] = 0.25
    p[action_id("build_settlement", vertex=7)] = 0.125
    p[action_id("build_city", vertex=9)] = 0.5
    p[action_id("end_turn")] = 0.105
    p[action_id("move_robber", hex=3)] = 0.02
    return p


def test_a_policy_goes_to_its_places() -> None:
    overlay = Overlay.of_policy(policy())
    assert overlay.vertices == {7: 0.125, 9: 0.5}
    assert overlay.edges == {5: 0.25}
    assert overlay.hexes == {3: 0.02}
    assert overlay.others == (("end the turn", pytest.approx(0.105)),)
    words = labels(positions.midgame(), overlay=overlay)
    assert {"12", "50", "25", "2"} <= set(words)
    assert "end the turn" in words
    assert "10 %" in words or "11 %" in words


def test_values_of_others_are_not_summed_up() -> None:
    values = {252 + k: 0.3 - 0.01 * k for k in range(12)}
    words = labels(positions.midgame(), overlay=Overlay.of_values(values, percent=True))
    assert words[words.index("24.0 %") :][2] == "23.0 %"
    assert "the best of 5 more" in words
    assert "100 %" not in words


def test_the_others_are_listed_likeliest_first_and_summed_up() -> None:
    p = np.zeros(389)
    p[252:272] = np.arange(1, 21) / 210
    root = ET.fromstring(board_svg(positions.midgame(), overlay=Overlay.of_policy(p)))
    assert root.get("height") == "808"
    words = labels(positions.midgame(), overlay=Overlay.of_policy(p))
    assert "and 13 more" in words
    assert words.count("offer 1 ore for 1 grain") == 1  # action 271
    shown = [w for w in words if w.endswith(" %")]
    assert shown[:-1] == sorted(shown[:-1], key=lambda w: -int(w[:-2]))
    assert len(shown) == 8
    plain = ET.fromstring(board_svg(positions.midgame(), overlay=Overlay()))
    assert plain.get("height") == "740"


@pytest.mark.parametrize("wrong", [np.zeros(388), np.zeros((1, 252)), np.full((1, 252), np.nan)])
def test_a_policy_has_one_share_an_action(wrong: np.ndarray) -> None:
    with pytest.raises(ValueError, match="a policy is one number"):
        Overlay.of_policy(wrong)


@pytest.mark.parametrize(("wrong", "told"), [(math.nan, "nan"), (math.inf, "inf"), (-0.5, "-0.5")])
def test_a_share_that_is_none_is_named(wrong: float, told: str) -> None:
    given = policy()
    given[12] = wrong
    with pytest.raises(
        ValueError, match=f"finite numbers of 0 or more, not {told}, as for action 12"
    ):
        Overlay.of_policy(given)
