"""Positions from recorded games as starts: what is taken, what is drawn anew, what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from parts.starts import Starts

from catan_pz import Game
from catan_pz.agents import load
from catan_pz.agents.random_stream import seat_seeds
from catan_pz.agents.table import Table
from catan_pz.batch.cpu import CpuBatch
from catan_pz.game import GameRecord
from catan_pz.rules import Rules
from catan_pz.terms import DECK_SIZE, Phase

RULES = Rules(num_players=3, trading=False, victory_points=5, skip_forced=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    played = replace(RULES, skip_forced=False, board="spiral", first_player="random")
    for seed in (1, 2):
        game = Game(played, seed=seed)
        record = GameRecord.of(game)
        Table(game, [load("heuristic") for _ in range(3)], seat_seeds(seed, 3)).play()
        record.save(folder / f"{seed}.jsonl")
    return folder


def test_positions_are_choices_after_the_setup(folder):
    starts = Starts.read(folder, RULES, each=5)
    assert len(starts) == 10
    batch = CpuBatch(10, RULES, seed=1)
    batch.place_games(range(10), starts._positions)
    assert not np.isin(batch.games["phase"], (Phase.SETUP_SETTLEMENT, Phase.SETUP_ROAD)).any()
    assert (batch.mask.sum(1) > 1).all()
    assert len({bytes(board) for board in np.asarray(batch.games["terrain"])}) == 2
    for _ in range(300):
        batch.step(batch.sample())


def test_what_lies_ahead_is_drawn_anew(folder):
    starts = Starts.read(folder, RULES, each=1)
    drawn = starts.draw(200, np.random.default_rng(3))
    assert len(np.unique(drawn["rng"])) == 200
    for position in starts._positions:
        of_it = drawn[(drawn["terrain"] == position["terrain"]).all(1)]
        assert len(of_it) > 60
        top = DECK_SIZE - int(position["deck_left"])
        assert (of_it["deck"][:, :top] == position["deck"][:top]).all()
        assert (np.sort(of_it["deck"][:, top:]) == np.sort(position["deck"][top:])).all()
        assert len(np.unique(of_it["deck"], axis=0)) > 30
        assert (of_it["hand"] == position["hand"]).all()
