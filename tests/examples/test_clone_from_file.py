"""Behaviour cloning from a Parquet file of recorded games."""

import numpy as np
import pytest

from catan_pz.agents.registry import load
from catan_pz.arena import play_match
from catan_pz.datasets import write_parquet
from catan_pz.rules import Rules

pytest.importorskip("pyarrow", reason="takes the extra `data`")

pytestmark = pytest.mark.slow

PROGRAM = "clone_from_file"


def test_it_learns_what_was_played(program, tmp_path, capsys):
    rules = Rules(num_players=2, trading=False, victory_points=4)
    folder, data = tmp_path / "games", tmp_path / "games.parquet"
    play_match(["heuristic", "random"], 8, rules, 1, records=folder, progress=False)
    write_parquet([folder], data, policy=None, progress=False)
    words = [str(data), f"--out={tmp_path / 'model.npz'}", "--player=heuristic", "--epochs=12"]
    result = program.main([*words, "--batch-size=64", "--width=64", "--eval-games=2"])
    assert result["games"] == 2
    said = capsys.readouterr().out.splitlines()
    first, last = (float(line.split()[-1]) for line in (said[0], said[11]))
    assert last > first + 0.3
    agent = load(str(tmp_path / "model.npz"))
    assert np.isfinite(agent.model.logits(np.zeros((1, 1008), np.int8))).all()
