"""States that would break compiled code or be broken by play are refused when they are read."""

import copy
from typing import Any

import pytest

from catan_pz import Game, Rules
from catan_pz.game.position import position
from tests.helpers import RESOURCES, act, path

pytestmark = pytest.mark.purepython


def closing() -> dict[str, Any]:
    """An offer that is accepted and can be closed."""
    seats = [{"hand": {"brick": 1}}, {"hand": {"ore": 1}}]
    game = position(seats, rules=Rules(num_players=2))
    return act(act(game, "offer", give={"brick": 1}, get={"ore": 1}), "accept").snapshot()


def placing_free_road() -> dict[str, Any]:
    """Fourteen roads built, and one free road to place."""
    roads = path(16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 37, 36, 35, 34)
    seat = {"settlements": [16], "roads": roads, "cards": {"road_building": 1}}
    game = act(position([seat, {}], rules=Rules(num_players=2)), "play_road_building")
    assert game.snapshot()["free_roads"] == 1
    return game.snapshot()


def setting_up() -> dict[str, Any]:
    """The second settlement of the last seat stands, its road is due."""
    game = Game(seed=1, num_players=2)
    while sum(len(player["settlements"]) for player in game.snapshot()["players"]) < 3:
        game.step(int(game.legal_actions()[0]))
    return game.snapshot()


def discarding() -> dict[str, Any]:
    game = position([{"hand": {"ore": 9}}, {}], rules=Rules(num_players=2), phase="roll")
    return act(game, "roll", outcome=(3, 4)).snapshot()


def fifteenth_road(state: dict[str, Any]) -> None:
    state["players"][0]["roads"] += path(34, 33)
    state["players"][0]["road_length"] = 15


def emptied_bank(state: dict[str, Any]) -> None:
    for resource in RESOURCES:
        held = sum(player["hand"][resource] for player in state["players"])
        state["players"][0]["hand"][resource] += 19 - held
        state["bank"][resource] = 0
    for observer in state["knowledge"]:
        for bounds, player in zip(observer, state["players"], strict=True):
            bounds["min"] = bounds["max"] = player["hand"]


UNSOUND = {
    "an offer without trading": (
        closing,
        lambda state: state["rules"].update(trading=False),
        "offer: .* without trading",
    ),
    "a free road and no road left": (placing_free_road, fifteenth_road, "TURN"),
    "a roll in set-up": (setting_up, lambda state: state.update(rolled=True), "SETUP"),
    "a card played in set-up": (setting_up, lambda state: state.update(card_played=True), "SETUP"),
    "turns before set-up": (setting_up, lambda state: state.update(turn=3), "SETUP"),
    "an empty bank in set-up": (setting_up, emptied_bank, "SETUP"),
    "a discard before the roll": (discarding, lambda state: state.update(rolled=False), "TURN"),
}


@pytest.mark.parametrize("fault", UNSOUND)
def test_an_unsound_state_is_refused(fault: str) -> None:
    make, spoil, named = UNSOUND[fault]
    state = make()
    Game.from_snapshot(state)
    spoilt = copy.deepcopy(state)
    spoil(spoilt)
    with pytest.raises(ValueError, match=named):
        Game.from_snapshot(spoilt)


@pytest.mark.parametrize("seed", range(3))
def test_each_state_of_a_set_up_is_sound(seed: int) -> None:
    game = Game(seed=seed, num_players=4, first_player="random")
    while game.phase.name.startswith("SETUP"):
        Game.from_snapshot(game.snapshot())
        legal = game.legal_actions()
        game.step(int(legal[7 * seed % len(legal)]))
    Game.from_snapshot(game.snapshot())
