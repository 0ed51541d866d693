"""What players have at the end of games: `examples/endings.py`."""

import numpy as np

from catan_pz.arena import play_match
from catan_pz.game.record import GameRecord
from tests.examples.programs import load


def test_what_is_held_adds_up_to_the_points(tmp_path, capsys):
    module = load("endings")
    agents = ["heuristic", "random", "random"]
    play_match(agents, 3, trading=False, seed=2, records=tmp_path, victory_points=6)
    for path in tmp_path.glob("*.jsonl"):
        held, winner = module.ending(GameRecord.load(path))
        _, settlements, cities, road, army, cards, knights, points = held.T
        assert (settlements + 2 * cities + 2 * road + 2 * army + cards == points).all()
        assert points.argmax() == winner
        assert (knights >= 3 * army).all()
    found = module.main([str(tmp_path), "heuristic"])
    assert len(found["won"]) + len(found["lost"]) == 3
    assert np.mean(found["won"], 0)[0, -1] >= 6
    assert "pips after the set-up" in capsys.readouterr().out
