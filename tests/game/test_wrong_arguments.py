"""Wrong arguments of games and batches: a clear error before compiled code is called."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from catan_pz import Game, Rules
from catan_pz.batch.cpu import CpuBatch
from catan_pz.batch.cuda import CudaBatch
from catan_pz.engine.state import STATE
from catan_pz.env.vector.single_learner import SingleLearnerBatch
from catan_pz.game.view import view_of

pytestmark = pytest.mark.purepython

SIZE = 3
BATCHES = {
    "CpuBatch": lambda: CpuBatch(SIZE, seed=1),
    "SingleLearnerBatch": lambda: SingleLearnerBatch(SIZE, seed=1),
    # Only the check is of interest, and it needs no GPU.
    "CudaBatch": lambda: SimpleNamespace(num_games=SIZE, game=None),
}


def game_of(batch: Any, number: Any) -> Game:
    return CudaBatch.game(batch, number) if batch.game is None else batch.game(number)


@pytest.mark.parametrize("kind", BATCHES)
def test_a_batch_has_no_games_but_its_own(kind: str) -> None:
    batch = BATCHES[kind]()
    for number in (SIZE, -1, 10**9, np.int64(SIZE)):
        with pytest.raises(IndexError, match="games go from 0 to 2"):
            game_of(batch, number)


@pytest.mark.parametrize(
    "games",
    [
        np.zeros(0, STATE),
        np.zeros(2, STATE),
        np.zeros(1, np.int8),
        None,
    ],
)
def test_a_game_is_one_record(games: Any) -> None:
    with pytest.raises(ValueError, match=r"array \(1,\) of engine.state.STATE"):
        Game.from_games(games, Rules())


def test_a_record_that_is_not_writable_is_refused() -> None:
    games = Game(seed=1).games.copy()
    games.flags.writeable = False
    with pytest.raises(ValueError, match="writable"):
        Game.from_games(games, Rules())


LOOKS = {"observe": Game.observe, "observe_scaled": Game.observe_scaled, "view_of": view_of}


@pytest.mark.parametrize("look", LOOKS)
def test_only_a_seat_of_the_game_can_look(look: str) -> None:
    game = Game(seed=1, num_players=3)
    for seat in (-1, 3, 100, 10**6, 2**70):
        with pytest.raises(ValueError, match=r"seat=.* an int from 0 to 2"):
            LOOKS[look](game, seat)
    LOOKS[look](game, np.int64(2))


@pytest.mark.parametrize("action", [-1, 389, 2**64])
def test_actions_that_do_not_exist_have_no_outcomes(action: int) -> None:
    with pytest.raises(ValueError, match=r"action=.* an int from 0 to 388"):
        Game(seed=1).outcomes(action)
