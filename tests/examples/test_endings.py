"""What players have at the end of games: `examples/endings.py`."""

import numpy as np
import pytest

from catan_pz.arena import play_match
from catan_pz.game.record import GameRecord
from tests.examples.programs import load


@pytest.fixture(scope="module")
def module():
    return load("endings")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("games")
    agents = ["heuristic", "random", "random"]
    play_match(agents, 3, trading=False, seed=2, records=folder, victory_points=6)
    return folder


def test_what_is_held_adds_up_to_the_points(module, folder):
    for path in folder.glob("*.jsonl"):
        held, winner = module.ending(GameRecord.load(path))
        _, settlements, cities, road, army, cards, knights, points = held.T
        assert (settlements + 2 * cities + 2 * road + 2 * army + cards == points).all()
        assert points.argmax() == winner
        assert (knights >= 3 * army).all()


def test_won_and_lost_games_are_shown_apart(module, folder, capsys):
    found = module.main([str(folder), "heuristic"])
    assert len(found["won"]) + len(found["lost"]) == 3
    assert all(rows.shape == (2, 8) for rows in found["won"])
    assert np.mean(found["won"], 0)[0, -1] >= 6
    shown = capsys.readouterr().out
    assert "pips after the set-up" in shown
