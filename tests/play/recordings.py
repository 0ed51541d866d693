"""A recorded game between two random players."""

from pathlib import Path

import numpy as np
import pytest

from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord
from catan_pz.rules import Rules

RULES = Rules(num_players=2, victory_points=3, max_turns=60)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    game, rng = Game(RULES, seed=20), np.random.default_rng(20)
    record = GameRecord.of(game)
    while game.mask.any():
        game.step(int(rng.choice(game.legal_actions())))
    path = tmp_path_factory.mktemp("games") / "game.jsonl"
    record.save(path)
    return path
