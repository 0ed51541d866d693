import xml.etree.ElementTree as ET
from copy import deepcopy

import pytest

from catan_pz.game.game import Game
from catan_pz.game.position import position
from catan_pz.play.controls import Draft
from catan_pz.play.desk import desk_svg
from catan_pz.rules import Rules
from catan_pz.terms import Phase
from tests.play.presses import composed, pressable
from tests.render import positions
from tests.render.test_secrecy import resampled
from tests.render.test_svg import SVG, classes


def drawn(game: Game, draft: Draft | None = None, **options: object) -> str:
    there = pressable(game, draft or Draft())
    return desk_svg(game.snapshot(), game.player, there, draft, width=1120, **options)


def words(svg: str) -> list[str]:
    return [e.get("aria-label", "") for e in ET.fromstring(svg).iter(f"{SVG}path")]


@pytest.mark.parametrize("phase", positions.PHASES)
def test_every_phase_is_drawn_for_those_who_wait(phase: str) -> None:
    root = ET.fromstring(desk_svg(positions.in_phase(phase), 0, (), width=560))
    assert (root.get("width"), root.get("height")) == ("560", "449")
    assert classes(root)["desk"] == 1
    assert classes(root)["button"] == 0


def test_the_tray_shows_what_is_laid_out() -> None:
    game = position([{"hand": {"brick": 2}}, {"hand": {"ore": 1}}], rules=Rules(num_players=2))
    shown = words(drawn(game, composed([0], [4])))
    assert {"Give", "Get", "Offer", "Bank", "Clear", "End turn"} <= set(shown)
    assert "Give" not in words(drawn(position([{}, {}], rules="one_v_one")))


def test_resources_of_a_card_are_asked_for() -> None:
    game = position([{"cards": {"year_of_plenty": 1}}, {}], rules="one_v_one")
    shown = words(drawn(game, Draft(card="year_of_plenty")))
    assert "Choose two resources" in shown
    assert "Take" in shown
    assert "Give" not in shown


def test_an_offer_composed_in_the_game_lies_on_the_tray() -> None:
    rules = Rules(num_players=2, offer_form="composed")
    game = position([{"hand": {"brick": 2}}, {"hand": {"ore": 1}}], rules=rules)
    game.step_once(372)
    assert game.phase == Phase.COMPOSE
    assert "1" in words(drawn(game))
    assert "Withdraw" in words(drawn(game))


def test_hidden_cards_change_nothing() -> None:
    state = positions.with_offer()
    state["player_to_move"] = 0
    other = resampled(deepcopy(state))
    assert desk_svg(other, 0, (), width=1120) == desk_svg(state, 0, (), width=1120)
