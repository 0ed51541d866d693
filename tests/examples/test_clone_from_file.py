"""Behaviour cloning from a Parquet file of recorded games."""

import numpy as np
import pytest

from catan_pz import datasets
from catan_pz.agents.registry import load
from catan_pz.arena import play_match
from catan_pz.rules import Rules
from catan_pz.training.options import parse

pytest.importorskip("pyarrow", reason="takes the extra `data`")

PROGRAM = "clone_from_file"


def test_games_without_the_player_are_passed_over(program, tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "GAMES_AT_ONCE", 1)  # one game a row group
    rules = Rules(num_players=2, trading=False, victory_points=3)
    for name in ("weighted", "heuristic"):
        play_match([name, "random"], 2, rules, 1, records=tmp_path / name, progress=False)
    data = tmp_path / "games.parquet"
    datasets.write_parquet([tmp_path], data, policy=None, progress=False)
    args = parse(program.Args, [str(data), "--player=heuristic"], "")
    sizes = [len(seen) for seen, _, _ in program.Decisions(args, groups=1)]
    assert sizes
    assert min(sizes) > 0
    with pytest.raises(ValueError, match=r"player must be one of .*'heuristic'.*, got 'value'"):
        program.main([str(data), "--player=value"])


@pytest.mark.slow
def test_it_learns_what_was_played(program, tmp_path, capsys):
    rules = Rules(num_players=2, trading=False, victory_points=4)
    folder, data = tmp_path / "games", tmp_path / "games.parquet"
    play_match(["heuristic", "random"], 8, rules, 1, records=folder, progress=False)
    datasets.write_parquet([folder], data, policy=None, progress=False)
    words = [str(data), f"--out={tmp_path / 'model.npz'}", "--player=heuristic", "--epochs=12"]
    result = program.main([*words, "--batch-size=64", "--width=64", "--eval-games=2"])
    assert result["games"] == 2
    said = capsys.readouterr().out.splitlines()
    first, last = (float(line.split()[-1]) for line in (said[0], said[11]))
    assert last > first + 0.3
    agent = load(str(tmp_path / "model.npz"))
    assert np.isfinite(agent.model.logits(np.zeros((1, 1008), np.int8))).all()
