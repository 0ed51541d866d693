import pytest

from catan_pz.game.game import Game
from catan_pz.game.perft import divide, perft
from catan_pz.game.position import position
from catan_pz.rules import Rules
from tests.engine.test_perft import NAMED, SETUP_COUNTS, slow_count
from tests.helpers import RULE_SETS


@pytest.mark.parametrize("name", NAMED)
def test_named_positions(name: str) -> None:
    make, nodes = NAMED[name]
    assert [perft(make(), depth) for depth in range(1, len(nodes) + 1)] == nodes


@pytest.mark.parametrize(("depth", "nodes"), list(enumerate([1, *SETUP_COUNTS])))
def test_two_player_setup(depth: int, nodes: int) -> None:
    assert perft(Game(seed=1, num_players=2), depth) == nodes


@pytest.mark.parametrize("name", ["two", "three", "one_v_one", "both_forms", "balanced_beginner"])
def test_the_count_is_that_of_trying_everything(name: str) -> None:
    game = Game(RULE_SETS[name], seed=3)
    for step in range(240):
        legal = game.legal_actions()
        if not len(legal):
            break
        if step % 12 == 0 and len(legal) < 60:
            before = game.games.tobytes()
            assert perft(game, 2) == slow_count(game, 2)
            assert game.games.tobytes() == before
        game.step(int(legal[step * 7 % len(legal)]))


def test_balanced_dice_leave_out_what_was_thrown() -> None:
    rules = Rules(num_players=2, dice="balanced", trading=False)
    game = position([{}, {}], rules=rules, phase="roll")
    game.step(0, outcome=(1, 1))
    game.step(1)
    assert perft(game, 1) == 35


def test_forced_decisions_count_by_themselves() -> None:
    with_skips = position([{}, {}], rules=Rules(num_players=2, skip_forced=True), phase="roll")
    plain = position([{}, {}], rules=Rules(num_players=2), phase="roll")
    assert perft(with_skips, 3) == perft(plain, 3)


def test_divide_adds_up() -> None:
    game = position(
        [{"hand": {"wool": 1, "grain": 1, "ore": 1}}, {"settlements": [9]}],
        rules=Rules(num_players=2, trading=False),
    )
    parts = list(divide(game, 2))
    assert sum(count for _, _, count in parts) == perft(game, 2) == slow_count(game, 2)
    assert len(parts) == perft(game, 1)


def test_a_finished_game_has_no_way_on() -> None:
    game = Game(seed=1, max_turns=1, trading=False)
    while game.mask.any():
        game.step(int(game.legal_actions()[0]))
    assert perft(game, 3) == 0
