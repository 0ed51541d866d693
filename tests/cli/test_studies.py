from pathlib import Path
from typing import Any

from catan_pz.cli import main
from catan_pz.game.game import Game
from catan_pz.game.record import GameRecord


def test_openings_and_agreement_of_a_folder(recorded: Path, tmp_path: Path, capsys: Any) -> None:
    folder, plots = str(recorded.parent), [tmp_path / "openings.svg", tmp_path / "odds.png"]
    assert main(["openings", folder, "--plot", str(plots[0])]) == 0
    told = capsys.readouterr().out
    assert "Games of 2 players: 1" in told
    assert "| places second | 1 |" in told
    assert main(["agreement", folder, "--plot", str(plots[1])]) == 0
    told = capsys.readouterr().out
    assert "| winners |" in told
    assert "Brier score: 0." in told
    assert all(path.stat().st_size > 1000 for path in plots)
    assert main(["openings", str(tmp_path)]) == 2
    assert "has no recorded games" in capsys.readouterr().err
    GameRecord.of(Game(num_players=2, seed=1)).save(tmp_path / "left.jsonl")
    for command, said in (("openings", "set-up and a winner"), ("agreement", "to compare")):
        assert main([command, str(tmp_path)]) == 1
        assert said in capsys.readouterr().err
        assert main([command, folder, "--plot", "plot.txt"]) == 2
        wrong = capsys.readouterr()
        assert not wrong.out
        assert "--plot plot.txt: the file must end in one of .png, .svg" in wrong.err
    for command in ("agreement", "review"):
        assert main([command, str(recorded), "--seed", "-1"]) == 2
        assert "'--seed'" in capsys.readouterr().err
