"""The single game: seeds, copies, named outcomes, errors that change nothing."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from catan_pz import Game, IllegalActionError, action_id
from catan_pz.engine.state import STATE
from catan_pz.game import position
from catan_pz.rules import Rules
from catan_pz.terms import Card, Resource
from tests.helpers import act, play_randomly, player

pytestmark = pytest.mark.purepython


def bytes_of(game: Game) -> bytes:
    return np.asarray(game.games).tobytes()


def test_a_seed_determines_the_game() -> None:
    games = [Game(seed=8), Game(seed=8), Game(seed=9)]
    for game in games:
        play_randomly(game, 300)
    assert bytes_of(games[0]) == bytes_of(games[1]) != bytes_of(games[2])


def test_without_a_seed_games_differ() -> None:
    assert bytes_of(Game()) != bytes_of(Game())


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize(
    "duplicate", [Game.copy, copy.deepcopy, pickled, lambda g: Game.from_snapshot(g.snapshot())]
)
def test_a_duplicate_has_the_same_future_and_its_own(duplicate) -> None:
    game = Game(seed=2, offer_form="both")
    play_randomly(game, 400)
    before = bytes_of(game)
    other = duplicate(game)
    play_randomly(other, 200, rng=1)
    assert bytes_of(game) == before
    play_randomly(game, 200, rng=1)
    assert bytes_of(game) == bytes_of(other)
    assert (game.mask == other.mask).all()


def test_an_illegal_action_names_what_is_missing_and_changes_nothing() -> None:
    game = position([{"settlements": [10], "hand": {"brick": 1}}, {}], rules=Rules(num_players=2))
    before = bytes_of(game)
    with pytest.raises(IllegalActionError, match=r"phase 'main'.*build_road.*lacks 1 lumber"):
        game.step(action_id("build_road", edge=20))
    with pytest.raises(IllegalActionError, match="belongs to phase roll"):
        game.step(action_id("roll"))
    with pytest.raises(IllegalActionError, match="action 999 doesn't exist"):
        game.step(999)
    assert bytes_of(game) == before


def stealing() -> Game:
    hand = {"brick": 1, "ore": 3}
    players = [{"settlements": [10]}, {"settlements": [50], "hand": hand}]
    return position(players, rules=Rules(num_players=2), phase="move_robber")


def buying() -> Game:
    hand = {"wool": 1, "grain": 1, "ore": 1}
    return position([{"settlements": [10], "hand": hand}, {}], rules=Rules(num_players=2))


def rolling() -> Game:
    return position([{}, {}], rules=Rules(num_players=2), phase="roll")


CHANCES = {
    "roll": (rolling, action_id("roll")),
    "rob": (stealing, action_id("move_robber", hex=17)),
    "buy": (buying, action_id("buy_development_card")),
}


def test_named_outcomes() -> None:
    game, onto = stealing(), action_id("move_robber", hex=17)
    assert game.outcomes(onto) == {Resource.BRICK: 0.25, Resource.ORE: 0.75}
    assert player(act(game, "move_robber", Resource.BRICK, hex=17), 0)["hand"]["brick"] == 1

    game = rolling()
    assert sum(game.outcomes(action_id("roll")).values()) == pytest.approx(1)
    assert act(game, "roll", (6, 4)).snapshot()["dice"] == [6, 4]
    with pytest.raises(ValueError, match="is impossible for"):
        act(game, "end_turn", (1, 1))

    state = act(buying(), "buy_development_card", Card.MONOPOLY).snapshot()
    assert state["players"][0]["cards"]["monopoly"] == 1
    assert (state["deck"].count("monopoly"), len(state["deck"])) == (1, 24)


@pytest.mark.parametrize(
    ("chance", "given", "same_as"),
    [
        ("roll", [3, 4], (3, 4)),
        ("roll", (np.int64(3), np.int8(4)), (3, 4)),
        ("rob", "ore", Resource.ORE),
        ("buy", "knight", Card.KNIGHT),
    ],
)
def test_outcomes_are_named_in_several_forms(chance, given, same_as) -> None:
    make, action = CHANCES[chance]
    game, other = make(), make()
    game.step(action, outcome=given)
    other.step(action, outcome=same_as)
    assert bytes_of(game) == bytes_of(other)


WRONG_OUTCOMES = {
    "roll": [(1.0, 2.0), (1, 2, 3), (0, 4), 7, Resource.ORE],
    "rob": [Card.KNIGHT, "wool", "ORE", 4, (3, 4)],
    "buy": [Resource.BRICK, 0, {}, "Knight"],
}


@pytest.mark.parametrize("chance", WRONG_OUTCOMES)
def test_outcomes_that_chance_cannot_bring_are_refused(chance) -> None:
    make, action = CHANCES[chance]
    game = make()
    before = bytes_of(game)
    for outcome in WRONG_OUTCOMES[chance]:
        with pytest.raises(ValueError, match="is impossible for"):
            game.step(action, outcome=outcome)
        assert bytes_of(game) == before


def test_a_position_takes_a_board_in_its_json_form() -> None:
    board = Game(num_players=2, seed=1).snapshot()["board"]
    rules = Rules(num_players=2)
    assert position([{}, {}], rules=rules, board=board).snapshot()["board"] == board


def test_the_mask_follows_the_game_and_is_not_written_to() -> None:
    game = Game(seed=1)
    mask = game.mask
    with pytest.raises(ValueError, match="read-only"):
        mask[0] = 1
    play_randomly(game, 50)
    assert np.flatnonzero(mask).tolist() == game.legal_actions().tolist()


def test_a_listener_cannot_play_on_its_game() -> None:
    game = Game(seed=1)
    heard = []

    def listen(game: Game, _events: object) -> None:
        heard.append(game.copy().step(int(game.legal_actions()[0])))
        game.step(int(game.legal_actions()[0]))

    game.listeners.append(listen)
    with pytest.raises(RuntimeError, match="can't play on the game that it listens to"):
        game.step(int(game.legal_actions()[0]))
    game.listeners.clear()
    play_randomly(game, 5)
    assert len(heard) == 1


@pytest.mark.parametrize(
    "games",
    [np.zeros(2, STATE), np.zeros(1, np.int8), np.broadcast_to(np.zeros(1, STATE), 1), None],
)
def test_a_game_is_one_record_that_can_be_written_to(games) -> None:
    with pytest.raises(ValueError, match=r"an array \(1,\) of engine.state.STATE, writable"):
        Game.from_games(games, Rules())
